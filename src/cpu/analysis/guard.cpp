// Walks from the entry along the path of the threads that go on, and takes the predicate of each early
// exit apart into comparisons that must hold.
#include "cpu/analysis/guard.hpp"

#include <algorithm>
#include <optional>

namespace tare::cpu::analysis {
namespace {

using ptx::Compare;
using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Type;

Compare negate(Compare compare) {
  switch (compare) {
    case Compare::lt:
    case Compare::lo:
      return Compare::ge;
    case Compare::le:
    case Compare::ls:
      return Compare::gt;
    case Compare::gt:
    case Compare::hi:
      return Compare::le;
    case Compare::ge:
    case Compare::hs:
      return Compare::lt;
    case Compare::eq:
      return Compare::ne;
    case Compare::ne:
      return Compare::eq;
    default:
      return Compare::none;
  }
}

Compare swap(Compare compare) {
  switch (compare) {
    case Compare::lt:
      return Compare::gt;
    case Compare::le:
      return Compare::ge;
    case Compare::gt:
      return Compare::lt;
    case Compare::ge:
      return Compare::le;
    default:
      return compare;
  }
}

/// lo, ls, hi and hs are lt, le, gt and ge on unsigned types.
Compare plain(Compare compare) {
  return negate(negate(compare));
}

bool is_integer_word(Type type) {
  return type == Type::u32 || type == Type::s32 || type == Type::u64 || type == Type::s64;
}

class Walker {
 public:
  Walker(const ptx::Function& function, const Shapes& shapes)
      : function_(function), shapes_(shapes), definition_(function.registers.size(), kNone) {
    std::vector<std::uint32_t> count(function.registers.size(), 0);
    for (std::uint32_t i = 0; i < function.body.size(); ++i) {
      for_each_write(function.body[i], [&](ptx::RegisterId id) {
        definition_[id] = ++count[id] == 1 && function.body[i].predicate == ptx::kNoId ? i : kNone;
      });
    }
  }

