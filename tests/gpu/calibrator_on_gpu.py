#!/usr/bin/env python3
"""A GPU calibrated twice gives the same figures, and they stand to each other as hardware makes them.

    tests/gpu/calibrator_on_gpu.py [LOCKSTEP]

LOCKSTEP is the program to test: ./lockstep of this tree when none is named, or that of an unpacked package.
Without a GPU it says so and exits with 77. Run it alone on the GPU: what runs beside it would be measured too.
"""

import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "measurements"))
from gpu import has_gpu  # pylint: disable=wrong-import-position; it lies beside the records

SKIPPED = 77
LOCKSTEP = ROOT / "lockstep"


def calibrated():
    """What `lockstep calibrate` says of the GPU. What this user keeps of it stays as it is."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder, "gpu.json")
        command = [LOCKSTEP, "calibrate", "--format", "json", "--output", report]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=300,
                       env={**os.environ, "LOCKSTEP_ROOT": folder})  # fmt: skip
        return json.loads(report.read_text(encoding="utf-8"))


class CalibratorOnGpu(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.first, cls.second = calibrated(), calibrated()

    def test_knows_its_gpu(self):
        self.assertNotEqual(self.first["card"], "")
        self.assertRegex(self.first["uuid"], "^GPU-")
        self.assertNotEqual(self.first["driver"], "")

    def test_two_calibrations_agree(self):
        self.assertEqual(self.first["figures"].keys(), self.second["figures"].keys())
        for name, figure in self.first["figures"].items():
            again = self.second["figures"][name]["value"]
            print(f"  {name}: {figure['value']:.4g} {figure['unit']}, then {again:.4g}; spread {figure['spread']:.3g}")
            with self.subTest(figure=name):
                self.assertTrue(figure["value"] > 0 and math.isfinite(figure["value"]))
                self.assertTrue(figure["spread"] >= 0 and math.isfinite(figure["spread"]))
                # A launch is work of the host, which others may keep busy.
                self.assertLessEqual(abs(again / figure["value"] - 1), 0.5 if name == "launch" else 0.05)

    def test_figures_stand_to_each_other_as_hardware_makes_them(self):
        """True of every GPU, whatever its size: a kernel that measured something else would break one of them."""
        value = {name: figure["value"] for name, figure in self.first["figures"].items()}
        self.assertGreater(value["fused-multiply-adds"], 2 * value["special-functions"])
        self.assertGreater(value["integer-products"], value["special-functions"])
        self.assertGreater(value["shared-bytes"], value["copied-bytes"])
        self.assertGreater(value["shared-atomics"], value["global-atomics"])
        self.assertGreater(value["cached-gathers"], value["gathers"])
        self.assertLess(4 * value["gathers"], value["copied-bytes"], "a sector is more than 4 bytes")
        self.assertLess(value["launch"], 1e-3)


if __name__ == "__main__":
    if not has_gpu():
        print("skipped: this machine has no GPU")
        sys.exit(SKIPPED)
    if len(sys.argv) > 1:
        LOCKSTEP = pathlib.Path(sys.argv[1]).resolve()
    unittest.main(argv=[sys.argv[0], "--verbose"])
