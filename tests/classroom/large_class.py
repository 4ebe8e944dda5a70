#!/usr/bin/env python3
"""Grades a made-up class of many students, kills the command on the way, and compares.

    tests/classroom/large_class.py [LOCKSTEP] [OPTION…]

Each student hands in a file for each exercise: a reference, a rung, a known mistake, or a submission of the red team,
no two alike, in a folder or an archive. There are broken archives besides. The command is killed as often as asked, with
SIGKILL, each time when a further part of the class has been graded, and typed again. In the end

- each file has been graded once, and what had been graded before a kill is as it was,
- each verdict is the one that the file's first lines state,
- each broken archive is listed and has no points,
- of some files, drawn at random, `grade` alone with the same secret says the same, all of it but times and what depends
  on which warps run first; with `--device gpu` this is left out, as speeds differ, and a rung may be too slow.

Exit status: 0 all of this holds, 1 some does not, 77 there is no Slurm where --slurm asks for it.
"""

import argparse
import dataclasses
import io
import json
import os
import pathlib
import random
import signal
import sqlite3
import statistics
import subprocess
import sys
import tarfile
import time
import zipfile

import slurm_cluster

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "measurements"), str(ROOT / "tests/red-team")]
# pylint: disable=wrong-import-position; they lie beside the records and the attacks
from attacks import submissions
from event_programs import exercise_of
from gpu import gpu_name
from heading import heading, where_and_when, write_record

SCHEMA = "lockstep/large-class/v1"
EXERCISES = (
    "coalescing transpose reduction matrix-product histogram block-scan scan compaction segmented-scan block-sort"
).split()
HELD, FAULTS, SKIPPED = 0, 1, 77
SHARES = {"reference": 35, "rung": 30, "mistake": 25, "red-team": 10}  # of the files, where there are such
SAMPLE_INTERVAL, SHOWN_INTERVAL = 0.5, 60  # seconds
OF_THE_RUN = {"seconds", "compile_seconds"}  # fields in which the reports of two gradings differ
# Verdicts of which a report says where it happened first, which depends on the warps that run first.
FIRST_MET = {"out-of-bounds", "race", "time-limit", "uninitialised-read"}
OF_THE_PLACE = {"message", "guess", "question", "places", "next_step"}
# Exercises in which blocks may wait for others. How often they look meanwhile depends on the blocks that run first, and
# gates count it. Where they do not wait as they should, so do the cases that show it, and what is wrong in them.
WAITING = {"block-scan", "scan", "compaction", "segmented-scan"}
OF_A_FAILURE = OF_THE_PLACE | {"verdict", "mismatches", "total", "wrong"}


@dataclasses.dataclass
class HandedIn:
    name: str
    text: str
    verdicts: tuple[str, ...]  # one of which it must get


def headings(text, key):
    start = f"// {key}: "
    return [line[len(start) :] for line in text.splitlines() if line.startswith(start)]


def solution_of(exercise):
    return ROOT / "solutions" / exercise_of(exercise)


def text_of(file):
    """Of a solution or an attack; of a known mistake, which is a difference, what it makes of its solution."""
    if file.suffix != ".patch":
        return file.read_text()
    shown = subprocess.run([ROOT / "tests/course/mistake", "show", file], capture_output=True, text=True, check=True)
    return shown.stdout


def verdicts_of_rung(text, device):
    if headings(text, "fails"):
        return ("inefficient",)
    return ("passed", "too-slow") if device == "gpu" else ("passed",)


def pool_of(exercise, device):
    """By kind, the files that can be handed in, each with the verdicts that it may get."""
    folder = solution_of(exercise)
    (reference,) = folder.glob("*.cu")
    pool = {
        "reference": [(reference, ("passed",))],
        "rung": [
            (rung, verdicts_of_rung(rung.read_text(), device)) for rung in sorted(folder.glob("rungs/*.cu"))
        ],
        "mistake": [
            (patch, tuple(headings(patch.read_text(), "expect"))) for patch in sorted(folder.glob("wrong/*.patch"))
        ],
        "red-team": [(one.path, (one.expected(device),)) for one in submissions() if one.exercise == exercise],
    }
    return reference.name, {kind: files for kind, files in pool.items() if files}


