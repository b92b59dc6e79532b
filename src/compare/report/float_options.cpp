// Reading floating-point freedoms out of options: NVIDIA's spellings and clang's.
#include "compare/report/float_options.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "compare/report/figures.hpp"

namespace tare::compare {
namespace {

enum class Family { nvidia, nvvm, clang, other };

Family family(const RowResult& row) {
  if (row.compiler.find("clang") != std::string::npos) return Family::clang;
  if (row.compiler.find("NVRTC") != std::string::npos || row.compiler.find("nvcc") != std::string::npos)
    return Family::nvidia;
  if (row.compiler.find("libNVVM") != std::string::npos) return Family::nvvm;
  return Family::other;
}

/// The last of the options that stands for `name`, as "--name=value"; both -name=value and "-name value"
/// are spellings of it.
std::string last_value(const RowResult& row, std::string_view name) {
  std::string value;
  for (std::size_t i = 0; i < row.options.size(); ++i) {
    std::string_view option = row.options[i];
    while (option.starts_with('-')) option.remove_prefix(1);
    if (option == name && i + 1 < row.options.size()) value = row.options[i + 1];
    if (option.size() > name.size() && option.starts_with(name) && option[name.size()] == '=')
      value = option.substr(name.size() + 1);
  }
  return value;
}

bool has(const RowResult& row, std::string_view option) {
  return std::find(row.options.begin(), row.options.end(), option) != row.options.end();
}

bool fast_math(const RowResult& row) {
  return has(row, "--use_fast_math") || has(row, "-use_fast_math") || has(row, "-ffast-math");
}

/// NVIDIA's compilers: a switch with a default, which --use_fast_math overrides.
FloatFreedom nvidia_switch(const RowResult& row, std::string_view name, std::string_view when_free,
                           bool free_by_default) {
  const std::string value = last_value(row, name);
  const std::string option = "--" + std::string(name) + "=";
  if (!value.empty()) return {value == when_free, option + value};
  if (fast_math(row)) return {true, "--use_fast_math"};
  const std::string opposite = when_free == "true" ? "false" : "true";
  return {free_by_default, "no " + option + (free_by_default ? opposite : std::string(when_free))};
}

/// libNVVM: the same switches as 0 and 1.
FloatFreedom nvvm_switch(const RowResult& row, const std::string& name, bool free_when_on,
                         bool free_by_default) {
  const std::string value = last_value(row, name), option = "-" + name + "=";
  if (value == "0" || value == "1") return {(value == "1") == free_when_on, option + value};
  return {free_by_default, "no " + option + (free_by_default == free_when_on ? "0" : "1")};
}

std::optional<FloatFreedom> may_flush(const RowResult& row) {
  if (family(row) == Family::nvidia) return nvidia_switch(row, "ftz", "true", false);
  if (family(row) == Family::nvvm) return nvvm_switch(row, "ftz", true, false);
  if (family(row) == Family::other) return std::nullopt;
  const bool on = has(row, "-fgpu-flush-denormals-to-zero") || fast_math(row);
  return FloatFreedom{on, on ? "-fgpu-flush-denormals-to-zero" : "no -fgpu-flush-denormals-to-zero"};
}

std::optional<FloatFreedom> may_divide_roughly(const RowResult& row) {
  if (family(row) == Family::nvidia) return nvidia_switch(row, "prec-div", "false", false);
  if (family(row) == Family::nvvm) return nvvm_switch(row, "prec-div", false, false);
  if (family(row) == Family::other) return std::nullopt;
  return FloatFreedom{fast_math(row), fast_math(row) ? "-ffast-math" : "no -ffast-math"};
}

std::optional<FloatFreedom> may_root_roughly(const RowResult& row) {
  if (family(row) == Family::nvidia) return nvidia_switch(row, "prec-sqrt", "false", false);
  if (family(row) == Family::nvvm) return nvvm_switch(row, "prec-sqrt", false, false);
  if (family(row) == Family::other) return std::nullopt;
  return FloatFreedom{fast_math(row), fast_math(row) ? "-ffast-math" : "no -ffast-math"};
}

struct Explanation {
  std::optional<FloatFreedom> (*freedom)(const RowResult&);
  const char* what;
};
constexpr std::array<Explanation, 4> kExplanations{
    {{may_contract, "contract a * b + c into one fma, which rounds once"},
     {may_flush, "flush subnormal numbers to zero"},
     {may_divide_roughly, "divide with less than full precision"},
     {may_root_roughly, "take square roots with less than full precision"}}};

bool all_are(const std::vector<const RowResult*>& rows, const Explanation& explanation, bool allowed) {
  return std::all_of(rows.begin(), rows.end(), [&](const RowResult* row) {
    const std::optional<FloatFreedom> freedom = explanation.freedom(*row);
    return freedom && freedom->allowed == allowed;
  });
}

/// "nvrtc and raw: no --fmad=false; clang: -ffp-contract=fast".
std::string options_of(const std::vector<const RowResult*>& rows, const Explanation& explanation) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const RowResult* row : rows) {
    const std::string option = explanation.freedom(*row)->option;
    auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == option; });
    if (group == groups.end()) group = groups.insert(groups.end(), {option, {}});
    group->second.push_back(row->row);
  }
  std::string text;
  for (const auto& [option, names] : groups)
    text += (text.empty() ? "" : "; ") + join_names(names) + ": " + option;
  return text;
}

}  // namespace

std::optional<FloatFreedom> may_contract(const RowResult& row) {
  switch (family(row)) {
    case Family::nvidia:
      return nvidia_switch(row, "fmad", "true", true);
    case Family::nvvm:
      return nvvm_switch(row, "fma", true, true);
    case Family::clang: {
      // tare::jit has clang compile IR, where its back end contracts.
      const std::string level = last_value(row, "nvptx-fma-level");
      if (!level.empty()) return FloatFreedom{level != "0", "-nvptx-fma-level=" + level};
      const std::string value = last_value(row, "ffp-contract");
      if (!value.empty()) return FloatFreedom{value != "off", "-ffp-contract=" + value};
      return FloatFreedom{true, "no -ffp-contract=off"};  // for CUDA clang contracts by itself
    }
    case Family::other:
      break;
  }
  return std::nullopt;
}

std::string explain_by_options(const std::vector<const RowResult*>& differing,
                               const std::vector<const RowResult*>& equal, Distance distance) {
  if (differing.empty() || distance == Distance::none) return {};
  for (const Explanation& explanation : kExplanations) {
    if (!all_are(differing, explanation, true) || !all_are(equal, explanation, false)) continue;
    const std::string theirs = options_of(differing, explanation);
    // No row stands against it: the distance has to speak for it.
    if (equal.empty() && distance == Distance::far)
      return "so far apart that rounding explains it only where nearly equal numbers are subtracted; --fp "
             "strict "
             "tells";
    if (equal.empty())
      return std::string("every row may ") + explanation.what + " (" + theirs +
             "), and the reference may not; --fp strict tells whether that is all";
    return std::string("the rows that differ may ") + explanation.what + " (" + theirs +
           "), the others may not (" + options_of(equal, explanation) + ")";
  }
  return {};
}

}  // namespace tare::compare
