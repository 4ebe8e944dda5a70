#!/usr/bin/env python3
"""The study of flood as it is typed, on the emulated device: example, strips, levels, areas, formats, what it refuses.

What is under water is found here by a queue, from the definition, and areas and volumes by exact sums.
Arguments: the root of the tree, the command lockstep.
"""

import collections
import math
import pathlib
import random
import re
import struct
import tempfile

from study_desk import ROOT, Desk, fail, must_refuse, words_of

FOLDER = ROOT / "exercises/19-flood/study"
NAN = math.nan


def write_grid(desk, name, heights, header="xllcorner 0\nyllcorner 0\ncellsize 2\n"):
    lines = [f"ncols {len(heights[0])}\nnrows {len(heights)}\n{header}NODATA_value -9999"]
    lines += [" ".join("-9999" if math.isnan(h) else repr(h) for h in row) for row in heights]
    desk.write(name, "\n".join(lines) + "\n")


def grid_of(path):
    """Header and values of an ASCII grid, as this test reads them."""
    lines = path.read_text(encoding="ascii").splitlines()
    header = {words[0].lower(): float(words[1]) for words in map(str.split, lines[:6])}
    return header, [[float(word) for word in line.split()] for line in lines[6:]]


def single(value):
    """A double as the float that is nearest."""
    return struct.unpack("f", struct.pack("f", value))[0]


def flooded(heights, sources, level, neighbours):
    """The cells under water, by a queue."""
    rows, columns = len(heights), len(heights[0])
    around = [(a, b) for a in (-1, 0, 1) for b in (-1, 0, 1) if (a, b) != (0, 0)]
    steps = [step for step in around if neighbours == 8 or 0 in step]
    queue = collections.deque(cell for cell in set(sources) if single(heights[cell[0]][cell[1]]) < single(level))
    water = set(queue)
    while queue:
        row, column = queue.popleft()
        for down, right in steps:
            r, c = row + down, column + right
            if 0 <= r < rows and 0 <= c < columns and (r, c) not in water and single(heights[r][c]) < single(level):
                water.add((r, c))
                queue.append((r, c))
    return water


def mask_of(heights, sources, level, neighbours):
    water = flooded(heights, sources, level, neighbours)
    return [[255 if math.isnan(height) else int((r, c) in water) for c, height in enumerate(row)]
            for r, row in enumerate(heights)]  # fmt: skip


def lowest_levels(heights, sources, levels, neighbours):
    waters = [(level, flooded(heights, sources, level, neighbours)) for level in sorted(levels)]
    return [[next((single(level) for level, water in waters if (r, c) in water), -9999) for c in range(len(row))]
            for r, row in enumerate(heights)]  # fmt: skip


def check_table(rows, heights, sources, levels, neighbours, area_of_row):
    if [float(row["level"]) for row in rows] != [single(level) for level in sorted(levels)]:
        fail(f"not a row for each of {levels}: {rows}")
    for row in rows:
        level = float(row["level"])
        water = flooded(heights, sources, level, neighbours)
        area = math.fsum(area_of_row(r) for r, _ in water)
        volume = math.fsum((level - single(heights[r][c])) * area_of_row(r) for r, c in water)
        sums = ("area", area), ("volume", volume)
        close = all(abs(float(row[name]) - exact) <= 1e-12 * exact for name, exact in sums)
        if int(row["cells"]) != len(water) or not close:
            fail(f"{row}, exactly {len(water)} cells, {area}, {volume}")


