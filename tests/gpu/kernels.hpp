// The kernels of tare_gpu_check, as PTX text, so that the program needs no compiler and no other file.
#pragma once

#include <string>

namespace tare::gpu_check {

/// k(double* o, float f, char c, long long q, bool b): o[0..3] = f, c, q, b; k(...structs) as `structs`;
/// nothing(); half(u16* o, b16 h); store(u32* o, u32 v); small(): at most 256 threads.
std::string basic_kernels();

/// sum(float* o, int n): sums every 1024th of n floats of dynamic shared memory that hold their index, beside
/// 4 static bytes.
std::string shared_kernel();

/// hungry(float* data): keeps `values` loaded floats alive at once, so that it needs that many registers.
std::string hungry_kernel(int values);

/// clustered(u32* o): o[block] = blocks in its cluster. For sm_90.
std::string cluster_kernel();

}  // namespace tare::gpu_check
