"""Runs float_of_truth.ptx at each optimisation level of the driver's assembler, for a = 1, x = 6, y = 3."""
import ctypes
import pathlib

cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    status = getattr(cuda, name)(*arguments)
    if status:
        raise SystemExit(f"{name}: error {status}")


call("cuInit", 0)
context = ctypes.c_void_p()
call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
call("cuCtxSetCurrent", context)
text = (pathlib.Path(__file__).parent / "float_of_truth.ptx").read_bytes() + b"\0"
out = ctypes.c_uint64()
call("cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(16))
for level in range(5):
    module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
    options = (ctypes.c_int * 1)(7)  # CU_JIT_OPTIMIZATION_LEVEL
    values = (ctypes.c_void_p * 1)(level)
    call("cuModuleLoadDataEx", ctypes.byref(module), text, 1, options, values)
    call("cuModuleGetFunction", ctypes.byref(kernel), module, b"kernel")
    parameters = (out, ctypes.c_uint32(1), ctypes.c_float(6), ctypes.c_float(3))
    addresses = (ctypes.c_void_p * 4)(*(ctypes.cast(ctypes.byref(p), ctypes.c_void_p) for p in parameters))
    call("cuLaunchKernel", kernel, 1, 1, 1, 1, 1, 1, 0, None, addresses, None)
    result = (ctypes.c_uint64 * 2)()
    call("cuMemcpyDtoH_v2", result, out, ctypes.c_size_t(16))
    print(f"O{level}: {result[0]:x} {result[1]:x}")
