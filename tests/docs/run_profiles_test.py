"""docs/run_profiles: what it asks of the command, what it makes of the answer, and what it refuses."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "docs/run_profiles"
SOURCE = "solutions/05-transpose/rungs/naive.cu"
TRAFFIC = {"requests": 10, "units": 320, "ideal_units": 40, "bytes": 1280}
ANSWER = {
    "case": "64 x 64",
    "verdict": "inefficient",
    "calls": 2,
    "lines": [{"line": 2, "warps": 1234, "global": TRAFFIC, "shared": None, "local": None}],
    "gates": [
        {"name": "global-sectors", "value": 8.0, "limit": 1.1, "at_least": False, "verdict": "inefficient"},
        {"name": "host-copies", "value": 0.0, "limit": 0.0, "at_least": False, "verdict": "passed"},
    ],
}

# In place of the command: notes how it was called, and answers as the profile of a rung that misses a gate.
COMMAND = """#!{python} -S
import pathlib, sys
with open("{calls}", "a") as calls:
    print(*sys.argv[1:], sep="|", file=calls)
shown = [word[7:] for word in sys.argv if word.startswith("--show=")]
if shown:
    pathlib.Path(shown[0]).write_text("<svg/>")
elif "--svg" in sys.argv:
    pathlib.Path(sys.argv[sys.argv.index("--svg") + 1]).write_text("<svg/>")
else:
    case = "4 x 4" if "FAILS_THERE" in sys.argv[4] and "--case" not in sys.argv else "64 x 64"
    print('''{answer}'''.replace("64 x 64", case))
sys.exit({status})
"""


class RunProfiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.output, self.calls, self.command = (self.root / name for name in ("output", "calls", "command"))
        self.write(SOURCE, "int n;\nout[i] = in[i];\n// at: out[i] = in[i];\nint m;\nint m;\n")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_tool(self, lecture, status=1, answer=json.dumps(ANSWER)):
        """Status, what it said, and the calls that it made."""
        self.write("lectures/05-transpose.md", lecture)
        self.command.write_text(
            COMMAND.format(python=sys.executable, calls=self.calls, answer=answer, status=status)
        )
        self.command.chmod(0o755)
        self.calls.write_text("")
        finished = subprocess.run(
            [sys.executable, "-S", "-B", TOOL, self.root, self.output, "--lockstep", self.command],
            capture_output=True,
            text=True,
            check=False,
        )
        return finished.returncode, finished.stderr, self.calls.read_text().splitlines()

    def test_figure_is_asked_for_by_the_text_of_its_line(self):
        status, errors, calls = self.run_tool(f"<!-- figure copy: global {SOURCE}: out[i] = in[i]; -->\n")
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(
            calls,
            [
                f"profile|transpose|--submission|{self.root / SOURCE}|--trace|2|--space|global|--svg|"
                f"{self.output / 'copy.svg'}"
            ],
        )

    def test_picture_is_what_grade_shows(self):
        status, errors, calls = self.run_tool(f"<!-- picture seen: {SOURCE} -->\n")
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(
            calls,
            [
                f"grade|transpose|--submission|{self.root / SOURCE}|--device|emulated|--seed|1|"
                f"--show={self.output / 'seen.svg'}"
            ],
        )

    def test_counters_become_a_table(self):
        status, errors, _ = self.run_tool(f"<!-- counters copy: {SOURCE} -->\n")
        self.assertEqual((status, errors), (0, ""))
        table = (self.output / "copy.md").read_text(encoding="utf-8")
        head, _, row, _, caption = table.splitlines()
        self.assertIn("| global-sectors, at most 1.1 |", head)
        self.assertEqual(row, "| `naive` | 1,234 | 0.01 | 32.00 (4.00) | – | **8.00 ✗** |")
        self.assertIn("over 2 calls of case 64 x 64.", caption)
        self.assertNotIn("host-copies", table)  # no rung has any

    def test_rows_of_a_table_are_of_the_case_of_the_last(self):
        other = "solutions/05-transpose/rungs/FAILS_THERE.cu"
        self.write(other, "int n;\n")
        status, errors, calls = self.run_tool(f"<!-- counters copy: {other} {SOURCE} -->\n")
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(len(calls), 2, "each is profiled once")
        self.assertTrue(calls[-1].endswith(f"{other}|--format|json|--case|64 x 64"), calls)

    def test_what_is_fresh_is_kept(self):
        lecture = f"<!-- counters copy: {SOURCE} -->\n"
        self.assertEqual(len(self.run_tool(lecture)[2]), 1)
        self.assertEqual(self.run_tool(lecture)[2], [])
        later = (self.output / "copy.md").stat().st_mtime + 10
        os.utime(self.root / SOURCE, (later, later))
        self.assertEqual(len(self.run_tool(lecture)[2]), 1)

    def test_what_no_lecture_asks_for_is_removed(self):
        self.run_tool(f"<!-- counters copy: {SOURCE} -->\n")
        self.run_tool("text\n")
        self.assertEqual(list(self.output.iterdir()), [])

    def assert_refused(self, words, lecture, **answer):
        status, errors, _ = self.run_tool(lecture, **answer)
        self.assertEqual(status, 1)
        self.assertIn("lectures/05-transpose.md:1: ", errors)
        self.assertIn(words, errors)

    def test_line_that_is_not_there_or_there_twice(self):
        self.assert_refused("0 lines of", f"<!-- figure copy: global {SOURCE}: in[j] -->\n")
        self.assert_refused("2 lines of", f"<!-- figure copy: global {SOURCE}: int m; -->\n")

    def test_unknown_source_space_or_form(self):
        self.assert_refused("does not exist", "<!-- counters copy: solutions/05-transpose/none.cu -->\n")
        self.assert_refused("names a space", f"<!-- figure copy: local {SOURCE}: int n; -->\n")
        self.assert_refused("not in the form", f"<!-- figure Copy: {SOURCE} -->\n")

    def test_command_that_fails(self):
        self.assert_refused("status 3", f"<!-- counters copy: {SOURCE} -->\n", status=3)

    def test_what_was_stopped_is_not_counted_whole(self):
        stopped = json.dumps({**ANSWER, "verdict": "time-limit"})
        self.assert_refused("is counted in part: time-limit", f"<!-- counters copy: {SOURCE} -->\n", answer=stopped)
        self.assertFalse((self.output / "copy.md").exists())

    def test_answer_without_counters(self):
        self.assert_refused("was not profiled", f"<!-- counters copy: {SOURCE} -->\n", answer="compile-error")
        empty = json.dumps({**ANSWER, "lines": []})
        self.assert_refused("has no counters", f"<!-- counters copy: {SOURCE} -->\n", answer=empty)


if __name__ == "__main__":
    unittest.main()
