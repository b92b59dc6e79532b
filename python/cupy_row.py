"""The row `cupy`: RawKernel, which compiles at its first call and keeps the result on disk. The owner's buffers are
CuPy arrays of unowned memory.
"""

import functools

from tare_worker import Worker, changes_text, serve


class CuPy(Worker):
    title, package, module = "CuPy", "cupy", "cupy"
    called = False

    def load(self):
        import cupy

        self.cupy = cupy
        return cupy.__version__

    def create_context(self, device):
        self.cupy.cuda.Device(device).use()
        self.stream = self.cupy.cuda.Stream(non_blocking=True)
        self.stream.use()

    def take_arguments(self):
        self.values = tuple(self.array(a) if a.is_buffer else a.scalar_or_integer(self.title) for a in self.arguments)

    def array(self, argument):
        """The owner's buffer as an array; of bytes where NumPy has no such type, for a kernel takes its address only."""
        memory = self.cupy.cuda.UnownedMemory(argument.address, argument.bytes, self, self.task["device"])
        dtype = argument.dtype()
        shape = argument.count * argument.lanes if dtype else argument.bytes
        return self.cupy.ndarray(shape, dtype or "u1", self.cupy.cuda.MemoryPointer(memory, 0))

    def compile(self):
        name, options = self.task["kernel"], self.given_options()
        self.passed = []
        self.watch_options()
        if "<" in name:
            module = self.cupy.RawModule(code=self.source(), options=options, name_expressions=(name,))
            self.launch = functools.partial(self.launch_template, module, name)
        else:
            self.use(self.cupy.RawKernel(self.source(), name, options=options))

    def use(self, kernel):
        self.launch = functools.partial(kernel, self.grid, self.block, self.values, shared_mem=self.shared_bytes)

    def launch_template(self, module, name):
        self.use(module.get_function(name))
        self.launch()

    def given_options(self):
        options = tuple(f"-I{folder}" for folder in self.task["include_dirs"])
        return options + (("--fmad=false", "--prec-div=true", "--prec-sqrt=true") if self.strict else ())

    def watch_options(self):
        """Notes what CuPy hands to NVRTC in the end, its own additions included. Nothing is changed."""
        program = getattr(self.cupy.cuda.compiler, "_NVRTCProgram", None)
        if program is None:
            return
        compile_program, passed = program.compile, self.passed

        def noting(program, options=(), *others):
            passed[:] = [str(option) for option in options]
            return compile_program(program, options, *others)

        program.compile = noting

    def first(self, request):
        self.called = True
        return super().first(request)

    def new_event(self):
        return self.cupy.cuda.Event()

    def record(self, event):
        event.record(self.stream)

    def milliseconds(self, begin, end):
        end.synchronize()
        return self.cupy.cuda.get_elapsed_time(begin, end)

    def stream_handle(self):
        return self.stream.ptr

    def report(self):
        if not self.called:
            return {}
        report = self.nvrtc_report()
        before, new = self.cache_changes("CUPY_CACHE_DIR", ".cubin")
        report["cache"] = {"result": "miss" if new else "hit" if before else "none",
                           "details": report.get("cache", {}).get("details", {}) |
                           {"CUPY_CACHE_DIR": changes_text(before, new)}}
        return report | {"compiles": new, "options": self.passed or list(self.given_options())}


if __name__ == "__main__":
    serve(CuPy())
