"""The same in Python."""

from numba import cuda


def volume(in_, out, w, h, d):
    x, y, z = cuda.grid(3)
    if x < w and y < h and z < d:
        i = (z * h + y) * w + x
        out[i] = in_[i] * 3 + x - 100 * y + 10000 * z
