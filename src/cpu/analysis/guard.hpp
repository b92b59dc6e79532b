// The bounds check at the top of a kernel, `if (i >= n) return;`, as intervals of tid.x: threads outside
// them do nothing, so that the thread loop need not visit them and its body needs no check.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/analysis/shape.hpp"

namespace tare::cpu::analysis {

/// A thread goes on only if `moving compare bound`; `moving` has step 1 in tid.x, `bound` is uniform.
/// Without a moving operand: only if the uniform predicate `bound` is `polarity`.
struct Bound {
  const ptx::Operand* moving = nullptr;
  const ptx::Operand* bound = nullptr;
  ptx::Compare compare = ptx::Compare::none;  // lt, le, gt, ge or eq
  ptx::Type type = ptx::Type::none;           // of the comparison; its signedness counts
  bool polarity = true;
};

struct Guards {
  std::vector<Bound> bounds;
  /// A conditional branch, return or exit whose way is known once the bounds hold.
  struct Decided {
    std::uint32_t instruction = 0;
    bool taken = false;
  };
  std::vector<Decided> branches;
};

/// The guards before the first instruction with effects.
Guards find_guards(const ptx::Function& function, const Shapes& shapes);

}  // namespace tare::cpu::analysis
