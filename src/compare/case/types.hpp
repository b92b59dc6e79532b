// The types that a case can name: CUDA C++'s scalars and vectors with the device's sizes and alignments,
// and pointers to them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "compare/case/job.hpp"

namespace tare::compare {

/// A parameter's type as the case spells it, taken apart.
struct TypeSpelling {
  ElementType element;  // of the pointee for a pointer; for `struct`, still without a layout
  bool is_pointer = false;
  bool is_const = false;   // of the pointee
  bool is_struct = false;  // "struct", "struct P", "const struct P*": the layout comes from `fields`
};

/// Accepts any order of const and of the words of an integer type, `std::`, __restrict__ and a const
/// pointer. Throws Complaint for an unknown type (with the nearest known one), a pointer to a pointer and a
/// reference.
TypeSpelling parse_type(std::string_view text);

/// Every scalar and vector type's name in its canonical spelling.
const std::vector<std::string>& known_type_names();

/// Bytes of one lane: element.size / element.lanes.
inline std::size_t lane_size(const ElementType& element) {
  return element.size / element.lanes;
}

/// Whether the lanes are of a floating type: float, double, half, bfloat16.
inline bool is_floating(const ElementType& element) {
  return element.kind == ElementType::Kind::floating || element.kind == ElementType::Kind::half ||
         element.kind == ElementType::Kind::bfloat16;
}

}  // namespace tare::compare
