// The target machine and the emission of objects. Contraction is off and no fast-math exists anywhere:
// bits do not depend on the level.
#include "cpu/codegen/machine.hpp"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <mutex>

namespace tare::cpu::codegen {

const Host& host() {
  static const Host value = [] {
    Host found;
    found.cpu = llvm::sys::getHostCPUName().str();
    std::vector<std::string> features;
    for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
      features.push_back((feature.getValue() ? "+" : "-") + feature.getKey().str());
    }
    std::sort(features.begin(), features.end());
    for (const std::string& feature : features) {
      if (!found.features.empty()) found.features += ',';
      found.features += feature;
    }
    return found;
  }();
  return value;
}

std::unique_ptr<llvm::TargetMachine> make_target_machine(int optimisation) {
  static std::once_flag registered;
  std::call_once(registered, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    // In a loop that is marked parallel the vectoriser takes no accesses to depend on each other, not even
    // two of the same thread, and would move a load to where its neighbour in memory is loaded, past a store
    // between them. LLVM has no attribute for this, only the option; this LLVM is nobody else's.
    // In a long kernel, the last pass over the IR before instructions are chosen must not look at all blocks
    // again each time that it has changed one. Of tests/kernels/bitonic_sort.cu, with 45 barriers, this
    // program as a whole,
    //   CUDA_CACHE_DISABLE=1 TARE_DRIVER=BUILD/lib/tare/cpu/libcuda.so.1 BUILD/tests/kernels
    //     --gtest_filter='*/bitonic_sort_nvrtc'
    // took 0.53 of the processor time that it takes without this option, at TARE_CPU_OPT=2 0.59, and at 0
    // about the same (median ratios of 8 or 9 pairs in turn; 2 cores of an EPYC, 2026-12-02).
    const char* const arguments[] = {"tare", "-enable-interleaved-mem-accesses=false", "-cgpp-huge-func=32"};
    llvm::cl::ParseCommandLineOptions(3, arguments);
  });
  const std::string triple = llvm::sys::getProcessTriple();
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) return nullptr;
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  const llvm::CodeGenOptLevel level = optimisation == 0   ? llvm::CodeGenOptLevel::None
                                      : optimisation == 1 ? llvm::CodeGenOptLevel::Less
                                                          : llvm::CodeGenOptLevel::Default;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, host().cpu, host().features, options, llvm::Reloc::PIC_, llvm::CodeModel::Small, level, true));
}

void prepare_module(llvm::Module& module, llvm::TargetMachine& machine) {
  module.setTargetTriple(machine.getTargetTriple().str());
  module.setDataLayout(machine.createDataLayout());
}

std::vector<char> emit_object(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  llvm::MCContext* context = nullptr;
  if (machine.addPassesToEmitMC(passes, context, stream)) return {};
  passes.run(module);
  return {bytes.begin(), bytes.end()};
}

}  // namespace tare::cpu::codegen
