"""The row `pycuda`: SourceModule, which runs nvcc at once and keeps the result by checksum. On the primary context
(pycuda.autoprimaryctx), like everything else on this device; pycuda.autoinit would make one of its own.
"""

import functools
import os
import re
import subprocess

from tare_argument import DeviceArray, Unsupported
from tare_worker import Worker, changes_text, serve

PTX_ONLY = 'on this device: pycuda.compiler.compile(target="ptx") and module_from_buffer, for SourceModule makes machine code only'


class PyCuda(Worker):
    title, package, module = "PyCUDA", "pycuda", "pycuda"

    def load(self):
        import pycuda
        import pycuda.compiler
        import pycuda.driver

        self.compiler, self.cuda = pycuda.compiler, pycuda.driver
        return pycuda.VERSION_TEXT

    def create_context(self, device):
        if "nvcc" not in self.task["tools"]:
            raise Unsupported("PyCUDA compiles with nvcc, and there is none")
        if "<" in self.task["kernel"]:
            raise Unsupported("PyCUDA finds kernels by their symbols, and a template instance's is not known")
        os.environ["CUDA_DEVICE"] = str(device)
        import pycuda.autoprimaryctx  # creates it, here and not in hello

        self.stream = self.cuda.Stream()

    def take_arguments(self):
        self.values = [self.value_of(a) for a in self.arguments]

    def value_of(self, argument):
        if argument.is_buffer:
            return DeviceArray(argument)
        value = argument.scalar_or_integer(self.title)
        # PyCUDA takes NumPy's numbers, of which bool is none, and packs no half: integers with the same bytes.
        return value if value.dtype.kind in "iu" or value.itemsize > 2 else value.view(f"u{value.itemsize}")

    def compile(self):
        self.watch_options()
        options = dict(nvcc=self.task["tools"]["nvcc"], options=self.given_options(), no_extern_c=True,
                       include_dirs=self.task["include_dirs"])
        if self.ptx_only:
            arch = f"compute_{self.task['target']['compute_capability']}"
            module = self.cuda.module_from_buffer(self.compiler.compile(self.source(), target="ptx", arch=arch, **options))
        else:
            module = self.compiler.SourceModule(self.source(), **options)
        self.loaded = module  # or its function would go with it
        kernel = module.get_function(self.task["kernel"])
        self.launch = functools.partial(kernel, *self.values, block=self.block, grid=self.grid, stream=self.stream,
                                        shared=self.shared_bytes)

    def given_options(self):
        return ["--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"] if self.strict else []

    def watch_options(self):
        """Notes what PyCUDA hands to nvcc in the end, its own additions included. Nothing is changed."""
        self.passed = []
        compile_plain, passed = self.compiler.compile_plain, self.passed

        def noting(source, options, *others, **more):
            passed[:] = options
            return compile_plain(source, options, *others, **more)

        self.compiler.compile_plain = noting

    def new_event(self):
        return self.cuda.Event()

    def record(self, event):
        event.record(self.stream)

    def milliseconds(self, begin, end):
        end.synchronize()
        return begin.time_till(end)

    def stream_handle(self):
        return self.stream.handle

    def report(self):
        before, new = self.cache_changes("PYCUDA_CACHE_DIR")
        target = "--ptx" if self.ptx_only else "--cubin"
        return {"compiler": nvcc_version(self.task["tools"]["nvcc"]), "compiler_path": self.task["tools"]["nvcc"],
                "options": [target, *self.passed],
                "compiles": 1 if new else 0, "notes": [PTX_ONLY] if self.ptx_only else [],
                "cache": {"result": "miss" if new else "hit" if before else "none",
                          "details": {"PYCUDA_CACHE_DIR": changes_text(before, new)}}}


@functools.cache
def nvcc_version(path):
    said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
    found = re.search(r"V(\d[\d.]*)", said)
    return f"nvcc {found[1]}" if found else "nvcc"


serve(PyCuda())
