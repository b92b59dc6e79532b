// Registers as stack slots that LLVM promotes, operands as values, special registers as the thread's
// surroundings.
#include "cpu/codegen/emitter.hpp"

#include <llvm/IR/Intrinsics.h>

#include <cstring>

namespace tare::cpu::codegen {

namespace {
// Shared memory of compute capability 9.0, in bytes.
// Of the compute capabilities that have %aggr_smem_size: 9.0 and later.
constexpr std::uint32_t kSharedReserved = 1024;
}  // namespace

using ptx::Operand;
using ptx::Special;
using ptx::Type;

Emitter::Emitter(llvm::Function* function, const ptx::Module& module, const ptx::Function& entry,
                 const KernelLayout& layout)
    : b(function->getContext()),
      function_(function),
      module_(module),
      entry_(entry),
      layout_(layout),
      slots_(entry.registers.size(), nullptr),
      fixed_(entry.registers.size(), nullptr),
      extended_(entry.registers.size(), nullptr) {}

llvm::Type* Emitter::type(Type type) {
  if (type == Type::pred) return b.getInt1Ty();
  if (type == Type::f32) return b.getFloatTy();
  if (type == Type::f64) return b.getDoubleTy();
  return b.getIntNTy(static_cast<unsigned>(ptx::size_of(type)) * 8);
}

bool Emitter::is_signed(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

bool Emitter::is_float(Type type) {
  return type == Type::f32 || type == Type::f64;
}

llvm::AllocaInst* Emitter::stack(llvm::Type* type, const char* name) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.begin());
  return builder.CreateAlloca(type, nullptr, name);
}

llvm::AllocaInst* Emitter::slot(ptx::RegisterId id) {
  if (slots_[id] == nullptr) {
    const ptx::Register& reg = entry_.registers[id];
    slots_[id] = stack(type(reg.type), reg.name.c_str());
  }
  return slots_[id];
}

llvm::AllocaInst* Emitter::carry() {
  if (carry_ == nullptr) carry_ = stack(b.getInt1Ty(), "carry");
  return carry_;
}

llvm::AllocaInst* Emitter::rounds() {
  if (rounds_ == nullptr) rounds_ = stack(b.getInt32Ty(), "rounds");
  return rounds_;
}

llvm::AllocaInst* Emitter::transient(std::uint32_t variable) {
  transients_.resize(entry_.variables.size(), nullptr);
  if (transients_[variable] == nullptr) {
    transients_[variable] =
        stack(llvm::ArrayType::get(b.getInt8Ty(), entry_.variables[variable].size), "parameter");
    transients_[variable]->setAlignment(llvm::Align(16));
  }
  return transients_[variable];
}

void Emitter::clear_slots() {
  for (ptx::RegisterId id = 0; id < slots_.size(); ++id) {
    if (slots_[id] != nullptr)
      b.CreateStore(llvm::Constant::getNullValue(slots_[id]->getAllocatedType()), slots_[id]);
  }
  if (carry_ != nullptr) b.CreateStore(b.getFalse(), carry_);
  if (rounds_ != nullptr) b.CreateStore(i32(0), rounds_);
  if (misaligned_ != nullptr) b.CreateStore(i32(0), misaligned_);
}

llvm::Value* Emitter::adapt(llvm::Value* value, llvm::Type* to, bool sign_extend) {
  llvm::Type* from = value->getType();
  if (from == to) return value;
  if (!from->isIntegerTy()) {
    value = b.CreateBitCast(value, b.getIntNTy(width_of(from)));
  }
  const unsigned bits = width_of(to);
  llvm::Type* integer = b.getIntNTy(bits);
  value = sign_extend ? b.CreateSExtOrTrunc(value, integer) : b.CreateZExtOrTrunc(value, integer);
  return to->isIntegerTy() ? value : b.CreateBitCast(value, to);
}

llvm::Value* Emitter::read_register(ptx::RegisterId id) {
  if (fixed_[id] != nullptr) return fixed_[id];
  llvm::AllocaInst* place = slot(id);
  return b.CreateLoad(place->getAllocatedType(), place);
}

llvm::Value* Emitter::read_predicate(ptx::RegisterId id, bool negated) {
  llvm::Value* value = read_register(id);
  return negated ? b.CreateNot(value) : value;
}

