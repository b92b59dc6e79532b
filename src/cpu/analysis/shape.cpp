// One pass over the text. Pure instructions on uniform operands give uniform results; additions,
// multiplications by constants and widening conversions carry a step along.
#include "cpu/analysis/shape.hpp"

#include <algorithm>
#include <optional>

namespace tare::cpu::analysis {
namespace {

using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Special;
using ptx::Type;
namespace Modifier = ptx::Modifier;

constexpr std::int64_t kLargestWidenedStep = 1
                                             << 16;  // a larger one wraps too often to be worth assuming not

constexpr Shape kVarying{};
constexpr Shape kUniform{Shape::Kind::uniform, 0};

Shape affine(std::int64_t step, std::size_t bytes) {
  if (bytes == 4) step = static_cast<std::int32_t>(step);
  if (step == 0) return kUniform;
  return {Shape::Kind::affine, step};
}

/// Instructions whose results depend on their operands alone and that may run on any path.
bool is_pure(const Instruction& instruction) {
  if (instruction.has(Modifier::cc) || instruction.has(Modifier::volatile_)) return false;
  switch (instruction.op) {
    case Op::abs:
    case Op::add:
    case Op::and_:
    case Op::bfe:
    case Op::bfi:
    case Op::bfind:
    case Op::bmsk:
    case Op::brev:
    case Op::clz:
    case Op::cnot:
    case Op::copysign:
    case Op::cos:
    case Op::cvt:
    case Op::cvta:
    case Op::div:
    case Op::dp2a:
    case Op::dp4a:
    case Op::ex2:
    case Op::fma:
    case Op::isspacep:
    case Op::lg2:
    case Op::lop3:
    case Op::mad:
    case Op::mad24:
    case Op::max:
    case Op::min:
    case Op::mov:
    case Op::mul:
    case Op::mul24:
    case Op::neg:
    case Op::not_:
    case Op::or_:
    case Op::popc:
    case Op::prmt:
    case Op::rcp:
    case Op::rem:
    case Op::rsqrt:
    case Op::sad:
    case Op::selp:
    case Op::set:
    case Op::setp:
    case Op::shf:
    case Op::shl:
    case Op::shr:
    case Op::sin:
    case Op::slct:
    case Op::sqrt:
    case Op::sub:
    case Op::szext:
    case Op::tanh:
    case Op::testp:
    case Op::xor_:
      return true;
    case Op::ld:
      return instruction.space == ptx::Space::param && instruction.operands.size() > 1 &&
             instruction.operands[1].symbol_kind == Operand::SymbolKind::parameter &&
             instruction.operands[1].id == ptx::kNoId;
    default:
      return false;
  }
}

Shape shape_of_special(Special special) {
  switch (special) {
    case Special::tid_x:
      return {Shape::Kind::affine, 1};
    case Special::laneid:
    case Special::warpid:
    case Special::lanemask_eq:
    case Special::lanemask_le:
    case Special::lanemask_lt:
    case Special::lanemask_ge:
    case Special::lanemask_gt:
    case Special::clock:
    case Special::clock_hi:
    case Special::clock64:
    case Special::globaltimer:
    case Special::globaltimer_lo:
    case Special::globaltimer_hi:
    case Special::other:
      return kVarying;
    default:
      return kUniform;
  }
}

class Finder {
 public:
  explicit Finder(const ptx::Function& function) : function_(function) {
    result_.registers.assign(function.registers.size(), kVarying);
    result_.in_row.assign(function.body.size(), false);
    definitions_.assign(function.registers.size(), 0);
    for (const Instruction& instruction : function.body) {
      for_each_write(instruction, [&](ptx::RegisterId id) { ++definitions_[id]; });
    }
  }

  Shapes run() {
    for (std::size_t i = 0; i < function_.body.size(); ++i) visit(i);
    return std::move(result_);
  }

 private:
  void visit(std::size_t index) {
    const Instruction& instruction = function_.body[index];
    if (instruction.space == ptx::Space::shared && instruction.op != Op::cvta)
      note_shared_address(instruction);
    if (instruction.predicate != ptx::kNoId || !is_pure(instruction)) return;
    bool single = true;
    bool any = false;
    for_each_write(instruction, [&](ptx::RegisterId id) {
      any = true;
      single = single && definitions_[id] == 1;
    });
    if (!any || !single) return;
    const Shape shape = shape_of_result(instruction);
    if (shape.is_varying()) return;
    result_.in_row[index] = true;
    for_each_write(instruction, [&](ptx::RegisterId id) { result_.registers[id] = shape; });
  }

