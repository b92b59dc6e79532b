// The places of a kernel where its threads stop: what a thread asks for there and what it is told. Private
// to the code generator.
#pragma once

#include <vector>

#include "cpu/codegen/barrier.hpp"
#include "cpu/codegen/emitter.hpp"

namespace tare::cpu::codegen {

struct SitePlan {
  Site site;
  bool is_plain = false;     // a barrier of the whole block at which nothing is learnt
  bool has_request = false;  // the others must know more than that a thread stands here
};

/// The sites of a kernel in text order, after one for its start, and their instructions' indices; a form
/// that does not run here is refused.
std::vector<SitePlan> find_sites(Emitter& e, std::vector<std::uint32_t>& instructions);

/// Stores what the running thread asks for.
void give_request(Emitter& e, const ptx::Instruction& stop, llvm::Value* request);
/// Writes what the running thread is told to the destinations.
void take_result(Emitter& e, const ptx::Instruction& stop, llvm::Value* request);

}  // namespace tare::cpu::codegen