llvm::Value* Emitter::read_real(const Operand& operand, Type to) {
  if (operand.is_f32) {
    const auto bits = static_cast<std::uint32_t>(operand.real_bits);
    if (to != Type::f64) return adapt(i32(bits), type(to));
    float narrow = 0;
    std::memcpy(&narrow, &bits, sizeof narrow);
    return llvm::ConstantFP::get(b.getDoubleTy(), static_cast<double>(narrow));
  }
  if (to == Type::f32) {
    double wide = 0;
    std::memcpy(&wide, &operand.real_bits, sizeof wide);
    return llvm::ConstantFP::get(b.getFloatTy(), llvm::APFloat(static_cast<float>(wide)));
  }
  return adapt(i64(operand.real_bits), type(to));
}

llvm::Value* Emitter::read(const Operand& operand, Type to) {
  switch (operand.kind) {
    case Operand::Kind::reg: {
      llvm::Value* value = adapt(read_register(operand.id), type(to));
      return operand.negated ? b.CreateNot(value) : value;
    }
    case Operand::Kind::integer:
      if (is_float(to)) return llvm::ConstantFP::get(type(to), static_cast<double>(operand.integer));
      return llvm::ConstantInt::get(type(to), static_cast<std::uint64_t>(operand.integer), true);
    case Operand::Kind::real:
      return read_real(operand, to);
    case Operand::Kind::special:
      return adapt(operand.special == Special::other ? named_special(operand.id) : special(operand.special),
                   type(to));
    case Operand::Kind::symbol:
    case Operand::Kind::address:
      return adapt(address_of(operand), type(to));
    default:
      return llvm::Constant::getNullValue(type(to));
  }
}

void Emitter::write_register(ptx::RegisterId id, llvm::Value* value) {
  if (writes_fix_) {
    fixed_[id] = value;
    return;
  }
  if (predicate_ != nullptr) value = b.CreateSelect(predicate_, value, read_register(id));
  b.CreateStore(value, slot(id));
}

void Emitter::write(const Operand& operand, llvm::Value* value, bool sign_extend) {
  if (operand.kind != Operand::Kind::reg) return;
  write_register(operand.id, adapt(value, type(entry_.registers[operand.id].type), sign_extend));
}

ptx::Space Emitter::space_of(const Operand& operand) const {
  switch (operand.symbol_kind) {
    case Operand::SymbolKind::module_variable:
      return module_.variables[operand.symbol].space;
    case Operand::SymbolKind::function_variable:
      return entry_.variables[operand.symbol].space;
    case Operand::SymbolKind::parameter:
      return ptx::Space::param;
    default:
      return ptx::Space::generic;
  }
}

llvm::Value* Emitter::address_of(const Operand& operand) {
  const auto addend = static_cast<std::uint64_t>(operand.integer);
  switch (operand.symbol_kind) {
    case Operand::SymbolKind::module_variable: {
      const ptx::Variable& variable = module_.variables[operand.symbol];
      if (variable.space == ptx::Space::shared) return i64(layout_.module_shared.at(operand.symbol) + addend);
      llvm::Value* segment =
          variable.space == ptx::Space::constant ? around.constants_address : around.globals_address;
      return b.CreateAdd(segment, i64(variable.offset + addend));
    }
    case Operand::SymbolKind::function_variable:
      return i64(layout_.function_variables.at(operand.symbol) + addend);
    case Operand::SymbolKind::parameter:
      return b.CreateAdd(around.params_address, i64(entry_.parameters[operand.symbol].offset + addend));
    case Operand::SymbolKind::function:
    case Operand::SymbolKind::prototype:
    case Operand::SymbolKind::return_value:
      refuse(0, "the address of a function");
      return i64(0);
    case Operand::SymbolKind::none:
      break;
  }
  if (operand.id == ptx::kNoId) return i64(addend);
  if (llvm::Value* extended = extended_[operand.id]) return b.CreateAdd(extended, i64(addend));
  llvm::Value* value = read_register(operand.id);
  // Addresses in 32-bit registers wrap at 32 bits.
  if (!value->getType()->isIntegerTy()) value = adapt(value, i64(0)->getType());
  if (addend != 0) value = b.CreateAdd(value, constant_like(value, addend));
  return b.CreateZExtOrTrunc(value, b.getInt64Ty());
}

