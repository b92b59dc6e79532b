"""What a stand-in for a library does that a library should not: the faults by their names (FAULT), each at its place.
What a stand-in shows by itself is `nothing` (launches nothing), `old`, `stream` and `default stream` (launches on
another than the worker's), `reads events too early` and `compiles again`.
"""

import atexit
import os
import signal
import subprocess
import sys
import time

import fake_driver as driver
from fake_driver import FAULT

POISONED_TEXT = "caf\udce9 cannot be compiled"  # as Python shows a file name that is no UTF-8
NEWER_PTX = b".version 9.9\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n"


def fail(error):
    raise error


def hang_with_a_mark():
    open(os.path.join(os.environ["HOME"], "compiling"), "w").close()
    time.sleep(600)


def leave_a_child():
    if os.fork() == 0:
        time.sleep(600)
        os._exit(0)


def leave_sessions():
    """Two that no group of the worker's holds any more, one of them without its environment."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(600)
        os._exit(0)
    subprocess.Popen(["sleep", "4321.0625"], env={}, start_new_session=True)


def leave_sessions_and_hang():
    leave_sessions()
    hang_with_a_mark()


def use_the_driver_in_a_child():
    """No driver's threads and contexts survive a fork: the child says what its call answered."""
    child = os.fork()
    if child == 0:
        try:
            driver.call("cuCtxSynchronize")
        except RuntimeError as error:
            print("in the child:", error, file=sys.stderr, flush=True)
        os._exit(0)
    os.waitpid(child, 0)


def replace_streams():
    sys.stdout = sys.stderr = None
    os.close(1)
    os.close(2)


def synchronize():
    driver.call("cuCtxSynchronize")


FAULTS = {
    "broken": {"import": lambda: fail(ImportError("libnvrtc.so.12: cannot open shared object file: No such file or directory"))},
    "hangs": {"import": lambda: time.sleep(600)},
    "hangs while it compiles": {"compile": hang_with_a_mark},
    "exits": {"import": lambda: sys.exit(3)},
    "exits hard": {"compile": lambda: os._exit(5)},
    "is interrupted": {"compile": lambda: os.kill(os.getpid(), signal.SIGINT)},
    "killed": {"compile": lambda: os.kill(os.getpid(), signal.SIGKILL)},
    "raises": {"compile": lambda: fail(ValueError("the compiler said no\nand why"))},
    "raises nothing": {"compile": lambda: fail(AssertionError())},
    "raises no text": {"compile": lambda: fail(ValueError(POISONED_TEXT))},
    "has a mistake": {"compile": lambda: compile("def k(a:", "library.py", "exec")},
    "prints": {"import": lambda: print("hello from the library, {\"reply\": \"hello\"}", flush=True),
               "launch": lambda: print("launching", flush=True)},
    "floods": {"compile": lambda: print("x" * 5_000_000, flush=True)},
    "replaces its streams": {"import": replace_streams},
    "moves away": {"import": lambda: os.chdir("/")},
    "crashes at exit": {"import": lambda: atexit.register(os.abort)},
    "leaves a child": {"compile": leave_a_child},
    "leaves sessions": {"compile": leave_sessions},
    "leaves sessions and hangs": {"compile": leave_sessions_and_hang},
    "forks": {"compile": use_the_driver_in_a_child},
    "context": {"compile": lambda: driver.made("cuCtxCreate_v2", 0, 0)},
    "pops": {"launched": lambda: driver.made("cuCtxPopCurrent_v2")},
    "blocks": {"launched": synchronize},
    "newer than the driver": {"compile": lambda: driver.made("cuModuleLoadData", NEWER_PTX)},
    "no number": {"elapsed": lambda: float("nan")},
    "time runs backwards": {"elapsed": lambda: -1.0},
}


def misbehave(place):
    return FAULTS.get(FAULT, {}).get(place, lambda: None)()
