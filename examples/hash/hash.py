"""The kernel of hash.cu in Numba's terms. Python's integers widen, so every step is cut back to 32 bits."""

from numba import cuda


def mix_bits(out, seed, n):
    i = cuda.grid(1)
    if i >= n:
        return
    h = cuda.uint32(i) ^ seed
    h = cuda.uint32((h ^ (h >> cuda.uint32(16))) * cuda.uint32(0x85EBCA6B))
    h = cuda.uint32((h ^ (h >> cuda.uint32(13))) * cuda.uint32(0xC2B2AE35))
    out[i] = h ^ (h >> cuda.uint32(16))