/// The driver's own registers: two hold the address of a cooperative grid's workspace.
llvm::Value* Emitter::named_special(std::uint32_t index) {
  const std::string& name = entry_.other_specials[index];
  if (name == "%envreg1") return b.CreateTrunc(b.CreateLShr(around.workspace_address, 32), b.getInt32Ty());
  if (name == "%envreg2") return b.CreateTrunc(around.workspace_address, b.getInt32Ty());
  refuse(0, "the special register " + name);
  return i32(0);
}

llvm::Value* Emitter::special(Special special) {
  const auto lane = [&] { return b.CreateAnd(around.thread_in_block, 31); };
  const auto shared_size = [&] {
    return b.CreateAdd(around.dynamic_shared_bytes,
                       i32(static_cast<std::uint32_t>(layout_.static_shared_bytes)));
  };
  const auto dimension = [](Special value, Special first) {
    return static_cast<std::size_t>(value) - static_cast<std::size_t>(first);
  };
  switch (special) {
    case Special::tid_x:
    case Special::tid_y:
    case Special::tid_z:
      return around.tid[dimension(special, Special::tid_x)];
    case Special::ntid_x:
    case Special::ntid_y:
    case Special::ntid_z:
      return around.ntid[dimension(special, Special::ntid_x)];
    case Special::ctaid_x:
    case Special::ctaid_y:
    case Special::ctaid_z:
      return around.ctaid[dimension(special, Special::ctaid_x)];
    case Special::nctaid_x:
    case Special::nctaid_y:
    case Special::nctaid_z:
      return around.nctaid[dimension(special, Special::nctaid_x)];
    // Without clusters every block is a cluster of its own.
    case Special::clusterid_x:
    case Special::clusterid_y:
    case Special::clusterid_z:
      return around.ctaid[dimension(special, Special::clusterid_x)];
    case Special::nclusterid_x:
    case Special::nclusterid_y:
    case Special::nclusterid_z:
      return around.nctaid[dimension(special, Special::nclusterid_x)];
    case Special::cluster_ctaid_x:
    case Special::cluster_ctaid_y:
    case Special::cluster_ctaid_z:
    case Special::cluster_ctarank:
      return i32(0);
    case Special::cluster_nctaid_x:
    case Special::cluster_nctaid_y:
    case Special::cluster_nctaid_z:
    case Special::cluster_nctarank:
      return i32(1);
    case Special::is_explicit_cluster:
      return b.getFalse();
    case Special::laneid:
      return lane();
    case Special::warpid:
      return b.CreateLShr(around.thread_in_block, 5);
    case Special::nwarpid:
      return around.resident_warps;
    case Special::smid:
      return around.worker;
    case Special::nsmid:
      return around.workers;
    case Special::gridid:
      return around.grid_id;
    case Special::lanemask_eq:
      return b.CreateShl(i32(1), lane());
    case Special::lanemask_lt:
      return b.CreateSub(b.CreateShl(i32(1), lane()), i32(1));
    case Special::lanemask_ge:
      return b.CreateShl(i32(0xffffffffu), lane());
    case Special::lanemask_le:
      return b.CreateNot(b.CreateShl(i32(0xfffffffeu), lane()));
    case Special::lanemask_gt:
      return b.CreateShl(i32(0xfffffffeu), lane());
    case Special::clock:
    case Special::clock64:
      return b.CreateIntrinsic(llvm::Intrinsic::readcyclecounter, {}, {});
    case Special::clock_hi:
      return b.CreateLShr(b.CreateIntrinsic(llvm::Intrinsic::readcyclecounter, {}, {}), 32);
    case Special::globaltimer:
    case Special::globaltimer_lo:
      return call_runtime("tare_global_timer", b.getInt64Ty(), {}, false);
    case Special::globaltimer_hi:
      return b.CreateLShr(call_runtime("tare_global_timer", b.getInt64Ty(), {}, false), 32);
    case Special::dynamic_smem_size:
      return around.dynamic_shared_bytes;
    case Special::total_smem_size:
      // In whole units of allocation.
      return b.CreateAnd(b.CreateAdd(shared_size(), b.CreateSub(around.shared_unit, i32(1))),
                         b.CreateNeg(around.shared_unit));
    case Special::aggr_smem_size:
      return b.CreateAdd(shared_size(), i32(kSharedReserved));
    case Special::warp_size:
      return i32(32);
    case Special::current_graph_exec:
      return i64(0);
    case Special::stack_bytes:
      return around.stack_bytes;
    case Special::other:
      break;
  }
  refuse(0, "a special register");
  return i32(0);
}