  /// Shared addresses are 32 bits wide and small: extended by their sign they add up as 64-bit ones do.
  void note_shared_address(const Instruction& instruction) {
    for (const Operand& operand : instruction.operands) {
      if (operand.kind != Operand::Kind::address || operand.id == ptx::kNoId) continue;
      const Shape shape = result_.registers[operand.id];
      if (!shape.is_affine()) continue;
      Operand base;
      base.kind = Operand::Kind::reg;
      base.id = operand.id;
      widen(base, true, shape.step);
    }
  }

  Shape shape_of(const Operand& operand) const {
    switch (operand.kind) {
      case Operand::Kind::reg:
        return result_.registers[operand.id];
      case Operand::Kind::special:
        return shape_of_special(operand.special);
      case Operand::Kind::address:
        return operand.id == ptx::kNoId ? kUniform : result_.registers[operand.id];
      case Operand::Kind::vector:
      case Operand::Kind::list:
        for (const Operand& element : operand.elements) {
          if (shape_of(element).kind != Shape::Kind::uniform) return kVarying;
        }
        return kUniform;
      case Operand::Kind::symbol:
        // A variable of the thread's own has another address in every thread.
        return kUniform;
      default:
        return kUniform;
    }
  }

  Shape shape_of_result(const Instruction& instruction) {
    bool all_uniform = true;
    for (std::size_t i = destinations(instruction); i < instruction.operands.size(); ++i) {
      all_uniform = all_uniform && shape_of(instruction.operands[i]).kind == Shape::Kind::uniform;
    }
    if (instruction.op == Op::cvta && instruction.space == ptx::Space::local) return kVarying;
    if (instruction.op == Op::isspacep && instruction.space == ptx::Space::local) return kVarying;
    if (all_uniform) return kUniform;
    return shape_of_step(instruction);
  }

  static bool is_word(Type type) {
    return type == Type::u32 || type == Type::s32 || type == Type::b32 || type == Type::u64 ||
           type == Type::s64 || type == Type::b64;
  }

  /// The result of an instruction with at least one operand that is not uniform.
  Shape shape_of_step(const Instruction& instruction) {
    const Type type = instruction.types[0];
    const std::size_t bytes = ptx::size_of(type);
    if (!is_word(type) || instruction.has(Modifier::sat)) return kVarying;
    const auto& operands = instruction.operands;
    const auto shape = [&](std::size_t i) { return shape_of(operands[i]); };
    switch (instruction.op) {
      case Op::mov:
        return operands[1].kind == Operand::Kind::vector ? kVarying : shape(1);
      case Op::cvta:
        return shape(1);
      case Op::cvt:
        return convert(instruction);
      case Op::neg:
        return shape(1).is_affine() ? affine(-shape(1).step, bytes) : kVarying;
      case Op::add:
      case Op::sub: {
        if (shape(1).is_varying() || shape(2).is_varying()) return kVarying;
        const std::int64_t second = instruction.op == Op::sub ? -shape(2).step : shape(2).step;
        return affine(shape(1).step + second, bytes);
      }
      case Op::shl:
        if (!shape(1).is_affine() || operands[2].kind != Operand::Kind::integer || operands[2].integer < 0 ||
            operands[2].integer > 31) {
          return kVarying;
        }
        return affine(
            static_cast<std::int64_t>(static_cast<std::uint64_t>(shape(1).step) << operands[2].integer),
            bytes);
      case Op::shr:
        return sign(instruction);
      case Op::mul:
      case Op::mad:
        return product(instruction);
      default:
        return kVarying;
    }
  }

  Shape convert(const Instruction& instruction) {
    const Type from = instruction.types[1];
    const std::size_t bytes = ptx::size_of(instruction.types[0]);
    const Shape source = shape_of(instruction.operands[1]);
    if (!is_word(from) || !source.is_affine()) return kVarying;
    if (bytes <= ptx::size_of(from)) {
      // In a wider register the value goes on where the type wraps.
      const Operand& to = instruction.operands[0];
      const bool fits = ptx::size_of(function_.registers[to.id].type) == bytes;
      return fits ? affine(source.step, bytes) : kVarying;
    }
    return widen(instruction.operands[1], from == Type::s32, source.step);
  }

