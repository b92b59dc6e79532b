// One pass over the warps for their own operations and for who stands at which barrier, one over the
// barriers, and one to wake.
#include "cpu/codegen/barrier.hpp"

#include <algorithm>
#include <array>

#include "cpu/codegen/warp.hpp"

namespace tare::cpu::codegen {
namespace {

bool waits(std::uint32_t state) {
  return state != kExited && (state & kWaiting) != 0;
}

bool is_barrier(std::uint32_t kind) {
  return kind <= Site::any;
}

/// Who has arrived at one barrier.
struct Arrivals {
  std::uint32_t threads = 0;     // in whole warps: as the hardware counts them
  std::uint32_t lanes = 0;       // threads that wait
  std::uint32_t warps = 0;       // whose threads all wait
  std::uint32_t true_count = 0;  // of `lanes`, with a predicate that holds
  std::uint32_t needed = 0;      // as a count says; 0: every warp
  bool complete = false;
};

class Releaser {
 public:
  Releaser(std::uint32_t* states, Request* requests, std::uint32_t threads, const Site* sites,
           Scratch* scratch)
      : states_(states), requests_(requests), threads_(threads), sites_(sites), scratch_(scratch) {}

  Release run(std::uint32_t* culprit) {
    for (std::uint32_t first = 0; first < threads_; first += kWarpSize) visit_warp(first);
    if (live_warps_ == 0) return Release::finished;
    complete_barriers();
    bool yields = false;
    culprit[0] = threads_;
    for (std::uint32_t t = 0; t < threads_; ++t) {
      if (!waits(states_[t])) continue;
      const Site& site = site_of(t);
      if (site.kind == Site::yield) {
        yields = true;
      } else if (!is_barrier(site.kind) || !wake_from_barrier(t)) {
        if (culprit[0] == threads_) {
          culprit[0] = t;
          culprit[1] = site.line;
        }
        continue;
      }
      states_[t] &= ~kWaiting;
    }
    if (!any_) return yields ? Release::yielded : Release::stuck;
    return std::all_of(states_, states_ + threads_, [&](std::uint32_t s) { return s == states_[0]; })
               ? Release::together
               : Release::some;
  }

 private:
  const Site& site_of(std::uint32_t thread) const { return sites_[states_[thread] & ~kWaiting]; }
  std::uint32_t barrier_of(std::uint32_t thread) const {
    return requests_ == nullptr ? 0 : requests_[thread].id % kBarriers;
  }

  /// Lanes of a warp that have not exited, those that wait, and those of them at operations of the warp.
  struct Lanes {
    std::uint32_t live = 0, waiting = 0, at_operation = 0, at_activemask = 0;
  };

  void visit_warp(std::uint32_t first) {
    const std::uint32_t count = std::min(kWarpSize, threads_ - first);
    Lanes lanes;
    for (std::uint32_t lane = 0; lane < count; ++lane) {
      const std::uint32_t bit = 1u << lane;
      if (states_[first + lane] == kExited) continue;
      lanes.live |= bit;
      if (!waits(states_[first + lane])) continue;
      lanes.waiting |= bit;
      const std::uint32_t kind = site_of(first + lane).kind;
      if (kind == Site::activemask) lanes.at_activemask |= bit;
      if (kind > Site::activemask) lanes.at_operation |= bit;
    }
    if (lanes.live == 0) return;
    ++live_warps_;
    const bool was_any = run_operations(first, lanes);
    // Only when nothing else of the warp can go on: by then as many lanes as may have come together.
    if (!was_any && lanes.at_activemask != 0) run_activemask(first, lanes);
    if (lanes.waiting == lanes.live) count_arrivals(first, lanes.live);
  }

  bool run_operations(std::uint32_t first, const Lanes& lanes) {
    bool any = false;
    LaneValues before;  // results take the place of what was given
    for (std::uint32_t lane = 0; lane < kWarpSize; ++lane)
      before[lane] = (lanes.at_operation >> lane & 1) != 0 ? requests_[first + lane].value : 0;
    for (std::uint32_t left = lanes.at_operation; left != 0;) {
      const auto lane = static_cast<std::uint32_t>(__builtin_ctz(left));
      const std::uint32_t state = states_[first + lane];
      const std::uint32_t kind = site_of(first + lane).kind;
      const std::uint32_t mask = requests_[first + lane].id;
      std::uint32_t there = 0;
      LaneValues given{};
      for (std::uint32_t other = 0; other < kWarpSize; ++other) {
        if ((lanes.at_operation >> other & 1) == 0) continue;
        const bool same_place = (states_[first + other] | kWaiting) == state;
        if (same_place) given[other] = before[other];
        if ((left >> other & 1) == 0) continue;
        if ((same_place || site_of(first + other).kind == kind) && requests_[first + other].id == mask)
          there |= 1u << other;
      }
      left &= ~there;
      // Whoever stands there with the mask takes part, in the mask or not, as on an H200.
      if ((mask & lanes.live & ~there) != 0) continue;
      release_lanes(kind, there, given, first);
      any = true;
    }
    return any;
  }

