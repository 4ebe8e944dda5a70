"""measurements/profile_kernels: what it runs Nsight Compute over, and what it makes of what that prints."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "measurements/profile_kernels"

# In place of nvcc: what it makes can be run, and does nothing.
NVCC = """#!/bin/sh
[ "$1" = --version ] && exec echo release 13.0
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\\n' >"$2"; chmod +x "$2"
"""
GIT = """#!/bin/sh
case "$*" in *rev-parse*) echo {commit};; esac
"""
# In place of Nsight Compute: notes what it is asked for, and reports these values of each kernel.
NCU = """#!{python} -S
import json, pathlib, sys
words = sys.argv[1:]
with open("{root}/asked", "a") as asked:
    print(json.dumps(words), file=asked)
of = lambda option: words[words.index(option) + 1]
values = {values!r}
log = ["==PROF== Connected", '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"']
for launch in range(int(of("--launch-count")) - {missing}):
    for name in of("--metrics").split(","):
        if name in values:
            log.append(f'"{{launch}}","kernel_{{launch}}","{{name}}","unit","{{values[name]}}"')
pathlib.Path(of("--log-file")).write_text("\\n".join(log) + "\\n")
sys.exit({status})
"""
VALUES = {
    "gpu__time_duration.sum": "1,500",
    "launch__shared_mem_config_size": "32,768",
    "sm__warps_active.avg.pct_of_peak_sustained_active": "12.5",
    "smsp__thread_inst_executed_per_inst_executed.ratio": "27.31",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum": "2,962,823,118",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum": "96,526,864",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct": "49.66",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum": "0",
    "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct": "100",
}
# The tool itself, where the driver's answer is imitated: for the kernels of multi-tau, and a chain with either L1.
RUN = f"""
import sys
sys.path[:0] = ["{pathlib.Path(__file__).parent}", "{TOOL.parent}"]
from profile_kernels_test import tool
tool.has_gpu, tool.gpu_name = lambda: IS_THERE, lambda: "NVIDIA H200"
small = [one for one in tool.KERNELS if one.options]
tool.KERNELS = [*tool.KERNELS[:4], small[0]]
sys.argv = ["{TOOL}", *sys.argv[1:]]
sys.exit(tool.main())
"""
sys.path.insert(0, str(TOOL.parent))
loader = importlib.machinery.SourceFileLoader("profile_kernels", str(TOOL))
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("profile_kernels", loader))
sys.modules["profile_kernels"] = tool
loader.exec_module(tool)

PEER = next(peer for peer in tool.peer_programs.PEERS if peer.exercise == "17-multi-tau")


class ProfileKernels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "sources" / PEER.name).mkdir(parents=True)
        self.output = self.root / "profiles.json"

    def run_tool(self, *, values=None, missing=0, status=0, gpu=True, ncu=True):
        programs = self.root / "programs"
        programs.mkdir(exist_ok=True)
        imitated = {"nvcc": NVCC, "git": GIT.format(commit=PEER.commit)}
        if ncu:
            given = VALUES if values is None else values
            imitated["ncu"] = NCU.format(
                python=sys.executable, root=self.root, values=given, missing=missing, status=status
            )
        for name, text in imitated.items():
            (programs / name).write_text(text)
            (programs / name).chmod(0o755)
        return subprocess.run(
            [sys.executable, "-S", "-B", "-c", RUN.replace("IS_THERE", str(gpu))]
            + ["--sources", self.root / "sources", "--output", self.output, "--commit", "abc"],
            env={**os.environ, "PATH": f"{programs}:/usr/bin:/bin", "CUDACXX": str(programs / "nvcc")},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def asked(self):
        return [json.loads(line) for line in (self.root / "asked").read_text().splitlines()]

    def test_a_row_has_the_counters_of_a_kernel_in_plain_units(self):
        ran = self.run_tool()
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        record = json.loads(self.output.read_text())
        self.assertEqual((record["schema"], record["card"], record["commit"]),
                         ("lockstep/kernel-profiles/v1", "NVIDIA H200", "abc"))  # fmt: skip
        self.assertEqual(
            record["results"][0],
            {"name": "17-multi-tau/peers/autocorrelation_cuda", "size": "400 instants, 1024 sensors, 10 groups, elapsed = 0",
             "kernel": "kernel_0", "seconds": 1.5e-6, "shared_bytes": 32768, "occupancy": 0.125, "active_lanes": 27.31,
             "load_sectors": 2962823118, "load_sectors_in_l1": 96526864, "load_bytes_used": 0.4966, "store_sectors": 0,
             "store_bytes_used": 1.0},
        )  # fmt: skip
        of_the_reference = [row["kernel"] for row in record["results"] if row["name"] == "17-multi-tau/multi_tau"]
        self.assertEqual(of_the_reference, ["kernel_0", "kernel_1"])

    def test_programs_get_their_sizes_and_options_and_the_peer_none(self):
        self.run_tool()
        peer, ring_buffer, _, chain, with_small_l1 = self.asked()
        self.assertTrue(peer[-1].endswith("/17-multi-tau/compare"))
        self.assertEqual(ring_buffer[-2:], ["--trial", "1024 400 0 10"])
        self.assertEqual(chain[-2:], ["--trial", "1024 4 354"])
        self.assertEqual(with_small_l1[-3:], ["--small-l1", "--trial", "1024 4 354"])

    def test_patterns_match_the_kernels_of_each_solution(self):
        solutions = [one for one in tool.KERNELS if "/peers/" not in one.name]
        self.assertGreater(len(solutions), 100)
        for one in solutions:
            source = (ROOT / "solutions" / f"{one.name}.cu").read_text()
            kernels = re.findall(r"__global__ void\s(?:__launch_bounds__\([^)]*\)\s+)?(\w+)\(", source)
            self.assertEqual(len([name for name in kernels if re.search(one.pattern, name)]), one.launches, one.name)

    def assert_fails(self, words, **how):
        ran = self.run_tool(**how)
        self.assertEqual(ran.returncode, 3)
        self.assertIn(words, ran.stderr)
        self.assertNotIn("Traceback", ran.stderr)
        self.assertFalse(self.output.exists())

    def test_what_is_not_whole_leaves_no_record(self):
        self.assert_fails("reported 0 of 1 kernels whole", values={"gpu__time_duration.sum": "1"})
        self.assert_fails("reported 0 of 1 kernels whole", missing=1)
        self.assert_fails("gpu__time_duration.sum is 'n/a'", values={**VALUES, "gpu__time_duration.sum": "n/a"})
        self.assert_fails("the profile of 17-multi-tau/peers/autocorrelation_cuda at 400 instants", status=1)

    def test_a_missing_program_or_checkout_is_told(self):
        self.assert_fails("there is no ncu on the PATH", ncu=False)
        (self.root / "sources" / PEER.name).rmdir()
        self.assert_fails("Type: git clone https://")

    def test_without_a_gpu_it_is_skipped(self):
        ran = self.run_tool(gpu=False)
        self.assertEqual((ran.returncode, ran.stdout), (77, "skipped: this machine has no GPU\n"))


if __name__ == "__main__":
    unittest.main()
