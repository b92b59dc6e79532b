// Counts arrivals per barrier and per warp.
#include "cpu/codegen/barrier.hpp"

#include <algorithm>

namespace tare::cpu::codegen {
namespace {

constexpr std::uint32_t kBarriers = 16;
constexpr std::uint32_t kWarpSize = 32;

bool waits(std::uint32_t state) {
  return state != kExited && (state & kWaiting) != 0;
}

struct Arrivals {
  std::uint32_t threads = 0;     // waiting at this barrier
  std::uint32_t true_count = 0;  // of them with a predicate that holds
  std::uint32_t needed = 0;      // as a counted barrier says; 0: every thread that has not exited
};

std::uint32_t reduce(const BarrierSite& site, const Arrivals& arrivals) {
  switch (site.kind) {
    case BarrierSite::count:
      return arrivals.true_count;
    case BarrierSite::all:
      return arrivals.true_count == arrivals.threads ? 1 : 0;
    default:
      return arrivals.true_count != 0 ? 1 : 0;
  }
}

}  // namespace

Release release_waiting(std::uint32_t* states, std::uint32_t* arguments, std::uint32_t threads,
                        const BarrierSite* sites, std::uint32_t* culprit) {
  Arrivals arrivals[kBarriers];
  std::uint32_t live = 0;
  for (std::uint32_t t = 0; t < threads; ++t) {
    if (states[t] == kExited) continue;
    ++live;
    if (!waits(states[t])) continue;
    const BarrierSite& site = sites[states[t] & ~kWaiting];
    if (site.kind == BarrierSite::warp) continue;
    Arrivals& barrier = arrivals[site.id % kBarriers];
    ++barrier.threads;
    if (site.kind == BarrierSite::counted) barrier.needed = arguments[t];
    if (site.kind >= BarrierSite::count && arguments[t] != 0) ++barrier.true_count;
  }
  if (live == 0) return Release::finished;
  bool any = false;
  for (std::uint32_t first = 0; first < threads; first += kWarpSize) {
    const std::uint32_t lanes = std::min(kWarpSize, threads - first);
    std::uint32_t live_lanes = 0;
    std::uint32_t at_warp_barrier = 0;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const std::uint32_t state = states[first + lane];
      if (state != kExited) live_lanes |= 1u << lane;
      if (waits(state) && sites[state & ~kWaiting].kind == BarrierSite::warp) at_warp_barrier |= 1u << lane;
    }
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const std::uint32_t needed = arguments == nullptr ? 0xffffffffu : arguments[first + lane];
      if ((at_warp_barrier >> lane & 1) == 0 || (needed & live_lanes & ~at_warp_barrier) != 0) continue;
      states[first + lane] &= ~kWaiting;
      any = true;
    }
  }
  culprit[0] = threads;
  for (std::uint32_t t = 0; t < threads; ++t) {
    if (!waits(states[t])) continue;
    const BarrierSite& site = sites[states[t] & ~kWaiting];
    const Arrivals& barrier = arrivals[site.id % kBarriers];
    const bool complete = site.kind != BarrierSite::warp &&
                          barrier.threads >= (barrier.needed != 0 ? std::min(barrier.needed, live) : live);
    if (!complete) {
      if (culprit[0] == threads) {
        culprit[0] = t;
        culprit[1] = site.line;
      }
      continue;
    }
    if (site.kind >= BarrierSite::count) arguments[t] = reduce(site, barrier);
    states[t] &= ~kWaiting;
    any = true;
  }
  return any ? Release::some : Release::stuck;
}

}  // namespace tare::cpu::codegen
