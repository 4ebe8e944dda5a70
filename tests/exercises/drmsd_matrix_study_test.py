#!/usr/bin/env python3
"""The study of drmsd-matrix as it is typed, on the emulated device: example, own files, what it writes and refuses.

Arguments: the root of the tree, the command lockstep.
"""

import ast
import itertools
import math
import pathlib
import re
import struct
import tempfile

from study_desk import ROOT, Desk, fail

FOLDER = ROOT / "exercises/20-drmsd-matrix/study"
SHAPES = "helix", "hairpin", "extended"


def frames_of(path):
    """Positions as this test reads them: columns of ATOM records, as text into numbers."""
    return [[tuple(float(line[at : at + 8]) for at in (30, 38, 46)) for line in model.splitlines() if line.startswith("ATOM")]
            for model in path.read_text(encoding="ascii").split("ENDMDL")[:-1]]  # fmt: skip


def exact_matrix(frames):
    pairs = [[math.dist(a, b) for a, b in itertools.combinations(frame, 2)] for frame in frames]
    return [math.sqrt(math.fsum((a - b) ** 2 for a, b in zip(f, g)) / len(f)) for f, g in itertools.combinations(pairs, 2)]


def check_matrix(desk, exact):
    rows = desk.rows("example-matrix.csv")
    places = [(int(row["frame"]), int(row["other_frame"])) for row in rows]
    if places != list(itertools.combinations(range(1, 41), 2)):
        fail("the matrix is not in the order of SciPy's condensed matrices")
    for row, expected in zip(rows, exact):
        if not abs(float(row["drmsd_angstrom"]) - expected) <= 1e-5 * expected + 1e-4:
            fail(f"{row}, exactly {expected}")


def made_shapes():
    """The shape that each frame was made in, as make_example lists its visits."""
    text = (FOLDER / "make_example").read_text(encoding="utf-8")
    visits = ast.literal_eval(re.search(r"^VISITS = (.*)$", text, re.MULTILINE)[1])
    return [shape for shape, frames in visits for _ in range(frames)]


def check_clusters(desk):
    rows, shapes = desk.rows("example-clusters.csv"), made_shapes()
    if [int(row["frame"]) for row in rows] != list(range(1, 41)):
        fail(f"not a row for each frame: {rows}")
    found = [SHAPES[int(row["cluster"]) - 1] for row in rows]
    if found != shapes:
        fail(f"not the clusters that were made: {found}")
    for row in rows:
        if shapes[int(row["centre"]) - 1] != shapes[int(row["frame"]) - 1]:
            fail(f"a centre in another cluster: {row}")


def check_example(desk):
    desk.example(["example-matrix.csv", "example-clusters.csv", "example.svg"])
    check_clusters(desk)
    desk.check_picture("example.svg", "drmsd-matrix-study.svg",
                       ["example.pdb", "dRMSD (Å)", "cutoff", "19 frames, centre 1", "frame"])  # fmt: skip
    exact = exact_matrix(frames_of(FOLDER / "example.pdb"))
    check_matrix(desk, exact)
    return exact


def check_own_files(desk, exact):
    """The example as DCD of big-endian words, with an option each: every other frame, CA alone, a .npy file."""
    frames = frames_of(FOLDER / "example.pdb")

    def record(data):
        return struct.pack(">i", len(data)) + data + struct.pack(">i", len(data))

    control = [40, *[0] * 18, 24]
    data = record(b"CORD" + struct.pack(">20i", *control)) + record(struct.pack(">i", 1) + b" " * 80)
    data += record(struct.pack(">i", 36))
    for frame in frames:
        for axis in range(3):
            data += record(struct.pack(">36f", *(atom[axis] for atom in frame)))
    (desk.folder / "run.dcd").write_bytes(data)
    desk.passes("run.dcd", "--npy")
    matrix = (desk.folder / "run-matrix.npy").read_bytes()
    head = 10 + struct.unpack("<H", matrix[8:10])[0]
    shape = ast.literal_eval(matrix[10:head].decode("ascii"))
    if matrix[:8] != b"\x93NUMPY\x01\x00" or head % 64 or shape != {
        "descr": "<f4", "fortran_order": False, "shape": (780,)}:  # fmt: skip
        fail(f"no matrix for NumPy: {matrix[:128]}")
    values = struct.unpack("<780f", matrix[head:])
    if not all(abs(a - b) <= 1e-5 * b + 1e-4 for a, b in zip(values, exact)):
        fail("the DCD file gives another matrix")
    desk.passes("run.dcd", "--names", FOLDER / "example.pdb", "--atoms", "CA", "--every", "20",
                "--output", "two")  # fmt: skip
    [pair] = desk.rows("two-matrix.csv")
    [expected] = exact_matrix([[atom for atom in frames[k]][1::3] for k in (0, 20)])
    if (pair["frame"], pair["other_frame"]) != ("1", "21") or not abs(float(pair["drmsd_angstrom"]) - expected) < 1e-4:
        fail(f"{pair}, exactly {expected}")
    (desk.folder / "cut.dcd").write_bytes(data[:-7])
    desk.refuses(1, "cut.dcd: byte 18288: the file ends here, within frame 40: it was cut off", "cut.dcd")
    desk.refuses(1, "missing/x-matrix.csv cannot be written", "run.dcd", "--output", "missing/x")


def check_own_kernel(desk):
    """--own compiles the file of the working copy in which the command is typed."""
    name = "exercises/20-drmsd-matrix/drmsd_matrix.cu"
    own = desk.with_own(name, "#error my own\n")
    status, _, err = own.typed("--own", "drmsd-matrix")
    said = f"lockstep: {name} does not compile with the study of drmsd-matrix\n"
    # By its own path, which findings of the emulated device name as well.
    if status != 1 or f"{own.working_directory / name}:1:" not in err or not err.endswith(said):
        fail(f"not the compiler's error: {status} {err}")


def main():
    with tempfile.TemporaryDirectory() as name:
        desk = Desk(pathlib.Path(name), FOLDER, "drmsd-matrix")
        status, listed, _ = desk.typed()
        if status != 0 or "drmsd-matrix" not in listed or "exercises/20-drmsd-matrix/study/README.md" not in listed:
            fail(listed)
        check_own_files(desk, check_example(desk))
        check_own_kernel(desk)
        desk.check_help()
        desk.refuses(1, "none.pdb cannot be opened", "none.pdb")
        desk.refuses(2, "there is no option --cutof", "--cutof", "2")
        desk.is_refused(2, "transpose has no study. These have one: ", "transpose")
        desk.is_refused(2, "did you mean drmsd-matrix", "drmsd-matri")
        desk.check_make_example("example.pdb")


if __name__ == "__main__":
    main()
