#include "cpu/runtime/visible_devices.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string>

#include "cpu/runtime/host.hpp"

namespace tare::cpu {
namespace {

/// As nvidia-smi writes it: "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6".
std::string uuid_text(int ordinal) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  unsigned char bytes[16] = {};
  machine_uuid(ordinal, bytes);
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The device of one entry; nothing where it names none, or more than one.
std::optional<int> device_of(std::string_view entry, int devices) {
  constexpr std::string_view kUuid = "GPU-";
  if (entry.starts_with(kUuid) && entry != kUuid) {
    std::optional<int> found;
    for (int ordinal = 0; ordinal < devices; ++ordinal) {
      if (!uuid_text(ordinal).starts_with(entry)) continue;
      if (found) return std::nullopt;
      found = ordinal;
    }
    return found;
  }
  int ordinal = 0;
  const auto [end, error] = std::from_chars(entry.data(), entry.data() + entry.size(), ordinal);
  const bool whole = error == std::errc{} && end == entry.data() + entry.size();
  return whole && ordinal >= 0 && ordinal < devices ? std::optional(ordinal) : std::nullopt;
}

}  // namespace

std::optional<std::vector<int>> visible_devices(std::optional<std::string_view> list, int devices) {
  std::vector<int> visible;
  if (!list) {
    visible.resize(static_cast<std::size_t>(devices));
    std::iota(visible.begin(), visible.end(), 0);
    return visible;
  }
  for (std::size_t begin = 0; begin <= list->size();) {
    const std::size_t end = std::min(list->find(',', begin), list->size());
    const auto device = device_of(trimmed(list->substr(begin, end - begin)), devices);
    if (!device) break;
    if (std::ranges::find(visible, *device) != visible.end()) return std::nullopt;
    visible.push_back(*device);
    begin = end + 1;
  }
  return visible;
}

}  // namespace tare::cpu
