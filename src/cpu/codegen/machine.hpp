// From LLVM IR to an object file for this processor. Private to the code generator.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace tare::cpu::codegen {

/// The processor's name and features as LLVM spells them: part of an object's identity.
struct Host {
  std::string cpu;
  std::string features;
};
const Host& host();

/// A code generator for this processor; the first call registers the target.
std::unique_ptr<llvm::TargetMachine> make_target_machine(int optimisation);

/// Sets triple and data layout; the processor is the machine's.
void prepare_module(llvm::Module& module, llvm::TargetMachine& machine);
/// Runs the pass pipeline of the level.
void optimise(llvm::Module& module, llvm::TargetMachine& machine, int optimisation);
/// Empty if the target cannot emit.
std::vector<char> emit_object(llvm::Module& module, llvm::TargetMachine& machine);

}  // namespace tare::cpu::codegen
