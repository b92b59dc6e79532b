// The rows `jit` and `jit-cached`: a kernel of tare::jit, chosen by the case's name and argument types.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "compare/worker/native_row.hpp"
#include "tare/jit_row.hpp"

namespace tare::compare {

/// The row "jit" or "jit-cached" over these kernels; null for another name. `owner` is what has the kernels,
/// for messages.
std::unique_ptr<NativeRow> make_jit_row(const std::string& name, std::vector<JitRow> kernels,
                                        std::string owner);

}  // namespace tare::compare
