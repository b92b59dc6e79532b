"""A stand-in for CuPy whose `a + b` owns its result: right, or (FAULT=nothing) in a block that nobody writes to."""

import fake_driver as driver
from fake_driver import FAULT

from . import cuda

__version__ = "14.fake"
function = None


class ndarray:
    def __init__(self, count, dtype, pointer):
        self.shape, self.dtype, self.data = (count,), dtype, pointer
        self.count = count

    def __add__(self, other):
        result = ndarray(self.count, self.dtype, cuda.alloc(4 * self.count))
        launch_add(self, other, result)
        return result


def add(a, b, out):
    launch_add(a, b, out)


def launch_add(a, b, out):
    global function
    function = function or driver.load_vector_add()
    if FAULT != "nothing":
        grid = ((a.count + 255) // 256, 1, 1)
        driver.launch(function, grid, (256, 1, 1), cuda.current.handle, a.data.ptr, b.data.ptr, out.data.ptr, a.count)