  /// A 32-bit affine operand extended to 64 bits: affine as long as it does not wrap.
  Shape widen(const Operand& operand, bool is_signed, std::int64_t step) {
    if (std::abs(step) > kLargestWidenedStep) return kVarying;
    if (operand.kind == Operand::Kind::reg) {
      // A 64-bit register read as 32 bits wraps at a place the assumption would not see.
      if (ptx::size_of(function_.registers[operand.id].type) != 4) return kVarying;
      assume({operand.id, is_signed});
    }
    return {Shape::Kind::affine, step};
  }

  /// The sign alone, spread over the word, of an affine register: where compilers let an index below 0 count
  /// from the end.
  Shape sign(const Instruction& instruction) {
    const Operand& moving = instruction.operands[1];
    const Operand& distance = instruction.operands[2];
    const Type type = instruction.types[0];
    const auto bits = static_cast<std::int64_t>(8 * ptx::size_of(type));
    if ((type != Type::s32 && type != Type::s64) || moving.kind != Operand::Kind::reg ||
        distance.kind != Operand::Kind::integer || distance.integer != bits - 1 ||
        ptx::size_of(function_.registers[moving.id].type) != ptx::size_of(type)) {
      return kVarying;
    }
    const Shape shape = result_.registers[moving.id];
    if (!shape.is_affine() || std::abs(shape.step) > kLargestWidenedStep) return kVarying;
    assume({moving.id, true, true});
    return kUniform;
  }

  void assume(const NoWrap& assumption) {
    const auto same = [&](const NoWrap& a) {
      return a.id == assumption.id && a.is_signed == assumption.is_signed &&
             a.keeps_sign == assumption.keeps_sign;
    };
    auto& list = result_.assumptions;
    if (std::none_of(list.begin(), list.end(), same)) list.push_back(assumption);
  }

  /// mul and mad: at most one factor may have a step, and then the other is a constant.
  Shape product(const Instruction& instruction) {
    if (instruction.has(Modifier::hi)) return kVarying;
    const bool wide = instruction.has(Modifier::wide);
    const std::size_t bytes = ptx::size_of(instruction.types[0]) * (wide ? 2 : 1);
    if (wide && bytes != 8) return kVarying;
    const auto& operands = instruction.operands;
    Shape addend = kUniform;
    if (instruction.op == Op::mad) addend = shape_of(operands[3]);
    if (addend.is_varying()) return kVarying;
    Shape first = shape_of(operands[1]);
    Shape second = shape_of(operands[2]);
    if (first.is_varying() || second.is_varying()) return kVarying;
    if (!first.is_affine() && !second.is_affine()) return affine(addend.step, bytes);
    const Operand& moving = first.is_affine() ? operands[1] : operands[2];
    const Operand& constant = first.is_affine() ? operands[2] : operands[1];
    if (constant.kind != Operand::Kind::integer) return kVarying;
    std::int64_t factor = constant.integer;
    std::int64_t step = first.is_affine() ? first.step : second.step;
    if (wide) {
      const bool is_signed = instruction.types[0] == Type::s32;
      const auto word = static_cast<std::uint32_t>(factor);
      factor = is_signed ? std::int64_t{static_cast<std::int32_t>(word)} : std::int64_t{word};
      const Shape widened = widen(moving, is_signed, step);
      if (widened.is_varying()) return kVarying;
    }
    const auto scaled = static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(factor);
    return affine(static_cast<std::int64_t>(scaled + static_cast<std::uint64_t>(addend.step)), bytes);
  }

  const ptx::Function& function_;
  std::vector<std::uint32_t> definitions_;
  Shapes result_;
};

}  // namespace

Shapes find_shapes(const ptx::Function& function) {
  return Finder(function).run();
}

Shapes no_shapes(const ptx::Function& function) {
  Shapes shapes;
  shapes.registers.assign(function.registers.size(), kVarying);
  shapes.in_row.assign(function.body.size(), false);
  return shapes;
}

}  // namespace tare::cpu::analysis
