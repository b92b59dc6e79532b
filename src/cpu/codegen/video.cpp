#include "cpu/codegen/video.hpp"

#include <algorithm>

namespace tare::cpu::codegen {
namespace {

/// A part of a word: `width` bits from bit `start` on.
struct Part {
  unsigned start = 0, width = 32;
};

unsigned digits_of(std::uint16_t selector) {
  return (selector >> 12 & 3u) + 1;
}
/// The digit of place `k`, from the left.
unsigned digit(std::uint16_t selector, unsigned k) {
  return selector >> (3 * k) & 7u;
}

Part part_of(std::uint16_t selector) {
  if (selector == 0) return {};
  const unsigned width = (selector & 1u << 14) != 0 ? 8 : 16;
  return {digit(selector, 0) * width, width};
}

std::int64_t extract(std::uint64_t bits, Part part, bool is_signed) {
  const std::uint64_t value = bits >> part.start & ((std::uint64_t{1} << part.width) - 1);
  const std::uint64_t sign = std::uint64_t{1} << (part.width - 1);
  return is_signed ? static_cast<std::int64_t>((value ^ sign) - sign) : static_cast<std::int64_t>(value);
}

std::int64_t clamp(std::int64_t value, unsigned width, bool is_signed) {
  const std::int64_t span = std::int64_t{1} << width;
  return is_signed ? std::clamp(value, -span / 2, span / 2 - 1)
                   : std::clamp<std::int64_t>(value, 0, span - 1);
}

bool compare(std::int64_t a, std::int64_t b, std::uint32_t comparison) {
  switch (comparison) {
    case 0:
      return a == b;
    case 1:
      return a != b;
    case 2:
      return a < b;
    case 3:
      return a <= b;
    case 4:
      return a > b;
    default:
      return a >= b;
  }
}

std::int64_t shift(std::int64_t a, std::int64_t count, std::uint32_t control) {
  const std::int64_t limit = (control & video::wrap) != 0 ? count & 31 : std::min<std::int64_t>(count, 32);
  if ((control & video::operation_mask) == video::shift_right) return a >> limit;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << limit);
}

std::int64_t combine(std::int64_t a, std::int64_t b, std::uint32_t control) {
  switch (control & video::operation_mask) {
    case video::add:
      return a + b;
    case video::subtract:
      return a - b;
    case video::distance:
      return a > b ? a - b : b - a;
    case video::least:
      return std::min(a, b);
    case video::most:
      return std::max(a, b);
    case video::average:
      return a + b < 0 ? (a + b) >> 1 : (a + b + 1) >> 1;
    case video::set:
      return compare(a, b, control >> video::compare_shift & 7) ? 1 : 0;
    default:
      return shift(a, b, control);
  }
}

std::uint32_t second_operation(std::int64_t value, std::uint32_t c, std::uint32_t control) {
  const auto narrow = static_cast<std::uint32_t>(value);
  if ((control & video::then_add) != 0) return narrow + c;
  if ((control & (video::then_least | video::then_most)) == 0) return narrow;
  const bool is_signed = (control & video::result_signed) != 0;
  const bool less = is_signed ? static_cast<std::int32_t>(narrow) < static_cast<std::int32_t>(c) : narrow < c;
  return less == ((control & video::then_least) != 0) ? narrow : c;
}

std::uint32_t merge(std::uint32_t value, std::uint32_t c, Part part) {
  if (part.width == 32) return value;
  const std::uint32_t mask = ((1u << part.width) - 1) << part.start;
  return (c & ~mask) | (value << part.start & mask);
}

/// An H200 adds unsigned numbers in 32 bits, so that a whole word never saturates.
bool wraps_first(std::uint32_t control, Part result) {
  const std::uint32_t any_signed = video::result_signed | video::first_signed | video::second_signed;
  return (control & video::operation_mask) == video::add && (control & any_signed) == 0 && result.width == 32;
}

std::uint32_t scalar(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t control,
                     std::uint64_t selectors) {
  const Part result = part_of(static_cast<std::uint16_t>(selectors));
  const std::int64_t x =
      extract(a, part_of(static_cast<std::uint16_t>(selectors >> 16)), (control & video::first_signed) != 0);
  const std::int64_t y =
      extract(b, part_of(static_cast<std::uint16_t>(selectors >> 32)), (control & video::second_signed) != 0);
  std::int64_t value = combine(x, y, control);
  if (wraps_first(control, result)) value = static_cast<std::uint32_t>(value);
  if ((control & video::saturate) != 0)
    value = clamp(value, result.width, (control & video::result_signed) != 0);
  return merge(second_operation(value, c, control), c, result);
}

/// The sum is kept in 64 bits: products have 64 at most where both factors are whole words, and those are
/// only ever cut to 32 again or clamped.
std::uint32_t multiply(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t control,
                       std::uint64_t selectors) {
  __extension__ using Wide = __int128;
  const bool is_signed = (control & (video::first_signed | video::second_signed | video::negate_product |
                                     video::negate_addend)) != 0;
  const Wide x =
      extract(a, part_of(static_cast<std::uint16_t>(selectors >> 16)), (control & video::first_signed) != 0);
  const Wide y =
      extract(b, part_of(static_cast<std::uint16_t>(selectors >> 32)), (control & video::second_signed) != 0);
  Wide product = x * y;
  if ((control & video::negate_product) != 0) product = -product;
  // Where it scales, an H200 takes the addend for a signed number always.
  const bool scales = (control >> video::scale_shift & 15) != 0;
  Wide addend = is_signed || scales ? Wide{static_cast<std::int32_t>(c)} : Wide{c};
  if ((control & video::negate_addend) != 0) addend = -addend;
  Wide sum = product + addend + ((control & video::plus_one) != 0 ? 1 : 0);
  sum >>= control >> video::scale_shift & 15;
  if ((control & video::saturate) != 0) {
    const Wide low = is_signed ? Wide{INT32_MIN} : Wide{0};
    const Wide high = is_signed ? Wide{INT32_MAX} : Wide{UINT32_MAX};
    sum = std::clamp(sum, low, high);
  }
  return static_cast<std::uint32_t>(sum);
}

/// Lane `k` of an operand: chosen by a selector from b and a side by side, else the lane itself.
std::int64_t lane(std::uint64_t both, std::uint16_t selector, unsigned k, unsigned width, bool is_signed,
                  bool is_second) {
  const unsigned lanes = 32 / width;
  unsigned index = is_second ? lanes + k : k;
  if (selector != 0) index = digit(selector, digits_of(selector) - 1 - k);
  return extract(both, {index * width, width}, is_signed);
}

std::uint32_t packed(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t control,
                     std::uint64_t selectors) {
  const unsigned width = (control & video::two_lanes) != 0 ? 16 : 8;
  const std::uint64_t both = std::uint64_t{b} << 32 | a;
  const auto mask = static_cast<std::uint16_t>(selectors);
  const bool accumulates = (control & video::then_add) != 0;
  std::uint32_t result = c;
  for (unsigned k = 0; k < 32 / width; ++k) {
    bool chosen = mask == 0;
    for (unsigned at = 0; mask != 0 && at < digits_of(mask); ++at) chosen = chosen || digit(mask, at) == k;
    if (!chosen) continue;
    const std::int64_t x = lane(both, static_cast<std::uint16_t>(selectors >> 16), k, width,
                                (control & video::first_signed) != 0, false);
    const std::int64_t y = lane(both, static_cast<std::uint16_t>(selectors >> 32), k, width,
                                (control & video::second_signed) != 0, true);
    std::int64_t value = combine(x, y, control);
    if ((control & video::saturate) != 0) value = clamp(value, width, (control & video::result_signed) != 0);
    if (accumulates) {
      result += static_cast<std::uint32_t>(value);
    } else {
      result = merge(static_cast<std::uint32_t>(value), result, {k * width, width});
    }
  }
  return result;
}

}  // namespace

std::uint32_t video_operation(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t control,
                              std::uint64_t selectors) {
  if ((control & (video::two_lanes | video::four_lanes)) != 0) return packed(a, b, c, control, selectors);
  if ((control & video::operation_mask) == video::multiply_add) return multiply(a, b, c, control, selectors);
  return scalar(a, b, c, control, selectors);
}

std::uint32_t find_nth_bit(std::uint32_t mask, std::uint32_t base, std::int32_t offset) {
  if (base > 31) return 0xffffffffu;
  if (offset == 0) return (mask >> base & 1) != 0 ? base : 0xffffffffu;
  const std::int32_t step = offset > 0 ? 1 : -1;
  std::int64_t left = offset > 0 ? std::int64_t{offset} : -std::int64_t{offset};
  for (auto at = static_cast<std::int32_t>(base); at >= 0 && at < 32; at += step) {
    if ((mask >> at & 1) != 0 && --left == 0) return static_cast<std::uint32_t>(at);
  }
  return 0xffffffffu;
}

}  // namespace tare::cpu::codegen
