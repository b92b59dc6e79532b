"""The kernel of block_sum.cu in Numba's terms: a shared array of size 0 stands for dynamic shared memory."""

from numba import cuda


def block_sum(in_, sums, n, width):
    part = cuda.shared.array(0, dtype=cuda.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    part[t] = in_[i] if i < n else cuda.float32(0)
    half = width // 2
    while half > 0:
        cuda.syncthreads()
        if t < half:
            part[t] += part[t + half]
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = part[0]
