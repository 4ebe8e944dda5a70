#!/usr/bin/env python3
"""A program of programs/ with the reference solution that it calls, on two emulated devices. It checks itself.

Arguments: the root of the tree, nvcc, the command lockstep, the exercise's folder, the program.
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT, NVCC, LOCKSTEP, EXERCISE, NAME = pathlib.Path(sys.argv[1]), *sys.argv[2:]


def main():
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / NAME
        subprocess.run(
            [NVCC, "-std=c++20", "-arch", "compute_90", "-cudart", "shared", "-I", ROOT / "common"]
            + ["-I", ROOT / "exercises" / EXERCISE, "-o", program]
            + [ROOT / "tests/exercises/programs" / f"{NAME}.cu", ROOT / "solutions" / EXERCISE / f"{NAME}.cu"],
            check=True,
        )
        # A finding of the emulated device is written to stderr, and fails like a wrong answer.
        ran = subprocess.run(
            [LOCKSTEP, "emulate", "--devices", "2", program], capture_output=True, text=True, check=False
        )
        if ran.returncode != 0 or ran.stderr != "":
            sys.exit(f"status {ran.returncode}\n{ran.stdout}{ran.stderr}")


if __name__ == "__main__":
    main()
