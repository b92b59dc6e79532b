// Bits first; distances in ulps only for floats, on the line on which -0 and +0 are one apart from nothing.
#include "compare.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace tare::kernels {
namespace {

constexpr unsigned long long kNever = std::numeric_limits<unsigned long long>::max();

template <class Float, class Bits>
unsigned long long distance(const std::byte* a_bytes, const std::byte* b_bytes) {
  Bits a_bits{}, b_bits{};
  std::memcpy(&a_bits, a_bytes, sizeof(Bits));
  std::memcpy(&b_bits, b_bytes, sizeof(Bits));
  if (a_bits == b_bits) return 0;
  Float a{}, b{};
  std::memcpy(&a, a_bytes, sizeof(Float));
  std::memcpy(&b, b_bytes, sizeof(Float));
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : kNever;
  constexpr Bits sign = Bits{1} << (sizeof(Bits) * 8 - 1);
  const auto place = [](Bits bits) { return (bits & sign) != 0 ? sign - (bits & ~sign) : sign + bits; };
  const Bits x = place(a_bits), y = place(b_bits);
  return x > y ? x - y : y - x;
}

unsigned long long distance(const Output& got, const Output& expected, std::size_t at) {
  const std::byte* a = got.bytes.data() + at;
  const std::byte* b = expected.bytes.data() + at;
  if (got.element == Element::f32) return distance<float, std::uint32_t>(a, b);
  if (got.element == Element::f64) return distance<double, std::uint64_t>(a, b);
  return std::memcmp(a, b, got.element_bytes) == 0 ? 0 : kNever;
}

std::string digits(const Output& output, std::size_t at) {
  std::string text = "0x";
  for (std::size_t i = output.element_bytes; i-- > 0;) {
    char two[3];
    std::snprintf(two, sizeof two, "%02x", std::to_integer<unsigned>(output.bytes[at + i]));
    text += two;
  }
  char value[48] = "";
  if (output.element == Element::f32) {
    float number = 0;
    std::memcpy(&number, output.bytes.data() + at, sizeof number);
    std::snprintf(value, sizeof value, " (%.9g)", static_cast<double>(number));
  } else if (output.element == Element::f64) {
    double number = 0;
    std::memcpy(&number, output.bytes.data() + at, sizeof number);
    std::snprintf(value, sizeof value, " (%.17g)", number);
  }
  return text + value;
}

std::string difference(const Output& got, const Output& expected, unsigned max_ulps) {
  if (got.name != expected.name || got.element_bytes != expected.element_bytes)
    return got.name + " stands where " + expected.name + " is expected";
  if (got.bytes.size() != expected.bytes.size())
    return got.name + " has " + std::to_string(got.bytes.size()) + " bytes, expected " +
           std::to_string(expected.bytes.size());
  std::size_t first = got.bytes.size(), differing = 0;
  for (std::size_t at = 0; at < got.bytes.size(); at += got.element_bytes) {
    const bool same = max_ulps == 0 ? std::memcmp(&got.bytes[at], &expected.bytes[at], got.element_bytes) == 0
                                    : distance(got, expected, at) <= max_ulps;
    if (same) continue;
    first = std::min(first, at);
    ++differing;
  }
  if (differing == 0) return {};
  return got.name + "[" + std::to_string(first / got.element_bytes) + "] is " + digits(got, first) +
         ", expected " + digits(expected, first) + "; " + std::to_string(differing) + " of " +
         std::to_string(got.bytes.size() / got.element_bytes) + " differ";
}

}  // namespace

std::string difference(const Outputs& got, const Outputs& expected, unsigned max_ulps) {
  if (got.list().size() != expected.list().size())
    return std::to_string(got.list().size()) + " outputs, expected " + std::to_string(expected.list().size());
  for (std::size_t i = 0; i < got.list().size(); ++i)
    if (std::string text = difference(got.list()[i], expected.list()[i], max_ulps); !text.empty())
      return text;
  return {};
}

unsigned long long largest_ulps(const Outputs& got, const Outputs& expected) {
  unsigned long long largest = 0;
  for (std::size_t i = 0; i < got.list().size() && i < expected.list().size(); ++i) {
    const Output &a = got.list()[i], &b = expected.list()[i];
    for (std::size_t at = 0; at < std::min(a.bytes.size(), b.bytes.size()); at += a.element_bytes)
      largest = std::max(largest, distance(a, b, at));
  }
  return largest;
}

std::string hash(const Outputs& outputs) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (const Output& output : outputs.list()) {
    XXH3_128bits_update(&state, output.name.c_str(), output.name.size() + 1);
    XXH3_128bits_update(&state, output.bytes.data(), output.bytes.size());
  }
  const XXH128_hash_t digest = XXH3_128bits_digest(&state);
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(digest.high64),
                static_cast<unsigned long long>(digest.low64));
  return text;
}

}  // namespace tare::kernels
