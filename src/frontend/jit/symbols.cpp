#include "frontend/jit/symbols.hpp"

#include <algorithm>
#include <string_view>

#include "tare/error.hpp"

namespace tare::detail {
namespace {

/// What the driver brings for every kernel, and what PTX takes for something else.
constexpr std::string_view kTaken[] = {"vprintf", "malloc", "free", "WARP_SZ", "_"};

}  // namespace

std::string fault_in_name(const std::string& name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  bool good = !name.empty() && is_letter(name[0]);
  for (const char c : name) good = good && (is_letter(c) || (c >= '0' && c <= '9'));
  return good ? "" : "a name has letters, digits and _, and does not start with a digit";
}

void check_kernel_name(const std::string& name) {
  std::string fault = fault_in_name(name);
  if (fault.empty() && (name.starts_with("__") || std::ranges::find(kTaken, name) != std::end(kTaken)))
    fault =
        "it is reserved: names that begin with __, and vprintf, malloc, free, WARP_SZ and _, are the "
        "device's own";
  if (!fault.empty()) throw Error(ErrorKind::argument, "`" + name + "` cannot be a kernel's name", fault);
}

const char* cpp_name(Scalar type) {
  constexpr const char* kNames[] = {"bool",     "int8_t",  "uint8_t",  "int16_t", "uint16_t", "int",
                                    "unsigned", "int64_t", "uint64_t", "float",   "double",   "half"};
  return kNames[static_cast<std::size_t>(type)];
}

}  // namespace tare::detail
