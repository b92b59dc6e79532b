"""The worker protocol for rows in Python. A row derives from Worker, fills in how its library imports,
compiles, launches and records events, and calls serve(); everything that is the same for all libraries is here.

Only the standard library and NumPy are used, and NumPy only where a library needs it anyway.
"""

import contextlib
import ctypes
import fcntl
import glob
import json
import math
import mmap
import os
import re
import resource
import signal
import statistics
import sys
import threading
import time
import traceback

from tare_argument import Argument, Unsupported
from tare_driver import Driver, DriverError

PROTOCOL = 1
OUTSIDE = re.compile(r"ILLEGAL_ADDRESS|illegal memory access|INVALID_ADDRESS_SPACE|MISALIGNED_ADDRESS|\[700\]")
OUTSIDE_HINT = "the kernel read or wrote outside its buffers: check its bounds and the sizes of its buffers"
GATE_LIMIT_S = 2.0
OLDEST_PYTHON = (3, 9)


def now_ms():
    return time.monotonic_ns() / 1e6


class Failure(Exception):
    """An error with a kind and a hint of its own, and lines that say more."""

    def __init__(self, kind, message, hint="", log=""):
        super().__init__(message)
        self.kind, self.hint, self.log = kind, hint, log


class Worker:
    """What a row fills in. Attributes of the task: `task` (the request `open`), `arguments`, `grid`, `block`,
    `shared_bytes`, `strict`."""

    title = ""  # the library's name, for messages
    package = ""  # what pip calls it
    module = ""  # what is imported
    collects = False

    # Filled in by a row. -------------------------------------------------------------------------------------
    def load(self):
        """Imports the library: what `start_ms` contains. Returns its version."""
        raise NotImplementedError

    def create_context(self, device):
        """Makes the library take the device's primary context, and creates self.stream."""
        raise NotImplementedError

    def take_arguments(self):
        """Turns self.arguments into what the library is called with. Untimed."""

    def compile(self):
        """The compile step that the library's user writes: what `build_ms` contains."""
        raise NotImplementedError

    def launch(self):
        """One launch on self.stream, as the library's user writes it. May be replaced by an attribute."""
        raise NotImplementedError

    def new_event(self):
        raise NotImplementedError

    def record(self, event):
        raise NotImplementedError

    def milliseconds(self, begin, end):
        """Waits for `end`; device time between the two."""
        raise NotImplementedError

    def stream_handle(self):
        """The CUstream as an integer."""
        raise NotImplementedError

    def before_launches(self):
        """Untimed, before the first launch and before each `steady`."""

    def explain(self, error):
        """The Failure that says what a user's mistake is, where the library's own error takes long to; else None."""

    def report(self):
        """Compiler, options, cache, compiles and notes, once they are known; asked after build and first."""
        return {}

    # The requests. -------------------------------------------------------------------------------------------
    def __init__(self):
        self._zero = 0.0
        self._seen = {}
        self._told = set()

    def hello(self, request):
        if sys.version_info < OLDEST_PYTHON:
            raise Unsupported("%s is Python %d.%d: this row needs %d.%d or newer" %
                              (sys.executable, *sys.version_info[:2], *OLDEST_PYTHON))
        if request.get("protocol") != PROTOCOL:
            raise Failure("protocol", f"this worker speaks protocol {PROTOCOL} only")
        self._zero = request["spawned_ns"] / 1e6
        try:
            version = self.load()
        except ModuleNotFoundError as e:
            if e.name and (e.name == self.module or self.module.startswith(e.name + ".")):
                raise Unsupported(f"{sys.executable} has no {self.package}") from e
            raise
        return {"version": version, "collects": self.collects, "events": [self.moment("imported")]}

    def open(self, request):
        begin = now_ms()
        self.task = request
        self.grid, self.block = tuple(request["launch"]["grid"]), tuple(request["launch"]["block"])
        self.shared_bytes = request["launch"]["dynamic_shared_bytes"]
        self.strict = request["fp"] == "strict"
        self.ptx_only = request["target"]["ptx_only"]
        if request["prebuilt"]:
            raise Unsupported(f"{self.title} compiles by itself: it is not given what was compiled before")
        self.create_context(request["device"])
        self.driver = Driver()
        for other in self.driver.other_drivers():
            raise Failure("driver", f"{self.title} has loaded {other}, the owner {self.driver.path}")
        self._primary = self.driver.primary_context(request["device"])
        self.check_context()
        self.arguments = [Argument(each) for each in request["arguments"]]
        self._open_buffers()
        self.take_arguments()
        end = now_ms()
        return {"open_ms": end - begin, "libraries": self._libraries(), "events": [self.moment("opened", end)]}

    def build(self, request):
        self._seen = cached_files()
        begin = now_ms()
        self.compile()
        end = now_ms()
        return self._with_report({"build_ms": end - begin, "events": [self.moment("build", end)]}, end)

    def first(self, request):
        self.before_launches()
        begin = now_ms()
        self.launch()
        launched = now_ms()
        self.driver.synchronize()
        end = now_ms()
        return self._with_report({"first_ms": end - begin, "events": [self.moment("first", end)]}, launched)

    def steady(self, request):
        self.before_launches()
        begin, end = self.new_event(), self.new_event()
        self._warm_up(request)
        launch, timed = self.launch, request["timed"]
        with Gate(self) if request["gate"] else NoGate():
            self.record(begin)
            for _ in range(timed):
                launch()
            self.record(end)
        mean_ms = self.between(begin, end) / timed
        self.driver.synchronize()
        return {"mean_ms": mean_ms, "launches": timed} | pick(self.report(), "compiles")

    def launch_cost(self, request):
        launch, batch = self.launch, request["batch"]
        submit, done = [], []
        self.driver.synchronize()
        for _ in range(request["batches"]):
            begin = time.perf_counter_ns()
            for _ in range(batch):
                launch()
            submitted = time.perf_counter_ns()
            self.driver.synchronize()
            done.append((time.perf_counter_ns() - begin) / 1e3 / batch)
            submit.append((submitted - begin) / 1e3 / batch)
        return {"launch_us": statistics.median(submit), "end_to_end_us": min(done)}

    def cold_l2(self, request):
        self.before_launches()
        flush_bytes = request["flush_bytes"]
        other = self.driver.allocate(flush_bytes)
        events = [(self.new_event(), self.new_event()) for _ in range(request["timed"])]
        stream, launch = self.stream_handle(), self.launch
        with Gate(self):
            for begin, end in events:
                self.driver.fill(other, flush_bytes, stream)
                self.record(begin)
                launch()
                self.record(end)
        self.driver.synchronize()
        self.driver.free(other)
        return {"cold_l2_ms": statistics.median(self.between(begin, end) for begin, end in events)}

    def refill(self, request):
        for argument in self._outputs():
            self.driver.copy_in(argument.address, self._shared(argument), argument.bytes)
        return {}

    def collect(self, request):
        self.driver.synchronize()
        if self._memory is not None:
            for argument in self._outputs():
                self.driver.copy_out(self._shared(argument), argument.address, argument.bytes)
        return {}

    def close(self, request):
        return {}

    # Help for rows. ------------------------------------------------------------------------------------------
    def moment(self, what, at=None):
        return {"t_ms": max(0.0, (now_ms() if at is None else at) - self._zero), "what": what}

    def between(self, begin, end):
        """milliseconds(), once it is seen to be a time."""
        found = self.milliseconds(begin, end)
        if not (math.isfinite(found) and found >= 0):
            raise Failure("driver", f"{self.title} says that {found} ms passed between two events")
        return found

    def source(self):
        """The text to compile; its lines keep the numbers that they have in the case's file."""
        text = self.task["source"]
        file = text["file"].replace("\\", "\\\\").replace('"', '\\"')
        return f"#line {text['first_line']} \"{file}\"\n{text['text']}"

    def check_context(self):
        """Only the primary context is used, and it is current between requests."""
        current = self.driver.current_context()
        if current != self._primary:
            what = "no context" if current is None else "a context that is not the primary one"
            raise Failure("driver", f"{self.title} has left {what} current")

    def cache_changes(self, variable, suffix=""):
        """(files that were there before `build`, files that are new) in a private cache directory."""
        folder = os.environ.get(variable, "?") + "/"
        chosen = [f for f in cached_files() if f.startswith(folder) and f.endswith(suffix)]
        return sum(f in self._seen for f in chosen), sum(f not in self._seen for f in chosen)

    def nvrtc_report(self):
        """The NVRTC that this process has loaded, and what its own cache did."""
        path = mapped_file("libnvrtc.so")
        if not path:
            return {}
        major, minor = ctypes.c_int(), ctypes.c_int()
        ctypes.CDLL(path).nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        before, new = self.cache_changes("CUDA_CACHE_PATH")
        return {"compiler": f"NVRTC {major.value}.{minor.value}", "compiler_path": path,
                "cache": {"result": "none", "details": {"CUDA_CACHE_PATH": changes_text(before, new)}}}

    # Inside. -------------------------------------------------------------------------------------------------
    def _open_buffers(self):
        self._memory = None
        if self.task["memory"] == "own":
            descriptor = int(os.environ["TARE_WORKER_MEMORY"])
            self._memory = mmap.mmap(descriptor, self.task["memory_bytes"]) if self.task["memory_bytes"] else None
        for argument in self.arguments:
            if not argument.is_buffer or argument.bytes == 0:
                continue
            if self.task["memory"] == "own":
                argument.address = self.driver.allocate(argument.bytes)
                self.driver.copy_in(argument.address, self._shared(argument), argument.bytes)
                continue
            try:
                argument.address = self.driver.open(argument.ipc)
            except DriverError as e:
                raise Failure("memory", str(e)) from e

    def _outputs(self):
        return [a for a in self.arguments if a.is_buffer and not a.is_const and a.bytes]

    def _shared(self, argument):
        return ctypes.addressof(ctypes.c_char.from_buffer(self._memory, argument.offset))

    def _warm_up(self, request):
        # Never more than a few launches are queued, so that the loop ends when its time is over.
        queued = 4
        begin, done = now_ms(), 0
        while done < request["warmup"] or now_ms() - begin < request["warm_ms"]:
            self.launch()
            done += 1
            if done % queued == 0:
                self.driver.synchronize()
        self.driver.synchronize()

    def _with_report(self, reply, end):
        """Adds what is known of the compile; `end` is when the step that may have compiled was over."""
        report = self.report()
        for what, key in (("compiler", "compiled_at"), ("load", "loaded_at")):
            at = report.pop(key, end)
            happened = report.get("compiles") if what == "compiler" else report.get("cache")
            if happened and what not in self._told:
                self._told.add(what)
                reply["events"].append(self.moment(what, at))
        return reply | report

    def _libraries(self):
        found = {}
        for name in ("numpy", "cuda.bindings", "numba", "llvmlite"):
            version = getattr(sys.modules.get(name), "__version__", None)
            if version and name != self.module:
                found[name.replace(".", "-")] = str(version)
        found["python"] = sys.version.split()[0]
        return found