  void run_activemask(std::uint32_t first, const Lanes& lanes) {
    const auto lane = static_cast<std::uint32_t>(__builtin_ctz(lanes.at_activemask));
    std::uint32_t there = 0;
    for (std::uint32_t other = lane; other < kWarpSize; ++other) {
      if ((lanes.at_activemask >> other & 1) != 0 && states_[first + other] == states_[first + lane])
        there |= 1u << other;
    }
    release_lanes(Site::activemask, there, {}, first);
  }

  void release_lanes(std::uint32_t kind, std::uint32_t group, const LaneValues& given, std::uint32_t first) {
    resolve_warp_operation(kind, group, given, requests_ + first);
    for (std::uint32_t left = group; left != 0; left &= left - 1)
      states_[first + static_cast<std::uint32_t>(__builtin_ctz(left))] &= ~kWaiting;
    any_ = true;
  }

  /// A warp arrives at a barrier when all its threads that have not exited wait there.
  void count_arrivals(std::uint32_t first, std::uint32_t live) {
    const auto leader = first + static_cast<std::uint32_t>(__builtin_ctz(live));
    if (!waits(states_[leader]) || !is_barrier(site_of(leader).kind)) return;
    const std::uint32_t id = barrier_of(leader);
    std::uint32_t lanes = 0;
    std::uint32_t true_count = 0;
    for (std::uint32_t left = live; left != 0; left &= left - 1) {
      const std::uint32_t t = first + static_cast<std::uint32_t>(__builtin_ctz(left));
      if (!waits(states_[t]) || !is_barrier(site_of(t).kind) || barrier_of(t) != id) return;
      ++lanes;
      if (requests_ != nullptr && requests_[t].value != 0) ++true_count;
    }
    Arrivals& barrier = arrivals_[id];
    barrier.threads += kWarpSize;
    barrier.lanes += lanes;
    barrier.true_count += true_count;
    ++barrier.warps;
    if (requests_ != nullptr && requests_[leader].count != 0) barrier.needed = requests_[leader].count;
    arrived_at_[first / kWarpSize] = static_cast<std::uint8_t>(id + 1);
  }

  void complete_barriers() {
    for (std::uint32_t id = 0; id < kBarriers; ++id) {
      Arrivals& barrier = arrivals_[id];
      if (barrier.warps == 0) continue;
      if (barrier.needed == 0) {
        barrier.complete = barrier.warps == live_warps_;
        continue;
      }
      const std::uint32_t arrived = scratch_ == nullptr ? 0 : scratch_->arrived[id];
      barrier.complete = barrier.threads + arrived >= barrier.needed;
      // Arrivals beyond what completes it are the next round's.
      if (barrier.complete && barrier.threads < barrier.needed)
        scratch_->arrived[id] = arrived - (barrier.needed - barrier.threads);
    }
  }

  bool wake_from_barrier(std::uint32_t t) {
    const std::uint32_t id = barrier_of(t);
    const Arrivals& barrier = arrivals_[id];
    if (!barrier.complete || arrived_at_[t / kWarpSize] != id + 1) return false;
    any_ = true;
    if (requests_ == nullptr) return true;
    std::uint64_t& value = requests_[t].value;
    switch (site_of(t).kind) {
      case Site::count:
        value = barrier.true_count;
        break;
      case Site::all:
        value = barrier.true_count == barrier.lanes ? 1 : 0;
        break;
      case Site::any:
        value = barrier.true_count != 0 ? 1 : 0;
        break;
      default:
        break;
    }
    return true;
  }

  std::uint32_t* states_;
  Request* requests_;
  std::uint32_t threads_;
  const Site* sites_;
  Scratch* scratch_;
  std::array<Arrivals, kBarriers> arrivals_{};
  std::array<std::uint8_t, 1024 / kWarpSize> arrived_at_{};  // by warp: its barrier's number + 1
  std::uint32_t live_warps_ = 0;
  bool any_ = false;
};

}  // namespace

Release release_waiting(std::uint32_t* states, Request* requests, std::uint32_t threads, const Site* sites,
                        Scratch* scratch, std::uint32_t* culprit) {
  return Releaser(states, requests, threads, sites, scratch).run(culprit);
}

void arrive(Scratch* scratch, std::uint32_t id, std::uint32_t thread, std::uint32_t threads) {
  // The last thread of a warp that is not full stands for the lanes that there are not.
  const std::uint32_t missing = thread + 1 == threads ? (kWarpSize - threads % kWarpSize) % kWarpSize : 0;
  scratch->arrived[id % kBarriers] += 1 + missing;
}

}  // namespace tare::cpu::codegen