def write_entry(folder, student, form, files):
    """`files` are texts by their names."""
    if form == "folder":
        (folder / student).mkdir()
        for name, text in files.items():
            (folder / student / name).write_text(text)
    elif form == "zip":
        with zipfile.ZipFile(folder / f"{student}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(f"homework/{name}", text)
    else:
        with tarfile.open(folder / f"{student}.tar.gz", "w:gz") as archive:
            for name, text in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(text.encode())
                archive.addfile(member, io.BytesIO(text.encode()))


def write_broken(folder, number, files):
    """An archive of which nothing may be graded."""
    student = f"broken-{number}"
    write_entry(folder, student, "zip", files)
    path = folder / f"{student}.zip"
    whole = path.read_bytes()
    if number % 3 == 0:
        path.write_bytes(whole[: len(whole) // 2])
    elif number % 3 == 1:
        path.write_bytes(b"this is no archive\n")
    else:
        with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
            for part in range(5):
                archive.writestr(f"zeros-{part}", bytes(64 << 20))
    return student


def make_class(folder, students, broken, exercises, device, seed):
    """Writes all entries. Returns what was handed in by student and exercise, and the names of the broken entries."""
    draw = random.Random(seed)
    pools = {exercise: pool_of(exercise, device) for exercise in exercises}
    expected = {}

    def files_of(student):
        files = {}
        for exercise, (file, pool) in pools.items():
            kind = draw.choices(list(pool), [SHARES[kind] for kind in pool])[0]
            source, verdicts = draw.choice(pool[kind])
            # The line stands at the end, so that the others keep their numbers.
            files[file] = f"{text_of(source)}\n// Handed in by {student}.\n"
            expected[student, exercise] = HandedIn(f"{kind} {source.stem}", files[file], verdicts)
        return files

    for number in range(1, students + 1):
        student = f"student-{number:03}"
        write_entry(folder, student, draw.choice(["folder", "folder", "folder", "zip", "tar"]), files_of(student))
    sound = dict(expected)
    names = [write_broken(folder, number, files_of(f"broken-{number}")) for number in range(broken)]
    return sound, names


def asked(database, question):
    """The rows of a query; none where there is no database, or it is just being made."""
    if not database.exists():
        return []
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=60)
    try:
        return connection.execute(question).fetchall()
    except sqlite3.OperationalError:
        return []
    finally:
        connection.close()


def rows_of(database):
    """The class's gradings: id, student, exercise, secret, verdict, report."""
    columns = "id, CAST(student AS TEXT), exercise, secret, verdict, report"
    return asked(database, f"SELECT {columns} FROM gradings ORDER BY id")


def count_of(database):
    return sum(count for (count,) in asked(database, "SELECT count(*) FROM gradings"))


def resident(process):
    """MiB of a process that runs; 0 when it has ended."""
    try:
        lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0
    return max((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS:")), default=0)


def may_differ(key, part, exercise):
    """A field of `part`, which is an object of the report on an exercise."""
    if key in OF_THE_RUN:
        return True
    if "mismatches" in part and exercise in WAITING:  # a case; the verdict on all of them is compared
        return key in OF_A_FAILURE
    if key in OF_THE_PLACE:
        return part.get("verdict") in FIRST_MET or (exercise in WAITING and part.get("verdict") != "passed")
    if key in ("value", "case"):  # of a gate, and in which case it is that
        return exercise in WAITING
    return False


def differences(one, other, exercise, path=""):
    """Where two reports on an exercise differ, but for fields that may."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted(one.keys() | other.keys()):
            if not may_differ(key, one, exercise):
                yield from differences(one.get(key), other.get(key), exercise, f"{path}/{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, pair in enumerate(zip(one, other)):
            yield from differences(*pair, exercise, f"{path}/{place}")
    elif one != other:
        yield f"{path}: {str(one)[:200]} and {str(other)[:200]}"


class Trial:
    def __init__(self, arguments, folder, environment):
        self.arguments, self.folder, self.environment = arguments, folder, environment
        self.results = folder / "results"
        self.database = self.results / "class.sqlite"
        self.faults = []

    def fault(self, text):
        self.faults.append(text)
        print(f"fault: {text}", flush=True)

    def start(self):
        words = [self.arguments.lockstep, "class", "handed-in", "--results", "results"]
        words += ["--device", self.arguments.device, "--exercises", *self.arguments.exercises]
        if self.arguments.workers:
            words += ["--workers", str(self.arguments.workers)]
        if self.arguments.slurm:
            words += ["--executor", "slurm", "--slurm-options", "--mem=0 --cpus-per-task=1"]
        with open(self.folder / "log", "ab") as log:
            return subprocess.Popen(words, cwd=self.folder, env=self.environment, stdout=log, stderr=log)

    def run(self, due):
        """Grades all that is due, with the kills. Returns of each run the gradings before and after it, its seconds, and
        the most memory of the command.
        """
        kills = [due * (number + 1) // (self.arguments.kills + 1) for number in range(self.arguments.kills)]
        runs, kept = [], {}
        while True:
            began, process, most = time.monotonic(), self.start(), 0
            shown, count = began, count_of(self.database)
            before = count
            while process.poll() is None:
                time.sleep(SAMPLE_INTERVAL)
                most = max(most, resident(process.pid))
                count = count_of(self.database)
                if time.monotonic() - shown > SHOWN_INTERVAL:
                    shown = time.monotonic()
                    print(f"{count:5} of {due} graded", flush=True)
                if kills and count >= kills[0]:
                    process.kill()
                    if process.wait() == -signal.SIGKILL:  # and has not just ended by itself
                        kills.pop(0)
                    break
            rows = {row[0]: row for row in rows_of(self.database)}
            for number, row in kept.items():
                if rows.get(number) != row:
                    self.fault(f"grading {number} of {row[1:3]} is not what it was before a kill")
            kept = rows
            taken = time.monotonic() - began
            runs.append({"gradings": [before, len(rows)], "seconds": round(taken, 1), "class_mib": most})
            status = "killed" if process.returncode == -signal.SIGKILL else f"status {process.returncode}"
            print(f"{len(rows):5} of {due} graded, {taken:.0f} s, {status}, at most {most} MiB", flush=True)
            if process.returncode != -signal.SIGKILL:
                if process.returncode != 0 or kills:
                    self.fault(f"the command ended with {process.returncode} and {len(kills)} kills left")
                    print((self.folder / "log").read_text(errors="replace")[-3000:])
                return runs

    def check_verdicts(self, expected):
        rows = rows_of(self.database)
        seen = [row[1:3] for row in rows]
        for student, exercise in sorted({one for one in seen if seen.count(one) > 1}):
            self.fault(f"{student}: {exercise}: graded more than once")
        for missing in sorted(expected.keys() - set(seen)):
            self.fault(f"{': '.join(missing)}: not graded")
        for stranger in sorted(set(seen) - expected.keys()):
            self.fault(f"{': '.join(stranger)}: graded, and nobody's")
        for _, student, exercise, _, verdict, report in rows:
            wanted = expected.get((student, exercise))
            if wanted and verdict not in wanted.verdicts:
                stated = " or ".join(wanted.verdicts)
                self.fault(f"{student}: {exercise}: {verdict} in place of {stated}: {wanted.name}")
                graded = json.loads(report)["exercises"][0] if report else {}
                said = {key: graded.get(key) for key in ("message", "compiler_output", "speed")}
                print(json.dumps(said)[:2000], flush=True)
        return rows

    def check_broken(self, names):
        log = (self.folder / "log").read_text(errors="replace")
        points = (self.results / "points.csv").read_text()
        for name in names:
            if f"{name}: the archive" not in log:
                self.fault(f"{name} is not listed")
            if not any(line.startswith(f"{name},") and line.endswith(",0.0") for line in points.splitlines()):
                self.fault(f"{name} has points")

    def check_alone(self, rows, expected, draw):
        """Compares some gradings with what `grade` alone says of the file, under the same secret."""
        for _, student, exercise, secret, verdict, report in draw.sample(rows, min(self.arguments.alone, len(rows))):
            file = self.folder / "alone" / student / next(solution_of(exercise).glob("*.cu")).name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(expected[student, exercise].text)
            words = [self.arguments.lockstep, "grade", exercise, "--submission", file.name, "--device", "emulated"]
            words += ["--secret-file", "-", "--format", "json"]
            ran = subprocess.run(
                words, cwd=file.parent, env=self.environment, input=secret, capture_output=True, text=True, check=False
            )
            if ran.returncode not in (0, 1):
                self.fault(f"{student}: {exercise}: {verdict}, but grade alone fails: {ran.stderr}")
                continue
            for difference in differences(json.loads(report), json.loads(ran.stdout), exercise):
                self.fault(f"{student}: {exercise}: in the class and alone {difference}")


def hourly(run):
    before, after = run["gradings"]
    return 3600 * (after - before) / max(run["seconds"], 0.1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lockstep", nargs="?", type=pathlib.Path, default=ROOT / "lockstep")
    parser.add_argument("--students", type=int, default=200)
    parser.add_argument("--broken", type=int, default=10, help="broken archives")
    parser.add_argument("--exercises", nargs="+", default=EXERCISES, metavar="NAME")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--device", choices=["emulated", "gpu"], default="emulated")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--alone", type=int, default=100, help="gradings that are compared with grade alone, without a GPU")
    parser.add_argument("--slurm", action="store_true", help="on a Slurm that this starts, as root")
    parser.add_argument("--seed", type=int, default=1, help="of who hands in what")
    parser.add_argument("--output", type=pathlib.Path, metavar="FILE", help="write a record as JSON")
    parser.add_argument("--commit", default="", help="where the tree is no Git repository")
    arguments = parser.parse_args()
    arguments.lockstep = arguments.lockstep.resolve()
    on_gpu = arguments.device == "gpu"
    if on_gpu:
        arguments.alone = 0
    if arguments.slurm and (reason := slurm_cluster.why_not()):
        print("skipped:", reason)
        return SKIPPED

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(FAULTS))
    slurm_cluster.become_parent_of_all()
    folder = slurm_cluster.make_folder()
    try:
        environment = {**os.environ, "LOCKSTEP_ROOT": str(ROOT), "LOCKSTEP_CACHE": str(folder / "cache")}
        if not on_gpu:
            environment["CUDA_VISIBLE_DEVICES"] = ""
        if arguments.slurm:
            environment["SLURM_CONF"] = slurm_cluster.Cluster(folder).environment["SLURM_CONF"]
        (folder / "handed-in").mkdir()
        expected, broken = make_class(
            folder / "handed-in",
            arguments.students,
            arguments.broken,
            arguments.exercises,
            arguments.device,
            arguments.seed,
        )
        trial = Trial(arguments, folder, environment)
        runs = trial.run(len(expected))
        rows = trial.check_verdicts(expected)
        trial.check_broken(broken)
        trial.check_alone(rows, expected, random.Random(arguments.seed))
    finally:
        slurm_cluster.remove(folder)
    verdicts = {}
    for row in rows:
        verdicts[row[4]] = verdicts.get(row[4], 0) + 1
    hourly_rate = round(statistics.median(hourly(run) for run in runs))
    if arguments.output:
        head = {
            "schema": SCHEMA,
            **where_and_when("tests/classroom/large_class.py"),
            **(heading(SCHEMA, gpu_name(), arguments.commit) if on_gpu else {}),
            "gradings": len(rows),
            "kills": arguments.kills,
            "gradings_per_hour": hourly_rate,
            "verdicts": dict(sorted(verdicts.items())),
            "compared_alone": min(arguments.alone, len(rows)),
            "faults": trial.faults,
        }
        write_record(arguments.output, head, runs)
    print(f"{len(rows)} gradings, {hourly_rate} an hour, {len(trial.faults)} faults")
    return FAULTS if trial.faults else HELD


if __name__ == "__main__":
    sys.exit(main())
