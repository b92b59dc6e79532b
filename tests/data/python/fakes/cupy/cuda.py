"""The part of cupy.cuda that the workers call, with a pool that hands freed blocks out again."""

import ctypes
import types

import fake_driver as driver



class NvrtcProgram:
    def compile(self, options=(), log_stream=None):
        pass


compiler = types.SimpleNamespace(_NVRTCProgram=NvrtcProgram)
current = None
pool = []


class Device:
    def __init__(self, ordinal):
        self.ordinal = ordinal

    def use(self):
        driver.take_primary_context(self.ordinal)


class Stream:
    def __init__(self, non_blocking):
        self.handle = driver.made("cuStreamCreate", int(non_blocking))
        self.ptr = self.handle.value

    def use(self):
        global current
        current = self


class Event:
    def __init__(self):
        self.handle = driver.made("cuEventCreate", 0)

    def record(self, stream):
        driver.call("cuEventRecord", self.handle, stream.handle)

    def synchronize(self):
        driver.call("cuEventSynchronize", self.handle)


def get_elapsed_time(begin, end):
    return driver.elapsed(begin.handle, end.handle)


class UnownedMemory:
    def __init__(self, address, size, owner, device):
        self.ptr = address


class MemoryPointer:
    def __init__(self, memory, offset):
        self.ptr = memory.ptr + offset


class Block:
    def __init__(self, ptr):
        self.ptr = ptr

    def memset_async(self, value, size, stream):
        driver.call("cuMemsetD8Async", ctypes.c_uint64(self.ptr), ctypes.c_ubyte(value), ctypes.c_size_t(size), stream.handle)

    def __del__(self):
        pool.append(self.ptr)


def alloc(size):
    if pool:
        return Block(pool.pop())
    address = ctypes.c_uint64()
    driver.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
    return Block(address.value)