class NoGate:
    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass


class Gate(NoGate):
    """Holds the row's stream back while the launches are queued. After two seconds it releases it in any case, in
    case that a launch blocks: what was timed then is no figure, which is said."""

    def __init__(self, worker):
        self._worker = worker

    def __enter__(self):
        try:
            self._worker.driver.hold(self._worker.stream_handle())
        except DriverError as e:
            raise Unsupported(f"the stream cannot be held back: {e}") from e
        self._gave_up = False
        self._timer = threading.Timer(GATE_LIMIT_S, self._give_up)
        self._timer.start()

    def _give_up(self):
        self._gave_up = True
        self._worker.driver.release()

    def __exit__(self, error, *_):
        self._worker.driver.release()
        self._timer.cancel()
        if self._gave_up and error is None:
            raise Unsupported(f"its launches did not return within {GATE_LIMIT_S:g} s while the stream was held back: "
                              "they wait for the device, or the host is that slow")


def pick(report, *keys):
    return {key: report[key] for key in keys if key in report}


def changes_text(before, new):
    return f"{before} files before, {new} new"


def cached_files():
    """Every file in the caches of this process, which are private to it."""
    roots = {os.environ.get(name, "") for name in
             ("CUDA_CACHE_PATH", "CUPY_CACHE_DIR", "NUMBA_CACHE_DIR", "PYCUDA_CACHE_DIR")} - {""}
    return {f for root in roots for f in glob.iglob(root + "/**", recursive=True) if os.path.isfile(f)}


