// Numbers as people type them: sizes with a suffix, powers, block shapes.
#include <charconv>
#include <limits>

#include "cli/command_line.hpp"

namespace tare::cli {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::int64_t> power(std::int64_t base, std::int64_t exponent) {
  std::int64_t result = 1;
  for (std::int64_t i = 0; i < exponent; ++i)
    if (__builtin_mul_overflow(result, base, &result)) return std::nullopt;
  return result;
}

std::optional<std::int64_t> count_of(std::string_view text) {
  if (const std::size_t hat = text.find('^'); hat != std::string_view::npos) {
    const auto base = whole_number(text.substr(0, hat)), exponent = whole_number(text.substr(hat + 1));
    if (!base || !exponent || *exponent < 0 || *exponent > 63) return std::nullopt;
    return power(*base, *exponent);
  }
  std::int64_t unit = 1;
  if (!text.empty()) {
    const std::size_t suffix = std::string_view("kmg").find(static_cast<char>(text.back() | 0x20));
    if (suffix != std::string_view::npos) {
      unit = std::int64_t{1} << (10 * (suffix + 1));
      text.remove_suffix(1);
    }
  }
  const auto number = whole_number(text);
  std::int64_t result = 0;
  if (!number || __builtin_mul_overflow(*number, unit, &result)) return std::nullopt;
  return result;
}

}  // namespace

std::int64_t parse_count(const std::string& text, const std::string& what) {
  if (const auto value = count_of(text)) return *value;
  throw UsageError(what + ": `" + text + "` is not a whole number in 64 bits",
                   "like 4194915, 4M (K, M and G are powers of 1024) or 2^28");
}

std::pair<std::int64_t, std::int64_t> parse_range(const std::string& text, const std::string& what) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) throw UsageError(what + ": `" + text + "` is not a range", "like 1K..64M");
  const std::pair range{parse_count(text.substr(0, dots), what), parse_count(text.substr(dots + 2), what)};
  if (range.first < 1 || range.first > range.second)
    throw UsageError(what + ": `" + text + "` is no range of sizes from 1 upwards", "like 1K..64M");
  return range;
}

std::vector<unsigned> parse_block(const std::string& text) {
  std::vector<unsigned> block;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of("x,", begin), text.size());
    const auto value = whole_number(std::string_view(text).substr(begin, end - begin));
    if (!value || *value < 1 || *value > std::numeric_limits<unsigned>::max() || block.size() == 3)
      throw UsageError("--threads: `" + text + "` is not a block shape", "like 256, 16x16 or 8x8x4");
    block.push_back(static_cast<unsigned>(*value));
    begin = end + 1;
  }
  return block;
}

}  // namespace tare::cli
