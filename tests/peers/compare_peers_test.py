"""measurements/compare_peers: what it compiles, and what it makes of what a comparison prints."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "measurements/compare_peers"

sys.path.insert(0, str(TOOL.parent))
import peer_programs  # noqa: E402

COMMIT = next(peer.commit for peer in peer_programs.PEERS if peer.name == "gpu-parboil")

# In place of nvcc: notes what it is asked for; what it links prints a comparison.
NVCC = """#!{python} -S
import pathlib, sys
with open("{root}/asked", "a") as asked:
    print(*sys.argv[1:], file=asked)
output = pathlib.Path(sys.argv[sys.argv.index("-o") + 1])
output.write_text(r'''#!{python} -S
import sys
print({printed!r}, end="")
sys.exit({status})
''')
output.chmod(0o755)
"""
# In place of git: the commit and the changes of every checkout.
GIT = """#!/bin/sh
case "$*" in *rev-parse*) echo {commit};; *status*) printf '{changes}';; esac
"""
ROUNDS = [5, 1, 9, 2, 8, 3, 7, 4, 6, 11, 10]  # hundredths of a second
PRINTED = (
    "card\tNVIDIA H200\n"
    "seconds\tn = 3\t18-tpacf/tpacf\t" + "\t".join(str(one / 100) for one in ROUNDS) + "\n"
    "seconds\tn = 3\t18-tpacf/peers/parboil\t" + "\t".join(str(one / 10) for one in ROUNDS) + "\n"
    "difference\tn = 3\t18-tpacf/peers/parboil\tof a count\t0.001\n"
    "difference\tn = 3\t18-tpacf/peers/parboil\tof a sum\t0\n"
)


class ComparePeers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.sources = self.root / "sources"
        (self.sources / "gpu-parboil").mkdir(parents=True)

    def run_tool(self, *more, printed=PRINTED, status=0, gpu=True, compiles=True, commit=COMMIT, changes=""):
        programs = self.root / "programs"
        programs.mkdir(exist_ok=True)
        nvcc = NVCC.format(python=sys.executable, root=self.root, printed=printed, status=status)
        imitated = {"nvcc": nvcc if compiles else "#!/bin/sh\necho 'tpacf.cu(3): error' >&2\nexit 2\n",
                    "git": GIT.format(commit=commit, changes=changes),
                    "nvidia-smi": "#!/bin/sh\necho GPU 0\n" if gpu else "#!/bin/sh\nexit 9\n"}  # fmt: skip
        for name, text in imitated.items():
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        self.output = self.root / "peers.json"
        return subprocess.run(
            [sys.executable, "-S", "-B", TOOL, "--sources", self.sources, "--output", self.output, "--commit", "abc", *more],
            env={**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}, capture_output=True, text=True, check=False,
        )  # fmt: skip

    def test_the_record_has_medians_and_all_differences(self):
        ran = self.run_tool("tpacf")
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        record = json.loads(self.output.read_text())
        self.assertEqual((record["card"], record["commit"]), ("NVIDIA H200", "abc"))
        self.assertEqual([peer["name"] for peer in record["peers"]], ["gpu-parboil"])
        ours, theirs = record["results"]
        self.assertEqual(
            ours,
            {"exercise": "18-tpacf", "task": "n = 3", "name": "18-tpacf/tpacf", "differences": {}, "rounds": 11,
             "seconds": 0.06, "interval": [0.02, 0.1]},
        )  # fmt: skip
        self.assertEqual(theirs["seconds"], 0.6)
        self.assertEqual(theirs["differences"], {"of a count": 0.001, "of a sum": 0})

    def test_ours_is_a_library_under_another_name_and_the_peer_is_on_the_include_path(self):
        self.run_tool("tpacf")
        asked = [line for line in (self.root / "asked").read_text().splitlines() if "-o" in line.split()]
        self.assertEqual(len(asked), 3)  # a library, a driver, and both together
        library = next(line for line in asked if "-shared" in line.split())
        self.assertIn("-Dtpacf=lockstep_tpacf -Dtpacf_workspace_bytes=lockstep_tpacf_workspace_bytes", library)
        self.assertTrue(library.endswith(str(ROOT / "solutions/18-tpacf/tpacf.cu")))
        driver = next(line for line in asked if "-c" in line.split())
        self.assertIn(f"-I {self.sources}/gpu-parboil/common/include", driver)

    def test_every_file_that_a_comparison_is_made_of_is_there(self):
        for peer in peer_programs.PEERS:
            for source in peer.ours.values():
                self.assertTrue((ROOT / "solutions" / peer.exercise / source).is_file(), source)
            driver = (peer_programs.DRIVERS / f"{peer.function}.cu").read_text()
            self.assertIn(f'#include "{peer.function}.h"', driver)
        drivers = {path.stem for path in peer_programs.DRIVERS.glob("*.cu")}
        self.assertEqual(drivers, {peer.function for peer in peer_programs.PEERS})

    def assert_fails(self, words, *exercises, **how):
        ran = self.run_tool(*exercises, **how)
        self.assertEqual(ran.returncode, 3)
        self.assertIn(words, ran.stderr)
        self.assertNotIn("Traceback", ran.stderr)
        self.assertFalse(self.output.exists())
        return ran.stderr

    def test_all_peers_that_are_not_there_are_told_with_what_to_type(self):
        said = self.assert_fails(f"there is no {self.sources}/YACCLAB. Type: git clone https://", "flood", "resampling")
        self.assertIn(f"there is no {self.sources}/Megopolis.", said)

    def test_another_commit_or_a_change_of_a_peer_is_told(self):
        checkout = self.sources / "gpu-parboil"
        self.assert_fails(f"is at commit 123. Type: git -C {checkout} checkout {COMMIT}", "tpacf", commit="123")
        self.assert_fails(f"{checkout} was changed. Type: git -C {checkout} stash", "tpacf", changes=" M main.cu")

    def test_a_comparison_that_fails_leaves_no_record(self):
        self.assert_fails("18-tpacf: the comparison ended with 1", "tpacf", status=1)
        self.assert_fails("18-tpacf/tpacf ran 1 rounds, not 11", "tpacf", printed="seconds\tn = 3\t18-tpacf/tpacf\t1\n")

    def test_what_does_not_compile_is_told_in_the_compilers_words(self):
        said = self.assert_fails("18-tpacf: the compilation of ", "tpacf", compiles=False)
        self.assertIn("tpacf.cu(3): error", said)

    def test_without_a_gpu_it_is_skipped(self):
        ran = self.run_tool("tpacf", gpu=False)
        self.assertEqual((ran.returncode, ran.stdout), (77, "skipped: this machine has no GPU\n"))

    def test_an_exercise_without_a_peer_is_wrong_use(self):
        ran = self.run_tool("transpose")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("there is no peer for transpose", ran.stderr)


if __name__ == "__main__":
    unittest.main()
