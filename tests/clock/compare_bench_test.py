"""measurements/compare_bench: what it compiles, calls and records, and what it calls a fault."""

import json
import os
import pathlib
import runpy
import subprocess
import sys
import tempfile
import unittest

import imitated

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "measurements/compare_bench"
GPU = "NVIDIA H200"

# What the imitated nvcc makes: notes its arguments, and prints seconds for each size, others with each call.
EVENTS = r"""#!/bin/sh
name=${{0##*/}}
called=$(printf '%s\t' "$name" "$@")
printf '%s\n' "${{called%?}}" >>'{root}/called'
turn=0
[ -e '{root}/turn.'"$name" ] && read -r turn <'{root}/turn.'"$name"
echo $(((turn + 1) % {turns})) >'{root}/turn.'"$name"
shift
for size; do
  case $turn in
{events}
  esac
done
"""
# In place of lockstep: notes what it is asked for, and records other times than those that are there.
LOCKSTEP = """#!{python} -S
import json, pathlib, sys
with open("{root}/measured", "a") as measured:
    print(*sys.argv[1:], sep="\\t", file=measured)
path = pathlib.Path(sys.argv[sys.argv.index("--output") + 1]) / (sys.argv[2] + ".json")
record = json.loads(path.read_text())
record["commit"] = sys.argv[sys.argv.index("--commit") + 1]
for row in record["results"]:
    row["seconds"] = 1.02e-5
path.write_text(json.dumps(record))
sys.exit({status})
"""
# The tool itself, where the driver's answers are imitated.
WITH_A_GPU = f"""
import runpy, sys
sys.path.insert(0, "{TOOL.parent}")
import gpu
gpu.has_gpu, gpu.gpu_name = lambda: True, lambda: "{GPU}"
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
WITHOUT_A_GPU = WITH_A_GPU.replace("True", "False")
SCAN = ("10-scan/scan", "10-scan/peers/cub", "10-scan/peers/memcpy")
SIZES = ("n = 16384", "n = 33554393")


def read_sizes():
    """Of every exercise, by topic, as the records in the tree show them."""
    found = {}
    for path in (ROOT / "measurements").glob("*/*.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        if record.get("schema") == "lockstep/measurement/v1":
            found.setdefault(record["exercise"], set()).update(row["size"] for row in record["results"])
    return found


class CompareBench(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.output = self.root / "bench.json"
        self.records = self.root / "records"
        self.records.mkdir()
        self.write_record()

    def write_record(self, topic="scan", names=(*SCAN, "10-scan/rungs/look_back"), sizes=SIZES, **fields):
        rows = [{"name": name, "size": size, "variation": False, "seconds": 1e-5} for size in sizes for name in names]
        record = {"schema": "lockstep/measurement/v1", "exercise": topic, "card": GPU, "commit": "benched"}
        record |= {"ceiling": {"rate": 1}, "results": rows, **fields}
        (self.records / f"{topic}.json").write_text(json.dumps(record), encoding="utf-8")

    def run_tool(self, *more, topic="scan", events=("1.01e-5",), gpu=True, commit="abc", rounds="1", status=0):
        printed = "\n".join(f"    {turn}) echo {seconds} ;;" for turn, seconds in enumerate(events))
        told = {"python": sys.executable, "root": self.root, "events": printed, "turns": len(events), "status": status}
        texts = {"events": EVENTS.format(**told), "lockstep": LOCKSTEP.format(**told)}
        programs = imitated.write_programs(self.root, texts)
        command = [sys.executable, "-S", "-B", "-c", WITH_A_GPU if gpu else WITHOUT_A_GPU, TOOL, *topic.split()]
        command += ["--records", self.records, "--output", self.output, "--lockstep", programs / "lockstep"]
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
        path = self.root / name
        return [line.split("\t") for line in path.read_text().splitlines()] if path.exists() else []

    def test_reference_and_peers_are_timed_at_every_size_and_recorded(self):
        ran = self.run_tool()
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        sizes = ["--any", "16384", "33554393"]
        self.assertEqual(self.lines_of("called"), [[name.replace("/", "-"), *sizes] for name in SCAN])
        record = json.loads(self.output.read_text(encoding="utf-8"))
        self.assertEqual(record["schema"], "lockstep/bench-comparison/v1")
        self.assertEqual((record["card"], record["commit"]), (GPU, "abc"))
        rows = [(row["solution"], row["size"]) for row in record["results"]]
        self.assertEqual(rows, [(name, size) for name in SCAN for size in SIZES])
        row = record["results"][0]
        self.assertAlmostEqual(row.pop("difference"), 1e-5 / 1.01e-5 - 1)
        self.assertEqual(
            row,
            {
                "solution": "10-scan/scan",
                "size": "n = 16384",
                "bench_seconds": 1e-5,
                "bench_commit": "benched",
                "rounds": 1,
                "event_seconds": 1.01e-5,
            },
        )
        self.assertIn("6 compared, 0 of them not within 5%", ran.stdout)

    def test_solutions_are_compiled_with_what_they_need(self):
        names = ("05-transpose/transpose", "05-transpose/peers/cublas", "05-transpose/peers/memcpy")
        self.write_record("transpose", names, ["256 x 256"])
        self.assertEqual(self.run_tool(topic="transpose").returncode, 0)
        asked = {line[line.index("-o") + 1].rsplit("/", 1)[1]: line for line in self.lines_of("asked")}
        self.assertEqual(set(asked), {name.replace("/", "-") for name in names})
        for name, line in asked.items():
            self.assertEqual("-lcublas" in line, name.endswith("cublas"))
            self.assertNotIn("-lcusparse", line)
            (solution,) = [word.split('"')[1] for word in line if word.startswith("-DSOLUTION=")]
            self.assertTrue(pathlib.Path(solution).is_file(), line)
            (source,) = [word for word in line if "measurements/events" in word]
            self.assertTrue(pathlib.Path(source).is_file(), line)

    def test_a_peer_by_cusparse_is_linked_with_it(self):
        names = ("sparse_matrix", "peers/cusparse_alg1", "peers/cusparse_alg2")
        names = [f"13-sparse-matrix/{name}" for name in names]
        self.write_record("sparse-matrix", names, ["607 x 1024, 16384 nonzeros"])
        self.assertEqual(self.run_tool(topic="sparse-matrix").returncode, 0)
        for line in self.lines_of("asked"):
            self.assertEqual("-lcusparse" in line, "cusparse" in line[line.index("-o") + 1], line)
            self.assertNotIn("-lcublas", line)

    def test_every_size_of_every_record_is_known(self):
        sys.path.insert(0, str(TOOL.parent))
        programs = runpy.run_path(str(TOOL.parent / "event_programs.py"))
        records = read_sizes()
        self.assertEqual(set(records), set(programs["SIZES"]))
        # Those that no record of the tree has yet are there as soon as one has.
        records["scan"] |= {"n = 16384", "n = 33554393"}
        records["histogram"].add("bytes from the third on")
        records["flood"].add("4093 x 4093")
        records["drmsd"].add("4999 atoms, 20 frames")
        for topic, sizes in records.items():
            exercise = programs["exercise_of"](topic)
            for size in sizes:
                with self.subTest(topic=topic, size=size):
                    self.assertIsNotNone(programs["arguments_for"](f"{exercise}/{topic}", size))
        told = programs["arguments_for"]("17-multi-tau/multi_tau", "100 instants, 1024 sensors, 10 groups, elapsed = 7")
        self.assertEqual(told, "1024 100 7 10")
        self.assertIsNone(programs["arguments_for"]("19-flood/flood", "1024 x 2048"))

    def test_the_median_of_the_rounds_is_compared(self):
        ran = self.run_tool(rounds="3", events=("3e-5", "1.01e-5", "0.9e-5"))
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual({(row["rounds"], row["event_seconds"]) for row in self.rows()}, {(3, 1.01e-5)})

    def test_times_that_differ_are_a_fault_in_either_direction(self):
        for events in ("1.06e-5", "0.95e-5"):
            with self.subTest(events=events):
                ran = self.run_tool(events=(events,))
                self.assertEqual(ran.returncode, 1, ran.stderr)
                self.assertEqual(ran.stdout.count("fault: "), 6)
        self.assertEqual(self.run_tool(events=("1.052e-5",)).returncode, 0)

    def test_one_round_without_a_time_is_a_fault(self):
        for second in ("nan", "0", "-1e-5", "inf"):
            with self.subTest(events=second):
                ran = self.run_tool(rounds="3", events=("1e-5", second, "1e-5"))
                self.assertEqual(ran.returncode, 1, ran.stderr)
                self.assertEqual(ran.stdout.count("fault: "), 6)
                self.assertEqual({row["difference"] for row in self.rows()}, {None})

    def test_what_cannot_be_compared_ends_the_run(self):
        ran = self.run_tool(events=("nothing",))
        self.assertEqual(ran.returncode, 3)
        self.assertIn("printed no time: nothing", ran.stderr)
        self.write_record(sizes=["n = many"])
        ran = self.run_tool()
        self.assertEqual(ran.returncode, 3)
        self.assertIn("knows the size n = many of 10-scan/scan", ran.stderr)
        self.write_record(names=SCAN[:1])
        ran = self.run_tool()
        self.assertEqual(ran.returncode, 3)
        self.assertIn("the record of scan has no times of 10-scan/peers/cub", ran.stderr)
        self.write_record(card="NVIDIA H100")
        ran = self.run_tool()
        self.assertEqual(ran.returncode, 3)
        self.assertIn("is of NVIDIA H100, and this GPU is NVIDIA H200", ran.stderr)
        (self.records / "scan.json").unlink()
        self.assertEqual(self.run_tool().returncode, 3)
        for rounds in ("0", "many"):
            self.assertEqual(self.run_tool(rounds=rounds).returncode, 2)
        self.assertEqual(self.run_tool(topic="unknown").returncode, 2)

    def test_an_exercise_that_cannot_be_compared_does_not_keep_the_others(self):
        ran = self.run_tool(topic="transpose scan")
        self.assertEqual(ran.returncode, 3)
        self.assertIn("transpose.json", ran.stderr)
        self.assertEqual([row["solution"] for row in self.rows()][::2], list(SCAN))

    def test_records_are_renewed_first_where_that_is_asked_for(self):
        self.assertEqual(self.run_tool("--bench").returncode, 0)
        asked = ["bench", "scan", "--output", str(self.records), "--commit", "abc"]
        self.assertEqual(self.lines_of("measured"), [asked])
        self.assertEqual({(row["bench_seconds"], row["bench_commit"]) for row in self.rows()}, {(1.02e-5, "abc")})
        ran = self.run_tool("--bench", "--resume")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(self.lines_of("measured"), [asked])
        ran = self.run_tool("--bench", status=3)
        self.assertEqual(ran.returncode, 3)
        self.assertIn("lockstep bench scan ended with 3", ran.stderr)

    def test_resume_adds_what_is_missing_and_only_to_the_same_commit(self):
        self.run_tool()
        record = json.loads(self.output.read_text(encoding="utf-8"))
        del record["results"][3:]
        self.output.write_text(json.dumps(record), encoding="utf-8")
        (self.root / "called").unlink()
        ran = self.run_tool("--resume")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        called = [["10-scan-peers-cub", "--any", "33554393"], ["10-scan-peers-memcpy", "--any", "16384", "33554393"]]
        self.assertEqual(self.lines_of("called"), called)
        self.assertEqual(len(self.rows()), 6)
        ran = self.run_tool("--resume", rounds="3")
        self.assertEqual(ran.returncode, 3)
        self.assertIn("another number of rounds", ran.stderr)
        ran = self.run_tool("--resume", commit="def")
        self.assertEqual(ran.returncode, 3)
        self.assertIn("is of commit abc", ran.stderr)

    def test_without_a_gpu_it_is_skipped(self):
        ran = self.run_tool(gpu=False)
        self.assertEqual((ran.returncode, ran.stdout), (77, "skipped: this machine has no GPU\n"))


if __name__ == "__main__":
    unittest.main()
