"""A stand-in for cuda.core that has the faults which the real one is not seen to have, one at a time."""

from dataclasses import dataclass

import fake_driver as driver
from fake_driver import FAULT
from misbehave import misbehave

__version__ = "0.3.0" if FAULT == "old" else "1.0.fake"

misbehave("import")


class Event:
    def __init__(self):
        self.handle = driver.made("cuEventCreate", 0)

    def sync(self):
        if FAULT != "reads events too early":
            driver.call("cuEventSynchronize", self.handle)

    def __sub__(self, begin):
        return misbehave("elapsed") or driver.elapsed(begin.handle, self.handle)


class Stream:
    def __init__(self):
        non_blocking = 1
        self.of_events = driver.made("cuStreamCreate", non_blocking)
        self.of_launches = self.of_events
        if FAULT == "stream":
            self.of_launches = driver.made("cuStreamCreate", non_blocking)
        if FAULT == "default stream":
            self.of_launches = None  # which nothing on a non-blocking stream waits for
        self.handle = self.of_events.value

    def record(self, event):
        driver.call("cuEventRecord", event.handle, self.of_events)


class Device:
    arch = "90"

    def __init__(self, ordinal):
        self.ordinal = ordinal

    def set_current(self):
        self.device = driver.take_primary_context(self.ordinal)

    def create_stream(self):
        return Stream()

    def create_event(self, options):
        return Event()


@dataclass
class EventOptions:
    timing_enabled: bool = False


@dataclass
class LaunchConfig:
    grid: tuple
    block: tuple
    shmem_size: int


class ProgramOptions:
    def __init__(self, **given):
        self.given = given

    def as_bytes(self, backend):
        return [f"-arch={self.given['arch']}".encode()]


class Module:
    def get_kernel(self, name):
        return driver.load_vector_add()


class Program:
    def __init__(self, code, code_type, options):
        pass

    def compile(self, target, name_expressions):
        misbehave("compile")
        return Module()


if FAULT == "old":
    del Program


def launch(stream, config, kernel, *values):
    misbehave("launch")
    if FAULT != "nothing":
        driver.launch(kernel, config.grid, config.block, stream.of_launches, *values)
    misbehave("launched")
