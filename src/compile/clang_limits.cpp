// Reads clang's errors one by one: each has to be about a name or a header of CUDA's.
#include "compile/clang_limits.hpp"

#include <algorithm>
#include <string_view>

#include "compile/cuda_names.hpp"
#include "compile/include_hints.hpp"

namespace tare::detail {
namespace {

constexpr std::size_t kMost = 3;
/// What our header says of a function that it only declares.
constexpr std::string_view kUnavailable = "it is in NVIDIA's device math library";

/// The text between the first `open` and the next quote after it; empty where there is none.
std::string_view quoted_after(std::string_view text, std::string_view open) {
  const std::size_t at = text.find(open);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + open.size());
  return rest.substr(0, rest.find('\''));
}

struct Complaint {
  std::string_view place;      // "k.cu:5:10"
  std::string_view message;    // after "error: "
  std::string_view next_line;  // the source that clang shows
};

/// `1 | x[0] = norm3df(...)` calls norm3df.
bool is_called(std::string_view name, std::string_view source) {
  const std::size_t at = source.find(std::string(name) + "(");
  return at != std::string_view::npos;
}

/// What of CUDA's the complaint is about; empty where it is about something else.
std::string missing(const Complaint& complaint) {
  const auto name = [](std::string_view text) { return "`" + std::string(text) + "`"; };
  const std::string_view message = complaint.message;
  if (const auto header = quoted_after(message, "'"); message.ends_with("' file not found"))
    return is_toolkit_header(header) ? "<" + std::string(header) + ">" : "";
  if (message.find(kUnavailable) != std::string_view::npos) return name(quoted_after(message, "'"));
  for (const std::string_view begin :
       {"use of undeclared identifier '", "unknown type name '", "call to '"}) {
    if (!message.starts_with(begin)) continue;
    const std::string_view found = quoted_after(message, begin);
    const bool ambiguous = begin == "call to '";
    if (ambiguous && message.find("' is ambiguous") == std::string_view::npos) return {};
    // A word that anybody could have written is CUDA's only where it is called.
    const bool telling =
        found.starts_with("__") || found.starts_with("CUDART_") || begin.starts_with("unknown");
    return is_cuda_name(found) && (telling || is_called(found, complaint.next_line)) ? name(found) : "";
  }
  return {};
}

std::vector<Complaint> complaints_in(std::string_view log) {
  std::vector<Complaint> all;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    constexpr std::string_view kError = "error: ";
    const std::size_t at = line.find(kError);
    if (at == std::string_view::npos || (at > 0 && line[at - 1] != ' ')) continue;
    std::string_view place = line.substr(0, at);
    if (place.ends_with("fatal ")) place.remove_suffix(6);
    if (place.ends_with(": ")) place.remove_suffix(2);
    all.push_back({place, line.substr(at + kError.size()), log.substr(0, log.find('\n'))});
  }
  return all;
}

/// "k.cu:5" of "k.cu:5:10".
std::string_view line_of(std::string_view place) {
  return place.substr(0, place.rfind(':'));
}

}  // namespace

std::string limit_of_clang(const std::string& log) {
  std::vector<std::string> names, told;
  for (const Complaint& complaint : complaints_in(log)) {
    if (complaint.message.starts_with("too many errors emitted")) continue;
    const std::string name = missing(complaint);
    if (name.empty()) return {};
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back(name);
    told.push_back(name + " (" + std::string(line_of(complaint.place)) + ")");
  }
  if (names.empty()) return {};
  std::string text = "clang runs without NVIDIA's headers and libraries here, and has no ";
  for (std::size_t i = 0; i < told.size() && i < kMost; ++i) text += (i == 0 ? "" : ", ") + told[i];
  if (told.size() > kMost) text += " and " + std::to_string(told.size() - kMost) + " more";
  return text;
}

const std::vector<std::string>& stand_in_headers() {
  static const std::vector<std::string> kHeaders{
      "cuda_fp16.h",        "cuda_bf16.h",        "cuda_runtime.h", "device_launch_parameters.h",
      "cuda_runtime_api.h", "device_functions.h", "vector_types.h", "vector_functions.h",
      "sm_20_intrinsics.h", "math_functions.h"};
  return kHeaders;
}

}  // namespace tare::detail
