"""A stand-in for CuPy. Its `a + b` owns the result, which is right or (FAULT=nothing) a block that nobody writes to."""

import os

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


class RawKernel:
    """Compiled at the first call, and kept on disk."""

    def __init__(self, code, name, options):
        self.options, self.function, self.calls = options, None, 0

    def __call__(self, grid, block, args, shared_mem):
        if self.function is None:
            kept = os.path.join(os.environ["CUPY_CACHE_DIR"], "kernel.cubin")
            if not os.path.exists(kept):
                cuda.compiler._NVRTCProgram().compile(self.options + ("-ftz=true",))
                with open(kept, "w") as file:
                    file.write("kept")
            self.function = driver.load_vector_add()
        if FAULT == "compiles again":
            self.calls += 1
            open(os.path.join(os.environ["CUPY_CACHE_DIR"], f"{self.calls}.cubin"), "w").close()
        a, b, out, n = args
        driver.launch(self.function, grid, block, cuda.current.handle, a.data.ptr, b.data.ptr, out.data.ptr, n)
