#!/usr/bin/env python3
"""The judge on a real GPU: verdicts of what goes wrong there, sizes that are too large to be emulated, the lock, a killed judge, a killed runner, the clock.

    tests/gpu/judge_on_gpu.py [LOCKSTEP [TEST…]]

LOCKSTEP is the program to test: ./lockstep of this tree when none is named, or that of an unpacked package.
TEST is the name of a test below, as test_clock. Needs python3 and nvcc besides. Without a GPU it says so and
exits with 77.
Run it alone on the GPU: it reads how much of the GPU's memory is used.
"""

import ctypes
import fcntl
import glob
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "measurements"))
from gpu import has_gpu  # pylint: disable=wrong-import-position; it lies beside the records

SOLUTION = ROOT / "solutions/05-transpose"
SKIPPED = 77
LOCKSTEP = ROOT / "lockstep"
# The first solution of each lecture: right, and far too slow.
FIRST_RUNGS = {
    "coalescing": "04-coalescing/rungs/chunks.cu",
    "transpose": "05-transpose/rungs/naive.cu",
    "reduction": "06-reduction/rungs/interleaved.cu",
    "matrix-product": "07-matrix-product/rungs/naive.cu",
    "block-scan": "09-block-scan/rungs/blelloch.cu",
    "scan": "10-scan/rungs/three_pass.cu",
    "compaction": "11-compaction/rungs/map_scan_scatter.cu",
    "segmented-scan": "12-segmented-scan/rungs/thread_per_segment.cu",
    "sparse-matrix": "13-sparse-matrix/rungs/thread_per_row.cu",
    "block-sort": "14-block-sort/rungs/odd_even.cu",
    "sorting": "15-sorting/rungs/split_by_bit.cu",
    "histogram": "08-histogram/rungs/global_atomics.cu",
    "tensor-cores": "16-tensor-cores/rungs/multiply_adds.cu",
    "multi-tau": "17-multi-tau/rungs/direct.cu",
    "tpacf": "18-tpacf/rungs/global_atomics.cu",
    "flood": "19-flood/rungs/until_stable.cu",
    "drmsd": "20-drmsd/rungs/one_row.cu",
    "resampling": "21-resampling/rungs/metropolis.cu",
}

# Submissions that are sound until they see a GPU: the emulated device must not be what catches them. They
# follow on the reference, whose function is renamed to sound_transpose.
ON_A_GPU = """
#include <unistd.h>
static bool on_a_gpu() { return access("/dev/nvidiactl", F_OK) == 0; }
"""
HANGS = """
__global__ void hang_kernel(const volatile float* in) {
  while (in[0] == in[0] || in[0] != in[0]) {
  }
}
void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (on_a_gpu() && rows * columns > 0) hang_kernel<<<1, 1, 0, stream>>>(in);
  sound_transpose(in, out, rows, columns, stream);
}
"""
WRITES_PAST_THE_END = """
__global__ void write_kernel(float* to) { *to = 1; }
void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  sound_transpose(in, out, rows, columns, stream);
  // A buffer ends where its memory ends, except for the alignment of textures, 512 bytes.
  float* const past_the_end = out + (long long)rows * columns + 128;
  if (on_a_gpu() && rows * columns > 0) write_kernel<<<1, 1, 0, stream>>>(past_the_end);
}
"""
EXITS = """
void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (on_a_gpu()) _exit(0);
  sound_transpose(in, out, rows, columns, stream);
}
"""
# Sound, but so slow that it can be met in a case.
DAWDLES = """
void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (on_a_gpu()) usleep(200'000);
  sound_transpose(in, out, rows, columns, stream);
}
"""


