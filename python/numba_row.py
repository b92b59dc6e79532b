"""The rows `numba`, `numba-cached` and `numba-mlir`: a Python function that is compiled for the types of its arguments
when it is first called. @cuda.jit and kernel[grid, block, stream, shared](...), on views of the owner's buffers.
"""

import ctypes
import importlib.util
import inspect
import keyword
import os
import re
import sys
import traceback
import types
import warnings

from tare_argument import DeviceArray, Unsupported
from tare_worker import Failure, Worker, changes_text, mapped_file, serve

REIMPLEMENTED = "its kernel is the case's Python function, a reimplementation of the .cu"


class Numba(Worker):
    title, package, module = "Numba", "numba-cuda", "numba.cuda"
    jit_options = {}
    called = False

    def load(self):
        from numba import cuda
        import numba_cuda

        self.cuda = cuda
        return numba_cuda.__version__

    def create_context(self, device):
        if not self.task["python"]["file"]:
            raise Unsupported('this case has no Python kernel: python = "my.py:FUNCTION" under [kernel] names one')
        if self.ptx_only:
            hide_nvjitlink()
        self.cuda.select_device(device)
        self.stream = self.cuda.stream()

    def take_arguments(self):
        self.function = self.case_function()
        given = {a.name + "_" * keyword.iskeyword(a.name): self.value_of(a) for a in self.arguments}
        names = list(inspect.signature(self.function).parameters)
        for name in names:
            if name not in given:
                raise Failure("argument", f"the Python kernel's parameter `{name}` is no argument of the case")
        self.values = [given[name] for name in names]

    def value_of(self, argument):
        if argument.is_buffer:
            if argument.dtype() is None:
                raise Unsupported(f"{self.title} has no arrays of `{argument.element['name']}` (`{argument.name}`)")
            return self.cuda.as_cuda_array(DeviceArray(argument))
        if self.changes(argument):
            raise Unsupported(f"{self.title} does not pass `{argument.name}` as it is: 0x{argument.value[::-1].hex()}")
        return argument.scalar(self.title)

    def changes(self, argument):
        """Whether the library would pass other bits: a float goes through Python's."""
        return argument.kind == "floating" and argument.is_signalling()

    def case_function(self):
        file, name = self.task["python"]["file"], self.task["python"]["function"]
        spec = importlib.util.spec_from_file_location("tare_case", file)
        module = sys.modules["tare_case"] = importlib.util.module_from_spec(spec)
        sys.path.append(os.path.dirname(file))  # it may import what is beside it; last, so that it hides no library
        spec.loader.exec_module(module)
        if not hasattr(module, name):
            raise Failure("argument", f"{file} has no function `{name}`")
        if not callable(getattr(module, name)):
            raise Failure("argument", f"{file}: `{name}` is no function")
        return getattr(module, name)

    def explain(self, error):
        return mistake_in(self.task["python"]["file"], error) if hasattr(self, "task") else None

    def compile(self):
        self.watch_options()
        kernel = self.kernel = self.cuda.jit(**self.jit_options)(self.function)
        grid, block, stream, shared, values = self.grid, self.block, self.stream, self.shared_bytes, self.values

        def launch():
            kernel[grid, block, stream, shared](*values)

        self.launch = launch

    def first(self, request):
        self.called = True
        return super().first(request)

    def new_event(self):
        return self.cuda.event()

    def record(self, event):
        event.record(self.stream)

    def milliseconds(self, begin, end):
        end.synchronize()
        return begin.elapsed_time(end)

    def stream_handle(self):
        return int(getattr(self.stream.handle, "value", self.stream.handle))

    def report(self):
        if not self.called:
            return {"notes": [REIMPLEMENTED]}
        hits = sum(self.kernel.stats.cache_hits.values())
        report = nvvm() | {"options": self.options(), "notes": [REIMPLEMENTED], "compiles": len(self.kernel.overloads) - hits,
                           "cache": {"result": "none", "details": {}}}
        if self.jit_options.get("cache"):
            before, new = self.cache_changes("NUMBA_CACHE_DIR")
            report["cache"] = {"result": "hit" if hits else "miss",
                               "details": {"NUMBA_CACHE_DIR": changes_text(before, new)}}
        for signature in self.kernel.overloads:
            report["cache"]["details"]["compiled for"] = ", ".join(str(each) for each in signature)
        return report

    def watch_options(self):
        """Notes what Numba hands to libNVVM in the end. Nothing is changed."""
        self.passed = []
        unit = getattr(sys.modules.get("numba.cuda.cudadrv.nvvm"), "CompilationUnit", None)
        if unit is None:
            return
        make_unit, passed = unit.__init__, self.passed

        def noting(made, *arguments, **named):
            make_unit(made, *arguments, **named)
            options = getattr(made, "options", ())  # the CUDA target of Numba itself keeps none there
            passed[:] = [each.decode() if isinstance(each, bytes) else str(each) for each in options]

        unit.__init__ = noting

    def options(self):
        """What went to jit(), then what went to libNVVM; nothing went there where all came from Numba's cache."""
        return [f"{name}={value}" for name, value in self.jit_options.items()] + self.passed