def mapped_file(name):
    """The library of this process whose file's name begins with `name`; empty where there is none."""
    with open("/proc/self/maps") as maps:
        for line in maps:
            path = line.split(maxsplit=5)[5].rstrip("\n") if line.count("/") else ""
            if re.match(re.escape(name) + r"(\.|$)", os.path.basename(path)):
                return path
    return ""


def error_of(error):
    if isinstance(error, Unsupported):
        return {"kind": "unsupported", "message": str(error)}
    if isinstance(error, Failure):
        return {"kind": error.kind, "message": str(error), "hint": error.hint, "log": error.log}
    if isinstance(error, DriverError):
        return {"kind": "driver", "message": str(error)}
    # As a traceback ends; what follows its first line is a compiler's log or a hint of the library's.
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    if isinstance(error, SyntaxError):  # ends with what is wrong, and begins with where
        text = f"{type(error).__name__}: {error}\n{text}"
    first, *more = text.splitlines()
    kind = "not_found" if isinstance(error, (ImportError, FileNotFoundError)) else "driver"
    return {"kind": kind, "message": first, "log": "\n".join(more)}


def answer(worker, request):
    name = request["request"]
    method = {"launch": worker.launch_cost}.get(name) or getattr(worker, name)
    try:
        reply = method(request)
        if name not in ("hello", "close"):
            worker.check_context()
    except BaseException as error:  # whatever a library raises, sys.exit() too, is this row's failure, and an answer
        if isinstance(error, DriverError):
            error = why_the_driver_failed(worker, error)
        elif not isinstance(error, (Unsupported, Failure)):
            error = outside(error) or worker.explain(error) or error
        if not isinstance(error, (Unsupported, Failure, DriverError)) and sys.stderr:
            traceback.print_exc()  # standard error is kept in the record
        reply = {"error": error_of(error)}
    return {"reply": name, **reply}


