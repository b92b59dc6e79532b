// Holds an output against its expected bits. Equal stretches go by memcmp on all processors; only stretches
// that differ are looked at element by element.
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstring>
#include <mutex>

#include "compare/case/lanes.hpp"
#include "compare/case/parallel.hpp"
#include "compare/case/reference.hpp"

namespace tare::compare {
namespace {

constexpr std::size_t kStretchBytes = 1u << 18;
constexpr std::size_t kBytesPerThread = 1u << 21;

/// What one stretch, and then all of them together, came to.
struct Tally {
  std::uint64_t differing = 0, first = UINT64_MAX;
  std::uint64_t max_ulp = 0;
  bool has_no_distance = false;  // a NaN met a number or another NaN

  void add(const Tally& other) {
    differing += other.differing;
    first = std::min(first, other.first);
    max_ulp = std::max(max_ulp, other.max_ulp);
    has_no_distance = has_no_distance || other.has_no_distance;
  }
};

/// Steps from one number to the other through all numbers of the type; 0 between +0 and -0.
template <class L>
std::uint64_t ulp_distance(typename L::Bits a, typename L::Bits b) {
  const auto place = [](typename L::Bits bits) {
    const auto magnitude = static_cast<std::uint64_t>(bits & static_cast<typename L::Bits>(~L::kSign));
    return (bits & L::kSign) != 0 ? 0 - magnitude : magnitude;
  };
  const std::uint64_t difference = place(a) - place(b);
  const bool b_is_greater = static_cast<std::int64_t>(place(a)) < static_cast<std::int64_t>(place(b));
  return b_is_greater ? 0 - difference : difference;
}

/// Whether unequal bits are within the check all the same.
template <class L>
bool tolerated(const Check& check, typename L::Bits want, typename L::Bits got) {
  using Bits = typename L::Bits;
  if (L::is_nan(want) || L::is_nan(got)) {
    // Any NaN will do for a NaN, but all ones is the poison of memory that was never written.
    return L::is_nan(want) && L::is_nan(got) && got != static_cast<Bits>(~Bits{0});
  }
  if (check.kind == Check::Kind::ulps) return ulp_distance<L>(want, got) <= check.ulps;
  const double w = L::to_double(want), g = L::to_double(got);
  return w == g || std::fabs(g - w) <= check.atol + check.rtol * std::fabs(w);
}

template <class L>
bool lane_differs(const Check& check, typename L::Bits want, typename L::Bits got, Tally& tally) {
  if (want == got) return false;
  if constexpr (L::kIsFloating) {
    if (L::is_nan(want) || L::is_nan(got)) {
      tally.has_no_distance = true;
    } else {
      tally.max_ulp = std::max(tally.max_ulp, ulp_distance<L>(want, got));
    }
    if (check.kind == Check::Kind::ulps || check.kind == Check::Kind::tolerance) {
      return !tolerated<L>(check, want, got);
    }
  }
  return true;
}

template <class L>
Tally compare_lanes(const JobArgument& argument, const std::byte* want, const std::byte* got,
                    std::size_t begin, std::size_t end) {
  using Bits = typename L::Bits;
  Tally tally;
  const std::size_t lanes = argument.element.lanes;
  for (std::size_t i = begin; i < end; ++i) {
    bool differs = false;
    for (std::size_t lane = i * lanes; lane < (i + 1) * lanes; ++lane) {
      Bits w, g;
      std::memcpy(&w, want + lane * sizeof(Bits), sizeof w);
      std::memcpy(&g, got + lane * sizeof(Bits), sizeof g);
      differs = lane_differs<L>(argument.check, w, g, tally) || differs;
    }
    if (!differs) continue;
    ++tally.differing;
    tally.first = std::min<std::uint64_t>(tally.first, i);
  }
  return tally;
}

Tally compare_structs(const ElementType& element, const std::byte* want, const std::byte* got,
                      std::size_t begin, std::size_t end) {
  Tally tally;
  for (std::size_t i = begin; i < end; ++i) {
    const std::byte *w = want + i * element.size, *g = got + i * element.size;
    bool differs = element.fields.empty() && std::memcmp(w, g, element.size) != 0;
    for (const ElementType::Bytes& field : element.fields) {
      differs = differs || std::memcmp(w + field.begin, g + field.begin, field.end - field.begin) != 0;
    }
    if (!differs) continue;
    ++tally.differing;
    tally.first = std::min<std::uint64_t>(tally.first, i);
  }
  return tally;
}

std::string printed(const char* format, auto... values) {
  char text[96];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

template <class L>
std::string lane_text(typename L::Bits bits) {
  using Bits = typename L::Bits;
  const int digits = static_cast<int>(2 * sizeof(Bits));
  if constexpr (sizeof(Bits) == 16) {
    return printed("0x%016" PRIx64 "%016" PRIx64, static_cast<std::uint64_t>(bits >> 64),
                   static_cast<std::uint64_t>(bits));
  } else if constexpr (L::kIsFloating) {
    return printed(sizeof(Bits) == 8 ? "%.17g (0x%0*" PRIx64 ")" : "%.9g (0x%0*" PRIx64 ")",
                   L::to_double(bits), digits, static_cast<std::uint64_t>(bits));
  } else if constexpr (L::kKind == ElementType::Kind::signed_integer) {
    return printed("%" PRId64 " (0x%0*" PRIx64 ")",
                   static_cast<std::int64_t>(static_cast<std::make_signed_t<Bits>>(bits)), digits,
                   static_cast<std::uint64_t>(bits));
  } else {
    return printed("%" PRIu64 " (0x%0*" PRIx64 ")", static_cast<std::uint64_t>(bits), digits,
                   static_cast<std::uint64_t>(bits));
  }
}

/// One element for a person: "2.5 (0x40200000)", lanes in braces, a struct's bytes in hexadecimal.
std::string element_text(const ElementType& element, const std::byte* at) {
  std::string text;
  const bool has_lanes = with_lane(element, [&]<class L>(L) {
    for (std::size_t lane = 0; lane < element.lanes; ++lane) {
      typename L::Bits bits;
      std::memcpy(&bits, at + lane * sizeof bits, sizeof bits);
      text += (lane == 0 ? "" : ", ") + lane_text<L>(bits);
    }
  });
  if (has_lanes) return element.lanes == 1 ? text : "{" + text + "}";
  constexpr std::size_t kMost = 32;
  for (std::size_t i = 0; i < std::min(element.size, kMost); ++i) {
    text += printed(i == 0 ? "%02x" : " %02x", static_cast<unsigned>(at[i]));
  }
  return "{" + text + (element.size > kMost ? " ...}" : "}");
}

/// Whether every lane is a NaN; false for elements that are not floating.
bool all_nan(const ElementType& element, std::span<const std::byte> bytes) {
  bool all = is_floating(element);
  if (!all) return false;
  with_lane(element, [&]<class L>(L) {
    if constexpr (L::kIsFloating) {
      typename L::Bits bits;
      for (std::size_t at = 0; all && at + sizeof bits <= bytes.size(); at += sizeof bits) {
        std::memcpy(&bits, bytes.data() + at, sizeof bits);
        all = L::is_nan(bits);
      }
    }
  });
  return all;
}

}  // namespace

std::optional<Difference> without_a_number(const JobArgument& argument, std::span<const std::byte> got) {
  if (got.empty() || !all_nan(argument.element, got)) return std::nullopt;
  Difference difference{.equal = false,
                        .differing = argument.count,
                        .got = element_text(argument.element, got.data()),
                        .want = "a number somewhere",
                        .max_ulp = {},
                        .argument = argument.name};
  const std::string name = "`" + argument.name + "`";
  const bool untouched =
      std::all_of(got.begin(), got.end(), [](std::byte b) { return b == std::byte{0xFF}; });
  if (argument.is_in_out())
    difference.hint = "every element is NaN: look at what " + name + " and the inputs are filled with";
  else if (untouched)
    difference.hint =
        "every element is what " + name + " was filled with before the launch: nothing was written";
  else
    difference.hint = "every element is NaN, as " + name +
                      " was before the launch: most likely the kernel reads it; give it a `fill`";
  return difference;
}

std::optional<std::string> single_value(const JobArgument& argument, std::span<const std::byte> bytes) {
  const std::size_t size = argument.element.size;
  if (bytes.size() < 2 * size) return std::nullopt;
  // Each element is the one before it.
  if (std::memcmp(bytes.data(), bytes.data() + size, bytes.size() - size) != 0) return std::nullopt;
  return element_text(argument.element, bytes.data());
}

Difference compare_output(const JobArgument& argument, std::span<const std::byte> want,
                          std::span<const std::byte> got) {
  const ElementType& element = argument.element;
  const std::size_t stretch = std::max<std::size_t>(1, kStretchBytes / element.size);
  const std::size_t count = std::min(want.size(), got.size()) / element.size;
  const std::size_t stretches = (count + stretch - 1) / stretch;
  Tally total;
  std::mutex mutex;
  parallel_ranges(stretches, kBytesPerThread / kStretchBytes, [&](std::size_t from, std::size_t to) {
    Tally mine;
    for (std::size_t each = from; each < to; ++each) {
      const std::size_t begin = each * stretch, end = std::min(count, begin + stretch);
      const std::byte *w = want.data() + begin * element.size, *g = got.data() + begin * element.size;
      if (std::memcmp(w, g, (end - begin) * element.size) == 0) continue;
      const bool has_lanes = with_lane(element, [&]<class L>(L) {
        mine.add(compare_lanes<L>(argument, want.data(), got.data(), begin, end));
      });
      if (!has_lanes) mine.add(compare_structs(element, want.data(), got.data(), begin, end));
    }
    const std::lock_guard lock(mutex);
    total.add(mine);
  });

  Difference difference;
  difference.argument = argument.name;
  difference.differing = total.differing;
  difference.equal = total.differing == 0;
  if (is_floating(element) && !total.has_no_distance) difference.max_ulp = total.max_ulp;
  if (difference.equal) return difference;
  difference.first_index = total.first;
  difference.got = element_text(element, got.data() + total.first * element.size);
  difference.want = element_text(element, want.data() + total.first * element.size);
  return difference;
}

}  // namespace tare::compare
