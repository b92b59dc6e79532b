"""Two judges of an instruction: ptxas, many to a file, and the CPU device, one to a module."""

import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from ptx_forms.grammar import PROLOGUE

_HEAD = (
    ".version 9.0\n.target sm_90\n.address_size 64\n.func ff9() { ret; }\n.global .b32 gv[4]; .shared .b32 sv[4];\n"
    ".visible .entry k(.param .b64 a) { " + PROLOGUE + "\n"
)
_TAIL = "L9: ret; }\n"
_FIRST_LINE = _HEAD.count("\n") + 1
_LINES = re.compile(r"forms\.ptx, line (\d+); (?:error|fatal) *: (.*)")
# Fatal, unless another address in the file is of 64 bits.
_NARROW = re.compile(r"Program uses 32-bit address on line '(\d+)'")
_OURS = re.compile(r"PTX line (\d+): (.*)")


class Missing(Exception):
    """Something that the sweep needs and the machine has not."""


class Ptxas:
    """NVIDIA's assembler, for sm_90."""

    def __init__(self):
        home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
        self._path = shutil.which("ptxas") or shutil.which("ptxas", path=f"{home}/bin")
        if self._path is None:
            raise Missing(f"ptxas not found: looked in PATH and {home}/bin")

    def version(self):
        said = subprocess.run([self._path, "--version"], capture_output=True, text=True, check=True).stdout
        return re.search(r"release ([\d.]+)", said).group(1)

    def refusals(self, texts, batch=1500):
        """{text: message} of those that it refuses; an empty message where it ends by a signal and says nothing."""
        refused = {}
        with tempfile.TemporaryDirectory() as folder:
            for at in range(0, len(texts), batch):
                self._batch(texts[at : at + batch], pathlib.Path(folder), refused)
        return refused

    def _batch(self, texts, folder, refused):
        # Again without those that it names, until it names none. A syntax error ends its reading: what came before
        # is read well, and what comes after is a file of its own.
        parsed = []
        while texts or parsed:
            if not texts:
                texts, parsed = parsed, []
            code, said = self._run(texts, folder)
            narrow = {texts[int(line) - _FIRST_LINE] for line in _NARROW.findall(said)}
            if narrow and len(texts) + len(parsed) > 1:  # each by itself
                for text in narrow:
                    self._batch([text], folder, refused)
                texts = [text for text in texts if text not in narrow]
                continue
            if code == 0:
                texts = []
                continue
            named, ended = {}, None
            for line, message in _LINES.findall(said):
                at = int(line) - _FIRST_LINE
                if 0 <= at < len(texts):
                    named.setdefault(texts[at], message)
                    ended = at if "syntax error" in message else ended
            if not named and len(texts) == 1:
                errors = [line for line in said.split("\n") if "error" in line or "fatal" in line]
                named[texts[0]] = errors[0] if errors else ""
            if not named:  # an error without a line of ours, or no words at all: by halves
                half = len(texts) // 2
                self._batch(texts[:half], folder, refused)
                self._batch(texts[half:], folder, refused)
                texts = []
                continue
            refused.update(named)
            if ended is not None:
                parsed += [text for text in texts[:ended] if text not in named]
                texts = texts[ended + 1 :]
            texts = [text for text in texts if text not in named]

    def _run(self, texts, folder):
        source = folder / "forms.ptx"
        source.write_text(_HEAD + "".join(text + ";\n" for text in texts) + _TAIL)
        command = [self._path, "-arch=sm_90", "-O0", str(source), "-o", str(folder / "forms.cubin")]
        done = subprocess.run(command, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


class Device:
    """The driver of the CPU device, loaded into this process."""

    def __init__(self, library):
        if not pathlib.Path(library).is_file():
            raise Missing(f"no CPU device at {library}: build it first")
        os.environ["CUDA_CACHE_DISABLE"] = "1"
        self._driver = ctypes.CDLL(str(library))
        self._driver.tareCpuLastError.restype = ctypes.c_char_p
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self._check("cuInit", 0)
        self._check("cuDeviceGet", ctypes.byref(device), 0)
        self._check("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self._check("cuCtxSetCurrent", context)

    def _check(self, name, *arguments):
        code = getattr(self._driver, name)(*arguments)
        if code != 0:
            raise RuntimeError(f"{name} answered {code}: {self._driver.tareCpuLastError().decode()}")

    def refusal(self, text):
        """The message that it refuses the text with, with its line; None where it takes it."""
        module = ctypes.c_void_p()
        image = (_HEAD + text + ";\n" + _TAIL).encode()
        if self._driver.cuModuleLoadData(ctypes.byref(module), ctypes.c_char_p(image)) != 0:
            said = self._driver.tareCpuLastError().decode()
            found = _OURS.search(said)
            return found.group(2) if found and int(found.group(1)) >= _FIRST_LINE else f"without its line: {said}"
        self._check("cuModuleUnload", module)
        return None
