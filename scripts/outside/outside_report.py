"""A pytest plugin: writes what becomes of each test to the file named by OUTSIDE_REPORT, a JSON line when it
starts and one when it is over, so that a test that takes the process with it is known. With OUTSIDE_DONE, a
file of test ids, those are left out: the run goes on where one was cut off.
"""

import ctypes
import importlib
import json
import os
import pathlib

import pytest

_report = open(os.environ["OUTSIDE_REPORT"], "a", buffering=1)
_done = set()
if os.environ.get("OUTSIDE_DONE"):
    with open(os.environ["OUTSIDE_DONE"]) as file:
        _done = set(file.read().split("\n"))


def _say(**what):
    _report.write(json.dumps(what) + "\n")


def _last_error():
    """What the CPU device says about its last error in this thread; nothing where it is not loaded."""
    try:
        tell = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOLOAD).tareCpuLastError
    except (OSError, AttributeError):
        return ""
    tell.restype = ctypes.c_char_p
    return tell().decode(errors="replace")


def pytest_addoption(parser):
    parser.addoption("--dump-failed-filechecks", action="store_true", default=False)


@pytest.fixture(scope="class")
def initialize_from_pytest_config(request):
    """What the conftest.py of numba-cuda's repository gives its tests, and its package lacks."""
    request.cls._dump_failed_filechecks = request.config.getoption("--dump-failed-filechecks")


class PackagedModule(pytest.Module):
    """A module imported by the name that users import it by, which pytest cannot know where a package redirects
    imports as numba-cuda does (numba.cuda lies in numba_cuda/numba/cuda)."""

    def _getobj(self):
        within = self.path.parts[len(pathlib.Path(os.environ["OUTSIDE_ROOT"]).parts):]
        return importlib.import_module(".".join((os.environ["OUTSIDE_PACKAGE"], *within)).removesuffix(".py"))


def pytest_pycollect_makemodule(module_path, parent):
    return PackagedModule.from_parent(parent, path=module_path) if "OUTSIDE_PACKAGE" in os.environ else None


def pytest_collect_directory(path, parent):
    return pytest.Dir.from_parent(parent, path=path)  # no package: it would import its __init__.py


def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if item.nodeid not in _done]


def pytest_collectreport(report):
    if report.failed:
        _say(test=report.nodeid, outcome="failed", text=str(report.longrepr))
    elif report.skipped:
        _say(test=report.nodeid, outcome="skipped", text=str(report.longrepr[-1]))


def pytest_runtest_logstart(nodeid):
    _say(test=nodeid, outcome="started")


def pytest_runtest_logreport(report):
    if report.failed:
        _say(test=report.nodeid, outcome="failed", text=f"{report.when}: {report.longreprtext}\nthe CPU device's last error: {_last_error()}")
    elif report.skipped:
        why = getattr(report, "wasxfail", None) or report.longrepr[-1]
        _say(test=report.nodeid, outcome="expected failure" if hasattr(report, "wasxfail") else "skipped", text=str(why))
    elif report.when == "call":
        _say(test=report.nodeid, outcome="passed", seconds=round(report.duration, 3))


def pytest_sessionfinish(exitstatus):
    _say(test="", outcome="finished", text=str(int(exitstatus)))