  Guards run() {
    Guards guards;
    std::vector<bool> seen(function_.body.size() + 1, false);
    std::uint32_t i = 0;
    while (i < function_.body.size() && !seen[i]) {
      seen[i] = true;
      const Instruction& instruction = function_.body[i];
      if (instruction.predicate != ptx::kNoId && leaves(i)) {
        if (!take(instruction.predicate, instruction.predicate_negated, guards.bounds)) return guards;
        guards.branches.push_back({i, false});
        ++i;
      } else if (instruction.op == Op::bra && instruction.predicate != ptx::kNoId && only_leaves(i + 1)) {
        // `@p bra BODY; ret;`: those with p go on.
        if (!take(instruction.predicate, !instruction.predicate_negated, guards.bounds)) return guards;
        guards.branches.push_back({i, true});
        i = target_of(instruction);
      } else if (instruction.op == Op::bra && instruction.predicate == ptx::kNoId) {
        i = target_of(instruction);
      } else if (has_effects(instruction) || ends_thread(instruction) || instruction.op == Op::bra ||
                 instruction.op == Op::brx) {
        return guards;
      } else {
        ++i;
      }
    }
    return guards;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  std::uint32_t target_of(const Instruction& instruction) const {
    return function_.labels[instruction.operands[0].id].target;
  }

  /// From instruction i on, the thread ends without doing anything.
  bool only_leaves(std::uint32_t i) const {
    for (int steps = 0; steps < 4; ++steps) {
      if (i >= function_.body.size()) return true;
      const Instruction& instruction = function_.body[i];
      if (instruction.predicate != ptx::kNoId) return false;
      if (instruction.op == Op::ret || instruction.op == Op::exit) return true;
      if (instruction.op != Op::bra) return false;
      i = target_of(instruction);
    }
    return false;
  }

  bool leaves(std::uint32_t i) const {
    const Instruction& instruction = function_.body[i];
    if (instruction.op == Op::ret || instruction.op == Op::exit) return true;
    return instruction.op == Op::bra && only_leaves(target_of(instruction));
  }

  Shape shape_of(const Operand& operand) const {
    if (operand.kind == Operand::Kind::reg) return shapes_.registers[operand.id];
    if (operand.kind == Operand::Kind::integer) return {Shape::Kind::uniform, 0};
    return {};
  }

  /// Adds the bounds under which predicate `id` equals `wanted`; false where they are not intervals.
  bool take(ptx::RegisterId id, bool wanted, std::vector<Bound>& bounds) const {
    std::vector<Bound> found;
    if (!conjuncts(id, wanted, found, 0)) return false;
    bounds.insert(bounds.end(), found.begin(), found.end());
    return true;
  }

  bool conjuncts(ptx::RegisterId id, bool wanted, std::vector<Bound>& bounds, int depth) const {
    if (depth > 8 || definition_[id] == kNone) return false;
    const Instruction& instruction = function_.body[definition_[id]];
    const auto& operands = instruction.operands;
    if (operands[0].kind != Operand::Kind::reg || instruction.destination_count != 1) return false;
    if (instruction.op == Op::setp) {
      if (!comparison(instruction, wanted, bounds)) return false;
      if (instruction.bool_op == ptx::Bool::none) return true;
      // p and q must both hold, or neither may: anything else is not an intersection.
      const bool is_and = instruction.bool_op == ptx::Bool::and_ && wanted;
      const bool is_or = instruction.bool_op == ptx::Bool::or_ && !wanted;
      if (!(is_and || is_or) || operands[3].kind != Operand::Kind::reg) return false;
      return conjuncts(operands[3].id, wanted != operands[3].negated, bounds, depth + 1);
    }
    if (shapes_.registers[id].kind == Shape::Kind::uniform) {
      bounds.push_back({nullptr, &operands[0], Compare::none, Type::pred, wanted});
      return true;
    }
    if (instruction.op == Op::not_) {
      return operands[1].kind == Operand::Kind::reg && conjuncts(operands[1].id, !wanted, bounds, depth + 1);
    }
    const bool joins = (instruction.op == Op::and_ && wanted) || (instruction.op == Op::or_ && !wanted);
    if (!joins || operands[1].kind != Operand::Kind::reg || operands[2].kind != Operand::Kind::reg)
      return false;
    return conjuncts(operands[1].id, wanted, bounds, depth + 1) &&
           conjuncts(operands[2].id, wanted, bounds, depth + 1);
  }

  bool comparison(const Instruction& instruction, bool wanted, std::vector<Bound>& bounds) const {
    const Type type = instruction.types[0];
    const Operand& a = instruction.operands[1];
    const Operand& b = instruction.operands[2];
    if (instruction.bool_op == ptx::Bool::none &&
        shapes_.registers[instruction.operands[0].id].kind == Shape::Kind::uniform) {
      bounds.push_back({nullptr, &instruction.operands[0], Compare::none, Type::pred, wanted});
      return true;
    }
    if (!is_integer_word(type)) return false;
    Compare compare = wanted ? plain(instruction.compare) : negate(instruction.compare);
    const Shape first = shape_of(a);
    const Shape second = shape_of(b);
    const bool a_moves = first.is_affine() && first.step == 1 && second.kind == Shape::Kind::uniform;
    const bool b_moves = second.is_affine() && second.step == 1 && first.kind == Shape::Kind::uniform;
    if ((!a_moves && !b_moves) || compare == Compare::ne || compare == Compare::none) return false;
    const Operand& moving = a_moves ? a : b;
    if (ptx::size_of(function_.registers[moving.id].type) != ptx::size_of(type)) return false;
    bounds.push_back({&moving, a_moves ? &b : &a, a_moves ? compare : swap(compare), type, true});
    return true;
  }

  const ptx::Function& function_;
  const Shapes& shapes_;
  std::vector<std::uint32_t> definition_;
};

}  // namespace

Guards find_guards(const ptx::Function& function, const Shapes& shapes) {
  return Walker(function, shapes).run();
}

}  // namespace tare::cpu::analysis
