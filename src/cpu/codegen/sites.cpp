// Barriers, warp operations and waiting loops: from an instruction's suffixes to a kind of site, and from
// its operands to a request.
#include "cpu/codegen/sites.hpp"

#include <optional>

#include "cpu/codegen/instructions.hpp"

namespace tare::cpu::codegen {
namespace {

using llvm::Value;
using ptx::Instruction;
using ptx::Op;
using ptx::Operand;
using ptx::Type;
namespace Modifier = ptx::Modifier;

std::optional<Site::Kind> shuffle_kind(const Instruction& i) {
  if (!i.has(Modifier::sync)) return std::nullopt;
  if (i.has(Modifier::up)) return Site::shfl_up;
  if (i.has(Modifier::down)) return Site::shfl_down;
  return i.has(Modifier::bfly) ? Site::shfl_bfly : Site::shfl_idx;
}

std::optional<Site::Kind> vote_kind(const Instruction& i) {
  if (!i.has(Modifier::sync)) return std::nullopt;
  if (i.has(Modifier::all)) return Site::vote_all;
  if (i.has(Modifier::any)) return Site::vote_any;
  return i.has(Modifier::uni) ? Site::vote_uni : Site::vote_ballot;
}

std::optional<Site::Kind> reduction_kind(const Instruction& i) {
  const bool is_signed = Emitter::is_signed(i.types[0]);
  if (i.types[0] == Type::f32) return std::nullopt;
  if (has_suffix(i, "add")) return Site::redux_add;
  if (has_suffix(i, "min")) return is_signed ? Site::redux_min_signed : Site::redux_min;
  if (has_suffix(i, "max")) return is_signed ? Site::redux_max_signed : Site::redux_max;
  if (has_suffix(i, "and")) return Site::redux_and;
  return has_suffix(i, "or") ? Site::redux_or : Site::redux_xor;
}

std::optional<Site::Kind> barrier_kind(const Instruction& i) {
  const std::size_t operands = i.operands.size();
  if (has_suffix(i, "cluster")) return std::nullopt;
  if (has_suffix(i, "warp")) return operands == 1 ? std::optional(Site::warp) : std::nullopt;
  if (!analysis::reduces(i)) {
    if (!i.has(Modifier::sync) || operands < 1 || operands > 2) return std::nullopt;
    return Site::block;
  }
  if (operands < 3 || operands > 4) return std::nullopt;
  if (has_suffix(i, "popc")) return Site::count;
  return i.bool_op == ptx::Bool::and_ ? Site::all : Site::any;
}

std::optional<Site::Kind> kind_of(const Instruction& i) {
  switch (i.op) {
    case Op::yield_:
      return Site::yield;
    case Op::activemask:
      return Site::activemask;
    case Op::shfl:
      return shuffle_kind(i);
    case Op::vote:
      return vote_kind(i);
    case Op::match:
      return i.has(Modifier::all) ? Site::match_all : Site::match_any;
    case Op::redux:
      return reduction_kind(i);
    case Op::elect:
      return Site::elect;
    default:
      return barrier_kind(i);
  }
}

/// Where a barrier's number is among its operands.
std::size_t number_of(const Instruction& i) {
  return analysis::reduces(i) ? 1 : 0;
}

bool has_count(const Instruction& i) {
  return i.operands.size() > (analysis::reduces(i) ? 3u : 1u);
}

bool is_number(const Operand& operand) {
  return operand.kind == Operand::Kind::integer && operand.integer >= 0 && operand.integer < kBarriers;
}

Value* field(Emitter& e, Value* request, std::size_t offset) {
  return e.b.CreateConstGEP1_64(e.b.getInt8Ty(), request, offset);
}

void store(Emitter& e, Value* request, std::size_t offset, Value* value) {
  e.mark(e.b.CreateAlignedStore(value, field(e, request, offset), llvm::Align(4)));
}

Value* load(Emitter& e, Value* request, std::size_t offset, llvm::Type* type) {
  return e.mark(e.b.CreateAlignedLoad(type, field(e, request, offset), llvm::Align(4)));
}

}  // namespace

std::vector<SitePlan> find_sites(Emitter& e, std::vector<std::uint32_t>& instructions) {
  std::vector<SitePlan> sites(1);
  instructions.assign(1, ptx::kNoId);
  for (std::uint32_t i = 0; i < e.entry().body.size(); ++i) {
    const Instruction& instruction = e.entry().body[i];
    if (!analysis::stops(instruction)) continue;
    const std::optional<Site::Kind> kind = kind_of(instruction);
    SitePlan plan;
    plan.site.line = instruction.line;
    plan.site.kind = kind.value_or(Site::block);
    bool runs = kind.has_value();
    if (runs && *kind <= Site::any) {
      const Operand& number = instruction.operands[number_of(instruction)];
      runs = number.kind == Operand::Kind::reg || is_number(number);
      plan.is_plain = *kind == Site::block && is_number(number) && !has_count(instruction);
      plan.has_request = !plan.is_plain || number.integer != 0;
    } else {
      plan.has_request = plan.site.kind != Site::yield;
    }
    if (!runs) e.refuse(instruction.line, instruction.spelling);
    sites.push_back(plan);
    instructions.push_back(i);
  }
  return sites;
}

void give_request(Emitter& e, const Instruction& i, Value* request) {
  if (e.refusal()) return;  // the operands may be none of those expected
  auto& b = e.b;
  const auto word = [&](std::size_t operand) { return e.read(i.operands[operand], Type::b32); };
  const auto predicate = [&](std::size_t operand) {
    return b.CreateZExt(e.read(i.operands[operand], Type::pred), b.getInt64Ty());
  };
  const auto set = [&](std::size_t offset, Value* value) { store(e, request, offset, value); };
  const std::size_t first = i.destination_count;
  switch (i.op) {
    case Op::yield_:
    case Op::activemask:
      return;
    case Op::shfl:
      set(offsetof(Request, value), b.CreateZExt(word(first), b.getInt64Ty()));
      set(offsetof(Request, count), word(first + 1));
      set(offsetof(Request, bound), word(first + 2));
      break;
    case Op::vote:
      set(offsetof(Request, value), predicate(first));
      break;
    case Op::match:
    case Op::redux: {
      Value* value = e.read(i.operands[first], i.op == Op::redux ? Type::b32 : i.types[0]);
      set(offsetof(Request, value), b.CreateZExt(value, b.getInt64Ty()));
      break;
    }
    case Op::elect:
      break;
    default: {
      if (has_suffix(i, "warp")) break;
      const std::size_t number = number_of(i);
      set(offsetof(Request, id), word(number));
      set(offsetof(Request, count), has_count(i) ? word(number + 1) : e.i32(0));
      if (analysis::reduces(i)) set(offsetof(Request, value), predicate(i.operands.size() - 1));
      return;
    }
  }
  set(offsetof(Request, id), word(i.operands.size() - 1));
}

void take_result(Emitter& e, const Instruction& i, Value* request) {
  const std::size_t destinations = analysis::destinations(i);
  if (destinations == 0 || e.refusal()) return;
  auto& b = e.b;
  const auto write = [&](const Operand& to, std::size_t offset, bool is_predicate) {
    Value* value = load(e, request, offset, b.getInt32Ty());
    e.write(to, is_predicate ? b.CreateICmpNE(value, e.i32(0)) : value);
  };
  const bool is_predicate = i.types[0] == Type::pred;
  write(i.operands[0], offsetof(Request, value), is_predicate);
  if (destinations == 2) write(i.operands[1], offsetof(Request, flag), true);
}

bool emit_arrival(Emitter& e, const Instruction& i) {
  if (!analysis::is_arrival(i) || i.operands.size() != 2) return false;
  Value* ntid = e.b.CreateMul(e.b.CreateMul(e.around.ntid[0], e.around.ntid[1]), e.around.ntid[2]);
  e.call_runtime("tare_arrive", e.b.getVoidTy(),
                 {e.around.scratch, e.read(i.operands[0], Type::b32), e.around.thread_in_block, ntid}, false);
  return true;
}

}  // namespace tare::cpu::codegen
