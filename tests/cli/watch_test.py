"""`lockstep watch` on a terminal: saves, keys, what a cancelled grading leaves, and the terminal afterwards.

    watch_test.py LOCKSTEP SOURCE

Most files are none that a compiler is started for, since that is the quickest verdict.
"""

import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

LOCKSTEP, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
PATIENCE = 60  # seconds until something has certainly failed

# A file that never returns from its first call.
ENDLESS = SOURCE / "tests/course/submissions/loops_on_host.cu"
KEYS = "g grade  h hint  p profile  n next  q quit"


# What a file may hold, and what its report then says.
NO_TEXT, OF_NO_TEXT = b"\xff", "is not UTF-8"
NOTHING, OF_NOTHING = b"", "is empty"
UNCOMPILED, OF_UNCOMPILED = b"#error nothing is here\n", "nothing is here"


def status_of(process):
    """Name and fields from the third on of /proc/PID/stat; None of one that has gone."""
    try:
        text = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    name, rest = re.fullmatch(r"\d+ \((.*)\) (.*)\n", text, re.DOTALL).groups()
    return name, rest.split()


def descendants(process):
    """Name by (number, start time) of each process that descends from one."""
    found = {}
    try:
        threads = os.listdir(f"/proc/{process}/task")
    except OSError:
        return found  # it has ended
    for thread in threads:
        try:
            children = pathlib.Path(f"/proc/{process}/task/{thread}/children").read_text(encoding="utf-8")
        except OSError:
            continue  # so has the thread
        for number in children.split():
            status = status_of(number)
            if status:
                found[int(number), status[1][19]] = status[0]
                found.update(descendants(number))
    return found


def are_alive(processes):
    """Numbers of those that are still there."""
    statuses = {(number, start): status_of(number) for number, start in processes}
    return [
        number
        for (number, start), status in statuses.items()
        if status and status[1][19] == start and status[1][0] != "Z"
    ]


