"""tests/red-team/run: what it says of verdicts and writes of them; and what counts as a GPU."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tests/red-team/run"
sys.path.insert(0, str(ROOT / "measurements"))
import gpu  # pylint: disable=wrong-import-position; it lies beside the records

# In place of the program: answers by the name of the submission, and keeps what the record held meanwhile.
PROGRAM = """#!{python} -S
import json, pathlib, shutil, sys
answers, record, meanwhile = {answers}, pathlib.Path("{record}"), "{meanwhile}"
value = lambda option: pathlib.Path(sys.argv[sys.argv.index(option) + 1])
name = value("--submission").stem
if record.exists():
    shutil.copy(record, meanwhile)
print("the words of the grader")
if name in answers:
    report = {{"device": {{"name": "NVIDIA H200"}}, "exercises": [{{"verdict": answers[name]}}]}}
    value("--output").write_text(json.dumps(report))
"""


class RedTeam(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.record, self.meanwhile = self.folder / "record.json", self.folder / "meanwhile.json"

    def run_tool(self, answers, *arguments):
        """Status, what it printed, and the record."""
        program = self.folder / "program"
        program.write_text(
            PROGRAM.format(
                python=sys.executable, answers=answers, record=self.record, meanwhile=self.meanwhile
            )
        )
        program.chmod(0o755)
        command = [sys.executable, "-S", "-B", TOOL, *arguments, "--device", "emulated", "--lockstep", program]
        command += ["--output", self.record, "--commit", "abc"]
        ran = subprocess.run(command, capture_output=True, text=True, check=False)
        record = json.loads(self.record.read_text(encoding="utf-8")) if self.record.exists() else None
        return ran.returncode, ran.stdout + ran.stderr, record

    def test_verdicts_as_expected(self):
        status, printed, record = self.run_tool(
            {"answers_nan": "wrong-answer", "answers_a_constant": "wrong-answer"},
            "answers_nan",
            "answers_a_constant",
        )
        self.assertEqual(status, 0, printed)
        self.assertIn("2 of 2 as expected", printed)
        self.assertNotIn("the words of the grader", printed)
        head = {key: record[key] for key in ("schema", "card", "commit")}
        self.assertEqual(
            head, {"schema": "lockstep/red-team/v1", "card": "NVIDIA H200", "commit": "abc"}
        )
        self.assertTrue(record["command"].startswith("tests/red-team/run answers_nan"), record)
        for row in record["results"]:
            self.assertGreaterEqual(row.pop("seconds"), 0)
        self.assertEqual(
            record["results"],
            [
                {
                    "name": "answers_a_constant",
                    "exercise": "histogram",
                    "expected": "wrong-answer",
                    "verdict": "wrong-answer",
                },
                {
                    "name": "answers_nan",
                    "exercise": "transpose",
                    "expected": "wrong-answer",
                    "verdict": "wrong-answer",
                },
            ],
        )

    def test_another_verdict_is_recorded_and_fails(self):
        status, printed, record = self.run_tool({"answers_nan": "passed"}, "answers_nan")
        self.assertEqual(status, 1, printed)
        self.assertIn("the words of the grader", printed)
        self.assertEqual(record["results"][0]["verdict"], "passed")

    def test_record_is_written_after_each_submission(self):
        _, printed, _ = self.run_tool(
            {"answers_nan": "wrong-answer", "answers_a_constant": "wrong-answer"},
            "answers_nan",
            "answers_a_constant",
        )
        rows = json.loads(self.meanwhile.read_text(encoding="utf-8"))["results"]
        self.assertEqual([row["name"] for row in rows], ["answers_a_constant"], printed)

    def test_grader_without_a_report_is_recorded_with_the_first_that_has_one(self):
        status, printed, record = self.run_tool(
            {"answers_nan": "wrong-answer"}, "answers_nan", "answers_a_constant"
        )
        self.assertEqual(status, 1, printed)
        self.assertEqual([row["verdict"] for row in record["results"]], ["no report", "wrong-answer"])

    def test_a_record_goes_on(self):
        self.run_tool({"answers_nan": "passed"}, "answers_nan")
        status, printed, record = self.run_tool(
            {"answers_nan": "wrong-answer", "answers_a_constant": "wrong-answer"},
            "answers_nan",
            "answers_a_constant",
            "--resume",
        )
        self.assertEqual(status, 1, "the verdict of before stays what it was")
        self.assertIn("1 of 2 as expected", printed)
        self.assertEqual(
            [(row["name"], row["verdict"]) for row in record["results"]],
            [("answers_nan", "passed"), ("answers_a_constant", "wrong-answer")],
        )

    def test_a_record_of_another_kind_does_not_go_on(self):
        whole = {"schema": "lockstep/red-team/v1", "card": "a GPU", "commit": "abc", "results": []}
        without_commit = {key: value for key, value in whole.items() if key != "commit"}
        for record in ({**whole, "schema": "lockstep/calibration/v1"}, without_commit, []):
            with self.subTest(record=record):
                self.record.write_text(json.dumps(record))
                status, printed, _ = self.run_tool({"answers_nan": "wrong-answer"}, "answers_nan", "--resume")
                self.assertEqual(status, 3)
                self.assertIn("is no record of this kind", printed)

    def test_no_report_at_all_is_no_record(self):
        status, printed, record = self.run_tool({}, "answers_nan")
        self.assertEqual((status, record), (1, None), printed)


class HasGpu(unittest.TestCase):
    def found(self, status, gpus):
        def count(pointer):
            pointer._obj.value = gpus  # pylint: disable=protected-access; what byref() points to
            return 0

        driver = mock.Mock(cuInit=lambda flags: status, cuDeviceGetCount=count)
        with mock.patch("ctypes.CDLL", return_value=driver):
            return gpu.has_gpu()

    def test_no_driver(self):
        with mock.patch("ctypes.CDLL", side_effect=OSError):
            self.assertFalse(gpu.has_gpu())

    def test_driver_that_does_not_start(self):
        self.assertFalse(self.found(status=999, gpus=1))

    def test_driver_without_a_gpu(self):
        self.assertFalse(self.found(status=0, gpus=0))

    def test_gpu(self):
        self.assertTrue(self.found(status=0, gpus=1))


if __name__ == "__main__":
    unittest.main()
