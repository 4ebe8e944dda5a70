"""tests/gpu/run: what it says of tests that pass, fail and are skipped, and its exit status."""

import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import tempfile
import time
import unittest

TOOL = pathlib.Path(__file__).with_name("run")
loader = importlib.machinery.SourceFileLoader("run", str(TOOL))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
loader.exec_module(tool)


class Run(unittest.TestCase):
    def run_all(self, **statuses):
        """Of tests that end with these statuses: the status of all, and what is printed."""
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            for name, status in statuses.items():
                # It notes what it was called with.
                text = f"import pathlib, sys\npathlib.Path(sys.argv[2]).touch()\nsys.exit({status})\n"
                pathlib.Path(folder, name).write_text(text, encoding="utf-8")
            called = pathlib.Path(folder, "called")
            status = tool.run_all({name: [name, "--lockstep"] for name in statuses}, pathlib.Path(folder), called)
            self.assertTrue(called.exists())
        return status, printed.getvalue()

    def test_each_is_told_apart(self):
        status, printed = self.run_all(one=0, two=77, three=3)
        self.assertEqual(status, 1)
        self.assertRegex(printed, r"✓ one +passed")
        self.assertRegex(printed, r"\? two +skipped")
        self.assertRegex(printed, r"✗ three +failed")
        self.assertIn("1 passed, 1 failed, 1 skipped", printed)

    def test_status(self):
        self.assertEqual(self.run_all(one=0, two=77)[0], 0)
        self.assertEqual(self.run_all(one=77, two=77)[0], 77)
        self.assertEqual(self.run_all(one=77, two=1)[0], 1)
        self.assertEqual(self.run_all(one=-9)[0], 1)

    def test_what_does_not_end_is_ended_with_its_processes(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
            started = pathlib.Path(folder, "started")
            child = ["sleep", "60"]
            text = f"import subprocess\nchild = subprocess.Popen({child})\n"
            text += f"open({str(started)!r}, 'w').write(str(child.pid))\nchild.wait()\n"
            pathlib.Path(folder, "endless").write_text(text, encoding="utf-8")
            status = tool.run_all({"endless": ["endless"]}, pathlib.Path(folder), "lockstep", seconds=2)
            number = started.read_text(encoding="utf-8")
        self.assertEqual(status, 1)
        self.assertIn("endless was ended after 2 s", printed.getvalue())
        self.assertRegex(printed.getvalue(), r"✗ endless +failed")
        stat = pathlib.Path("/proc", number, "stat")

        def runs():
            try:
                return stat.read_text(encoding="utf-8").split()[2] != "Z"
            except OSError:  # nothing is left of it
                return False

        # It has been killed, and nobody waits for it: on a busy machine it is still there for a moment.
        end = time.monotonic() + 10
        while runs() and time.monotonic() < end:
            time.sleep(0.01)
        self.assertFalse(runs(), "its child runs on")

    def test_every_script_is_there(self):
        for script, *_ in tool.TESTS.values():
            self.assertTrue((tool.ROOT / script).is_file(), script)


if __name__ == "__main__":
    unittest.main()