def why_the_driver_failed(worker, error):
    """The context that a library has left current, if that is it, says more than the call that met with it."""
    try:
        worker.check_context()
    except (DriverError, Failure, AttributeError) as context_error:
        if isinstance(context_error, Failure):
            return context_error
    return outside(error) or error


def outside(error):
    """An access outside all buffers, whoever met with it: where that was says nothing, only that it happened does."""
    text = str(error)
    if OUTSIDE.search(text):
        return Failure("driver", text.strip().splitlines()[0], OUTSIDE_HINT)
    return None


def one_line(answered):
    """As JSON, in UTF-8 whatever a library's messages hold: a file's name that is none reaches Python in surrogates."""
    return json.dumps(answered, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def serve(worker):
    """Answers requests until `close`, or until the owner is gone."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if "TARE_WORKER_IN" not in os.environ:
        sys.exit("a worker is started by `tare compare`, not by hand (docs/worker-protocol.md)")
    descriptors = [int(os.environ[name]) for name in ("TARE_WORKER_IN", "TARE_WORKER_OUT")]
    for descriptor in descriptors:  # compilers that a library starts are not to hold them
        fcntl.fcntl(descriptor, fcntl.F_SETFD, fcntl.FD_CLOEXEC)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    requests, replies = open(descriptors[0], encoding="utf-8"), open(descriptors[1], "wb")
    for line in requests:
        request = json.loads(line)
        replies.write(one_line(answer(worker, request)))
        replies.flush()
        if request["request"] == "close":
            break
    # At once: what libraries do when an interpreter is taken down is no part of any figure.
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # a library may have replaced or closed it
            stream.flush()
    os._exit(0)
