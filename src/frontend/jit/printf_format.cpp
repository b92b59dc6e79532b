#include "frontend/jit/printf_format.hpp"

#include <fmt/format.h>

#include <string_view>

namespace tare::detail {
namespace {

std::string_view name_of(Scalar type) {
  switch (type) {
    case Scalar::i32:
      return "an int";
    case Scalar::u32:
      return "an unsigned int";
    case Scalar::i64:
      return "a 64-bit integer";
    case Scalar::u64:
      return "an unsigned 64-bit integer";
    default:
      return "a double";
  }
}

/// The conversion to write for it.
std::string_view conversion_for(Scalar type) {
  switch (type) {
    case Scalar::i32:
      return "%d";
    case Scalar::u32:
      return "%u";
    case Scalar::i64:
      return "%lld";
    case Scalar::u64:
      return "%llu";
    default:
      return "%f, %e or %g";
  }
}

constexpr std::string_view kConversions =
    "%d, %u, %x and %c take 32 bits, %lld, %llu and %llx 64, %f, %e and %g a number with a point; a width is "
    "written in the format";

/// What the conversion takes: 'i' 32 bits, 'l' 64 bits, 'd' a double; 0 where it takes none of these.
char taken_by(std::string_view conversion) {
  const std::string_view size = conversion.substr(0, conversion.size() - 1);
  const char letter = conversion.back();
  if (std::string_view("fFeEgGaA").find(letter) != std::string_view::npos) return size.empty() ? 'd' : 0;
  if (letter == 'c') return size.empty() ? 'i' : 0;
  if (std::string_view("diuxXo").find(letter) == std::string_view::npos) return 0;
  if (size.empty() || size == "h" || size == "hh") return 'i';
  return size == "l" || size == "ll" || size == "z" || size == "j" || size == "t" ? 'l' : 0;
}

char kind_of(Scalar type) {
  if (type == Scalar::f64) return 'd';
  return type == Scalar::i64 || type == Scalar::u64 ? 'l' : 'i';
}

}  // namespace

Scalar variadic_type(Scalar type) {
  switch (type) {
    case Scalar::f16:
    case Scalar::f32:
    case Scalar::f64:
      return Scalar::f64;
    case Scalar::u32:
      return Scalar::u32;
    case Scalar::i64:
      return Scalar::i64;
    case Scalar::u64:
      return Scalar::u64;
    default:
      return Scalar::i32;
  }
}

std::optional<FormatFault> fault_in_format(const std::string& format, std::span<const Scalar> types) {
  std::size_t used = 0;
  for (std::size_t at = format.find('%'); at != std::string::npos; at = format.find('%', at)) {
    const std::size_t begin = at++;
    if (at < format.size() && format[at] == '%') {
      ++at;
      continue;
    }
    at = format.find_first_not_of("-+ #0123456789.", at);
    const std::size_t conversion = at;
    at = at == std::string::npos ? at : format.find_first_not_of("hlzjt", at);
    if (at == std::string::npos)
      return FormatFault{fmt::format("`{}` is not finished", format.substr(begin)),
                         "a percent sign is written %%"};
    ++at;
    const std::string whole = format.substr(begin, at - begin);
    const char takes = taken_by(std::string_view(format).substr(conversion, at - conversion));
    if (takes == 0)
      return FormatFault{fmt::format("a kernel cannot print `{}`", whole),
                         whole.back() == 's' ? "a kernel has numbers alone: write the text into the format"
                                             : std::string(kConversions)};
    if (used == types.size())
      return FormatFault{fmt::format("the format wants more than the {} argument{} that there {}", used,
                                     used == 1 ? "" : "s", used == 1 ? "is" : "are"),
                         "give an argument for each conversion; a percent sign is written %%"};
    if (takes != kind_of(types[used]))
      return FormatFault{
          fmt::format("`{}` does not take argument {}, {}", whole, used + 1, name_of(types[used])),
          fmt::format("write {} for it, or convert it with tare::cast", conversion_for(types[used]))};
    ++used;
  }
  if (used < types.size())
    return FormatFault{fmt::format("the format has {} conversion{} for {} arguments", used,
                                   used == 1 ? "" : "s", types.size()),
                       fmt::format("write one for each argument: {} for argument {}",
                                   conversion_for(types[used]), used + 1)};
  return {};
}

}  // namespace tare::detail
