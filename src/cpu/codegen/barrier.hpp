// Which threads of a block may go on, once all of them wait or have ended. Called by kernels with
// barriers whenever their threads do not all stand at the same one. No LLVM.
#pragma once

#include <cstdint>

namespace tare::cpu::codegen {

/// A thread's state: the site it will resume at, kWaiting set while it may not; or kExited.
inline constexpr std::uint32_t kWaiting = 0x80000000u;
inline constexpr std::uint32_t kExited = 0xffffffffu;

/// A place in the text where threads wait. Site 0 is the kernel's entry.
struct BarrierSite {
  enum Kind : std::uint32_t { block, counted, warp, count, all, any };  // the last three are bar.red's
  std::uint32_t kind = block;
  std::uint32_t id = 0;    // of the barrier; unused for `warp`
  std::uint32_t line = 0;  // in the PTX text
};

enum class Release : std::int32_t { some, finished, stuck };

/// Lets waiting threads go on: those of a barrier at which every thread that has not exited waits (or as
/// many as it counts), those of a warp whose other lanes of the mask wait too. `arguments` holds each
/// waiting thread's count, lane mask or predicate (null where no site has any), and receives the result of a
/// reduction. On `stuck`, culprit holds the first thread that waits for ever and the line it waits at.
Release release_waiting(std::uint32_t* states, std::uint32_t* arguments, std::uint32_t threads,
                        const BarrierSite* sites, std::uint32_t* culprit);

}  // namespace tare::cpu::codegen