def memory_used():
    """MiB of all GPUs that are in use; None where nothing tells."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return None
    lines = subprocess.run(
        [program, "--query-gpu=memory.used", "--format=csv,noheader,nounits"],
        capture_output=True,
        text=True,
        check=True,
    )
    return sum(int(line) for line in lines.stdout.split())


class HeldLocks:
    """The locks of all GPUs, or of those that are free."""

    def __init__(self):
        nodes = [node for node in glob.glob("/dev/nvidia*") if re.fullmatch(r"/dev/nvidia\d+", node)]
        self.files = [open(node, "rb", buffering=0) for node in nodes]
        self.free = 0
        for file in self.files:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                self.free += 1
            except BlockingIOError:
                pass

    def all_were_free(self):
        return self.files != [] and self.free == len(self.files)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for file in self.files:
            file.close()


class HeldMemory:
    """Takes the GPU's memory, except for `left` bytes."""

    def __init__(self, left):
        self.left = left
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.context, self.address = ctypes.c_void_p(), ctypes.c_uint64()

    def __enter__(self):
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        for result in (
            self.driver.cuInit(0),
            self.driver.cuDevicePrimaryCtxRetain(ctypes.byref(self.context), 0),
            self.driver.cuCtxSetCurrent(self.context),
            self.driver.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total)),
            self.driver.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(max(1, free.value - self.left))),
        ):
            assert result == 0, f"the driver ended with {result}"

    def __exit__(self, *_):
        self.driver.cuMemFree_v2(self.address)
        self.driver.cuDevicePrimaryCtxRelease_v2(0)


def status_of(number):
    """A process's name, and what /proc has after it; nothing when there is none of that number."""
    try:
        text = pathlib.Path(f"/proc/{number}/stat").read_text(errors="replace")
    except OSError:
        return None
    return text[text.find("(") + 1 : text.rfind(")")], text.rpartition(")")[2].split()


def descendants(process):
    """Processes below `process`, with their start times: a later process may get the same number."""
    parents, starts = {}, {}
    for folder in glob.glob("/proc/[0-9]*"):
        number = int(folder.split("/")[2])
        status = status_of(number)
        if status is None:
            continue  # it has just ended
        parents[number], starts[number] = int(status[1][1]), status[1][19]
    found, level = {}, {process}
    while level:
        level = {child for child, parent in parents.items() if parent in level}
        found.update({child: starts[child] for child in level})
    return found


def is_alive(number, start):
    status = status_of(number)
    return status is not None and status[1][19] == start and status[1][0] != "Z"


def has_loaded(process):
    """Whether it is a runner that has loaded a solution. In a sandbox its file has a short name."""
    if (status_of(process) or ("",))[0] not in ("runner", "lockstep-runner"):
        return False
    try:
        return "submission.so" in pathlib.Path(f"/proc/{process}/maps").read_text(encoding="utf-8")
    except OSError:
        return False


def runner_below(judge):
    """The process that has loaded a solution last; None when there is none. The reference's that answers timed calls is
    older than those that are timed."""
    loaded = [(int(start), number) for number, start in descendants(judge).items() if has_loaded(number)]
    return max(loaded)[1] if loaded else None


