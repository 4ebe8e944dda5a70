"""A program of lectures/programs, as a reader would build and run it: it ends well, finds its results right, and leaks nothing.

usage: lecture_program_test.py ROOT NVCC LOCKSTEP NAME
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT, NVCC, LOCKSTEP, NAME = sys.argv[1:5]


def run(*command):
    """What it printed. A warning, and a finding of the emulated device, fails like a status."""
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode != 0 or finished.stderr:
        sys.exit(f"{' '.join(map(str, command))}\nended with status {finished.returncode}\n{finished.stdout}{finished.stderr}")
    return finished.stdout


def main():
    source = pathlib.Path(ROOT, "lectures/programs", f"{NAME}.cu")
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder, NAME)
        run(NVCC, "-std=c++20", "-Werror", "all-warnings", "-cudart", "shared", "-lineinfo",
            "-gencode", "arch=compute_90,code=compute_90", "-I", pathlib.Path(ROOT, "common"),
            source, "-o", program)  # fmt: skip
        if not run(LOCKSTEP, "emulate", "--check-leaks", program).strip():
            sys.exit("the program says nothing of its results")


if __name__ == "__main__":
    main()
