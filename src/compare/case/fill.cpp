// Initial contents of buffers, lane by lane, on all processors.
#include "compare/case/fill.hpp"

#include <cmath>
#include <cstring>

#include "compare/case/complaint.hpp"
#include "compare/case/lanes.hpp"
#include "compare/case/npy.hpp"
#include "compare/case/parallel.hpp"
#include "compare/case/random.hpp"
#include "compare/case/reference.hpp"

namespace tare::compare {
namespace {

using Kind = ElementType::Kind;

constexpr std::size_t kLanesPerThread = 1u << 18;

/// Knuth's multiplicative hash of the index and one xor-shift by 15.
std::uint32_t hash_of(std::uint32_t index) {
  const std::uint32_t h = index * 2654435761u;
  return h ^ (h >> 15);
}

/// A number in [1, 2) for floating types, the hash's low bits for integers, its lowest for bool.
template <class L>
typename L::Bits sample(std::uint32_t h) {
  using Bits = typename L::Bits;
  if constexpr (L::kIsFloating && sizeof(Bits) == 8) {
    return L::kOne | (Bits{h} << 20) | (h & 0xfffffu);
  } else if constexpr (L::kIsFloating) {
    return static_cast<Bits>(L::kOne | (static_cast<Bits>(h) & L::kFraction));
  } else if constexpr (L::kKind == Kind::boolean) {
    return static_cast<Bits>(h & 1);
  } else {
    return static_cast<Bits>(h);
  }
}

template <class L>
typename L::Bits from_whole(std::int64_t value) {
  using Bits = typename L::Bits;
  if constexpr (sizeof(Bits) == 16) {
    return value < 0 ? ~static_cast<Bits>(static_cast<std::uint64_t>(~value)) : static_cast<Bits>(value);
  } else {
    return static_cast<Bits>(value);
  }
}

template <class L>
typename L::Bits uniform(const Fill& fill, std::uint64_t i) {
  const double unit = random_unit(fill.seed, i);
  const double value = fill.low + unit * (fill.high - fill.low);
  if constexpr (L::kIsFloating) {
    const typename L::Bits bits = L::from_double(value);
    // Rounding may have reached `high`, which is not part of the range.
    return L::to_double(bits) < fill.high ? bits : L::from_double(fill.low);
  } else {
    return from_whole<L>(
        static_cast<std::int64_t>(std::floor(std::min(value, std::nextafter(fill.high, fill.low)))));
  }
}

/// Makes every lane from its index.
template <class L, class Make>
void fill_lanes(HostBuffer& buffer, const Make& make) {
  using Bits = typename L::Bits;
  auto* lanes = reinterpret_cast<Bits*>(buffer.data());
  parallel_ranges(buffer.size() / sizeof(Bits), kLanesPerThread, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) lanes[i] = make(i);
  });
}

template <class L>
void fill_as(HostBuffer& buffer, const Fill& fill) {
  switch (fill.kind) {
    case Fill::Kind::sample: {
      const auto stride = static_cast<std::uint32_t>(fill.stride);
      const auto offset = static_cast<std::uint32_t>(fill.offset);
      return fill_lanes<L>(buffer, [=](std::size_t i) {
        return sample<L>(hash_of(stride * static_cast<std::uint32_t>(i) + offset));
      });
    }
    case Fill::Kind::constant: {
      typename L::Bits bits{};
      if constexpr (L::kIsFloating) {
        bits = L::from_double(fill.value);
      } else {
        bits = from_whole<L>(static_cast<std::int64_t>(fill.value));
      }
      return fill_lanes<L>(buffer, [=](std::size_t) { return bits; });
    }
    case Fill::Kind::iota:
      if constexpr (L::kIsFloating) {
        return fill_lanes<L>(buffer, [&](std::size_t i) {
          return L::from_double(fill.start + fill.step * static_cast<double>(i));
        });
      } else {
        // Unsigned on the way, so that a long buffer wraps around instead of overflowing.
        const auto start = static_cast<std::uint64_t>(static_cast<std::int64_t>(fill.start));
        const auto step = static_cast<std::uint64_t>(static_cast<std::int64_t>(fill.step));
        return fill_lanes<L>(buffer, [=](std::size_t i) {
          const std::uint64_t value = start + step * i;
          return from_whole<L>(static_cast<std::int64_t>(L::kKind == Kind::boolean ? value & 1 : value));
        });
      }
    case Fill::Kind::uniform:
      return fill_lanes<L>(buffer, [&](std::size_t i) { return uniform<L>(fill, i); });
    case Fill::Kind::normal:
      if constexpr (L::kIsFloating) {
        fill_lanes<L>(buffer, [&](std::size_t i) {
          return L::from_double(fill.mean + fill.deviation * random_normal(fill.seed, i));
        });
      }
      return;
    case Fill::Kind::none:
    case Fill::Kind::npy:
      return;
  }
}

/// Least and greatest value of an integer type, as doubles; the greatest of 64 bits and more is the last
/// double below.
std::pair<double, double> integer_range(const ElementType& element) {
  if (element.kind == Kind::boolean) return {0, 1};
  const int bits = static_cast<int>(8 * std::min<std::size_t>(lane_size(element), 8));
  if (element.kind == Kind::unsigned_integer)
    return {0, bits == 64 ? 0x1.fffffffffffffp62 : std::ldexp(1, bits) - 1};
  return {-std::ldexp(1, bits - 1), bits == 64 ? 0x1.fffffffffffffp62 : std::ldexp(1, bits - 1) - 1};
}

std::string text_of(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

}  // namespace

void check_fill(const Fill& fill, const ElementType& element) {
  if (element.kind == Kind::aggregate) {
    if (fill.kind == Fill::Kind::none || fill.kind == Fill::Kind::npy) return;
    throw Complaint("a buffer of structs with padding or mixed fields takes only an npy fill");
  }
  if (is_floating(element)) return;
  const auto [least, greatest] = integer_range(element);
  const auto whole = [&, lowest = least, highest = greatest](const char* what, double value, bool in_range) {
    if (value != std::floor(value) || (in_range && (value < lowest || value > highest)) ||
        std::fabs(value) >= 0x1p63) {
      throw Complaint(std::string("fill: ") + what + " " + text_of(value) + " is not a value of `" +
                      element.name + "`");
    }
  };
  if (fill.kind == Fill::Kind::constant) whole("constant", fill.value, true);
  if (fill.kind == Fill::Kind::iota) {
    whole("start", fill.start, false);
    whole("step", fill.step, false);
  }
  if (fill.kind == Fill::Kind::uniform) {
    whole("low", fill.low, true);
    whole("high", fill.high, false);
    whole("high - 1", fill.high - 1, true);
  }
  if (fill.kind == Fill::Kind::normal)
    throw Complaint("fill: `normal` is for floating types, not `" + element.name + "`");
}

HostBuffer fill_buffer(const JobArgument& argument) {
  if (argument.fill.kind == Fill::Kind::npy) {
    return read_npy(argument.fill.npy, argument.element, argument.count, argument.name);
  }
  HostBuffer buffer(argument.bytes(), std::byte{0xff});
  if (argument.fill.kind == Fill::Kind::none) return buffer;
  with_lane(argument.element, [&]<class L>(L) { fill_as<L>(buffer, argument.fill); });
  return buffer;
}

}  // namespace tare::compare