llvm::Value* Emitter::call_runtime(const char* name, llvm::Type* result,
                                   llvm::ArrayRef<llvm::Value*> arguments, bool pure) {
  std::vector<llvm::Type*> types;
  for (llvm::Value* argument : arguments) types.push_back(argument->getType());
  llvm::FunctionCallee callee =
      function_->getParent()->getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  auto* target = llvm::cast<llvm::Function>(callee.getCallee());
  target->setDoesNotThrow();
  target->setWillReturn();
  if (pure) {
    target->setDoesNotAccessMemory();
    target->addFnAttr(llvm::Attribute::Speculatable);
  }
  return b.CreateCall(callee, arguments);
}

void Emitter::require_alignment(llvm::Value* offset, std::uint64_t bytes) {
  if (bytes < 2) return;
  llvm::Value* low =
      b.CreateAnd(b.CreateTrunc(offset, b.getInt32Ty()), i32(static_cast<std::uint32_t>(bytes) - 1));
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(low); known != nullptr && known->isZero()) return;
  if (misaligned_ == nullptr) {
    misaligned_ = stack(b.getInt32Ty(), "misaligned");
    any_misaligned_ = stack(b.getInt32Ty(), "any_misaligned");
    llvm::IRBuilder<> start(function_->getEntryBlock().getTerminator());
    start.CreateStore(i32(0), misaligned_);
    start.CreateStore(i32(0), any_misaligned_);
  }
  b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt32Ty(), misaligned_), low), misaligned_);
}

void Emitter::require_alignment_now(llvm::Value* offset, std::uint64_t bytes, std::uint32_t line) {
  if (bytes >= 2) stop_if(b.CreateIsNotNull(b.CreateAnd(offset, bytes - 1)), line);
}

void Emitter::gather_misaligned() {
  if (misaligned_ == nullptr) return;
  llvm::Value* before = b.CreateLoad(b.getInt32Ty(), any_misaligned_);
  b.CreateStore(b.CreateOr(before, b.CreateLoad(b.getInt32Ty(), misaligned_)), any_misaligned_);
}

void Emitter::stop_if_misaligned() {
  if (misaligned_ == nullptr) return;
  around.tid = {i32(0), i32(0), i32(0)};
  stop_if(b.CreateIsNotNull(b.CreateLoad(b.getInt32Ty(), any_misaligned_)), 0);
}

void Emitter::stop_if(llvm::Value* is_misaligned, std::uint32_t line) {
  llvm::BasicBlock* misaligned = new_block("misaligned");
  llvm::BasicBlock* aligned = new_block("aligned");
  b.CreateCondBr(is_misaligned, misaligned, aligned);
  b.SetInsertPoint(misaligned);
  emit_fault(Fault::misaligned, i32(line));
  b.SetInsertPoint(aligned);
}

void Emitter::emit_fault(Fault fault, llvm::Value* line) {
  llvm::Type* byte = b.getInt8Ty();
  const auto store = [&](std::size_t offset, llvm::Value* value) {
    b.CreateStore(value, b.CreateConstGEP1_64(byte, around.scratch, offset));
  };
  for (std::size_t i = 0; i < 3; ++i) {
    store(offsetof(Scratch, fault_block) + 4 * i, around.ctaid[i]);
    store(offsetof(Scratch, fault_thread) + 4 * i, around.tid[i]);
  }
  store(offsetof(Scratch, fault_line), line);
  b.CreateRet(i32(static_cast<std::uint32_t>(fault)));
}

void Emitter::refuse(std::uint32_t line, std::string what) {
  if (!refusal_) refusal_ = Refusal{line, std::move(what)};
}

}  // namespace tare::cpu::codegen