def check_example(desk):
    _, heights = grid_of(FOLDER / "example.asc")
    rows, cell = len(heights), (140 - 1 - int((3250 - 1000) / 25), int((3500 - 2000) / 25))
    desk.example(["example-water.asc", "example-water.prj", "example-water.csv", "example.svg"])
    header, mask = grid_of(desk.folder / "example-water.asc")
    expected = {"ncols": 180, "nrows": 140, "xllcorner": 2000, "yllcorner": 1000, "cellsize": 25, "nodata_value": 255}
    if rows != 140 or header != expected or mask != mask_of(heights, [cell], 440, 4):
        fail(f"not the example's water; {header}")
    if (desk.folder / "example-water.prj").read_bytes() != (FOLDER / "example.prj").read_bytes():
        fail("not the map's .prj")
    check_table(desk.rows("example-water.csv"), heights, [cell], [440], 4, lambda row: 625)
    desk.check_picture("example.svg", "flood-study.svg",
                       ["example.asc", "depth of water (m)", "dry", "source", "1 km", "x (m)", "y (m)"],
                       is_exact=True)  # fmt: skip
    # Several levels, and the same from another way to name the source.
    levels = range(420, 461, 5)
    desk.example(["example-levels.asc", "example-levels.prj", "example-water.csv", "example.svg"], "--levels",
                 "420:460:5")  # fmt: skip
    header, lowest = grid_of(desk.folder / "example-levels.asc")
    if header["nodata_value"] != -9999 or lowest != lowest_levels(heights, [cell], levels, 4):
        fail("not the lowest level of each cell")
    check_table(desk.rows("example-water.csv"), heights, [cell], levels, 4, lambda row: 625)
    desk.check_picture("example.svg", "flood-study-levels.svg", ["floods at level (m)"], is_exact=True)
    desk.passes("--levels", ",".join(map(str, levels)), "--cell", f"{cell[0] + 1},{cell[1] + 1}", "--output", "again",
                "--strip", 9)  # fmt: skip
    desk.must_be_same("again-levels.asc", "example-levels.asc", "in strips of 9 rows")
    desk.check_make_example("example.asc", "example.prj")


def spiral(rows, columns):
    """A path one cell wide that winds inwards, as far as it goes."""
    wet = [[False] * columns for _ in range(rows)]
    row, column, down, right = 0, 0, 0, 1

    def is_free(r, c):
        return 0 <= r < rows and 0 <= c < columns and not wet[r][c]

    wet[0][0] = True
    for _ in range(4 * (rows + columns) * 8):
        ahead, beyond = (row + down, column + right), (row + 2 * down, column + 2 * right)
        is_open = is_free(*ahead) and (is_free(*beyond) or not (0 <= beyond[0] < rows and 0 <= beyond[1] < columns))
        if not is_open:
            down, right = right, -down
            ahead, beyond = (row + down, column + right), (row + 2 * down, column + 2 * right)
            if not is_free(*ahead) or not is_free(*beyond):
                break
        row, column = ahead
        wet[row][column] = True
    return wet


def serpentine(rows, columns):
    """Down one column and up the next but one: each goes across every seam."""
    return [[c % 2 == 0 or r == (rows - 1 if c % 4 == 1 else 0) for c in range(columns)] for r in range(rows)]


def zigzag(rows, columns):
    """Diagonals down and up again, which only corners hold together."""
    return [[abs((c + rows) % (2 * rows - 2) - (rows - 1)) == r for c in range(columns)] for r in range(rows)]


def check_strips(desk):
    """Byte by byte what the whole map gives, and what the queue finds; levels at equality, and NaN."""
    rng = random.Random(19)
    rows, columns, level = 22, 25, 10
    noise = [[rng.random() < 0.6 for _ in range(columns)] for _ in range(rows)]
    thin = [[rng.random() < 0.42 for _ in range(columns)] for _ in range(rows)]
    maps = {"spiral": spiral(rows, columns), "serpentine": serpentine(rows, columns), "zigzag": zigzag(rows, columns),
            "noise": noise, "thin": thin}  # fmt: skip
    if sum(map(sum, maps["spiral"])) < rows * columns / 3:
        fail("the spiral ends too early to say anything")
    brought = 0
    for name, wet in maps.items():
        low, high = (9, 9.5, -3e30), (10, 10, 11, NAN)
        heights = [[rng.choice(low if is_wet else high) for is_wet in row] for row in wet]
        write_grid(desk, f"{name}.asc", heights)
        sources = [next((r, c) for r in range(rows) for c in range(columns) if wet[r][c])]
        cells = ["--cell", f"{sources[0][0] + 1},{sources[0][1] + 1}"]
        for neighbours in (4, 8):
            expected = mask_of(heights, sources, level, neighbours)
            enough = {("spiral", 4): rows * columns / 3, ("serpentine", 4): rows * columns / 3, ("zigzag", 8): columns}
            if sum(row.count(1) for row in expected) < enough.get((name, neighbours), 1):
                fail(f"{name}: too little water to say anything")
            words = [f"{name}.asc", *cells, "--level", level, "--neighbours", neighbours, "--output", "found"]
            desk.passes(*words)
            endings = "-water.asc", "-water.csv", ".svg"
            whole = {ending: desk.bytes_of(f"found{ending}") for ending in endings}
            if grid_of(desk.folder / "found-water.asc")[1] != expected:
                fail(f"{name}, {neighbours} neighbours: not what the queue finds")
            for strip in (1, 2, 7):
                printed = desk.passes(*words, "--strip", strip)
                count = math.ceil(rows / strip)
                said = r"^strips +(\d+) of (\d+) rows?, brought to the device (\d+) times$"
                found = re.search(said, printed, re.MULTILINE)
                if not found or found.groups()[:2] != (str(count), str(strip)):
                    fail(f"not {count} strips of {strip} rows: {printed}")
                brought = max(brought, int(found[3]))
                for ending, content in whole.items():
                    if desk.bytes_of(f"found{ending}") != content:
                        fail(f"{name}, {neighbours} neighbours, strips of {strip} rows: found{ending} differs")
    if brought < 3 * rows:  # the serpentine in strips of one row
        fail(f"no map went to and fro: at most {brought} strips were brought")


