// atom and red. Integers by the processor's own instructions; floating-point numbers, which have to round,
// flush and combine NaNs as a GPU does, by a loop of compare-and-swap. Every element of a vector form is
// atomic by itself, as PTX has it.
#include "cpu/codegen/instructions.hpp"
#include "cpu/codegen/runtime.hpp"

namespace tare::cpu::codegen {
namespace {

using llvm::AtomicOrdering;
using llvm::AtomicRMWInst;
using llvm::BasicBlock;
using llvm::Value;
using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Space;
using ptx::Type;

// As strong as any qualifier asks for: on this processor it costs no more.
constexpr AtomicOrdering kOrdering = AtomicOrdering::SequentiallyConsistent;

struct IntegerOperation {
  const char* name;
  AtomicRMWInst::BinOp operation, signed_operation;
};

constexpr IntegerOperation kIntegerOperations[] = {
    {"add", AtomicRMWInst::Add, AtomicRMWInst::Add},
    {"min", AtomicRMWInst::UMin, AtomicRMWInst::Min},
    {"max", AtomicRMWInst::UMax, AtomicRMWInst::Max},
    {"and", AtomicRMWInst::And, AtomicRMWInst::And},
    {"or", AtomicRMWInst::Or, AtomicRMWInst::Or},
    {"xor", AtomicRMWInst::Xor, AtomicRMWInst::Xor},
    {"exch", AtomicRMWInst::Xchg, AtomicRMWInst::Xchg},
    {"inc", AtomicRMWInst::UIncWrap, AtomicRMWInst::UIncWrap},
    {"dec", AtomicRMWInst::UDecWrap, AtomicRMWInst::UDecWrap},
};

bool is_half(Type type) {
  return type == Type::f16 || type == Type::f16x2 || type == Type::bf16 || type == Type::bf16x2;
}

class Atomic {
 public:
  Atomic(Emitter& emitter, const Instruction& instruction)
      : e_(emitter),
        b_(emitter.b),
        i_(instruction),
        type_(instruction.types[0]),
        bytes_(ptx::size_of(type_)),
        first_(instruction.op == Op::atom ? 1 : 0) {}

  bool emit() {
    const Operand& given = i_.operands[first_ + 1];
    if (given.kind != Operand::Kind::vector) {
      Value* old = nullptr;
      if (!one(given, 0, bytes_, old)) return false;
      if (i_.op == Op::atom) write(i_.operands[0], old);
      return true;
    }
    std::vector<Value*> old(given.elements.size());
    for (std::size_t k = 0; k < old.size(); ++k) {
      if (!one(given.elements[k], k * bytes_, bytes_ * old.size(), old[k])) return false;
    }
    if (i_.op != Op::atom || i_.operands[0].kind != Operand::Kind::vector) return i_.op != Op::atom;
    for (std::size_t k = 0; k < old.size(); ++k) write(i_.operands[0].elements[k], old[k]);
    return true;
  }

 private:
  void write(const Operand& to, Value* old) { e_.write(to, old, Emitter::is_signed(type_)); }

  /// The element that lies `offset` bytes behind the beginning of the access of `whole` bytes.
  bool one(const Operand& given, std::uint64_t offset, std::uint64_t whole, Value*& old) {
    Value* pointer = pointer_of(e_, i_, i_.operands[first_], offset, whole);
    if (has_suffix(i_, "cas")) {
      Value* expected = e_.read(given, type_);
      Value* desired = e_.read(i_.operands[first_ + 2], type_);
      Value* pair =
          b_.CreateAtomicCmpXchg(pointer, expected, desired, llvm::Align(bytes_), kOrdering, kOrdering);
      old = b_.CreateExtractValue(pair, 0);
      return true;
    }
    Value* operand = e_.read(given, type_);
    if (Emitter::is_float(type_) && !has_suffix(i_, "exch")) return sum(pointer, operand, old);
    if (is_half(type_)) return half_operation(pointer, operand, old);
    for (const IntegerOperation& kind : kIntegerOperations) {
      if (!has_suffix(i_, kind.name)) continue;
      const auto operation = Emitter::is_signed(type_) ? kind.signed_operation : kind.operation;
      old = b_.CreateAtomicRMW(operation, pointer, operand, llvm::Align(bytes_), kOrdering);
      return true;
    }
    return false;
  }

