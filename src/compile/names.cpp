// Explicit instantiations, demangled comparison, and address markers.
#include "compile/names.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "tare/error.hpp"

namespace tare::detail {
namespace {

constexpr const char* kMarker = "tare_name_of_kernel_";

/// "&ns::scale<float>" -> "ns::scale<float>"
std::string trimmed(const std::string& name) {
  const std::size_t begin = name.find_first_not_of(" \t&:");
  const std::size_t end = name.find_last_not_of(" \t");
  return begin == std::string::npos ? "" : name.substr(begin, end - begin + 1);
}

/// The name without template arguments: "ns::scale<float>" -> "ns::scale".
std::string base_of(const std::string& name) {
  std::string base = name.substr(0, name.find('<'));
  base.erase(std::remove(base.begin(), base.end(), ' '), base.end());
  return base;
}

/// The qualified name in a demangled function: "void ns::scale<float>(float*)" -> "ns::scale".
std::string demangled_base(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
  if (!text || !symbol.starts_with("_Z")) return symbol;
  const std::string all = text.get();
  std::string base = all.substr(0, all.find_first_of("<("));
  if (const std::size_t space = base.rfind(' '); space != std::string::npos)
    base = base.substr(space + 1);  // a template's return type stands before its name
  return base;
}

std::string list(const std::vector<std::string>& entries) {
  std::string text;
  for (const std::string& entry : entries) text += (text.empty() ? "" : ", ") + entry;
  return text.empty() ? "none" : text;
}

}  // namespace

bool is_template_instance(const std::string& name) {
  return name.find('<') != std::string::npos;
}

std::string instantiations(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!is_template_instance(name)) continue;
    const std::string instance = trimmed(name);
    text += " template __global__ decltype(" + instance + ") " + instance + ";";
  }
  return text.empty() ? text : "\n" + text + "\n";
}

std::optional<std::map<std::string, std::string>> match_names(const std::vector<std::string>& names,
                                                              const std::vector<std::string>& entries) {
  std::map<std::string, std::string> lowered;
  for (const std::string& name : names) {
    const std::string wanted = trimmed(name);
    if (std::find(entries.begin(), entries.end(), wanted) != entries.end()) {
      lowered[name] = wanted;
      continue;
    }
    std::vector<std::string> matching;
    for (const std::string& entry : entries)
      if (demangled_base(entry) == base_of(wanted)) matching.push_back(entry);
    if (matching.empty())
      throw Error(ErrorKind::not_found, "no kernel " + name + " in the compiled code",
                  "the kernels in it: " + list(entries));
    if (matching.size() > 1 && !is_template_instance(name))
      throw Error(ErrorKind::argument, "the kernel name " + name + " is overloaded",
                  "give one of the symbols: " + list(matching));
    if (matching.size() > 1) return std::nullopt;
    lowered[name] = matching.front();
  }
  return lowered;
}

std::string name_markers(const std::vector<std::string>& names) {
  std::string text = "\n";
  for (std::size_t i = 0; i < names.size(); ++i)
    text += "extern \"C\" { __device__ const void* " + std::string(kMarker) + std::to_string(i) +
            " = (const void*)&" + trimmed(names[i]) + "; }";
  return text + "\n";
}

std::map<std::string, std::string> read_name_markers(const std::vector<std::string>& names,
                                                     const std::string& ptx) {
  std::map<std::string, std::string> lowered;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string start = std::string(" ") + kMarker + std::to_string(i) + " = ";
    const std::size_t at = ptx.find(start);
    const std::size_t end = ptx.find(';', at);
    if (at == std::string::npos || end == std::string::npos)
      throw Error(ErrorKind::not_found, "no kernel " + names[i] + " in the compiled code");
    lowered[names[i]] = ptx.substr(at + start.size(), end - at - start.size());
  }
  return lowered;
}

}  // namespace tare::detail