def check_no_data(desk):
    """Water beside no data is counted, by sides, and other maps have no word of it."""
    rng = random.Random(3)
    heights = [[rng.choice((NAN, 1, 1, 1, 9)) for _ in range(21)] for _ in range(17)]
    heights[0][0] = 1
    write_grid(desk, "holes.asc", heights)
    water = flooded(heights, [(0, 0)], 5, 8)
    places = [(r, c) for r in range(17) for c in range(21) if math.isnan(heights[r][c])]
    sides = {(r + down, c + right) for r, c in places for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0))}
    said = f"no data   water has come to {len(water & sides)} cells beside cells without data"
    printed = desk.passes("holes.asc", "--cell", "1,1", "--level", "5", "--neighbours", "8")
    if len(water & sides) < 20 or len(water - sides) < 20 or said not in printed:
        fail(f"not {said}: {printed}")
    if "no data" in desk.passes():
        fail("the example has no cells without data")


def check_levels(desk):
    """Several levels, on heights in whole numbers, from the sea, in strips and whole."""
    rng = random.Random(7)
    rows, columns, levels = 19, 23, [2, 3, 4.5, 6, 7]
    heights = [[NAN if rng.random() < 0.05 else rng.randint(0, 8) for _ in range(columns)] for _ in range(rows)]
    write_grid(desk, "steps.asc", heights)
    edge = [(r, c) for r in range(rows) for c in range(columns) if r in (0, rows - 1) or c in (0, columns - 1)]
    sides = {"north": lambda r, c: r == 0, "south": lambda r, c: r == rows - 1, "west": lambda r, c: c == 0,
             "east": lambda r, c: c == columns - 1}  # fmt: skip
    asked = [(["--sea"], edge, {4: (1, 3, rows), 8: (1, 3, rows)})]
    asked += [(["--sea-side", side], [cell for cell in edge if is_in(*cell)], {4: (1,), 8: (3,)})
              for side, is_in in sides.items()]  # fmt: skip
    for words, sources, strips in asked:
        for neighbours in (4, 8):
            expected = lowest_levels(heights, sources, levels, neighbours)
            for strip in strips[neighbours]:
                words_of_strip = [*words, "--levels", "7,4.5,3,2,6,3", "--neighbours", neighbours, "--strip", strip]
                desk.passes("steps.asc", *words_of_strip)
                if grid_of(desk.folder / "steps-levels.asc")[1] != expected:
                    fail(f"{words}, {neighbours} neighbours, strips of {strip} rows: not the lowest levels")
                check_table(desk.rows("steps-water.csv"), heights, sources, levels, neighbours, lambda row: 4)
    # Levels below ESRI's number for no value: another one stands for it.
    write_grid(desk, "deep.asc", [[-20000, -11000, 5]])
    desk.passes("deep.asc", "--cell", "1,1", "--levels", "-15000,-10000,0")
    header, lowest = grid_of(desk.folder / "deep-levels.asc")
    if lowest != [[-15000, -10000, header["nodata_value"]]] or header["nodata_value"] in (-15000, -10000, 0):
        fail(f"not the levels of a deep map: {header} {lowest}")
    # The number for no value is none of the levels, whichever these are.
    write_grid(desk, "far.asc", [[-3e7, 0, 7]])
    for words in ("-20000000,5", "-9999,-10000,5"):
        levels = [float(level) for level in words.split(",")]
        desk.passes("far.asc", "--cell", "1,1", "--levels", words)
        header, lowest = grid_of(desk.folder / "far-levels.asc")
        if lowest != [[min(levels), 5, header["nodata_value"]]] or header["nodata_value"] in levels:
            fail(f"not the levels {words}: {header} {lowest}")


