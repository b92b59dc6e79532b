// Which threads of a block may go on, once all of them have stopped or ended: barriers are counted, warp
// operations computed. Called by kernels whose threads wait for each other. No LLVM.
#pragma once

#include <cstdint>

#include "cpu/codegen/kernel.hpp"

namespace tare::cpu::codegen {

/// A thread's state: the site it will resume at, kWaiting set while it may not; or kExited.
inline constexpr std::uint32_t kWaiting = 0x80000000u;
inline constexpr std::uint32_t kExited = 0xffffffffu;

inline constexpr std::uint32_t kWarpSize = 32;
inline constexpr std::uint32_t kBarriers = 16;

/// A place in the text where threads stop. Site 0 is the kernel's entry.
struct Site {
  enum Kind : std::uint32_t {
    block,  // barrier.sync and, from here to `any`, barrier.red
    count,
    all,
    any,
    yield,       // a waiting loop lets others run
    activemask,  // of a warp, as all that follow
    warp,        // bar.warp.sync
    shfl_up,
    shfl_down,
    shfl_bfly,
    shfl_idx,
    vote_all,
    vote_any,
    vote_uni,
    vote_ballot,
    match_any,
    match_all,
    redux_add,
    redux_min,
    redux_max,
    redux_min_signed,
    redux_max_signed,
    redux_and,
    redux_or,
    redux_xor,
    elect,
  };
  std::uint32_t kind = block;
  std::uint32_t line = 0;  // in the PTX text
};

/// What a thread that stops asks for, and what it is told when it goes on.
struct Request {
  std::uint32_t id = 0;     // the barrier's number; the member mask of a warp operation
  std::uint32_t count = 0;  // threads that a barrier waits for, 0: all; the second operand of shfl
  std::uint32_t bound = 0;  // the third operand of shfl
  std::uint32_t flag = 0;   // out: the second result of shfl, match.all and elect
  std::uint64_t value = 0;  // in: a predicate or what the lane gives; out: the result
  std::uint64_t unused = 0;
};
static_assert(sizeof(Request) == 32);

enum class Release : std::int32_t {
  some,      // go on where the states say
  together,  // every thread of the block goes on, from the same site
  finished,  // all have exited
  yielded,   // only waiting loops go on: other blocks should run first
  stuck,     // none will ever go on
};

/// Lets threads go on: those of a barrier at which every warp that takes part has arrived, with all its
/// threads that have not exited; those of a warp operation at which all members that have not exited have
/// stopped, with the same qualifiers and mask; at last those of waiting loops. `requests` is null where all
/// sites are barriers with the number 0 or waiting loops. On `stuck`, culprit holds the first thread that
/// waits for ever and the line it waits at.
Release release_waiting(std::uint32_t* states, Request* requests, std::uint32_t threads, const Site* sites,
                        Scratch* scratch, std::uint32_t* culprit);

/// bar.arrive by one thread of a block.
void arrive(Scratch* scratch, std::uint32_t id, std::uint32_t thread, std::uint32_t threads);

}  // namespace tare::cpu::codegen
