"""The row `cuda.core`: explicit compilation. Program(...).compile(...), get_kernel, LaunchConfig, launch."""

import functools
import re

from tare_argument import Unsupported
from tare_worker import Worker, now_ms, serve


class CudaCore(Worker):
    title, package, module = "cuda.core", "cuda-core", "cuda.core"
    compiled_at = None

    def load(self):
        import cuda.core

        if not hasattr(cuda.core, "Program"):
            raise Unsupported(f"cuda-core {cuda.core.__version__} is too old: this row needs 0.5 or newer")
        self.core = cuda.core
        return cuda.core.__version__

    def create_context(self, device):
        self.device = self.core.Device(device)
        self.device.set_current()
        self.stream = self.device.create_stream()

    def take_arguments(self):
        # Addresses as plain integers, scalars as NumPy's. A Python bool or int would be packed as 8 bytes.
        self.values = [a.address if a.is_buffer else a.scalar_or_integer(self.title) for a in self.arguments]

    def compile(self):
        options = self.core.ProgramOptions(**self.options())
        program = self.core.Program(self.source(), "c++", options)
        module = program.compile("ptx" if self.ptx_only else "cubin", name_expressions=(self.task["kernel"],))
        self.compiled_at = now_ms()
        kernel = module.get_kernel(self.task["kernel"])
        config = self.core.LaunchConfig(grid=self.grid, block=self.block, shmem_size=self.shared_bytes)
        self.launch = functools.partial(self.core.launch, self.stream, config, kernel, *self.values)

    def options(self):
        options = {"name": self.task["source"]["file"], "arch": f"sm_{self.device.arch}"}
        folders = [*self.task["include_dirs"]]
        if re.search(r"^\s*#\s*include\b", self.task["source"]["text"], re.MULTILINE):
            folders += self.task["toolkit_include_dirs"]  # cuda.core searches nowhere by itself
        if folders:
            options["include_path"] = folders
        if self.strict:
            options |= {"fma": False, "ftz": False, "prec_div": True, "prec_sqrt": True}
        return options

    def new_event(self):
        return self.device.create_event(self.core.EventOptions(**self.timing))

    @functools.cached_property
    def timing(self):
        # cuda.core before 1.0 spelled it the other way round.
        names = self.core.EventOptions.__dataclass_fields__
        return {"timing_enabled" if "timing_enabled" in names else "enable_timing": True}

    def record(self, event):
        self.stream.record(event)

    def milliseconds(self, begin, end):
        end.sync()
        return end - begin

    def stream_handle(self):
        return int(self.stream.handle)

    def report(self):
        passed = self.core.ProgramOptions(**self.options()).as_bytes("nvrtc")
        return self.nvrtc_report() | {
            "options": [option.decode() for option in passed], "compiles": 1, "compiled_at": self.compiled_at}


serve(CudaCore())
