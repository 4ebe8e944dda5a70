#!/usr/bin/env python3
"""exercises/20-drmsd/compare.cu with the reference solution, on the emulated device: PDB against XYZ.

Arguments: the root of the tree, nvcc, the command lockstep.
"""

import pathlib
import subprocess
import sys
import tempfile

ROOT, NVCC, LOCKSTEP = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
ATOM = "ATOM  {:5d}  CA  ALA A{:4d}    {:8.3f}{:8.3f}{:8.3f}  1.00  0.00           C"


def build(folder):
    program = folder / "compare"
    subprocess.run(
        [NVCC, "-std=c++20", "-arch", "compute_90", "-cudart", "shared", "-I", ROOT / "common"]
        + ["-I", ROOT / "exercises/20-drmsd", "-o", program, ROOT / "exercises/20-drmsd/compare.cu"]
        + [ROOT / "solutions/20-drmsd/drmsd.cu"],
        check=True,
    )
    return program


def run(program, *files):
    return subprocess.run(
        [LOCKSTEP, "emulate", program, *files], capture_output=True, text=True, check=False
    )


def expect(condition, finished):
    if not condition:
        sys.exit(f"status {finished.returncode}\n{finished.stdout}{finished.stderr}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        reference, trajectory, short = folder / "a.pdb", folder / "b.xyz", folder / "c.xyz"
        reference.write_text("".join(ATOM.format(i, i, i, 0, 0) + "\n" for i in range(3)), encoding="utf-8")
        frames = ((0, 1, 2), (0, 1, 3), (5, 4, 3))
        trajectory.write_text(
            "".join("3\n\n" + "".join(f"C {x} 7 7\n" for x in frame) for frame in frames), encoding="utf-8"
        )
        short.write_text("1\n\nC 0 0 0\n", encoding="utf-8")
        program = build(folder)
        found = run(program, reference, trajectory)
        values = [float(line.split()[1]) for line in found.stdout.splitlines()]
        # The second is the example of the task: differences 0, 1, 1. The third is a mirror image.
        expect(values == [0, 0.816497, 0] and found.returncode == 0, found)
        found = run(program, reference, short)
        expect(found.returncode == 1 and "they must be the same atoms" in found.stderr, found)
        found = run(program, reference, folder / "missing.xyz")
        expect(found.returncode == 1 and "cannot be opened" in found.stderr, found)


if __name__ == "__main__":
    main()
