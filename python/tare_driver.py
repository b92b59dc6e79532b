"""The few driver calls that every row needs and no library is measured by: the owner's buffers, the stream's
gate, and which context is current. It calls the very libcuda that the owner has loaded, through ctypes.
"""

import ctypes
import os

WAIT_GREATER_OR_EQUAL = 0
HOST_MAPPED = 2


class DriverError(Exception):
    """A driver call that failed: its name and the driver's own name for the error."""


class IpcHandle(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_ubyte * 64)]


class Driver:
    """libcuda of TARE_DRIVER. Every method raises DriverError."""

    def __init__(self):
        self.path = os.environ.get("TARE_DRIVER") or "libcuda.so.1"
        self._cuda = ctypes.CDLL(self.path)
        self._gate_memory = None

    def _call(self, name, *arguments):
        code = getattr(self._cuda, name)(*arguments)
        if code:
            text = ctypes.c_char_p()
            self._cuda.cuGetErrorName(code, ctypes.byref(text))
            raise DriverError(f"{name} failed: {text.value.decode() if text.value else code}")

    def other_drivers(self):
        """Files named libcuda.so* that this process has mapped beside the owner's."""
        with open("/proc/self/maps") as maps:
            files = {line.split(maxsplit=5)[5].rstrip("\n") for line in maps if "/libcuda.so" in line}
        own = os.path.realpath(self.path)
        return sorted(files - {own}) if os.path.exists(own) else []

    def primary_context(self, device):
        """The handle of the device's primary context, which stays retained until the process ends."""
        ordinal, context = ctypes.c_int(), ctypes.c_void_p()
        self._call("cuInit", 0)
        self._call("cuDeviceGet", ctypes.byref(ordinal), device)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(context), ordinal)
        return context.value

    def current_context(self):
        context = ctypes.c_void_p()
        self._call("cuCtxGetCurrent", ctypes.byref(context))
        return context.value

    def synchronize(self):
        """Waits for everything in the current context, on whatever stream."""
        self._call("cuCtxSynchronize")

    def open(self, handle):
        """The address of another process's allocation, from the 64 bytes of its IPC handle in hex."""
        address = ctypes.c_uint64()
        enable_peer_access = 1
        self._call("cuIpcOpenMemHandle_v2", ctypes.byref(address), IpcHandle.from_buffer_copy(bytes.fromhex(handle)),
                   ctypes.c_uint(enable_peer_access))
        return address.value

    def allocate(self, size):
        address = ctypes.c_uint64()
        self._call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def free(self, address):
        self._call("cuMemFree_v2", ctypes.c_uint64(address))

    def fill(self, address, size, stream):
        """Zeroes device memory on the stream (an integer handle)."""
        self._call("cuMemsetD8Async", ctypes.c_uint64(address), ctypes.c_ubyte(0), ctypes.c_size_t(size),
                   ctypes.c_void_p(stream))

    def copy_in(self, address, host, size):
        self._call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), ctypes.c_void_p(host), ctypes.c_size_t(size))

    def copy_out(self, host, address, size):
        self._call("cuMemcpyDtoH_v2", ctypes.c_void_p(host), ctypes.c_uint64(address), ctypes.c_size_t(size))

    def copy(self, to, address, size):
        self._call("cuMemcpyDtoD_v2", ctypes.c_uint64(to), ctypes.c_uint64(address), ctypes.c_size_t(size))
        self.synchronize()

    def hold(self, stream):
        """Holds the stream (an integer handle) back until release()."""
        if self._gate_memory is None:
            host, device = ctypes.c_void_p(), ctypes.c_uint64()
            self._call("cuMemHostAlloc", ctypes.byref(host), ctypes.c_size_t(4), ctypes.c_uint(HOST_MAPPED))
            self._call("cuMemHostGetDevicePointer_v2", ctypes.byref(device), host, ctypes.c_uint(0))
            self._gate_memory = ctypes.c_uint32.from_address(host.value), device
        word, device = self._gate_memory
        word.value = 0
        self._call("cuStreamWaitValue32_v2", ctypes.c_void_p(stream), device, ctypes.c_uint32(1),
                   ctypes.c_uint(WAIT_GREATER_OR_EQUAL))

    def release(self):
        self._gate_memory[0].value = 1
