"""What the stand-ins for the libraries have in common: the driver through ctypes, and which fault to show (FAULT)."""

import ctypes
import os
import struct

FAULT = os.environ.get("FAULT", "")
PTX = os.path.join(os.path.dirname(__file__), "../../workers/vector_add.ptx")
cuda = None


def call(name, *arguments):
    global cuda
    cuda = cuda or ctypes.CDLL("libcuda.so.1")
    code = getattr(cuda, name)(*arguments)
    if code:
        raise RuntimeError(f"{name} answered {code}")


def made(name, *arguments):
    """The handle that a driver call writes to its first argument."""
    handle = ctypes.c_void_p()
    call(name, ctypes.byref(handle), *arguments)
    return handle


def take_primary_context(device):
    ordinal = ctypes.c_int()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(ordinal), device)
    call("cuCtxSetCurrent", made("cuDevicePrimaryCtxRetain", ordinal))
    return ordinal


def load_vector_add():
    with open(PTX, "rb") as file:
        module = made("cuModuleLoadData", file.read())
    return made("cuModuleGetFunction", module, b"vectorAdd")


def launch(function, grid, block, stream, a, b, out, n):
    values = [ctypes.c_uint64(int(each)) for each in (a, b, out, n)]
    pointers = (ctypes.c_void_p * 4)(*(ctypes.addressof(each) for each in values))
    call("cuLaunchKernel", function, *grid, *block, 0, stream, pointers, None)


def elapsed(begin, end):
    milliseconds = ctypes.c_float()
    if FAULT != "reads events too early":
        call("cuEventSynchronize", end)
    call("cuEventElapsedTime", ctypes.byref(milliseconds), begin, end)
    return milliseconds.value


def unpack(data, dtype):
    letters = {"<f4": "<f", "<u4": "<I", "<u8": "<Q", "<i4": "<i"}
    return struct.unpack(letters[dtype], data)
