// What a caller has to know of a function: whether two heads take and give the same.
#pragma once

#include <algorithm>
#include <vector>

#include "cpu/ptx/module.hpp"

namespace tare::cpu::ptx {

inline bool same_shape(const std::vector<Variable>& a, const std::vector<Variable>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Variable& x, const Variable& y) {
    return x.size == y.size && x.space == y.space && size_of(x.type) == size_of(y.type);
  });
}

inline bool same_prototype(const Function& a, const Function& b) {
  return same_shape(a.parameters, b.parameters) && same_shape(a.returns, b.returns);
}

}  // namespace tare::cpu::ptx
