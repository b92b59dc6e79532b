"""What the workers share, without a device: types, caches, errors, and the events that are told once."""

import json
import os
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../../python"))

import tare_worker
from tare_driver import DriverError
from tare_argument import Argument, DeviceArray, Unsupported
from tare_worker import Failure, Worker, answer, error_of, one_line


def argument(kind, size, lanes=1, **others):
    element = {"name": "t", "size": size, "alignment": size, "kind": kind, "lanes": lanes}
    return Argument({"name": "x", "type": "t*", "element": element, "buffer": True, "const": True, "count": 3,
                     "bytes": 3 * size} | others)


class Arguments(unittest.TestCase):
    def test_have_numpys_type_of_one_scalar(self):
        self.assertEqual(argument("floating", 4).dtype(), "<f4")
        self.assertEqual(argument("half", 2).dtype(), "<f2")
        self.assertEqual(argument("boolean", 1).dtype(), "?")
        self.assertEqual(argument("unsigned_integer", 8).dtype(), "<u8")
        self.assertEqual(argument("floating", 16, lanes=4).dtype(), "<f4")

    def test_have_none_where_numpy_has_none(self):
        self.assertIsNone(argument("bfloat16", 2).dtype())
        self.assertIsNone(argument("aggregate", 24).dtype())
        self.assertIsNone(argument("signed_integer", 16).dtype())

    def test_as_arrays_have_all_scalars_of_vectors_and_the_bytes_of_structs(self):
        vectors = DeviceArray(argument("floating", 16, lanes=4)).__cuda_array_interface__
        self.assertEqual((vectors["shape"], vectors["typestr"]), ((12,), "<f4"))
        structs = DeviceArray(argument("aggregate", 24)).__cuda_array_interface__
        self.assertEqual((structs["shape"], structs["typestr"]), ((72,), "|u1"))
        self.assertEqual(DeviceArray(argument("boolean", 1)).__cuda_array_interface__["typestr"], "|b1")

    def test_by_value_are_refused_where_there_is_no_such_scalar(self):
        for each in (argument("floating", 16, lanes=4, buffer=False), argument("aggregate", 8, buffer=False)):
            with self.assertRaisesRegex(Unsupported, r"L passes no `t\*` by value \(argument `x`\)"):
                each.scalar("L")


    def test_know_what_python_would_change(self):
        def scalar(kind, text):
            return argument(kind, len(text) // 2, buffer=False, value=text)

        for kind, text in (("half", "017d"), ("floating", "2345a1ff"), ("floating", "0100807f")):
            self.assertTrue(scalar(kind, text).is_signalling(), text)
        quiet, infinite, one, double, whole = "0100c07f", "0000807f", "0000803f", "010000000000f07f", "0100807f"
        for each in (scalar("floating", quiet), scalar("floating", infinite), scalar("floating", one),
                     scalar("floating", double), scalar("unsigned_integer", whole), scalar("half", "007c")):
            self.assertFalse(each.is_signalling(), each.value)
        self.assertTrue(scalar("half", "0100").is_subnormal())
        self.assertFalse(scalar("half", "0000").is_subnormal())
        self.assertFalse(scalar("half", "0004").is_subnormal())


class Errors(unittest.TestCase):
    def test_are_the_first_line_of_a_tracebacks_end_and_keep_the_rest(self):
        error = error_of(ValueError("no\nbecause\nof this"))
        self.assertEqual(error["message"], "ValueError: no")
        self.assertEqual(error["log"], "because\nof this")

    def test_of_syntax_begin_with_what_is_wrong(self):
        with self.assertRaises(SyntaxError) as caught:
            compile("def k(a:", "k.py", "exec")
        error = error_of(caught.exception)
        self.assertTrue(error["message"].startswith("SyntaxError: "), error)
        self.assertIn('File "k.py", line 1', error["log"])

    def test_of_the_driver_are_its_own_words(self):
        self.assertEqual(error_of(DriverError("cuInit failed: CUDA_ERROR_NO_DEVICE")),
                         {"kind": "driver", "message": "cuInit failed: CUDA_ERROR_NO_DEVICE"})

    def test_that_are_no_text_are_a_line_of_utf8(self):
        line = one_line({"message": "caf\udce9 \u00fc"})
        self.assertEqual(json.loads(line), {"message": "caf? \u00fc"})
        self.assertTrue(line.endswith(b"\n"))

    def test_have_their_kinds(self):
        self.assertEqual(error_of(Unsupported("s")), {"kind": "unsupported", "message": "s"})
        self.assertEqual(error_of(Failure("memory", "m", "h")), {"kind": "memory", "message": "m", "hint": "h", "log": ""})
        self.assertEqual(error_of(ImportError("i"))["kind"], "not_found")


class Caches(unittest.TestCase):
    def test_are_counted_by_what_was_there_before(self):
        with tempfile.TemporaryDirectory() as folder:
            os.environ["CUPY_CACHE_DIR"] = folder
            self.addCleanup(os.environ.pop, "CUPY_CACHE_DIR")
            worker = Worker()
            os.makedirs(os.path.join(folder, "sub"))
            self.write(folder, "sub/a.cubin")
            worker._seen = tare_worker.cached_files()
            self.write(folder, "b.cubin")
            self.write(folder, "b.lock")
            self.assertEqual(worker.cache_changes("CUPY_CACHE_DIR"), (1, 2))
            self.assertEqual(worker.cache_changes("CUPY_CACHE_DIR", ".cubin"), (1, 1))
            self.assertEqual(worker.cache_changes("NUMBA_CACHE_DIR"), (0, 0))

    def write(self, folder, name):
        with open(os.path.join(folder, name), "w") as file:
            file.write("x")


class Compiled(Worker):
    facts = {}

    def report(self):
        return dict(self.facts)


class Events(unittest.TestCase):
    def whats(self, reply):
        return [event["what"] for event in reply["events"]]

    def test_of_compiling_and_loading_are_told_once_each_when_they_happened(self):
        worker = Compiled()
        self.assertEqual(self.whats(worker._with_report({"events": []}, 5.0)), [])
        worker.facts = {"compiles": 1, "cache": {"result": "none"}, "compiled_at": 3.0}
        reply = worker._with_report({"events": []}, 5.0)
        self.assertEqual([(e["what"], e["t_ms"]) for e in reply["events"]], [("compiler", 3.0), ("load", 5.0)])
        self.assertNotIn("compiled_at", reply)
        self.assertEqual(self.whats(worker._with_report({"events": []}, 6.0)), [])

    def test_of_compiling_are_not_told_where_a_cache_had_it(self):
        worker = Compiled()
        worker.facts = {"compiles": 0, "cache": {"result": "hit"}}
        self.assertEqual(self.whats(worker._with_report({"events": []}, 5.0)), ["load"])


class Times(unittest.TestCase):
    def test_that_are_none_are_refused(self):
        worker = Worker()
        worker.title = "L"
        for wrong in (float("nan"), float("inf"), -0.5):
            worker.milliseconds = lambda begin, end: wrong
            with self.assertRaisesRegex(Failure, f"L says that {wrong} ms passed between two events"):
                worker.between(0, 1)


class Missing(Worker):
    package, module = "no-such-library", "no_such_library.core"

    def load(self):
        import no_such_library.core


class BrokenInside(Worker):
    package, module = "fine", "fine"

    def load(self):
        import something_that_fine_needs


class Hello(unittest.TestCase):
    def ask(self, worker, **others):
        return answer(worker, {"request": "hello", "protocol": 1, "row": "r", "spawned_ns": 1} | others)

    def test_says_which_interpreter_lacks_the_library(self):
        error = self.ask(Missing())["error"]
        self.assertEqual(error, {"kind": "unsupported", "message": f"{sys.executable} has no no-such-library"})

    def test_tells_a_library_that_lacks_something_from_one_that_is_missing(self):
        with open(os.devnull, "w") as nowhere, unittest.mock.patch("sys.stderr", nowhere):
            error = self.ask(BrokenInside())["error"]
        self.assertEqual(error["message"], "ModuleNotFoundError: No module named 'something_that_fine_needs'")

    def test_is_an_answer_where_the_library_ends_the_process(self):
        worker = Worker()
        worker.load = lambda: sys.exit(3)
        with open(os.devnull, "w") as nowhere, unittest.mock.patch("sys.stderr", nowhere):
            self.assertEqual(self.ask(worker)["error"]["message"], "SystemExit: 3")

    def test_of_an_interpreter_that_is_too_old_is_skipped(self):
        with unittest.mock.patch("sys.version_info", (3, 8, 18)):
            error = self.ask(Worker())["error"]
        self.assertEqual(error, {"kind": "unsupported",
                                 "message": f"{sys.executable} is Python 3.8: this row needs 3.9 or newer"})

    def test_of_another_protocol_is_refused(self):
        self.assertEqual(self.ask(Worker(), protocol=2)["error"]["kind"], "protocol")


if __name__ == "__main__":
    unittest.main()
