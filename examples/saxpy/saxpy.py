"""The kernel of saxpy.cu in Numba's terms."""

from numba import cuda


def saxpy(n, a, x, y):
    i = cuda.grid(1)
    if i < n:
        y[i] = a * x[i] + y[i]
