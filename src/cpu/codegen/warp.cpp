#include "cpu/codegen/warp.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace tare::cpu::codegen {
namespace {

template <typename Visit>
void for_each_lane(std::uint32_t group, const Visit& visit) {
  for (std::uint32_t left = group; left != 0; left &= left - 1) {
    visit(static_cast<std::uint32_t>(std::countr_zero(left)));
  }
}

/// The lane that `lane` reads from; false where it is out of the segment's range.
bool source_of(std::uint32_t kind, std::uint32_t lane, const Request& request, std::uint32_t& source) {
  const std::uint32_t distance = request.count & 31;
  const std::uint32_t clamp = request.bound & 31;
  const std::uint32_t segment = request.bound >> 8 & 31;
  const std::uint32_t last = (lane & segment) | (clamp & ~segment);
  const std::uint32_t first = lane & segment;
  switch (kind) {
    case Site::shfl_up:
      source = lane - distance;
      return static_cast<std::int32_t>(source) >= static_cast<std::int32_t>(last);
    case Site::shfl_down:
      source = lane + distance;
      return source <= last;
    case Site::shfl_bfly:
      source = lane ^ distance;
      return source <= last;
    default:
      source = first | (distance & ~segment);
      return source <= last;
  }
}

void shuffle(std::uint32_t kind, std::uint32_t group, const LaneValues& given, Request* requests) {
  for_each_lane(group, [&](std::uint32_t lane) {
    Request& request = requests[lane];
    std::uint32_t source = lane;
    const bool in_range = source_of(kind, lane, request, source);
    if (!in_range) source = lane;
    request.flag = in_range ? 1 : 0;
    request.value = given[source];  // 0 from a lane that is not there, as an H200 has it
  });
}

std::uint32_t ballot(std::uint32_t group, const Request* requests) {
  std::uint32_t result = 0;
  for_each_lane(group, [&](std::uint32_t lane) {
    if (requests[lane].value != 0) result |= 1u << lane;
  });
  return result;
}

std::uint32_t reduce(std::uint32_t kind, std::uint32_t a, std::uint32_t b) {
  const auto as_signed = [](std::uint32_t value) { return static_cast<std::int32_t>(value); };
  switch (kind) {
    case Site::redux_add:
      return a + b;
    case Site::redux_min:
      return std::min(a, b);
    case Site::redux_max:
      return std::max(a, b);
    case Site::redux_min_signed:
      return as_signed(a) < as_signed(b) ? a : b;
    case Site::redux_max_signed:
      return as_signed(a) > as_signed(b) ? a : b;
    case Site::redux_and:
      return a & b;
    case Site::redux_or:
      return a | b;
    default:
      return a ^ b;
  }
}

void match_any(std::uint32_t group, Request* requests) {
  std::array<std::uint32_t, kWarpSize> same{};
  for_each_lane(group, [&](std::uint32_t lane) {
    for_each_lane(group, [&](std::uint32_t other) {
      if (requests[lane].value == requests[other].value) same[lane] |= 1u << other;
    });
  });
  for_each_lane(group, [&](std::uint32_t lane) { requests[lane].value = same[lane]; });
}

}  // namespace

void resolve_warp_operation(std::uint32_t kind, std::uint32_t group, const LaneValues& given,
                            Request* requests) {
  const auto give = [&](std::uint64_t value, bool flag) {
    for_each_lane(group, [&](std::uint32_t lane) {
      requests[lane].value = value;
      requests[lane].flag = flag ? 1 : 0;
    });
  };
  const auto first = static_cast<std::uint32_t>(std::countr_zero(group));
  switch (kind) {
    case Site::warp:
      return;
    case Site::activemask:
      return give(group, true);
    case Site::shfl_up:
    case Site::shfl_down:
    case Site::shfl_bfly:
    case Site::shfl_idx:
      return shuffle(kind, group, given, requests);
    case Site::vote_all:
      return give(ballot(group, requests) == group ? 1 : 0, true);
    case Site::vote_any:
      return give(ballot(group, requests) != 0 ? 1 : 0, true);
    case Site::vote_uni: {
      const std::uint32_t votes = ballot(group, requests);
      return give(votes == group || votes == 0 ? 1 : 0, true);
    }
    case Site::vote_ballot:
      return give(ballot(group, requests), true);
    case Site::match_any:
      return match_any(group, requests);
    case Site::match_all: {
      const std::uint64_t value = requests[first].value;
      bool same = true;
      for_each_lane(group, [&](std::uint32_t lane) { same = same && requests[lane].value == value; });
      return give(same ? group : 0, same);
    }
    case Site::elect:
      give(first, false);
      requests[first].flag = 1;
      return;
    default: {
      auto result = static_cast<std::uint32_t>(requests[first].value);
      for_each_lane(group & (group - 1), [&](std::uint32_t lane) {
        result = reduce(kind, result, static_cast<std::uint32_t>(requests[lane].value));
      });
      return give(result, true);
    }
  }
}

}  // namespace tare::cpu::codegen
