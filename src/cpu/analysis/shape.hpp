// How a register's value varies along a row of threads (fixed tid.y and tid.z, tid.x running): not at
// all, by a constant step per thread, or in some other way. The thread loop computes the first two kinds
// once per row, and shows the steps to the vectoriser.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/analysis/flow.hpp"

namespace tare::cpu::analysis {

struct Shape {
  enum class Kind : std::uint8_t { varying, uniform, affine };
  Kind kind = Kind::varying;
  std::int64_t step = 0;  // affine: value(tid.x + 1) - value(tid.x), modulo the register's width

  bool is_varying() const { return kind == Kind::varying; }
  bool is_affine() const { return kind == Kind::affine; }
};

/// Register `id`, extended to 64 bits, is affine only while it does not wrap along the row; or, with
/// `keeps_sign`, its sign is uniform only while the row has one sign.
struct NoWrap {
  ptx::RegisterId id = ptx::kNoId;
  bool is_signed = false;
  bool keeps_sign = false;
};

struct Shapes {
  std::vector<Shape> registers;     // by register id
  std::vector<bool> in_row;         // by instruction: defines uniform or affine registers only
  std::vector<NoWrap> assumptions;  // what must hold along a row for every affine step to be true
};

/// Shapes of a function's registers. Only a register with a single, unpredicated definition that
/// precedes its uses in the text can be uniform or affine.
Shapes find_shapes(const ptx::Function& function);

/// Every register varying: what holds without analysis.
Shapes no_shapes(const ptx::Function& function);

}  // namespace tare::cpu::analysis
