#!/usr/bin/env python3
"""The runner of the differential suite: a kernel's text, comparisons, and what is a fault."""

import contextlib
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import struct
import tempfile
import types
import unittest
import unittest.mock

FOLDER = pathlib.Path(__file__).resolve().parent


def load():
    loader = importlib.machinery.SourceFileLoader("run", str(FOLDER / "run"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
    loader.exec_module(module)
    return module


run = load()
KERNELS = """// Two kernels.
#define TWICE(x) ((x) + (x))

ELEMENTWISE(first, float, float, 1) { r[0] = a + b; }
// A comment.
ELEMENTWISE(second, float, float, 2) {
  if (a > b) {
    r[0] = TWICE(a);
  }
}
"""


class WithFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)


class Texts(WithFolder):
    def texts(self, text):
        (self.folder / "kernels").mkdir(exist_ok=True)
        (self.folder / "kernels/some.cu").write_text(text, encoding="utf-8")
        with unittest.mock.patch.object(run, "FOLDER", self.folder):
            return run.texts()

    def test_a_change_is_that_of_its_kernel(self):
        before = self.texts(KERNELS)
        after = self.texts(KERNELS.replace("a > b", "a < b"))
        self.assertEqual(list(before), ["first", "second"])
        self.assertEqual(before["first"], after["first"])
        self.assertNotEqual(before["second"], after["second"])

    def test_what_stands_between_belongs_to_all(self):
        before, after = self.texts(KERNELS), self.texts(KERNELS.replace("(x) + (x)", "2 * (x)"))
        self.assertNotEqual(before["first"], after["first"])

    def test_comments_and_blanks_are_no_text(self):
        other = KERNELS.replace("A comment", "Another").replace("{ r[0] = a + b; }", "{\n  r[0] = a + b;\n}")
        self.assertEqual(self.texts(KERNELS), self.texts(other))

    def test_a_new_kernel_leaves_the_others(self):
        more = KERNELS + "ELEMENTWISE(third, float, float, 1) { r[0] = c; }\n"
        self.assertEqual(self.texts(KERNELS)["first"], self.texts(more)["first"])

    def test_every_kernel_of_the_suite_is_found(self):
        found = run.texts()
        macros = "ELEMENTWISE( APPROXIMATE( KERNEL( LOAD( STORE(".split()
        for source in FOLDER.glob("kernels/*.cu"):
            for line in source.read_text(encoding="utf-8").splitlines():
                if line.startswith(tuple(macros)) and "(" in line and "," in line:
                    self.assertIn(line.split("(")[1].split(",")[0], found)


class Comparison(WithFolder):
    """One kernel of two columns and four rows."""

    def answers(self, values, counters, **more):
        folder = self.folder / str(len(list(self.folder.iterdir())))
        folder.mkdir()
        answers = run.Answers(folder)
        (folder / "sum.in").write_bytes(struct.pack("<12I", *range(12)))
        (folder / "sum.out").write_bytes(struct.pack("<8I", *values))
        answers.kernels["sum"] = {"kernel": "sum", "file": "some.cu", "rows": 4, "columns": 2, "bytes": 4,
                                  "row": 0, "column": 0, "counters": counters, **more}  # fmt: skip
        return answers

    def compare(self, emulated, hardware, causes=()):
        record = {"card": "Imitated", "results": [run.entry_of(hardware, "sum")]}
        (self.folder / "causes.json").write_text(json.dumps(list(causes)), encoding="utf-8")
        arguments = types.SimpleNamespace(causes=self.folder / "causes.json")
        printed = io.StringIO()
        texts = unittest.mock.patch.object(run, "texts", lambda: {"sum": ""})
        with contextlib.redirect_stdout(printed), texts:
            faults = run.compare(arguments, record, emulated, hardware, ["sum"])
        return faults, printed.getvalue()

    def test_equal_answers_are_no_fault(self):
        same = [self.answers(range(8), {"global-load-requests": 2, "shared-load-requests": 0}) for _ in "12"]
        self.assertEqual(self.compare(*same)[0], 0)

    def test_a_wrong_element_is_named(self):
        wrong = self.answers([0, 1, 2, 3, 4, 5, 99, 7], {"global-load-requests": 2})
        right = self.answers(range(8), {"global-load-requests": 2})
        faults, printed = self.compare(wrong, right)
        self.assertEqual(faults, 1)
        self.assertIn("1 of 4 rows differ, in columns 1", printed)
        self.assertIn("row 2 (00000002 00000006 0000000a), column 1: 00000063, GPU 00000006", printed)

    def test_a_cause_allows_so_many_rows_and_no_more(self):
        wrong = self.answers([9, 9, 2, 3, 4, 5, 6, 7], {"global-load-requests": 2})
        right = self.answers(range(8), {"global-load-requests": 2})
        cause = {"kernel": "s*", "what": "outputs", "rows": 2, "cause": "Known."}
        self.assertEqual(self.compare(wrong, right, [cause])[0], 0)
        self.assertEqual(self.compare(wrong, right, [{**cause, "rows": 1}])[0], 2)  # and it allows nothing

    def test_counters_differ_as_far_as_the_cause_says(self):
        ours = self.answers(range(8), {"global-load-requests": 2})
        theirs = self.answers(range(8), {"global-load-requests": 3, "shared-load-requests": 1})
        cause = {"kernel": "sum", "what": "global-load-*", "ratio": [1.5, 1.5], "cause": "Known."}
        self.assertEqual(self.compare(ours, theirs)[0], 2)
        self.assertEqual(self.compare(ours, theirs, [cause])[0], 1)  # the other is counted by the GPU alone

    def test_a_cause_without_a_difference_is_a_fault(self):
        same = [self.answers(range(8), {"global-load-requests": 2}) for _ in "12"]
        cause = {"kernel": "*", "what": "shared-*", "ratio": [0, 9], "cause": "Forgotten."}
        faults, printed = self.compare(*same, [cause])
        self.assertEqual(faults, 1)
        self.assertIn("Forgotten", printed)

    def test_bounds_hold_on_both(self):
        good = self.answers(range(8), {"global-load-requests": 2}, error=0.5)
        bad = self.answers(range(8), {"global-load-requests": 2}, error=1.5)
        self.assertEqual(self.compare(good, good)[0], 0)
        self.assertEqual(self.compare(bad, good)[0], 1)
        self.assertEqual(self.compare(good, bad)[0], 1)

    def test_a_kernel_that_the_gpu_did_not_count_is_a_fault(self):
        ours, theirs = (self.answers(range(8), {"global-load-requests": 2}) for _ in "12")
        del theirs.kernels["sum"]["counters"]
        self.assertEqual(self.compare(ours, theirs)[0], 1)


class Program(WithFolder):
    """A program that ends at some kernels: the others run all the same."""

    def test_it_goes_on_behind_a_kernel_that_fails(self):
        program = self.folder / "program"
        program.write_text(
            "#!/bin/sh\nfor kernel; do\n"
            'case "$kernel" in bad*) echo "{\\"kernel\\": \\"$kernel\\", \\"failure\\": \\"broken\\"}"; exit 1;; esac\n'
            'echo "{\\"kernel\\": \\"$kernel\\"}"\ndone\n', encoding="utf-8")  # fmt: skip
        program.chmod(0o755)
        answers = run.Answers(self.folder)
        with contextlib.redirect_stdout(io.StringIO()):
            run.run_all(["a", "bad_b", "c", "bad_d"], lambda left: [str(program), *left], answers,
                        lambda done: None)  # fmt: skip
        self.assertEqual(sorted(answers.kernels), ["a", "c"])
        self.assertEqual(sorted(answers.failures), ["bad_b", "bad_d"])
        self.assertIn("broken", answers.failures["bad_b"])


if __name__ == "__main__":
    unittest.main()