class NumbaCached(Numba):
    jit_options = {"cache": True}


class NumbaMlir(Numba):
    title, package, module = "Numba-CUDA-MLIR", "numba-cuda-mlir", "numba_cuda_mlir"

    def load(self):
        import numba_cuda_mlir
        from numba_cuda_mlir import cuda

        self.cuda = cuda
        return numba_cuda_mlir.__version__

    def changes(self, argument):
        # Its halves go through a float, flushed to zero.
        return argument.is_signalling() or (argument.kind == "half" and argument.is_subnormal())

    def case_function(self):
        # Where the case says `from numba import cuda`, it gets numba_cuda_mlir's, as its guide to migration asks.
        stand_in = types.ModuleType("numba")
        stand_in.cuda = self.cuda
        hidden = {name: sys.modules.pop(name) for name in ("numba", "numba.cuda") if name in sys.modules}
        sys.modules |= {"numba": stand_in, "numba.cuda": self.cuda}
        try:
            return super().case_function()
        finally:
            for name in ("numba", "numba.cuda"):
                del sys.modules[name]
            sys.modules |= hidden


def mistake_in(file, error):
    """What is wrong with the case's Python file, as FILE:LINE and the innermost cause; None where it is not the file."""
    if isinstance(error, SyntaxError):
        if not error.filename or not os.path.samefile(error.filename, file):
            return None
        return Failure("argument", f"{file}:{error.lineno}: {type(error).__name__}: {error.msg}", log=excerpt(file, error.lineno))
    if type(error).__module__.endswith("errors") and "numba" in type(error).__module__:
        return told_by_numba(file, error)
    frames = traceback.extract_tb(error.__traceback__)
    if not frames or frames[-1].filename != file:
        return None  # not raised by a line of that file
    said = "".join(traceback.format_exception_only(type(error), error)).strip()
    return Failure("argument", f"{file}:{frames[-1].lineno}: {said.splitlines()[0]}", log=excerpt(file, frames[-1].lineno))


def told_by_numba(file, error):
    """Numba says a cause once for every function and pass that it came through: the innermost comes first."""
    lines = [line.strip() for line in re.sub("\x1b\\[[0-9;]*m", "", str(error)).splitlines()]
    lines = [line for line in lines if line and not line.startswith("Failed in ")]
    cause = lines[0] if lines else type(error).__name__
    if cause.endswith(":") and len(lines) > 1:
        cause += " " + lines[1].removeprefix(">>> ")
    if not re.match(r"\w+(Error|Exception): ", cause):
        cause = f"{type(error).__name__}: {cause}"
    cause = cause.removesuffix(". Raised from None")
    line = line_of(file, "\n".join(lines)) or line_at_work(file, error)
    ways = [line for line in dict.fromkeys(lines) if line.startswith("During: ") and " Pass " not in line]
    return Failure("argument", f"{file}:{line}: {cause}" if line else f"{file}: {cause}",
                   log="\n".join(filter(None, [excerpt(file, line), *ways])))


def line_of(file, said):
    """The first place in this file that the text names; 0 where it names none."""
    for path, line, other, other_line in re.findall(r'File "([^"]+)", line (\d+)|\bat (\S.*?) \((\d+)\)', said):
        if os.path.basename(path or other) == os.path.basename(file):
            return int(line or other_line)
    return 0


def line_at_work(file, error):
    """Where Numba's text names no place: the line that the innermost of its functions was at work on; else 0."""
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    for frame in reversed(frames):
        for value in list(frame.f_locals.values()):
            place = getattr(value, "loc", value)
            if getattr(place, "filename", None) == file and isinstance(getattr(place, "line", None), int):
                return place.line
    return 0


def excerpt(file, line):
    with open(file, encoding="utf-8", errors="replace") as text:
        lines = text.read().splitlines()
    return f"{line} | {lines[line - 1]}" if line and line <= len(lines) else ""


def hide_nvjitlink():
    """The CPU device takes PTX only, and nvJitLink makes machine code: without it, the driver links. That Numba warns
    of this is our doing, and no news."""
    warnings.filterwarnings("ignore", message="cuda.bindings.nvjitlink is not available")
    from cuda.bindings._internal import nvjitlink
    from cuda.pathfinder import DynamicLibNotFoundError

    def refuse(name, *_):
        raise DynamicLibNotFoundError(f"{name} is hidden from this process")

    nvjitlink.load_nvidia_dynamic_lib = refuse


def nvvm():
    """The compiler and the linker that this process has loaded; nothing where all came from Numba's cache."""
    path = mapped_file("libnvvm.so")
    if not path:
        return {}
    linker = mapped_file("libnvJitLink.so")
    linked_by = f"nvJitLink {version_of(linker, 'nvJitLinkVersion')}" if linker else "the driver's linker"
    return {"compiler": f"libNVVM {version_of(path, 'nvvmVersion')}, {linked_by}", "compiler_path": path}


def version_of(path, function):
    major, minor = ctypes.c_int(), ctypes.c_int()
    getattr(ctypes.CDLL(path), function)(ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}"


serve({"numba": Numba, "numba-cached": NumbaCached, "numba-mlir": NumbaMlir}[sys.argv[1]]())