def check_memory(desk):
    """A limit of memory cuts a map into strips that fit."""
    printed = desk.passes("--memory", "0.12", "--output", "small")
    found = re.search(r"^strips +(\d+) of \d+ rows", printed, re.MULTILINE)
    desk.passes("--output", "whole")
    if not found or int(found[1]) < 3:
        fail(f"0.12 MiB hold no more than a third of the example: {printed}")
    for ending in ("-water.asc", "-water.csv", ".svg"):
        desk.must_be_same(f"small{ending}", f"whole{ending}", "in 0.12 MiB")
    # So does it where --strip asks for more, though the whole map would fit if it came alone.
    if "strips" in desk.passes("--memory", "0.2", "--output", "small"):
        fail("0.2 MiB do not hold the example")
    printed = desk.passes("--memory", "0.2", "--strip", "139", "--output", "small")
    found = re.search(r"^strips +\d+ of (\d+) rows", printed, re.MULTILINE)
    if not found or 3 * 5 * 180 * int(found[1]) > 0.2 * 2**20:
        fail(f"three strips of that many rows do not fit in 0.2 MiB: {printed}")
    desk.must_be_same("small-water.asc", "whole-water.asc", "in 0.2 MiB and strips")
    desk.refuses(1, "not enough memory of the device: strips of one row need", "--memory", "0.001")


def check_degrees(desk):
    """Areas on the ellipsoid WGS 84, by integrals over latitude, of a map with a .prj file and of one without."""
    heights = [[1, 2, 3], [0, 5, 4], [9, 1, 1], [0, 0, 0]]
    header = "xllcenter 10.25\nyllcenter 48.25\ncellsize 0.5\n"
    write_grid(desk, "degrees.asc", heights, header)
    desk.write("degrees.prj", 'GEOGCS["WGS 84",UNIT["degree",0.0174532925199433]]\n')
    write_grid(desk, "plain.asc", heights, header)
    desk.passes("degrees.asc", "--source", "10.1,49.9", "--level", "4.5")
    desk.passes("plain.asc", "--source", "10.1,49.9", "--level", "4.5", "--degrees")

    def area_of_row(row):
        south, steps, squared = 50 - 0.5 * (row + 1), 1000, 0.00669437999014
        latitudes = [math.radians(south + 0.5 * (k + 0.5) / steps) for k in range(steps)]
        # The product of both radii of curvature, times the cosine.
        terms = [(1 - squared) * math.cos(phi) / (1 - squared * math.sin(phi) ** 2) ** 2 for phi in latitudes]
        return 6378137**2 * math.radians(0.5) ** 2 * math.fsum(terms) / steps

    for name in ("degrees", "plain"):
        [row] = desk.rows(f"{name}-water.csv")
        water = flooded(heights, [(0, 0)], 4.5, 4)
        area = math.fsum(area_of_row(r) for r, _ in water)
        volume = math.fsum((4.5 - heights[r][c]) * area_of_row(r) for r, c in water)
        close = all(abs(float(row[key]) / exact - 1) <= 1e-6 for key, exact in (("area", area), ("volume", volume)))
        if row["unit_of_length"] != "m" or not close:
            fail(f"{name}: {row}, by the integral {area} and {volume}")
    desk.refuses(1, "example.asc: its coordinates are no degrees of latitude: x from 2000 to 6500", "--degrees")
    if "latitude (°)" not in words_of(desk.folder / "degrees.svg"):
        fail("no degrees in the picture")


