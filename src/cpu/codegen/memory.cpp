// Moves, loads, stores, copies, fences and address conversions. Every access is an offset from a base
// pointer that LLVM cannot see through, never an integer turned pointer.
#include <algorithm>

#include "cpu/codegen/instructions.hpp"

namespace tare::cpu::codegen {
namespace {

using llvm::AtomicOrdering;
using llvm::Value;
using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Space;
using ptx::Type;
namespace Modifier = ptx::Modifier;

/// What an access is to other threads.
enum class Access : std::uint8_t { plain, shared_with_others };

/// Where an access goes; `invariant` memory does not change while the kernel runs, `transient` memory is
/// the running thread's alone and becomes registers.
struct Place {
  Value* pointer = nullptr;
  bool invariant = false;
  bool transient = false;
};

Space resolve(Emitter& e, const Instruction& i, const Operand& address) {
  const Space named = e.space_of(address);
  return named == Space::generic || named == Space::reg ? i.space : named;
}

/// The place of the element that lies `extra` bytes behind the beginning of an access of `bytes`.
Place place_of(Emitter& e, const Instruction& i, const Operand& address, std::uint64_t extra,
               std::uint64_t bytes, Access access) {
  auto& b = e.b;
  const auto at = [&](Value* base, Value* offset) {
    if (extra != 0) offset = b.CreateAdd(offset, e.i64(extra));
    return b.CreateGEP(b.getInt8Ty(), base, offset);
  };
  const auto own = static_cast<std::uint64_t>(address.integer);
  if (address.symbol_kind == Operand::SymbolKind::parameter) {
    const std::uint64_t offset = e.entry().parameters[address.symbol].offset + own;
    return {at(e.around.params, e.i64(offset)), true};
  }
  if (address.symbol_kind == Operand::SymbolKind::function_variable &&
      e.layout().is_transient[address.symbol]) {
    return {at(e.transient(address.symbol), e.i64(own)), false, true};
  }
  Value* offset = e.address_of(address);
  if (extra == 0) {
    if (access == Access::plain)
      e.require_alignment(offset, bytes);
    else
      e.require_alignment_now(offset, bytes, i.line);
  }
  switch (resolve(e, i, address)) {
    case Space::shared:
      return {at(e.around.shared, offset), false};
    case Space::local:
      return {at(e.around.local, offset), false};
    case Space::param:
      if (address.symbol_kind == Operand::SymbolKind::function_variable)
        return {at(e.around.local, offset), false};
      break;
    default:
      break;
  }
  return {at(e.around.base, offset), false};
}

AtomicOrdering ordering_of(const Instruction& i, AtomicOrdering fallback) {
  if (has_suffix(i, "acq_rel")) return AtomicOrdering::AcquireRelease;
  if (has_suffix(i, "acquire")) return AtomicOrdering::Acquire;
  if (has_suffix(i, "release")) return AtomicOrdering::Release;
  if (has_suffix(i, "relaxed") || has_suffix(i, "mmio") || i.has(Modifier::volatile_))
    return AtomicOrdering::Monotonic;
  return fallback;
}

/// The elements of a vector operand, or the operand itself.
std::vector<const Operand*> elements_of(const Operand& operand) {
  std::vector<const Operand*> elements;
  if (operand.kind == Operand::Kind::vector) {
    for (const Operand& element : operand.elements) elements.push_back(&element);
  } else {
    elements.push_back(&operand);
  }
  return elements;
}

Access access_of(AtomicOrdering ordering) {
  return ordering == AtomicOrdering::NotAtomic ? Access::plain : Access::shared_with_others;
}

/// A plain access may turn out to be misaligned, and goes on until its block ends.
llvm::Align alignment_of(std::size_t bytes, Access access) {
  return llvm::Align(access == Access::plain ? 1 : bytes);
}

bool emit_load(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  const Type type = i.types[0];
  const std::size_t bytes = ptx::size_of(type);
  const auto elements = elements_of(i.operands[0]);
  const AtomicOrdering ordering = ordering_of(i, AtomicOrdering::NotAtomic);
  const Access access = access_of(ordering);
  std::vector<Value*> values;
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const Place place = place_of(e, i, i.operands[1], k * bytes, bytes * elements.size(), access);
    llvm::LoadInst* load = b.CreateAlignedLoad(e.type(type), place.pointer, alignment_of(bytes, access));
    if (place.invariant) {
      load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(e.context(), {}));
    } else if (ordering != AtomicOrdering::NotAtomic) {
      load->setAtomic(ordering);
      load->setVolatile(i.has(Modifier::volatile_));
    } else if (!place.transient) {
      e.mark(load);
    }
    values.push_back(load);
  }
  // All read before any written: a destination may be the address.
  for (std::size_t k = 0; k < elements.size(); ++k)
    e.write(*elements[k], values[k], Emitter::is_signed(type));
  return true;
}

