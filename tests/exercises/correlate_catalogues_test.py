#!/usr/bin/env python3
"""exercises/18-tpacf/correlate.cu with the reference solution, on the emulated device: catalogues of text, and
sets that are larger than those of the judge.

Arguments: the root of the tree, nvcc, the command lockstep.
"""

import math
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT, NVCC, LOCKSTEP = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]


def build(folder, solution):
    program = folder / pathlib.Path(solution).stem
    subprocess.run(
        [NVCC, "-std=c++20", "-arch", "compute_90", "-cudart", "shared", "-I", ROOT / "common"]
        + ["-I", ROOT / "exercises/18-tpacf", "-o", program, ROOT / "exercises/18-tpacf/correlate.cu"]
        + [ROOT / "solutions/18-tpacf" / solution],
        check=True,
    )
    return program


def run(program, *arguments):
    return subprocess.run(
        [LOCKSTEP, "emulate", program, *arguments], capture_output=True, text=True, check=False
    )


def expect(condition, finished):
    if not condition:
        sys.exit(f"status {finished.returncode}\n{finished.stdout}{finished.stderr}")


def counts_of(finished):
    """DD, DR, RR of each bin."""
    return [tuple(int(field) for field in line.split()[2:5]) for line in finished.stdout.splitlines()[1:]]


def sky(generator):
    """Anywhere."""
    return generator.uniform(0, 360), math.degrees(math.asin(generator.uniform(-1, 1)))


def field(generator):
    """Within ten degrees, across 0."""
    return generator.uniform(-6, 6), generator.uniform(35, 45)


def expect_same(folder, program):
    """Sets large enough for every kind of tile of the reference, against a solution that has none."""
    plain = build(folder, "rungs/one_launch.cu")
    generator = random.Random(13)
    for name, point, bins in (
        ("sky", sky, ()),
        ("field", field, ()),
        ("narrow", sky, ("--first", "14", "--per-decade", "20", "--bins", "22")),
    ):
        files = [folder / (name + ".data"), folder / (name + ".randoms")]
        for file, count in zip(files, (2500, 2500)):
            lines = ("%.12f %.12f\n" % point(generator) for _ in range(count))
            file.write_text("".join(lines), encoding="utf-8")
        finished = run(program, *files, *bins)
        expect(finished.returncode == 0, finished)
        expect(finished.stdout == run(plain, *files, *bins).stdout, finished)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        data, randoms, wrong = folder / "data.txt", folder / "randoms.csv", folder / "wrong.txt"
        # 2 degrees apart across 0; a pole, 90 degrees from both.
        data.write_text("# ra dec magnitude\n359 0 17.5\n\n  1.0\t0.0 18\n77 +90\n", encoding="utf-8")
        randoms.write_text("-1, 30.5\n1;29.5, a name\n180,0\n", encoding="utf-8")
        wrong.write_text("12 34\n12.5 north\n", encoding="utf-8")
        program = build(folder, "tpacf.cu")
        bins = ("--first", "1", "--per-decade", "1", "--bins", "2")
        # DR: four pairs some 30 degrees apart, three with the pole; two of 179 are in no bin. RR: one 2 degrees
        # apart; those with 180 are 149 degrees apart.
        found = run(program, data, randoms, *bins)
        expect(found.returncode == 0 and counts_of(found) == [(1, 0, 1), (2, 7, 0)], found)
        found = run(program, data, randoms, "--sets", "3", *bins)
        expect(found.returncode == 0 and counts_of(found) == [(1, 0, 0), (2, 7, 0)], found)
        found = run(program, data, wrong)
        expect(found.returncode == 1 and "wrong.txt:2: a line begins with two numbers" in found.stderr, found)
        found = run(program, data, folder / "missing.txt")
        expect(found.returncode == 1 and "cannot be opened" in found.stderr, found)
        found = run(program, data)
        expect(found.returncode == 2 and "usage: correlate" in found.stderr, found)
        found = run(program, data, randoms, "--first", "100")
        expect(found.returncode == 2 and "beyond 180" in found.stderr, found)
        expect_same(folder, program)


if __name__ == "__main__":
    main()