def check_pgm(desk):
    heights = [[1, 2, 9, 9], [3, 4, 9, 9], [9, 9, 5, 2], [9, 0, 1, 0]]
    grey = [height * 1000 for row in heights for height in row]
    desk.write("grey.pgm", b"P5\n# made here\n4 4\n65535\n" + struct.pack(">16H", *grey))
    desk.passes("grey.pgm", "--cell", "4,4", "--source", "2.5,3.5", "--level", "6000", "--neighbours", 8)
    if grid_of(desk.folder / "grey-water.asc")[1] != mask_of(heights, [(3, 3), (0, 2)], 6, 8):
        fail("not the water on a PGM picture")


def check_refusals(desk):
    desk.write("cut.asc", "ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3\n")
    source = ("--cell", "1,1", "--level", "5")
    desk.refuses(1, "none.asc cannot be opened", "none.asc", *source)
    desk.refuses(1, "cut.asc: it ends after 3 of 2 x 2 heights", "cut.asc", *source)
    desk.write("empty.asc", "")
    desk.refuses(1, "empty.asc is empty", "empty.asc", *source)
    desk.write("map.tif", b"II*\0\x08\0\0\0")
    desk.refuses(1, "map.tif: GeoTIFF files need libgdal-dev: sudo apt-get install libgdal-dev", "map.tif", *source)
    desk.refuses(2, "where does the water come from?", "steps.asc", "--level", "5")
    desk.refuses(2, "how high is the water?", "steps.asc", "--cell", "1,1")
    desk.refuses(2, "give one of them", "--level", "5", "--levels", "1,2")
    desk.refuses(2, '--source "1,2" is not on the map: x from 2000 to 6500, y from 1000 to 4500', "--source", "1,2")
    desk.refuses(2, '--cell "141,1" is not on the map of 140 rows and 180 columns', "--cell", "141,1")
    desk.refuses(2, '--cell "0,1" is not on the map', "--cell", "0,1")
    desk.refuses(2, '--source "x" is not X,Y', "--source", "x")
    desk.refuses(2, '--level: "high" is no number', "--level", "high")
    desk.refuses(2, '--level: "nan" is no number', "--level", "nan")
    desk.refuses(2, "--neighbours is 4 or 8", "--neighbours", "6")
    desk.refuses(2, "STEP must be above 0", "--levels", "1:2:0")
    desk.refuses(2, "more levels than 255", "--levels", "0:255:1")
    desk.refuses(2, "there is no option --sea-sides", "--sea-sides", "north")
    desk.refuses(2, "is not north, south, east or west", "--sea-side", "left")
    desk.refuses(1, "missing/x-water.asc cannot be written", "--output", "missing/x")
    desk.write("t-water.asc", desk.bytes_of("steps.asc"))
    desk.refuses(1, "t-water.asc would replace a file that was read", "t-water.asc", *source, "--output", "t")
    far = "ncols 3\nnrows 3\nxllcorner 1e18\nyllcorner 0\ncellsize 16\n1 2 3 4 5 6 7 8 9\n"
    desk.write("far.asc", far)
    desk.refuses(1, "far.asc: its cells are too large, too small or too far away", "far.asc", *source)
    printed = desk.passes("--source", "2100,4400")
    if "no source is below the level: the lowest one lies at 522" not in printed:
        fail(f"no word of a dry source: {printed}")
    desk.check_help()


ALL_WATER = """#include "flood.h"
std::size_t flood_workspace_bytes(int, int) { return 4; }
void flood(const float*, const int*, unsigned char* mask, int rows, int columns, int, float, int, void*,
           cudaStream_t stream) {
  cudaMemsetAsync(mask, 1, std::size_t(rows) * columns, stream);
}
"""


def main():
    with tempfile.TemporaryDirectory() as name:
        desk = Desk(pathlib.Path(name), FOLDER, "flood", has_libraries=False)
        check_example(desk)
        check_strips(desk)
        check_no_data(desk)
        check_levels(desk)
        check_memory(desk)
        check_degrees(desk)
        check_pgm(desk)
        check_refusals(desk)
        # A submission that floods dry land is found out.
        own = desk.with_own("exercises/19-flood/flood.cu", ALL_WATER)
        must_refuse(own.start("--own", "flood"), 1, "flood left water on a cell that is not below the level")
        if [path.name for path in own.working_directory.iterdir() if path.name.startswith("example")]:
            fail("a wrong result was written")


if __name__ == "__main__":
    main()