  /// Replaces what is at the pointer by what `combine` makes of it, until no other thread comes between.
  Value* exchange(Value* pointer, const std::function<Value*(Value*)>& combine) {
    llvm::Type* word = b_.getIntNTy(static_cast<unsigned>(bytes_ * 8));
    llvm::LoadInst* start = b_.CreateAlignedLoad(word, pointer, llvm::Align(bytes_));
    start->setAtomic(AtomicOrdering::Monotonic);
    BasicBlock* before = b_.GetInsertBlock();
    BasicBlock* again = e_.new_block("again");
    BasicBlock* after = e_.new_block("exchanged");
    b_.CreateBr(again);
    b_.SetInsertPoint(again);
    llvm::PHINode* old = b_.CreatePHI(word, 2);
    old->addIncoming(start, before);
    Value* pair =
        b_.CreateAtomicCmpXchg(pointer, old, combine(old), llvm::Align(bytes_), kOrdering, kOrdering);
    old->addIncoming(b_.CreateExtractValue(pair, 0), b_.GetInsertBlock());
    b_.CreateCondBr(b_.CreateExtractValue(pair, 1), after, again);
    b_.SetInsertPoint(after);
    return old;
  }

  bool sum(Value* pointer, Value* operand, Value*& old) {
    if (!has_suffix(i_, "add")) return false;
    llvm::Type* real = operand->getType();
    if (type_ == Type::f32) {
      Value* flush = is_global(pointer);
      const auto flushed = [&](Value* value) { return e_.select(flush, flush_subnormal(e_, value), value); };
      old = exchange(pointer, [&](Value* bits) {
        Value* value = b_.CreateFAdd(flushed(b_.CreateBitCast(bits, real)), flushed(operand));
        return b_.CreateBitCast(canonical_nan(e_, flushed(value)), bits->getType());
      });
    } else {
      old = exchange(pointer, [&](Value* bits) {
        Value* value = b_.CreateBitCast(bits, real);
        // In global memory an H200 hands a NaN on as it is, the operand's first; in shared memory it is the
        // sum of the two, the memory's first.
        Value* in_shared = sum_f64(e_, operand, value);
        Value* in_global = e_.select(b_.CreateFCmpUNO(value, value), value, in_shared);
        in_global = e_.select(b_.CreateFCmpUNO(operand, operand), operand, in_global);
        return b_.CreateBitCast(e_.select(is_global(pointer), in_global, in_shared), bits->getType());
      });
    }
    old = b_.CreateBitCast(old, real);
    return true;
  }

  /// Whether the memory is global: there f32 additions flush subnormals, in shared memory they do not.
  Value* is_global(Value* pointer) {
    if (i_.space == Space::global) return b_.getTrue();
    if (i_.space == Space::shared) return b_.getFalse();
    Value* offset = b_.CreateSub(b_.CreatePtrToInt(pointer, b_.getInt64Ty()), e_.around.shared_address);
    return b_.CreateICmpUGE(offset, shared_bytes(e_));
  }

  bool half_operation(Value* pointer, Value* operand, Value*& old) {
    std::uint32_t control = 0;
    if (has_suffix(i_, "add")) {
      control = half::add;
    } else if (has_suffix(i_, "min") || has_suffix(i_, "max")) {
      control = has_suffix(i_, "min") ? half::min : half::max;
    } else {
      return false;
    }
    if (type_ == Type::bf16 || type_ == Type::bf16x2) control |= half::is_bfloat;
    Value* given = b_.CreateZExt(operand, b_.getInt32Ty());
    old = exchange(pointer, [&](Value* bits) {
      Value* wide = b_.CreateZExt(bits, b_.getInt32Ty());
      const auto part = [&](unsigned shift) {
        const auto cut = [&](Value* value) { return b_.CreateAnd(b_.CreateLShr(value, shift), 0xffff); };
        return e_.call_runtime("tare_half", b_.getInt32Ty(),
                               {cut(wide), cut(given), e_.i32(0), e_.i32(control)});
      };
      Value* result = part(0);
      if (bytes_ == 4) result = b_.CreateOr(result, b_.CreateShl(part(16), 16));
      return b_.CreateTrunc(result, bits->getType());
    });
    return true;
  }

  Emitter& e_;
  llvm::IRBuilder<>& b_;
  const Instruction& i_;
  Type type_;
  std::size_t bytes_;
  std::size_t first_;
};

}  // namespace

bool emit_atomic(Emitter& e, const Instruction& i) {
  return Atomic(e, i).emit();
}

}  // namespace tare::cpu::codegen