bool emit_store(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  const Type type = i.types[0];
  const std::size_t bytes = ptx::size_of(type);
  const auto elements = elements_of(i.operands[1]);
  const AtomicOrdering ordering = ordering_of(i, AtomicOrdering::NotAtomic);
  const Access access = access_of(ordering);
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const Place place = place_of(e, i, i.operands[0], k * bytes, bytes * elements.size(), access);
    llvm::StoreInst* store =
        b.CreateAlignedStore(e.read(*elements[k], type), place.pointer, alignment_of(bytes, access));
    if (ordering != AtomicOrdering::NotAtomic) {
      store->setAtomic(ordering);
      store->setVolatile(i.has(Modifier::volatile_));
    } else if (!place.transient) {
      e.mark(store);
    }
  }
  return true;
}

/// mov between scalars, and packing and unpacking with a vector on one side.
bool emit_move(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  const Type type = i.types[0];
  const Operand& to = i.operands[0];
  const Operand& from = i.operands[1];
  const auto width = static_cast<unsigned>(type == Type::pred ? 1 : ptx::size_of(type) * 8);
  if (to.kind != Operand::Kind::vector && from.kind != Operand::Kind::vector) {
    e.write(to, e.read(from, type));
    return true;
  }
  if (from.kind == Operand::Kind::vector) {
    const auto part = static_cast<unsigned>(width / from.elements.size());
    Value* whole = llvm::ConstantInt::get(b.getIntNTy(width), 0);
    for (std::size_t k = 0; k < from.elements.size(); ++k) {
      const Operand& element = from.elements[k];
      Value* value = element.kind == Operand::Kind::reg ? read_bits(e, element)
                                                        : e.read(element, part == 32 ? Type::b32 : Type::b64);
      value = e.adapt(e.adapt(value, b.getIntNTy(part)), whole->getType());
      whole = b.CreateOr(whole, b.CreateShl(value, part * k));
    }
    e.write(to, whole);
    return true;
  }
  const auto part = static_cast<unsigned>(width / to.elements.size());
  Value* whole = e.read(from, type);
  if (!whole->getType()->isIntegerTy()) whole = e.adapt(whole, b.getIntNTy(width));
  for (std::size_t k = 0; k < to.elements.size(); ++k) {
    e.write(to.elements[k], b.CreateTrunc(b.CreateLShr(whole, part * k), b.getIntNTy(part)));
  }
  return true;
}

Value* window_of(Emitter& e, Space space) {
  if (space == Space::shared) return e.around.shared_address;
  if (space == Space::local) return e.around.local_address;
  return nullptr;
}

/// Global, constant and parameter addresses are generic already; shared and local ones are offsets.
bool emit_address_conversion(Emitter& e, const Instruction& i) {
  const Type type = i.types[0];
  Value* address = e.read(i.operands[1], type);
  if (Value* window = window_of(e, i.space)) {
    window = e.adapt(window, address->getType());
    address = i.has(Modifier::to) ? e.b.CreateSub(address, window) : e.b.CreateAdd(address, window);
  }
  e.write(i.operands[0], address);
  return true;
}