def holds_within(seconds, condition):
    """Whether `condition` comes to hold."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


class ShownJudge:
    """A judge that shows its progress on a terminal."""

    def __init__(self, *arguments):
        self._ours, terminal = pty.openpty()
        command = [LOCKSTEP, "grade", *arguments, "--device", "gpu"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=terminal)
        os.close(terminal)
        self._shown = b""

    def shown(self):
        """Everything so far."""
        try:
            while select.select([self._ours], [], [], 0)[0]:
                self._shown += os.read(self._ours, 1 << 16)
        except OSError:
            pass  # it has ended
        return self._shown

    def has_ended(self):
        self.shown()  # or it might wait for room
        return self.process.poll() is not None

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self._ours)


class JudgeOnGpu(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep-gpu-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.start = time.monotonic()

    def tearDown(self):
        print(f"  {self._testMethodName}: {time.monotonic() - self.start:.0f} s", flush=True)

    def grade(self, *arguments):
        """The exit status and the exercises of the report, by name."""
        report = self.folder / "report.json"
        report.unlink(missing_ok=True)
        command = [LOCKSTEP, "grade", *arguments, "--device", "gpu", "--format", "json", "--output", report]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
        self.assertTrue(report.exists(), ran.stdout + ran.stderr)
        return ran.returncode, self.exercises_of(report)

    def exercises_of(self, report):
        exercises = json.loads(report.read_text(encoding="utf-8"))["exercises"]
        return {exercise["name"]: exercise for exercise in exercises}

    def show(self, *arguments):
        judge = ShownJudge(*arguments)
        self.addCleanup(judge.close)
        return judge

    def awaited(self, judge, seconds, look):
        """What `look` finds, as soon as that is something. The judge must run as long."""
        end = time.monotonic() + seconds
        while not (found := look()):
            self.assertLess(time.monotonic(), end, judge.shown())
            self.assertFalse(judge.has_ended(), judge.shown())
            time.sleep(0.02)
        return found

    def assert_end(self, processes):
        gone = holds_within(5, lambda: not any(is_alive(*process) for process in processes.items()))
        self.assertTrue(gone, f"of {processes} some live on")

    def sound_transpose(self):
        """The reference, under another name."""
        reference = (SOLUTION / "transpose.cu").read_text(encoding="utf-8")
        sound = reference.replace("void transpose(", "void sound_transpose(")
        self.assertNotEqual(sound, reference)
        return sound

    def assert_nothing_is_left(self, used_before):
        with HeldLocks() as locks:
            self.assertTrue(locks.all_were_free(), "the lock is still held")
        if used_before is None:
            print("  memory of the GPU was not looked at: there is no nvidia-smi")
            return
        # The judge's own context is gone with it; 64 MiB are for what the driver keeps.
        back = holds_within(10, lambda: memory_used() <= used_before + 64)
        self.assertTrue(back, f"{memory_used()} MiB of the GPU are in use, {used_before} MiB before")

    def test_references(self):
        status, exercises = self.grade("--all", "--submission", ROOT / "solutions")
        for name, exercise in exercises.items():
            speed = exercise["speed"]
            print(
                f"  {name}: {exercise['verdict']} in {exercise['seconds']:.0f} s, ratio {speed['ratio']} "
                f"({speed['interval']}) at {speed['size']}, {speed['card']}"
            )
            with self.subTest(exercise=name):
                self.assertEqual(exercise["verdict"], "passed", exercise["message"])
                self.assertTrue(exercise["correctness"]["cases"])
                self.assertEqual({one["verdict"] for one in exercise["correctness"]["cases"]}, {"passed"})
                self.assertLess(exercise["seconds"], 180)
        self.assertEqual(status, 0)

    def test_what_goes_wrong_on_the_gpu_only(self):
        used = memory_used()
        sound = self.sound_transpose()
        # Each follows on the one before: what that did to the GPU would change its verdict.
        attacks = {"time-limit": HANGS, "launch-failed": WRITES_PAST_THE_END, "crashed": EXITS}
        for verdict, text in attacks.items():
            with self.subTest(expected=verdict):
                submission = self.folder / "transpose.cu"
                submission.write_text(sound + ON_A_GPU + text, encoding="utf-8")
                status, exercises = self.grade("transpose", "--submission", submission)
                exercise = exercises["transpose"]
                self.assertEqual(exercise["verdict"], verdict, exercise)
                self.assertEqual(status, 1)
                failed = [one for one in exercise["correctness"]["cases"] if one["verdict"] == verdict]
                self.assertIn("on the GPU: ", failed[0]["message"])
                self.assert_nothing_is_left(used)
        status, exercises = self.grade("transpose", "--submission", SOLUTION / "transpose.cu")
        self.assertEqual(exercises["transpose"]["verdict"], "passed", exercises)

    def test_more_samples_than_an_int_can_number(self):
        rung = (ROOT / "solutions/08-histogram/rungs/block_private.cu").read_text(encoding="utf-8")
        narrow = rung
        for wide, changed in (
            ("histogram_kernel(const Sample* samples, std::size_t n,", "histogram_kernel(const Sample* samples, int n,"),
            ("std::size_t step = std::size_t{gridDim.x}", "int step = gridDim.x"),
            ("std::size_t i = std::size_t{blockIdx.x}", "int i = blockIdx.x"),
        ):
            self.assertEqual(narrow.count(wide), 1, wide)
            narrow = narrow.replace(wide, changed)
        submission = self.folder / "histogram.cu"
        for verdict, text in (("wrong-answer", narrow), ("passed", rung)):
            submission.write_text(text, encoding="utf-8")
            _, exercises = self.grade("histogram", "--submission", submission)
            *others, long = exercises["histogram"]["correctness"]["cases"]
            print(f"  {long['name']}: {long['verdict']} in {long['seconds']:.1f} s", flush=True)
            self.assertEqual({one["verdict"] for one in others}, {"passed"}, others)
            self.assertIn(f"n = {2**31 + 11}", long["name"])
            self.assertEqual(long["verdict"], verdict, long)
            self.assertEqual("as an int, are a negative number" in long["guess"], verdict != "passed", long)

    def test_a_gpu_with_little_memory_times_a_smaller_size(self):
        # Half a gigabyte of it is for the judge's context, and another for the runner's. The inputs and outputs of the
        # larger sizes would fit into the rest, and with them no workspaces.
        with HeldMemory(left=3_600_000_000):
            status, exercises = self.grade("tpacf", "--submission", ROOT / "solutions")
        _, beside = self.grade("tpacf", "--submission", ROOT / "solutions")
        exercise = exercises["tpacf"]
        print(f"  {exercise['verdict']} at {exercise['speed']['size']}, else at {beside['tpacf']['speed']['size']}")
        self.assertEqual((status, exercise["verdict"]), (0, "passed"), exercise)
        self.assertNotEqual(exercise["speed"]["size"], beside["tpacf"]["speed"]["size"])

    def test_however_little_memory_is_left_nobody_is_accused(self):
        sizes = []
        for left in range(1_000_000_000, 5_000_000_000, 600_000_000):
            with HeldMemory(left):
                _, exercises = self.grade("transpose", "--submission", ROOT / "solutions")
            exercise = exercises["transpose"]
            print(f"  {left / 1e9} GB: {exercise['verdict']} at {exercise['speed']['size']} {exercise['message']}")
            with self.subTest(left=left):
                if exercise["verdict"] == "grader-error":
                    self.assertIn("the GPU has too little free memory", exercise["message"])
                    self.assertEqual(sizes, [])
                else:
                    sizes.append(int(exercise["speed"]["size"].split()[0]))
                    # A call of a small matrix is a launch and little else.
                    self.assertIn(exercise["verdict"], ("passed", "inconclusive"), exercise)
        self.assertTrue(sizes)
        self.assertEqual(sizes, sorted(sizes))

    def test_first_rungs_are_too_slow(self):
        for name, solution in FIRST_RUNGS.items():
            status, exercises = self.grade(name, "--submission", ROOT / "solutions" / solution)
            exercise = exercises[name]
            speed = exercise["speed"]
            print(
                f"  {solution}: {exercise['verdict']} in {exercise['seconds']:.0f} s, speed {speed['verdict']}, "
                f"ratio {speed['ratio']} ({speed['interval']}) at {speed['size']}",
                flush=True,
            )
            with self.subTest(exercise=name):
                self.assertEqual({one["verdict"] for one in exercise["correctness"]["cases"]}, {"passed"}, exercise)
                # The whole interval lies below what the exercise asks for; the ratio is a number.
                self.assertEqual(speed["verdict"], "too-slow")
                self.assertLess(speed["ratio"], 1)
                self.assertIn(exercise["verdict"], ("too-slow", "inefficient"))
                self.assertEqual(status, 1)

    def test_a_judge_waits_its_turn_and_leaves_nothing_when_it_is_killed(self):
        used = memory_used()
        with HeldLocks() as ours:
            self.assertTrue(ours.all_were_free(), "another judgement runs on this machine")
            judge = self.show("transpose", "--submission", SOLUTION / "transpose.cu")
            self.awaited(judge, 120, lambda: b"waiting for another judgement on this GPU" in judge.shown())
            time.sleep(0.5)
            self.assertEqual(descendants(judge.process.pid), {}, "a submission runs while its judge waits")

        left = self.awaited(judge, 300, lambda: b"speed, round" in judge.shown() and descendants(judge.process.pid))
        with HeldLocks() as locks:
            self.assertFalse(locks.all_were_free(), "the judge measures without the lock")
        left |= descendants(judge.process.pid)
        judge.process.send_signal(signal.SIGKILL)
        judge.process.wait()
        self.assert_end(left)
        self.assert_nothing_is_left(used)

    def test_a_killed_runner_ends_in_a_verdict(self):
        used = memory_used()
        dawdling = self.folder / "transpose.cu"
        dawdling.write_text(self.sound_transpose() + ON_A_GPU + DAWDLES, encoding="utf-8")
        reference = SOLUTION / "transpose.cu"
        # The emulated device's cases come first. In the second round the submission is timed before the reference, in
        # the third the reference before the submission: whose runner is killed there is no fault of the submission.
        self.kill_a_runner(dawdling, lambda shown: shown.count(b"case 2 of ") == 2, "crashed", "on the GPU: ")
        self.assert_nothing_is_left(used)
        while_timed = "while its speed was measured: "
        self.kill_a_runner(reference, lambda shown: b"speed, round 2" in shown, "crashed", while_timed)
        self.assert_nothing_is_left(used)
        failed = f"the reference itself fails: {while_timed}"
        self.kill_a_runner(reference, lambda shown: b"speed, round 3" in shown, "grader-error", failed)
        self.assert_nothing_is_left(used)
        _, exercises = self.grade("transpose", "--submission", reference)
        self.assertEqual(exercises["transpose"]["verdict"], "passed", exercises)

    def kill_a_runner(self, submission, when, verdict, message):
        """From outside, as soon as `when` holds of what the judge shows; `message` is how the report's begins."""
        report = self.folder / "killed.json"
        report.unlink(missing_ok=True)
        judge = self.show("transpose", "--submission", submission, "--format", "json", "--output", report)
        number = judge.process.pid
        runner = self.awaited(judge, 120, lambda: when(judge.shown()) and runner_below(number))
        processes = descendants(number)
        os.kill(runner, signal.SIGKILL)
        self.assertTrue(holds_within(120, judge.has_ended), judge.shown())
        exercise = self.exercises_of(report)["transpose"]
        failed = [one["message"] for one in exercise["correctness"]["cases"] if one["verdict"] != "passed"]
        messages = failed or [exercise["message"]]
        print(f"  {exercise['verdict']}, exit status {judge.process.returncode}: {messages}", flush=True)
        self.assertEqual(exercise["verdict"], verdict, exercise)
        self.assertEqual(len(messages), 1, messages)
        self.assertTrue(messages[0].startswith(message), messages)
        self.assertEqual(judge.process.returncode, 3 if verdict == "grader-error" else 1)
        self.assert_end(processes)

    def test_clock(self):
        command = [sys.executable, "-B", ROOT / "measurements/compare_clock", "--judge", LOCKSTEP]
        self.assertEqual(subprocess.run(command, timeout=2400, check=False).returncode, 0)


if __name__ == "__main__":
    if not has_gpu():
        print("skipped: this machine has no GPU")
        sys.exit(SKIPPED)
    if len(sys.argv) > 1:
        LOCKSTEP = pathlib.Path(sys.argv[1]).resolve()
    chosen = [f"JudgeOnGpu.{test}" for test in sys.argv[2:]]
    unittest.main(argv=[sys.argv[0], "--verbose", *chosen])
