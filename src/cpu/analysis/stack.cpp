#include "cpu/analysis/stack.hpp"

#include <algorithm>

#include "cpu/analysis/build.hpp"
#include "cpu/analysis/liveness.hpp"

namespace tare::cpu::analysis {
namespace {

using ptx::Function;
using ptx::Instruction;
using ptx::Op;
using ptx::RegisterId;
using ptx::Type;

constexpr std::uint64_t kFrameAlignment = 16;

class Saver {
 public:
  Saver(Function& flat, const StackRegisters& stack) : flat_(flat), stack_(stack) {}

  std::uint64_t run(const std::vector<StackCall>& calls) {
    find_live(calls);
    std::vector<Instruction> old = std::move(flat_.body);
    flat_.body.clear();
    std::vector<std::uint32_t> moved_to(old.size() + 1);
    for (std::uint32_t i = 0; i < old.size(); ++i) {
      moved_to[i] = static_cast<std::uint32_t>(flat_.body.size());
      for (std::size_t k = 0; k < calls.size(); ++k) {
        if (calls[k].begin == i) old[i].operands[2] = build::integer(saves_[k].bytes);
        if (calls[k].leave == i) save(saves_[k], old[i].line);
        if (calls[k].resume == i) restore(saves_[k], old[i].line);
      }
      flat_.body.push_back(std::move(old[i]));
    }
    moved_to[old.size()] = static_cast<std::uint32_t>(flat_.body.size());
    for (ptx::Label& label : flat_.labels) label.target = moved_to[label.target];
    std::uint64_t most = 0;
    for (std::size_t k = 0; k < calls.size(); ++k)
      most = std::max(most, saves_[k].bytes + calls[k].passed_bytes);
    return most;
  }

 private:
  struct Saved {
    std::vector<std::pair<RegisterId, std::uint64_t>> registers;  // and where they are, from the old top
    std::uint64_t bytes = 0;
  };

  /// With every `leave` taken for an instruction that goes on, what lives at its `resume` lives across it.
  void find_live(const std::vector<StackCall>& calls) {
    Function straight = flat_;
    for (const StackCall& call : calls) {
      Instruction& leave = straight.body[call.leave];
      leave = build::instruction(Op::bra, Type::none, {}, 0, leave.line);
      ptx::Label target;
      target.target = call.resume;
      leave.operands.push_back(build::label(static_cast<std::uint32_t>(straight.labels.size())));
      straight.labels.push_back(target);
    }
    const Flow flow = build_flow(straight);
    const std::vector<RegisterSet> live = live_on_entry(straight, flow);
    for (const StackCall& call : calls) saves_.push_back(place(live[flow.block_of[call.resume]]));
  }

  Saved place(const RegisterSet& live) const {
    Saved saved;
    const auto bytes = [&](RegisterId id) {
      return std::max<std::uint64_t>(1, ptx::size_of(flat_.registers[id].type));
    };
    std::vector<RegisterId> kept{stack_.frame};
    for (RegisterId id = 0; id < live.size(); ++id) {
      if (live[id] && id != stack_.frame && id != stack_.top && id != stack_.next) kept.push_back(id);
    }
    std::stable_sort(kept.begin(), kept.end(), [&](auto a, auto b) { return bytes(a) > bytes(b); });
    for (const RegisterId id : kept) {
      saved.registers.emplace_back(id, saved.bytes);
      saved.bytes += bytes(id);
    }
    saved.bytes = (saved.bytes + kFrameAlignment - 1) / kFrameAlignment * kFrameAlignment;
    return saved;
  }

  bool is_predicate(RegisterId id) const { return flat_.registers[id].type == Type::pred; }

  RegisterId byte_register() {
    if (byte_ == ptx::kNoId) {
      byte_ = static_cast<RegisterId>(flat_.registers.size());
      flat_.registers.push_back({"%saved", Type::u32});
    }
    return byte_;
  }

  void save(const Saved& saved, std::uint32_t line) {
    for (const auto& [id, offset] : saved.registers) {
      RegisterId from = id;
      if (is_predicate(id)) {
        from = byte_register();
        flat_.body.push_back(build::instruction(
            Op::selp, Type::u32, {build::reg(from), build::integer(1), build::integer(0), build::reg(id)}, 1,
            line));
      }
      const Type type = build::bits_type(ptx::size_of(flat_.registers[id].type));
      flat_.body.push_back(
          build::store_local(type, build::address(stack_.top, offset), build::reg(from), line));
    }
  }

  void restore(const Saved& saved, std::uint32_t line) {
    // The callee's frame is still the running one; the old top lies `bytes` below it.
    flat_.body.push_back(build::instruction(
        Op::sub, Type::u64, {build::reg(stack_.top), build::reg(stack_.frame), build::integer(saved.bytes)},
        1, line));
    flat_.body.push_back(
        build::instruction(Op::mov, Type::u64, {build::reg(stack_.next), build::reg(stack_.frame)}, 1, line));
    for (const auto& [id, offset] : saved.registers) {
      const RegisterId to = is_predicate(id) ? byte_register() : id;
      const Type type = build::bits_type(ptx::size_of(flat_.registers[id].type));
      flat_.body.push_back(build::load_local(type, to, build::address(stack_.top, offset), line));
      if (!is_predicate(id)) continue;
      Instruction test = build::instruction(Op::setp, Type::u32,
                                            {build::reg(id), build::reg(to), build::integer(0)}, 1, line);
      test.compare = ptx::Compare::ne;
      flat_.body.push_back(std::move(test));
    }
  }

  Function& flat_;
  StackRegisters stack_;
  std::vector<Saved> saves_;
  RegisterId byte_ = ptx::kNoId;
};

}  // namespace

std::uint64_t save_registers(Function& flat, const StackRegisters& stack,
                             const std::vector<StackCall>& calls) {
  return calls.empty() ? 0 : Saver(flat, stack).run(calls);
}

}  // namespace tare::cpu::analysis
