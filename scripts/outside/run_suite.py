"""Runs the files of a pytest suite one after the other, each in a process of its own, and gives the outcome of
every test: passed, skipped, expected failure, failed, crashed (the process died) or hung (no end within the limit).
"""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

ENDS = ("passed", "skipped", "expected failure", "failed", "crashed", "hung")


def read_report(path):
    """Outcome and text by test, the test that had started last and not ended, and whether pytest came to its end."""
    outcomes, open_test, finished = {}, None, False
    for line in path.read_text().splitlines():
        said = json.loads(line)
        test, outcome = said["test"], said["outcome"]
        if outcome == "started":
            open_test = test
        elif outcome == "finished":
            finished = True
        elif outcomes.get(test, {}).get("outcome") != "failed":  # a failed call may be torn down well
            outcomes[test] = {"outcome": outcome, "text": said.get("text", ""), "seconds": said.get("seconds", 0)}
    return outcomes, open_test if open_test not in outcomes else None, finished


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()


def watch(process, report, limit):
    """Waits for the process; True if it wrote nothing to its report for `limit` seconds and was ended."""
    size, changed = -1, time.monotonic()
    while process.poll() is None:
        time.sleep(0.2)
        now = report.stat().st_size
        if now != size:
            size, changed = now, time.monotonic()
        elif time.monotonic() - changed > limit:
            end_group(process)
            return True
    return False


def run_file(command, file, environment, limit):
    """All outcomes of one file. A test that crashes or hangs ends its process; a new one goes on after it."""
    outcomes = {}
    with tempfile.TemporaryDirectory(prefix="outside-") as folder:
        folder = pathlib.Path(folder)
        report, done = folder / "report", folder / "done"
        while True:
            report.write_text("")
            done.write_text("\n".join(outcomes))
            own = environment | {"OUTSIDE_REPORT": str(report), "OUTSIDE_DONE": str(done)}
            with open(folder / "output", "w+b") as output:
                process = subprocess.Popen([*command, str(file)], env=own, cwd=folder, stdin=subprocess.DEVNULL,
                                           stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
                hung = watch(process, report, limit)
                end_group(process)  # what a test has left running
                output.seek(0)
                said = output.read()[-4000:].decode(errors="replace")
            new, open_test, finished = read_report(report)
            outcomes |= new
            if finished:
                return outcomes
            name = open_test or f"{file}::(its end)" if new or open_test else f"{file}::(its start)"
            how = f"no end within {limit} s" if hung else f"the process ended with {process.returncode}"
            outcomes[name] = {"outcome": "hung" if hung else "crashed", "text": f"{how}\n{said}", "seconds": 0}
            if open_test is None:
                return outcomes


def run_suite(command, files, environment, limit, jobs, say=print):
    """Outcomes by test id over all files; `jobs` files at a time."""
    lock, outcomes, count = threading.Lock(), {}, 0

    def one(file):
        nonlocal count
        result = run_file(command, file, environment, limit)
        with lock:
            count += 1
            outcomes.update(result)
            numbers = {end: sum(each["outcome"] == end for each in result.values()) for end in ENDS}
            shown = ", ".join(f"{number} {end}" for end, number in numbers.items() if number)
            say(f"  {count}/{len(files)} {pathlib.Path(file).name}: {shown or 'no tests'}")

    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(one, files))
    return outcomes
