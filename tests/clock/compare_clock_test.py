"""measurements/compare_clock: what it compiles and records, what it compares, and what it calls a fault."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import imitated

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "measurements/compare_clock"

# What the imitated nvcc makes: prints seconds.
EVENTS = "#!/bin/sh\necho $* >>'{root}/arguments'; echo events >>'{root}/turns'; echo {events}\n"
# In place of the judge: writes the same report for everything that it grades, or these alternately.
JUDGE = r"""#!/bin/sh
topic=$2
while [ $# -gt 0 ]; do
  case $1 in
    --submission) solution=${{2##*/}} ;;
    --output) output=$2 ;;
  esac
  shift
done
echo "$topic ${{solution%.cu}}" >>'{root}/graded'
echo judge >>'{root}/turns'
read -r turn <'{root}/turn'
echo $(((turn + 1) % {turns})) >'{root}/turn'
read -r report <"{root}/report.$turn"
printf '%s\n' "$report" >"$output"
exit 1
"""
# The tool itself, where the driver's answer is imitated.
WITH_A_GPU = f"""
import runpy, sys
sys.path.insert(0, "{TOOL.parent}")
import gpu
gpu.has_gpu = lambda: True
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
WITHOUT_A_GPU = WITH_A_GPU.replace("True", "False")
SIZES = {
    "coalescing": ("4194304 in rows of 4194336", "4194304 4194336"),
    "transpose": ("4096 x 8192", "4096 8192"),
    "reduction": ("n = 33554432", "33554432"),
    "matrix-product": ("4096 x 4096 x 4096", "4096 4096 4096"),
    "block-scan": ("32768 x 1024", "32768 1024"),
    "scan": ("n = 33554432", "33554432"),
    "compaction": ("n = 33554432", "33554432 500"),
    "segmented-scan": ("n = 33554432", "33554432 1024"),
    "sparse-matrix": ("3355443 x 3355443, 16777215 nonzeros", "3355443 3355443 16777215 power-law"),
    "block-sort": ("65536 x 1024", "65536 1024 any"),
    "sorting": ("n = 8388608", "8388608 0 any"),
    "tensor-cores": ("4096 x 4096 x 4096", "4096 4096 4096"),
    "histogram": ("bytes, n = 134217728, bins = 256", "134217728 1 256 0 uniform"),
}
# What is graded of transpose, in order.
RUNGS = sorted(source.stem for source in (ROOT / "solutions/05-transpose/rungs").glob("*.cu"))
SOLUTIONS = ["transpose", *RUNGS]


class CompareClock(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.output = self.root / "clock.json"

    def run_tool(self, topic, *more, events="1.01e-4", gpu=True, commit="abc", rounds="1", turns=({},), **speed):
        told = {"verdict": "too-slow", "size": SIZES[topic][0], "call_seconds": 1e-4, **speed}
        for number, turn in enumerate(turns):
            exercise = {"name": topic, "verdict": "inefficient", "speed": {**told, **turn}}
            report = {"device": {"kind": "gpu", "name": "NVIDIA H200"}, "exercises": [exercise]}
            (self.root / f"report.{number}").write_text(json.dumps(report) + "\n")
        (self.root / "turn").write_text("0\n")
        texts = {
            "events": EVENTS.format(root=self.root, events=events),
            "judge": JUDGE.format(root=self.root, turns=len(turns)),
        }
        programs = imitated.write_programs(self.root, texts)
        command = [sys.executable, "-S", "-B", "-c", WITH_A_GPU if gpu else WITHOUT_A_GPU, TOOL, topic, "--judge", programs / "judge", "--output", self.output]
        return subprocess.run(
            [*command, "--commit", commit, "--rounds", rounds, *more],
            env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"},
            capture_output=True,
            text=True,
            check=False,
        )

    def rows(self):
        return json.loads(self.output.read_text(encoding="utf-8"))["results"]

    def lines_of(self, name):
        return (self.root / name).read_text(encoding="utf-8").splitlines()

    def test_reference_and_rungs_are_graded_and_recorded(self):
        ran = self.run_tool("transpose")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(self.lines_of("graded"), [f"transpose {solution}" for solution in SOLUTIONS])
        record = json.loads(self.output.read_text(encoding="utf-8"))
        self.assertEqual(record["schema"], "lockstep/clock-comparison/v1")
        self.assertEqual((record["card"], record["commit"]), ("NVIDIA H200", "abc"))
        row, rung = record["results"][:2]
        self.assertEqual(rung["solution"], f"05-transpose/rungs/{RUNGS[0]}")
        self.assertAlmostEqual(row.pop("difference"), 1e-4 / 1.01e-4 - 1)
        self.assertEqual(
            row,
            {
                "solution": "05-transpose/transpose",
                "size": "4096 x 8192",
                "verdict": "inefficient",
                "rounds": 1,
                "judge_seconds": 1e-4,
                "event_seconds": 1.01e-4,
                "reason": None,
            },
        )
        self.assertIn(f"{len(SOLUTIONS)} compared, 0 of them not within 2%; 0 not compared", ran.stdout)

    def of_second_event_time(self, second):
        """What an imitated program prints: `second` at every second call of three."""
        return f"$(test $(($(grep -c . '{self.root}/arguments') % 3)) = 2 && echo {second} || echo 1.01e-4)"

    def test_clocks_take_turns_and_medians_are_compared(self):
        turns = ({"call_seconds": 3e-4}, {}, {"call_seconds": 0.9e-4})
        ran = self.run_tool("transpose", rounds="3", events=self.of_second_event_time("2e-4"), turns=turns)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(self.lines_of("turns"), 3 * len(SOLUTIONS) * ["judge", "events"])
        self.assertEqual(self.lines_of("graded")[:4], 3 * ["transpose transpose"] + [f"transpose {RUNGS[0]}"])
        row = self.rows()[0]
        self.assertEqual((row["rounds"], row["judge_seconds"], row["event_seconds"]), (3, 1e-4, 1.01e-4))

    def test_one_turn_without_a_time_is_a_fault(self):
        for second in ("nan", "0", "-1e-4"):
            with self.subTest(events=second):
                ran = self.run_tool("transpose", rounds="3", events=self.of_second_event_time(second))
                self.assertEqual(ran.returncode, 1, ran.stderr)
                self.assertEqual(ran.stdout.count("fault: "), len(SOLUTIONS))
        turns = ({}, {"verdict": "not-measured", "size": None, "call_seconds": None}, {})
        ran = self.run_tool("transpose", rounds="3", turns=turns)
        self.assertEqual(ran.returncode, 1, ran.stderr)
        self.assertEqual(ran.stdout.count("fault: "), len(SOLUTIONS))

    def test_what_cannot_be_compared_ends_the_run(self):
        ran = self.run_tool("transpose", rounds="2", turns=({}, {"size": "2048 x 2048"}))
        self.assertEqual(ran.returncode, 3)
        self.assertIn("timed at different sizes", ran.stderr)
        ran = self.run_tool("transpose", events="nothing")
        self.assertEqual(ran.returncode, 3)
        self.assertIn("printed no time: nothing", ran.stderr)
        for rounds in ("0", "many"):
            self.assertEqual(self.run_tool("transpose", rounds=rounds).returncode, 2)

    def test_every_exercise_has_a_program_that_gets_the_numbers_of_its_size(self):
        for topic, (_, numbers) in SIZES.items():
            with self.subTest(topic=topic):
                (self.root / "arguments").unlink(missing_ok=True)
                self.output.unlink(missing_ok=True)
                self.assertEqual(self.run_tool(topic).returncode, 0)
                self.assertEqual(set(self.lines_of("arguments")), {numbers})
        for line in self.lines_of("asked"):
            asked = line.split("\t")
            self.assertTrue(pathlib.Path(asked[-1]).is_file(), asked)
            (solution,) = [word.split('"')[1] for word in asked if word.startswith("-DSOLUTION=")]
            self.assertTrue(pathlib.Path(solution).is_file(), asked)

    def test_clocks_that_differ_are_a_fault_in_either_direction(self):
        for events in ("1.03e-4", "0.97e-4", "nan"):
            with self.subTest(events=events):
                self.output.unlink(missing_ok=True)
                ran = self.run_tool("scan", events=events)
                self.assertEqual(ran.returncode, 1, ran.stdout)
                self.assertIn("fault: 10-scan/scan", ran.stdout)

    def test_short_calls_are_listed_and_nothing_compared_is_no_success(self):
        ran = self.run_tool("transpose", events="1.9e-5", call_seconds=3e-5)
        self.assertEqual(ran.returncode, 1)
        self.assertEqual({row["reason"] for row in self.rows()}, {"a call takes no more than 20 us"})
        self.assertIn(f"0 compared, 0 of them not within 2%; {len(SOLUTIONS)} not compared", ran.stdout)
        self.assertNotIn("fault", ran.stdout)

    def test_who_was_ended_at_the_time_limit_has_a_reason_and_any_other_without_a_time_is_a_fault(self):
        ran = self.run_tool("transpose", call_seconds=None)
        self.assertNotIn("fault", ran.stdout)
        reason = "the judge ended it at the time limit and took no time"
        self.assertEqual({row["reason"] for row in self.rows()}, {reason})
        self.output.unlink()
        ran = self.run_tool("transpose", verdict="not-measured", size=None, call_seconds=None)
        self.assertEqual(ran.returncode, 1)
        self.assertEqual(ran.stdout.count("fault: "), len(SOLUTIONS))

    def test_a_size_that_no_program_knows_ends_the_run(self):
        ran = self.run_tool("histogram", size="words, n = 100, bins = 1024")
        self.assertEqual(ran.returncode, 3)
        self.assertIn("no program in", ran.stderr)

    def test_resume_adds_what_is_missing_and_only_to_the_same_commit(self):
        self.run_tool("transpose")
        record = json.loads(self.output.read_text(encoding="utf-8"))
        del record["results"][2:]
        self.output.write_text(json.dumps(record), encoding="utf-8")
        (self.root / "graded").unlink()
        ran = self.run_tool("transpose", "--resume")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(self.lines_of("graded"), [f"transpose {solution}" for solution in SOLUTIONS[2:]])
        self.assertEqual(len(self.rows()), len(SOLUTIONS))
        ran = self.run_tool("transpose", "--resume", rounds="3")
        self.assertEqual(ran.returncode, 3)
        self.assertIn("another number of rounds", ran.stderr)
        ran = self.run_tool("transpose", "--resume", commit="def")
        self.assertEqual(ran.returncode, 3)
        self.assertIn("is of commit abc", ran.stderr)

    def test_without_a_gpu_it_is_skipped(self):
        ran = self.run_tool("transpose", gpu=False)
        self.assertEqual((ran.returncode, ran.stdout), (77, "skipped: this machine has no GPU\n"))


if __name__ == "__main__":
    unittest.main()
