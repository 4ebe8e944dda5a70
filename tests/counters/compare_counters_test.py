"""measurements/compare_counters: what it makes of counters, and which differences are faults."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "measurements/compare_counters"
SOLUTION = "03-transpose/rungs/tiled"
ANSWER = {
    "card": "NVIDIA H200",
    "cases": [
        {
            "name": "64 x 64",
            "calls": 2,
            "kernels": [
                {
                    "name": "transpose_kernel(float const*)",
                    "counters": {
                        "global-load-sectors": {"emulated": 8, "hardware": 8, "ratio": 1.0, "equal": True},
                        "shared-load-wavefronts": {"emulated": 8, "hardware": 9, "ratio": 1.125, "equal": False},
                        "shared-atomic-requests": {"emulated": 0, "hardware": 0, "ratio": None, "equal": True},
                    },
                }
            ],
        }
    ],
}
REASON = {"solution": SOLUTION, "counter": "shared-load-wavefronts", "reason": "The compiler splits it."}

# In place of the command.
COMMAND = """#!{python}
import sys
print('''{answer}''')
print("{errors}", file=sys.stderr)
sys.exit({status})
"""


class CompareCounters(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        source = self.root / "solutions" / (SOLUTION + ".cu")
        source.parent.mkdir(parents=True)
        source.write_text("")

    def run_tool(self, reasons, status=0, errors="", answer=ANSWER):
        """Status, what it printed, and the file it wrote."""
        command, table, output = (self.root / name for name in ("command", "reasons.json", "output.json"))
        command.write_text(
            COMMAND.format(python=sys.executable, answer=json.dumps(answer), errors=errors, status=status)
        )
        command.chmod(0o755)
        table.write_text(json.dumps(reasons))
        finished = subprocess.run(
            [sys.executable, "-B", TOOL, "--root", self.root, "--lockstep", command, "--reasons", table,
             "--output", output, "--commit", "c0ffee"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        written = json.loads(output.read_text()) if output.exists() else None
        return finished.returncode, finished.stdout + finished.stderr, written

    def test_difference_without_a_reason_is_a_fault(self):
        status, printed, written = self.run_tool([])
        self.assertEqual(status, 1, printed)
        self.assertIn(f"{SOLUTION}: shared-load-wavefronts differs", printed)
        self.assertIn("1.1250  transpose_kernel, case 64 x 64  UNEXPLAINED", printed)
        self.assertEqual(len(written["faults"]), 1)

    def test_difference_with_its_reason_is_none(self):
        status, printed, written = self.run_tool([REASON])
        self.assertEqual(status, 0, printed)
        self.assertEqual(written["schema"], "lockstep/counter-comparison/v1")
        self.assertEqual((written["card"], written["commit"]), ("NVIDIA H200", "c0ffee"))
        self.assertEqual(len(written["results"]), 2, "what neither device saw is left out")
        self.assertEqual(written["results"][1]["reason"], REASON["reason"])

    def test_reason_without_a_difference_is_a_fault(self):
        for stale in ({"counter": "global-load-sectors"}, {"solution": "03-transpose/gone"}):
            status, printed, _ = self.run_tool([REASON, {**REASON, **stale}])
            self.assertEqual(status, 1, printed)
            self.assertIn("does not differ", printed)

    def test_reason_must_be_given_once_and_in_words(self):
        for reasons in ([REASON, REASON], [{**REASON, "reason": " "}]):
            status, printed, _ = self.run_tool(reasons)
            self.assertEqual(status, 3, printed)
            self.assertIn("needs one reason", printed)

    def test_no_gpu_is_a_skip(self):
        status, printed, written = self.run_tool([], status=3, errors="lockstep: no usable GPU on this machine: …")
        self.assertEqual((status, written), (77, None), printed)

    def test_failure_is_told_and_no_pass(self):
        status, printed, written = self.run_tool([REASON], status=3, errors="cuptiRangeProfilerStart: WORDS")
        self.assertEqual(status, 3, printed)
        self.assertIn("cuptiRangeProfilerStart: WORDS", printed)
        self.assertEqual(len(written["failures"]), 1)

    def test_nothing_counted_is_no_pass(self):
        self.assertEqual(self.run_tool([], answer={**ANSWER, "cases": []})[0], 3)


if __name__ == "__main__":
    unittest.main()
