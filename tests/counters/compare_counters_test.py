"""measurements/compare_counters: what it makes of counters, and which differences are faults."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "measurements/compare_counters"
SOLUTION = "05-transpose/rungs/tiled"
ANSWER = {
    "card": "NVIDIA H200",
    "multiprocessors": 132,
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
REASON = {"solution": "05-*/tiled", "counter": "shared-*-wavefronts", "ratio": [1.1, 1.2],
          "reason": "The compiler splits it."}  # fmt: skip

# In place of the command.
COMMAND = """#!{python} -S
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
        source.write_text("of today")

    def run_tool(self, reasons, *more, status=0, errors="", answer=ANSWER):
        """Status, what it printed, and the file it wrote."""
        command, table, output = (self.root / name for name in ("command", "reasons.json", "output.json"))
        command.write_text(
            COMMAND.format(python=sys.executable, answer=json.dumps(answer), errors=errors, status=status)
        )
        command.chmod(0o755)
        table.write_text(json.dumps(reasons))
        finished = subprocess.run(
            [sys.executable, "-S", "-B", TOOL, "--root", self.root, "--lockstep", command, "--reasons", table,
             "--output", output, "--commit", "c0ffee", *more],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        written = json.loads(output.read_text()) if output.exists() else None
        return finished.returncode, finished.stdout + finished.stderr, written

    def test_difference_without_a_reason_is_a_fault(self):
        status, printed, written = self.run_tool([])
        self.assertEqual(status, 1, printed)
        self.assertIn(f"{SOLUTION}: shared-load-wavefronts differs and counter_differences.json gives no", printed)
        self.assertIn("1.12500  transpose_kernel, case 64 x 64  UNEXPLAINED", printed)
        self.assertIsNone(written["results"][1]["reason"])

    def test_difference_beyond_its_reason_is_a_fault(self):
        for ratio in ([1.0, 1.12], [1.13, 2.0]):
            status, printed, _ = self.run_tool([{**REASON, "ratio": ratio}])
            self.assertEqual(status, 1, printed)
            self.assertIn("differs by more than counter_differences.json gives a reason for", printed)

    def test_difference_with_its_reason_is_none(self):
        status, printed, written = self.run_tool([REASON])
        self.assertEqual(status, 0, printed)
        self.assertEqual(written["schema"], "lockstep/counter-comparison/v1")
        self.assertEqual((written["card"], written["commit"]), ("NVIDIA H200", "c0ffee"))
        self.assertEqual(len(written["results"]), 2, "what neither device saw is left out")
        self.assertEqual(written["results"][1]["reason"], REASON["reason"])
        self.assertIn("1 differ: 05-*/tiled shared-*-wavefronts, 1.1 to 1.2 times. The compiler splits it.", printed)

    def test_reason_without_a_difference_is_a_fault(self):
        for stale in ({"counter": "global-load-sectors"}, {"solution": "05-transpose/gone"}, {"ratio": [2, 3]}):
            status, printed, _ = self.run_tool([REASON, {**REASON, **stale, "reason": "Stale."}])
            self.assertEqual(status, 1, printed)
            self.assertIn("does not differ so any more, but has a reason: Stale.", printed)

    def test_stale_reason_in_the_words_of_another_is_a_fault(self):
        stale = {**REASON, "counter": "global-load-sectors"}
        status, printed, _ = self.run_tool([REASON, stale])
        self.assertEqual(status, 1, printed)
        self.assertIn("global-load-sectors does not differ so any more", printed)

    def test_reason_has_words_and_bounds(self):
        for wrong in ({"reason": " "}, {"ratio": [1.2, 1.1]}, {"ratio": 1.1}, {"ratio": [float("nan"), 2]}):
            status, printed, _ = self.run_tool([{**REASON, **wrong}])
            self.assertEqual(status, 3, printed)
            self.assertIn("no solution, counter, ratio (two numbers) and reason", printed)

    def test_what_happens_a_few_times_has_a_bound_of_its_own(self):
        answer = json.loads(json.dumps(ANSWER))
        counters = answer["cases"][0]["kernels"][0]["counters"]
        counters["shared-store-wavefronts"] = {"emulated": 0, "hardware": 3, "ratio": None, "equal": False}
        for most, expected in ((0, 1), (2, 1), (3, 0)):
            status, printed, _ = self.run_tool([{**REASON, "within": most}], answer=answer)
            self.assertEqual(status, expected, printed)

    def recorded(self):
        """A record of hardware's 8 sectors and 9 wavefronts, and what the emulated device alone says."""
        _, _, record = self.run_tool([REASON])
        file = self.root / "record.json"
        file.write_text(json.dumps(record))
        alone = {**json.loads(json.dumps(ANSWER)), "verdict": "inefficient"}
        for kernel in alone["cases"][0]["kernels"]:
            kernel["counters"] = {name: found["emulated"] for name, found in kernel["counters"].items()}
        return file, alone

    def test_record_stands_for_the_gpu(self):
        file, alone = self.recorded()
        # A rung that is inefficient ends with 1.
        status, printed, written = self.run_tool([REASON], "--recorded", file, answer=alone, status=1)
        self.assertEqual(status, 0, printed)
        self.assertEqual(written, json.loads(file.read_text()))

    def test_what_was_stopped_was_not_counted_whole(self):
        file, alone = self.recorded()
        for verdict in ("time-limit", "crashed"):
            answer = {**alone, "verdict": verdict}
            status, printed, _ = self.run_tool([REASON], "--recorded", file, answer=answer, status=1)
            self.assertEqual(status, 3, printed)
            self.assertIn(f"{SOLUTION}: {verdict}, so it may be counted in part", printed)

    def test_emulated_device_that_counts_otherwise_than_recorded_is_a_fault(self):
        file, alone = self.recorded()
        alone["cases"][0]["kernels"][0]["counters"]["global-load-sectors"] = 9
        status, printed, _ = self.run_tool([REASON], "--recorded", file, answer=alone)
        self.assertEqual(status, 1, printed)
        self.assertIn("global-load-sectors differs", printed)

    def test_kernel_that_the_record_lacks_is_a_fault(self):
        file, alone = self.recorded()
        alone["cases"][0]["kernels"].append({"name": "new", "counters": {"global-load-sectors": 1}})
        self.assertEqual(self.run_tool([REASON], "--recorded", file, answer=alone)[0], 1)

    def test_case_that_is_newer_than_the_record_is_left_out(self):
        file, alone = self.recorded()
        newer = {"name": "9 x 9", "calls": 1, "kernels": [{"name": "new", "counters": {"global-load-sectors": 1}}]}
        alone["cases"].append(newer)
        status, printed, written = self.run_tool([REASON], "--recorded", file, answer=alone)
        self.assertEqual(status, 0, printed)
        self.assertIn(f"{SOLUTION}: the NVIDIA H200 has not counted case 9 x 9, so left out", printed)
        self.assertEqual(written, json.loads(file.read_text()))

    def test_solution_of_another_text_is_left_out_of_the_record(self):
        file, alone = self.recorded()
        (self.root / "solutions" / (SOLUTION + ".cu")).write_text("of tomorrow")
        status, printed, _ = self.run_tool([REASON], "--recorded", file, answer=alone)
        self.assertIn(f"{SOLUTION}: not as it was when the NVIDIA H200 counted it, so left out", printed)
        self.assertEqual(status, 3, "nothing is left")

    def test_solution_with_other_comments_is_the_same(self):
        source = self.root / "solutions" / (SOLUTION + ".cu")
        source.write_text('// Counted.\nconst char* s = "// no comment";\nint n;  /* of\n now */\n')
        file, alone = self.recorded()
        source.write_text('// Of tomorrow.\nconst char* s = "// no comment";  // ours\n\n  int n;\n')
        self.assertEqual(self.run_tool([REASON], "--recorded", file, answer=alone)[0], 0)
        source.write_text('const char* s = "// another";\nint n;\n')
        status, printed, _ = self.run_tool([REASON], "--recorded", file, answer=alone)
        self.assertEqual(status, 3, printed)

    def test_what_another_generator_decided_is_left_out_of_the_record(self):
        file, alone = self.recorded()
        record = json.loads(file.read_text())
        record["sources"]["19-flood/flood"] = "of then"
        del record["generator"]
        file.write_text(json.dumps(record))
        status, printed, _ = self.run_tool([REASON], "--recorded", file, answer=alone)
        self.assertEqual(status, 0, printed)
        self.assertIn("19-flood/flood: the NVIDIA H200 counted it with inputs of another generator", printed)

    def test_no_gpu_is_a_skip(self):
        status, printed, written = self.run_tool([], status=3, errors="lockstep: no usable GPU on this machine: …")
        self.assertEqual((status, written), (77, None), printed)

    def test_failure_is_told_and_no_pass(self):
        status, printed, written = self.run_tool([REASON], status=3, errors="cuptiRangeProfilerStart: WORDS")
        self.assertEqual(status, 3, printed)
        self.assertIn("cuptiRangeProfilerStart: WORDS", printed)
        self.assertIsNone(written, "a record of a part is none")

    def test_failure_beside_others_is_tried_again_alone(self):
        once = self.root / "failed"
        first_fails = f"import pathlib; once = pathlib.Path('{once}')\nif not once.exists(): once.touch(); sys.exit(3)\n"
        status, printed, written = self.run_tool([REASON], errors='", end="")\n' + first_fails + 'print("')
        self.assertEqual(status, 0, printed)
        self.assertEqual(list(written["sources"]), [SOLUTION])

    def test_launch_that_is_lost_is_a_failure(self):
        errors = "the GPU's counters cannot be read: CUPTI counted 3 launches where 4 were made"
        status, printed, _ = self.run_tool([], status=3, errors=errors)
        self.assertEqual(status, 3, printed)
        self.assertNotIn("left out", printed)

    def test_solution_of_too_many_launches_is_left_out(self):
        errors = "the GPU's counters cannot be read: CUPTI counted 64 launches where 73 were made"
        status, printed, written = self.run_tool([], status=3, errors=errors)
        self.assertIn(f"{SOLUTION}: left out, since CUPTI counted 64 launches where 73 were made", printed)
        self.assertEqual((status, written), (3, None), "nothing else was counted")

    def test_nothing_counted_is_no_pass(self):
        self.assertEqual(self.run_tool([], answer={**ANSWER, "cases": []})[0], 3)


# Solutions that launch more kernels in a call than a GPU's counters have room for.
TOO_MANY_LAUNCHES = {"15-sorting/rungs/split_by_bit", "19-flood/rungs/active_tiles", "19-flood/rungs/until_stable"}


class Lecture(unittest.TestCase):
    def test_tells_the_record_of_today(self):
        record = json.loads((ROOT / "measurements/nvidia-h200/counters.json").read_text(encoding="utf-8"))
        lecture = " ".join((ROOT / "lectures/01-grading.md").read_text(encoding="utf-8").split())
        rows = record["results"]
        equal = sum(row["equal"] for row in rows)
        self.assertIn(f"(driver {record['driver']}, toolkit {record['toolkit']}, {record['date']})", lecture)
        self.assertRegex(lecture, f"Of {len(rows)} numbers, [^.]*, {equal} are equal to the last digit")
        solutions = [*(ROOT / "solutions").glob("*/*.cu"), *(ROOT / "solutions").glob("*/rungs/*.cu")]
        folders = sorted({source.relative_to(ROOT / "solutions").parts[0] for source in solutions})
        recorded = {source.split("/")[0] for source in record["sources"]}
        words = dict(enumerate("no one two three four five six seven eight nine ten eleven twelve thirteen".split()))
        missing = [folder for folder in folders if folder not in recorded]
        names = {str(source.relative_to(ROOT / "solutions").with_suffix("")) for source in solutions}
        left_out = {name for name in names - record["sources"].keys() if name.split("/")[0] in recorded}
        self.assertLessEqual(TOO_MANY_LAUNCHES, left_out)
        newer = len(left_out - TOO_MANY_LAUNCHES)
        exceptions = [f"those of {folder.split('-', 1)[1]}" for folder in missing]
        exceptions += [f"{words[newer]} rungs that are newer than the record"] if newer else []
        exceptions.append(f"{words[len(TOO_MANY_LAUNCHES)]} that launch more kernels")
        listed = ", and ".join(filter(None, [", ".join(exceptions[:-1]), exceptions[-1]]))
        self.assertIn(f"The references and rungs of this course, except for {listed}", lecture)


if __name__ == "__main__":
    unittest.main()