class Terminal:
    """A terminal of 80 or so columns, with a command in it that has it for its own."""

    def __init__(self, command, folder, columns=80, here=None, **variables):
        self._ours, self.theirs = pty.openpty()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self.before = termios.tcgetattr(self.theirs)
        environment = dict(os.environ, LOCKSTEP_ROOT=str(folder), TERM="xterm", CUDA_VISIBLE_DEVICES="")
        environment.update(variables)
        environment.pop("NO_COLOR", None)

        def take_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.process = subprocess.Popen(  # pylint: disable=consider-using-with; close() ends it
            command, cwd=here or folder, env=environment, preexec_fn=take_terminal,
            stdin=self.theirs, stdout=self.theirs, stderr=self.theirs)  # fmt: skip
        self.raw = ""
        self.seen = 0  # of what was written, up to where somebody has looked

    def read(self, seconds):
        if select.select([self._ours], [], [], seconds)[0]:
            self.raw += os.read(self._ours, 1 << 16).decode(errors="replace")

    def wait_for(self, pattern):
        """Reads until the pattern has come since the last time, and returns what has come up to its end."""
        end = time.monotonic() + PATIENCE
        while True:
            match = re.compile(pattern, re.DOTALL).search(self.raw, self.seen)
            if match:
                text, self.seen = self.raw[self.seen : match.end()], match.end()
                return text
            if time.monotonic() > end or self.process.poll() is not None and not self.rest():
                raise AssertionError(f"no {pattern!r} in {self.raw[self.seen:]!r}")
            self.read(0.05)

    def rest(self):
        """Whether there is more to read."""
        before = len(self.raw)
        self.read(0)
        return len(self.raw) > before

    def quiet(self, seconds):
        """What comes meanwhile."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.05)
        text, self.seen = self.raw[self.seen :], len(self.raw)
        return text

    def type(self, keys):
        os.write(self._ours, keys.encode())

    def settings(self):
        return termios.tcgetattr(self.theirs)

    def end(self):
        """The exit status once it has ended; negative for a signal."""
        end = time.monotonic() + PATIENCE
        while self.process.poll() is None and time.monotonic() < end:
            self.read(0.02)
        self.rest()
        return self.process.poll()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._ours)
        os.close(self.theirs)


class Watch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cache = tempfile.TemporaryDirectory(prefix="lockstep watch ")
        cls.addClassCleanup(cache.cleanup)
        os.environ["LOCKSTEP_CACHE"] = cache.name  # of all tests here, so that a file is compiled once

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="lockstep watch ")
        self.addCleanup(folder.cleanup)
        self.course = pathlib.Path(folder.name)
        for entry in SOURCE.iterdir():
            if not entry.name.startswith(".") and entry.name not in ("exercises", "build"):
                (self.course / entry.name).symlink_to(entry)
        for entry in (SOURCE / "exercises").iterdir():
            if entry.is_dir():
                shutil.copytree(entry, self.course / "exercises" / entry.name)
        self.transpose = self.course / "exercises/05-transpose/transpose.cu"
        self.transpose.write_bytes(NO_TEXT)

    def watch(self, *arguments, **options):
        terminal = Terminal([LOCKSTEP, "watch", *arguments], self.course, **options)
        self.addCleanup(terminal.close)
        return terminal

    def assert_restored(self, terminal):
        self.assertEqual(terminal.settings(), terminal.before)
        self.assertTrue(terminal.raw.endswith("\r\x1b[K"), "the line of keys is left")

    def wait_for_program(self, terminal, names):
        """The descendants, once one of them has one of the names."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = descendants(terminal.process.pid)
            if any(name in names for name in found.values()):
                return found
            terminal.read(0.01)
        raise AssertionError(f"none of {names} in {found}: {terminal.raw!r}")

    def test_every_save_gets_its_verdict_and_every_key_its_answer(self):
        scan = self.course / "exercises/10-scan/scan.cu"
        scan.write_bytes(NOTHING)
        os.utime(scan, (0, 0))  # so that it is not the one that was saved last
        terminal = self.watch("transpose", "scan", "--device", "emulated")
        report = terminal.wait_for(re.escape(KEYS))
        self.assertTrue(report.startswith("\x1b[H\x1b[2J"), "it begins on an empty screen")
        self.assertIn(f"transpose.cu {OF_NO_TEXT}", report)
        self.assertRegex(report, r"transpose: not passed, \d\d:\d\d:\d\d")

        noticed = []
        for contents, says in ((UNCOMPILED, OF_UNCOMPILED), (NOTHING, OF_NOTHING)):
            saved = time.monotonic()
            self.transpose.write_bytes(contents)
            terminal.wait_for(re.escape("\x1b[H\x1b[2J"))
            noticed.append(time.monotonic() - saved)
            self.assertIn(says, terminal.wait_for(re.escape(KEYS)))
        self.assertLess(min(noticed), 0.45, "sizes and times alone are looked at every 0.5 s")
        other = self.transpose.with_name(".transpose.cu.swp")  # as editors do it
        other.write_bytes(NO_TEXT)
        other.rename(self.transpose)
        self.assertIn(OF_NO_TEXT, terminal.wait_for(re.escape(KEYS)))
        self.transpose.write_bytes(NO_TEXT)
        self.transpose.touch()
        self.assertEqual(terminal.quiet(1.2), "", "the text is the same")

        terminal.type("\x1b[H")  # a key of other programs, whose letter is none of ours
        self.assertEqual(terminal.quiet(0.2), "")
        terminal.type("h")
        self.assertIn("Hint 1 of", terminal.wait_for(re.escape(KEYS)))
        terminal.type("hp")  # one after the other
        text = terminal.wait_for(re.escape(KEYS))
        self.assertIn("Hint 2 of", text)
        self.assertIn(OF_NO_TEXT, text, "what keeps it from being profiled")
        terminal.type("g")
        self.assertRegex(terminal.wait_for(re.escape(KEYS)), f"(?s){OF_NO_TEXT}.*transpose: not passed")
        terminal.type("n")
        report = terminal.wait_for(re.escape(KEYS))
        self.assertRegex(report, f"(?s)Read lectures/10-scan.md.*{OF_NOTHING}.*scan: not passed")
        self.transpose.write_bytes(NOTHING)
        self.assertRegex(terminal.wait_for(re.escape(KEYS)), f"(?s){OF_NOTHING}.*transpose: not passed")
        terminal.type("q")
        self.assertEqual(terminal.end(), 0)
        self.assert_restored(terminal)

    def test_a_save_is_seen_where_the_kernel_reports_none(self):
        elsewhere = self.course / "elsewhere.cu"
        os.link(self.transpose, elsewhere)  # nothing happens in the folder that is watched
        terminal = self.watch("transpose", columns=40)
        terminal.wait_for("g grade h hint p profile n next q quit")
        elsewhere.write_bytes(NOTHING)
        self.assertIn(OF_NOTHING, terminal.wait_for("g grade h hint p profile n next q quit"))

    def test_a_save_cancels_what_is_graded_and_ending_leaves_nothing(self):
        terminal = self.watch("transpose", "--case", "1 x 1")
        terminal.wait_for(re.escape(KEYS))
        shutil.copy(ENDLESS, self.transpose)
        compiling = self.wait_for_program(terminal, ("cicc", "cc1plus", "cudafe++"))
        self.assertIn("bwrap", compiling.values())
        self.transpose.write_bytes(NOTHING)
        self.assertIn(OF_NOTHING, terminal.wait_for(re.escape(KEYS)))
        self.assertEqual(are_alive(compiling), [])

        shutil.copy(ENDLESS, self.transpose)
        running = self.wait_for_program(terminal, ("runner",))
        self.assertIn("device", running.values())
        self.transpose.write_bytes(NO_TEXT)
        self.assertIn(OF_NO_TEXT, terminal.wait_for(re.escape(KEYS)))
        self.assertEqual(are_alive(running), [])
        self.assertEqual(descendants(terminal.process.pid), {})

        shutil.copy(ENDLESS, self.transpose)
        running = self.wait_for_program(terminal, ("runner",))
        terminal.type("\x03")
        self.assertEqual(terminal.end(), 0)
        self.assertEqual(are_alive(running), [])
        self.assert_restored(terminal)

    def test_a_cancelled_grading_leaves_nothing_without_namespaces(self):
        self.transpose.write_bytes(UNCOMPILED + ENDLESS.read_bytes())
        terminal = self.watch("transpose", LOCKSTEP_SANDBOX="none", TMPDIR=str(self.course))
        compiling = self.wait_for_program(terminal, ("nvcc", "cicc", "cc1plus", "cudafe++"))
        self.assertNotIn("bwrap", compiling.values())
        terminal.type("q")
        self.assertEqual(terminal.end(), 0)
        self.assertEqual(are_alive(compiling), [])

    def test_ended_by_a_signal_it_leaves_nothing(self):
        shutil.copy(ENDLESS, self.transpose)
        terminal = self.watch("transpose")
        grading = self.wait_for_program(terminal, ("bwrap",))
        terminal.process.terminate()
        self.assertEqual(terminal.end(), -signal.SIGTERM)
        self.assert_restored(terminal)
        self.assertEqual(are_alive(grading), [])

    def test_when_it_is_killed_its_grading_ends(self):
        shutil.copy(ENDLESS, self.transpose)
        terminal = self.watch("transpose", "--case", "1 x 1")
        grading = self.wait_for_program(terminal, ("runner",))
        terminal.process.kill()
        terminal.end()
        end = time.monotonic() + PATIENCE
        while are_alive(grading) and time.monotonic() < end:
            time.sleep(0.01)
        self.assertEqual(are_alive(grading), [])

    def test_the_shell_has_its_terminal_while_it_is_stopped(self):
        settings = self.course / "settings"
        script = f"set -m; stty -g; '{LOCKSTEP}' watch transpose; stty -g > '{settings}'; echo back; fg"
        terminal = Terminal(["bash", "-c", script], self.course)
        self.addCleanup(terminal.close)
        before = terminal.wait_for("\n").strip()
        terminal.wait_for(re.escape(KEYS))
        terminal.type("\x1a")
        terminal.wait_for("back")
        self.assertEqual(settings.read_text().strip(), before)
        self.assertIn(OF_NO_TEXT, terminal.wait_for(re.escape(KEYS)), "graded again")
        terminal.type("h")
        self.assertIn("Hint 1 of", terminal.wait_for(re.escape(KEYS)), "keys need no Enter")
        terminal.type("q")
        self.assertEqual(terminal.end(), 0)

    def test_what_passed_is_recorded_and_the_next_is_named(self):
        shutil.copy(SOURCE / "solutions/05-transpose/transpose.cu", self.transpose)
        os.utime(self.course / "exercises/05-transpose/transpose.h", (0, 0))  # so the file was saved later
        terminal = self.watch()
        report = terminal.wait_for("g grade")
        self.assertRegex(report, r"Go\s+on with transpose-bug")
        self.assertIn("transpose: passed,", report)
        listed = subprocess.run(
            [LOCKSTEP, "list"], capture_output=True, text=True, check=True,
            env=dict(os.environ, LOCKSTEP_ROOT=str(self.course)))  # fmt: skip
        self.assertRegex(listed.stdout, r"transpose +\d+\.\d/10\.0 +passed")

    def test_without_a_name_it_begins_with_what_comes_next_or_where_one_is(self):
        scan = self.course / "exercises/10-scan/scan.cu"
        first = self.course / "exercises/02-first-kernels/first_kernels.cu"
        for file in (scan, first, self.transpose):
            file.write_bytes(NOTHING)
            os.utime(file, (0, 0))  # nobody has saved any
        for here, exercise in ((self.course, "first-kernels"), (scan.parent, "scan")):
            terminal = self.watch(here=here)
            terminal.wait_for(f"{exercise}: not passed")

    def test_wrong_options_end_it(self):
        terminal = self.watch("transpose", "--device", "toaster")
        terminal.wait_for("toaster is none of auto, gpu, emulated")
        self.assertEqual(terminal.end(), 2)
        self.assertEqual(terminal.settings(), terminal.before)

    def test_without_a_terminal_it_names_grade(self):
        ran = subprocess.run([LOCKSTEP, "watch", "transpose"], stdin=subprocess.DEVNULL, capture_output=True,
                             text=True, check=False)  # fmt: skip
        self.assertEqual(ran.returncode, 2)
        self.assertIn("./lockstep grade", ran.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
