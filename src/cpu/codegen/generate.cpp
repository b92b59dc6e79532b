// The pipeline: analyses, emission in the chosen tier, LLVM's passes, an object file.
#include "cpu/codegen/generate.hpp"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>

#include "cpu/codegen/kernel_builder.hpp"
#include "cpu/codegen/machine.hpp"

namespace tare::cpu::codegen {
namespace {

/// Above this a second copy of the body costs more to compile than it saves.
constexpr std::size_t kLargestSpecialised = 1500;

llvm::Function* declare_entry_point(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* pointer = llvm::PointerType::get(context, 0);
  llvm::Type* word = llvm::Type::getInt64Ty(context);
  auto* type =
      llvm::FunctionType::get(llvm::Type::getInt32Ty(context), {pointer, pointer, word, word}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kEntryPoint, module);
  function->setDoesNotThrow();
  for (unsigned i = 0; i < 2; ++i) {
    function->addParamAttr(i, llvm::Attribute::NoAlias);
    function->addParamAttr(i, llvm::Attribute::NonNull);
  }
  return function;
}

KernelPlan make_plan(const ptx::Function& entry, const CompileOptions& options, bool general) {
  KernelPlan plan;
  plan.flow = analysis::build_flow(entry);
  const bool analyse = options.optimisation > 0 && !general;
  plan.shapes = analyse ? analysis::find_shapes(entry) : analysis::no_shapes(entry);
  if (analyse) plan.guards = analysis::find_guards(entry, plan.shapes);
  plan.specialise = analyse && entry.body.size() <= kLargestSpecialised;
  return plan;
}

CompileError refusal_error(const ptx::Function& entry, const Refusal& refusal) {
  return {true, refusal.line,
          refusal.what + " at line " + std::to_string(refusal.line) + " of kernel `" + entry.name +
              "` is not supported by the CPU device"};
}

CompileError fast_tier_refusal(const ptx::Function& entry, const ptx::Instruction& waits) {
  return {true, waits.line,
          waits.spelling + " at line " + std::to_string(waits.line) + " of kernel `" + entry.name +
              "` makes threads wait for each other, which the fast tier does not run: leave TARE_CPU_TIER at "
              "`automatic`, or set it to `general`"};
}

}  // namespace

std::variant<GeneratedObject, CompileError> generate(const ptx::Module& module, const ptx::Function& entry,
                                                     const KernelLayout& layout,
                                                     const CompileOptions& options) {
  const auto waits = std::find_if(entry.body.begin(), entry.body.end(), analysis::stops);
  const bool has_barriers = waits != entry.body.end();
  if (has_barriers && options.tier == Tier::fast) return fast_tier_refusal(entry, *waits);
  const bool general = options.tier == Tier::general;
  llvm::LLVMContext context;
  context.setDiscardValueNames(true);
  llvm::Module code(entry.name, context);
  llvm::Function* function = declare_entry_point(code);
  const KernelPlan plan = make_plan(entry, options, general);
  Emitter emitter(function, module, entry, layout);
  GeneratedObject result;
  if (has_barriers || general) {
    result.frame_bytes_per_thread = build_regions(emitter, plan, !general && options.optimisation > 0);
  } else {
    build_thread_loops(emitter, plan);
  }
  if (emitter.refusal()) return refusal_error(entry, *emitter.refusal());
  const auto machine = make_target_machine(options.optimisation);
  if (machine == nullptr) return CompileError{false, 0, "LLVM has no code generator for this processor"};
  prepare_module(code, *machine);
#ifndef NDEBUG
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(code, &stream)) {
    return CompileError{false, entry.line,
                        "kernel `" + entry.name + "`: invalid code was generated: " + problem};
  }
#endif
  optimise(code, *machine, options.optimisation);
  result.object = emit_object(code, *machine);
  if (result.object.empty())
    return CompileError{false, entry.line, "LLVM could not emit kernel `" + entry.name + "`"};
  return result;
}

}  // namespace tare::cpu::codegen
