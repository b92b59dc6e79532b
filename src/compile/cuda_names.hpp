// Names of CUDA C++ that are NVIDIA's, not the language's.
#pragma once

#include <string_view>

namespace tare::detail {

/// Whether NVIDIA's headers declare it for kernels: "__dp4a", "expf", "__hfma2", "cudaTextureObject_t".
bool is_cuda_name(std::string_view name);

}  // namespace tare::detail
