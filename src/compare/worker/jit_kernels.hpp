// The kernels of tare::jit that are part of the program: those of the cases in examples/.
#pragma once

#include <vector>

#include "tare/jit_row.hpp"

namespace tare::compare {

std::vector<JitRow> builtin_jit_rows();

}  // namespace tare::compare
