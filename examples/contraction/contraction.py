"""The kernel of contraction.cu in Numba's terms."""

from numba import cuda


def multiply_add(a, b, c, out, n):
    i = cuda.grid(1)
    if i < n:
        out[i] = a[i] * b[i] + c[i]