bool emit_is_space(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  Value* address = e.read(i.operands[1], Type::u64);
  const auto inside = [&](Value* start, Value* bytes) {
    return b.CreateICmpULT(b.CreateSub(address, start), bytes);
  };
  Value* in_shared = inside(e.around.shared_address, shared_bytes(e));
  Value* in_local = inside(e.around.local_address, e.around.local_bytes);
  Value* in_params = inside(e.around.params_address, e.i64(e.entry().parameter_bytes));
  std::uint64_t constant_bytes = 0;
  for (const ptx::Variable& variable : e.module().variables) {
    if (variable.space == Space::constant)
      constant_bytes = std::max(constant_bytes, variable.offset + variable.size);
  }
  Value* in_constants = inside(e.around.constants_address, e.i64(constant_bytes));
  Value* result = nullptr;
  switch (i.space) {
    case Space::shared:
      result = in_shared;
      break;
    case Space::local:
      result = in_local;
      break;
    case Space::param:
      result = in_params;
      break;
    case Space::constant:
      result = in_constants;
      break;
    case Space::global:
      result = b.CreateNot(b.CreateOr(b.CreateOr(in_shared, in_local), b.CreateOr(in_params, in_constants)));
      break;
    default:
      return false;
  }
  e.write(i.operands[0], result);
  return true;
}

/// Bytes go from one space to another at once; what is not read is zero.
bool emit_copy(Emitter& e, const Instruction& i) {
  auto& b = e.b;
  if (has_suffix(i, "commit_group") || has_suffix(i, "wait_group") || has_suffix(i, "wait_all")) return true;
  const auto& operands = i.operands;
  if (has_suffix(i, "bulk") || has_suffix(i, "mbarrier") || !has_suffix(i, "async") || operands.size() < 3)
    return false;
  const auto size = static_cast<std::uint64_t>(operands[2].integer);
  const auto in_space = [&](std::size_t operand, Space space) {
    Instruction access = i;
    access.space = space;
    return place_of(e, access, operands[operand], 0, size, Access::plain).pointer;
  };
  Value* to = in_space(0, Space::shared);
  Value* from = in_space(1, Space::global);
  Value* bytes = e.i32(static_cast<std::uint32_t>(size));
  const std::size_t given = operands.size() - (has_suffix(i, "L2::cache_hint") ? 1 : 0);
  Value* read = bytes;
  if (given > 3) {
    const Operand& last = operands[3];
    const bool is_predicate =
        last.kind == Operand::Kind::reg && e.entry().registers[last.id].type == Type::pred;
    read = is_predicate ? e.select(e.read(last, Type::pred), e.i32(0), bytes) : e.read(last, Type::b32);
  }
  e.call_runtime("tare_copy", b.getVoidTy(), {to, from, bytes, read}, false);
  return true;
}

}  // namespace

Value* pointer_of(Emitter& e, const Instruction& i, const Operand& address, std::uint64_t offset,
                  std::uint64_t bytes) {
  return place_of(e, i, address, offset, bytes, Access::shared_with_others).pointer;
}

Value* shared_bytes(Emitter& e) {
  return e.b.CreateAdd(e.i64(e.layout().dynamic_shared_offset),
                       e.b.CreateZExt(e.around.dynamic_shared_bytes, e.b.getInt64Ty()));
}

Value* read_bits(Emitter& e, const Operand& operand) {
  Value* value = e.read_register(operand.id);
  return e.adapt(value, e.b.getIntNTy(width_of(value->getType())));
}

bool emit_memory(Emitter& e, const Instruction& i) {
  switch (i.op) {
    case Op::mov:
      return emit_move(e, i);
    case Op::ld:
    case Op::ldu:
      return emit_load(e, i);
    case Op::st:
      return emit_store(e, i);
    case Op::cvta:
      return emit_address_conversion(e, i);
    case Op::isspacep:
      return emit_is_space(e, i);
    case Op::cp:
      return emit_copy(e, i);
    case Op::membar:
    case Op::fence:
      // There is one proxy, and every order is at least as strong as any asked for.
      e.b.CreateFence(AtomicOrdering::SequentiallyConsistent);
      return true;
    case Op::prefetch:
    case Op::prefetchu:
      return true;
    default:
      return false;
  }
}

}  // namespace tare::cpu::codegen
