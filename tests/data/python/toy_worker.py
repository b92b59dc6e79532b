"""A worker that says which interpreter it runs in, touches every cache that a library might have, and skips."""

import importlib
import json
import os
import sys

for line in os.fdopen(int(os.environ["TARE_WORKER_IN"])):
    home = os.path.expanduser("~")
    for folder in (".cupy/kernel_cache", ".nv/ComputeCache", ".cache/pycuda", ".cache/numba", "work/__pycache__"):
        os.makedirs(os.path.join(home, folder), exist_ok=True)
        with open(os.path.join(home, folder, "entry"), "w") as entry:
            entry.write("of the worker")
    for name in ("CUDA_CACHE_PATH", "CUPY_CACHE_DIR", "NUMBA_CACHE_DIR", "PYCUDA_CACHE_DIR", "XDG_CACHE_HOME"):
        with open(os.path.join(os.environ[name], "entry"), "w") as entry:
            entry.write("of the worker")
    sys.path.insert(0, os.environ.get("TARE_TEST_MODULES", "/nonexistent"))
    try:
        importlib.import_module("plain_module")
    except ImportError:
        pass
    request = json.loads(line)["request"]
    answer = {"reply": request, "error": {"kind": "unsupported", "message": f"it runs in {sys.prefix}"}}
    os.write(int(os.environ["TARE_WORKER_OUT"]), (json.dumps(answer) + "\n").encode())
