#!/usr/bin/env python3
"""exercises/19-flood/flood_map.cu with the reference solution, on the emulated device: two formats, a picture.

Arguments: the root of the tree, nvcc, the command lockstep.
"""

import pathlib
import struct
import subprocess
import sys
import tempfile

ROOT, NVCC, LOCKSTEP = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
# Two basins that meet at a corner alone, and one cell that nobody has measured.
HEIGHTS = ((1, 2, 9, 9), (3, 4, 9, 9), (9, 9, 5, 2), (9, -9999, 1, 0))


def build(folder):
    program = folder / "flood_map"
    subprocess.run(
        [NVCC, "-std=c++20", "-arch", "compute_90", "-cudart", "shared", "-I", ROOT / "common"]
        + ["-I", ROOT / "exercises/19-flood", "-o", program, ROOT / "exercises/19-flood/flood_map.cu"]
        + [ROOT / "solutions/19-flood/flood.cu"],
        check=True,
    )
    return program


def run(program, *arguments):
    command = [LOCKSTEP, "emulate", program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def expect(condition, finished):
    if not condition:
        sys.exit(f"status {finished.returncode}\n{finished.stdout}{finished.stderr}")


def blue_cells(picture):
    """Cells of a PPM that are more blue than red."""
    header, pixels = b"P6\n4 4\n255\n", picture.read_bytes()
    if not pixels.startswith(header) or len(pixels) != len(header) + 48:
        sys.exit(f"not the picture of a map of 4 x 4: {pixels}")
    pixels = pixels[len(header) :]
    return {i for i in range(16) if pixels[3 * i + 2] > pixels[3 * i]}


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        grid, pgm, picture = folder / "a.asc", folder / "b.pgm", folder / "c.ppm"
        rows = "\n".join(" ".join(map(str, row)) for row in HEIGHTS)
        grid.write_text(f"ncols 4\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 1\n{rows}\n", encoding="utf-8")
        grey = [max(0, height) * 1000 for row in HEIGHTS for height in row]
        pgm.write_bytes(b"P5\n4 4\n65535\n" + struct.pack(">16H", *grey))
        program = build(folder)

        found = run(program, grid, 6, 4, picture, 0, 0)
        expect(found.returncode == 0 and found.stdout == "4 of 16 cells have water\n", found)
        expect(blue_cells(picture) == {0, 1, 4, 5}, found)
        found = run(program, grid, 6, 8, picture, 0, 0)
        expect(found.returncode == 0 and blue_cells(picture) == {0, 1, 4, 5, 10, 11, 14, 15}, found)
        found = run(program, pgm, 6000, 4, picture, 3, 3, 0, 2)
        expect(found.stdout == "5 of 16 cells have water\n", found)  # what is 0 in the picture is deep

        found = run(program, grid, 6, 4, picture, 0, 4)
        expect(found.returncode == 1 and "row 0, column 4 is not on the map" in found.stderr, found)
        found = run(program, grid, "high", 4, picture, 0, 0)
        expect(found.returncode == 1 and '"high" is no level' in found.stderr, found)
        found = run(program, grid, 6, 6, picture, 0, 0)
        expect(found.returncode == 1 and "a neighbourhood is 4 or 8" in found.stderr, found)
        found = run(program, grid, 6, 4, picture, 0)
        expect(found.returncode == 2 and "usage: flood_map" in found.stderr, found)
        found = run(program, grid, 6, 4, folder / "missing" / "c.ppm", 0, 0)
        expect(found.returncode == 1 and "cannot be written" in found.stderr, found)


if __name__ == "__main__":
    main()
