"""`lockstep class --executor slurm` on a real Slurm: one controller and two nodes, all on this machine.

    slurm_test.py LOCKSTEP SOURCE

Most files are none that a compiler is started for, since that is the quickest verdict.
"""

import json
import os
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import unittest

import slurm_cluster
from slurm_cluster import PATIENCE, Cluster, children, wait_for

LOCKSTEP, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
SKIPPED = 77


def read_words(process, name):
    """Arguments or environment of a process; none of one that has ended."""
    try:
        return pathlib.Path(f"/proc/{process}/{name}").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return []


class Slurm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = slurm_cluster.make_folder()
        cls.addClassCleanup(slurm_cluster.remove, cls.folder)
        cls.cluster = Cluster(cls.folder)

    def setUp(self):
        self.work = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        self.before = set(self.cluster.states())

    def hand_in(self, student, text):
        (self.work / "handed-in" / student).mkdir(parents=True)
        (self.work / "handed-in" / student / "transpose.cu").write_bytes(text)

    def start(self, *options, results="results"):
        words = [LOCKSTEP, "class", "handed-in", "--results", results, "--exercises", "transpose"]
        words += ["--device", "emulated", *options]
        cache = str(self.folder / "cache")
        environment = {**self.cluster.environment, "LOCKSTEP_ROOT": str(SOURCE), "LOCKSTEP_CACHE": cache}
        return subprocess.Popen(
            words, cwd=self.work, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def start_on_slurm(self, *options, more=""):
        sbatch = f"--mem=0 --cpus-per-task=1 {more}"
        return self.start("--executor", "slurm", "--slurm-options", sbatch, *options)

    def finish(self, process, status):
        output = process.communicate(timeout=PATIENCE)[0]
        self.assertEqual(process.returncode, status, output + self.cluster.log())
        return output

    def graded(self):
        """How often each student has been graded."""
        file = self.work / "results/class.sqlite"
        if not file.exists():
            return {}
        database = sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=PATIENCE)
        try:
            rows = database.execute("SELECT CAST(student AS TEXT), count(*) FROM gradings GROUP BY student")
            return dict(rows.fetchall())
        except sqlite3.OperationalError:
            return {}  # it is just made
        finally:
            database.close()

    def new_states(self):
        return {task: state for task, state in self.cluster.states().items() if task not in self.before}

    def outcomes(self, results):
        root = json.loads((self.work / results / "gradings.json").read_text())
        return {
            student["id"]: [(one["verdict"], one["points"], one["toolkit"]) for one in student["gradings"]]
            for student in root["students"]
        }

    def test_a_node_that_dies_loses_nothing_and_the_result_is_that_of_this_machine(self):
        # The first task is at work long enough to be killed with its node.
        self.hand_in("anna", (SOURCE / "solutions/05-transpose/transpose.cu").read_bytes())
        self.hand_in("bob", b"")
        self.hand_in("cy", b"\xff")
        self.finish(self.start(results="here"), 0)
        run = self.start_on_slurm()

        def first_task():
            for process in children():
                words = read_words(process, "cmdline")
                if words[1:2] == ["class-task"] and words[3:4] == ["0"]:
                    return process
            return None

        task = wait_for("the first task", first_task)
        names = [word for word in read_words(task, "environ") if word.startswith("SLURMD_NODENAME=")]
        node = names[0].partition("=")[2]
        daemon = self.cluster.daemons[node]
        keeper = int(pathlib.Path(f"/proc/{task}/stat").read_text().rpartition(")")[2].split()[1])
        for process in (daemon.pid, keeper, task):
            os.kill(process, signal.SIGKILL)
        daemon.wait()
        # Slurm sees it itself after a while.
        self.cluster.ask("scontrol", "update", f"NodeName={node}", "State=DOWN", "Reason=died")
        self.finish(run, 0)
        self.cluster.start_node(node)
        self.cluster.ask("scontrol", "update", f"NodeName={node}", "State=RESUME")
        self.cluster.wait_until_idle()
        self.assertEqual(self.graded(), {"anna": 1, "bob": 1, "cy": 1})
        states = {(name.rpartition(".")[2], index): state for (name, index), state in self.new_states().items()}
        others = {("1", 1): "COMPLETED", ("1", 2): "COMPLETED"}
        self.assertEqual(states, {("1", 0): "NODE_FAIL", ("2", 0): "COMPLETED", **others})
        self.assertFalse((self.work / "results/slurm").exists())

        self.assertEqual(self.outcomes("results"), self.outcomes("here"))
        self.assertEqual(self.outcomes("results")["anna"][0][:2], ("passed", 10))

    def test_the_command_is_killed_and_goes_on(self):
        for student in ("anna", "bob", "cy", "dora"):
            self.hand_in(student, b"\xff")
        run = self.start_on_slurm("--workers", "1")
        wait_for("a grading", self.graded)
        run.kill()
        run.communicate()
        before = self.graded()
        self.assertLess(len(before), 4, "it was not killed on the way")
        folder = self.work / "results/slurm/outcomes"
        wait_for("an outcome that nobody takes", lambda: [one for one in folder.iterdir() if len(one.name) == 64])
        output = self.finish(self.start_on_slurm(), 0)
        self.assertRegex(output, r"lockstep: [123] graded on the cluster since the last run\n")
        self.assertEqual(self.graded(), {"anna": 1, "bob": 1, "cy": 1, "dora": 1})
        self.assertFalse((self.work / "results/slurm").exists())
        states = list(self.new_states().values())
        self.assertEqual(set(states) - {"COMPLETED", "CANCELLED"}, set())
        self.assertLessEqual(states.count("COMPLETED"), 4, "graded again what was graded")

    def test_an_interrupted_run_cancels_its_jobs(self):
        self.hand_in("anna", b"\xff")
        run = self.start_on_slurm(more="--hold")
        wait_for("the job", lambda: "PENDING" in self.new_states().values())
        run.send_signal(signal.SIGINT)
        output = self.finish(run, 3)
        self.assertIn("a signal has ended it", output)
        self.assertEqual(set(self.new_states().values()) - {"CANCELLED"}, set())
        self.assertFalse((self.work / "results/slurm").exists())

    def test_what_slurm_refuses_is_said(self):
        self.hand_in("anna", b"\xff")
        output = self.finish(self.start_on_slurm(more="--partition=none"), 3)
        self.assertIn("lockstep: no job can be submitted: sbatch: error: ", output)


if __name__ == "__main__":
    if reason := slurm_cluster.why_not():
        print("skipped:", reason)
        sys.exit(SKIPPED)
    slurm_cluster.become_parent_of_all()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    unittest.main(argv=sys.argv[:1])
