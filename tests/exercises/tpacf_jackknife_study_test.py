#!/usr/bin/env python3
"""The study of tpacf-jackknife as it is typed, on the emulated device: example, own catalogues, errors against pairs that
are weighted here one by one, what it writes and refuses.

Arguments: the root of the tree, the command lockstep.
"""

import csv
import gzip
import math
import pathlib
import random
import struct
import subprocess
import tempfile

from study_desk import ROOT, Desk, fail

FOLDER = ROOT / "exercises/18-tpacf-jackknife/study"
TABLES = "correlation", "covariance", "regions"


# --- what is expected ---


def degrees_between(a, b):
    (ra, dec), (other_ra, other_dec) = (tuple(map(math.radians, point)) for point in (a, b))
    half = (math.sin((dec - other_dec) / 2) ** 2
            + math.cos(dec) * math.cos(other_dec) * math.sin((ra - other_ra) / 2) ** 2)  # fmt: skip
    return math.degrees(2 * math.asin(math.sqrt(half)))


def binned_pairs(points, others, edges):
    """(bin, i, j) of all pairs that lie in a bin, of two sets or of one with itself."""
    for i, a in enumerate(points):
        for j in range(i + 1 if others is points else 0, len(others)):
            angle = degrees_between(a, others[j])
            if edges[0] <= angle < edges[-1]:
                yield next(k for k, edge in enumerate(edges[1:]) if angle < edge), i, j


class Draws:
    """SplitMix64 (Steele, Lea and Flood, 2014), its words of 32 bits, low half first, as numbers below `count`."""

    def __init__(self, seed):
        self.state, self.words = seed, []

    def below(self, count):
        if not self.words:
            self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
            z = self.state
            z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
            z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
            z ^= z >> 31
            self.words = [z >> 32, z % 2**32]
        return self.words.pop() * count >> 32


def covariance(samples, factor):
    bins = range(len(samples[0]))
    mean = [math.fsum(w[k] for w in samples) / len(samples) for k in bins]
    return [[factor * math.fsum((w[k] - mean[k]) * (w[l] - mean[l]) for w in samples) for l in bins] for k in bins]


class Expected:
    """The correlation of two catalogues and its errors, from all of their pairs."""

    def __init__(self, galaxies, randoms, boxes, edges, resamples, seed):
        self.sets = galaxies, randoms
        self.regions = [[region_of(point, boxes) for point in points] for points in self.sets]
        self.count, self.bins = len(boxes), len(edges) - 1
        self.pairs = {
            (a, b): [
                (k, self.regions[a][i], self.regions[b][j]) for k, i, j in binned_pairs(self.sets[a], self.sets[b], edges)
            ]
            for a, b in ((0, 0), (0, 1), (1, 1))
        }
        self.w = self.weighted(lambda a, b: 1)
        left_out = [self.weighted(lambda a, b, r=r: float(r not in (a, b))) for r in range(self.count)]
        self.jackknife = covariance(left_out, (self.count - 1) / self.count)
        part = self.count / (2 + math.sqrt(2) * (self.count - 1))  # of a pair across a border that is left out
        corrected = [self.weighted(lambda a, b, r=r: 1 - (a == b == r) - part * ((a == r) != (b == r)))
                     for r in range(self.count)]  # fmt: skip
        self.corrected = covariance(corrected, (self.count - 1) / self.count)
        draws, drawn = Draws(seed), []
        for _ in range(resamples):
            times = [0] * self.count
            for _ in range(self.count):
                times[draws.below(self.count)] += 1
            drawn.append(self.weighted(lambda a, b, times=times: (times[a] + times[b]) / 2))
        self.bootstrap = covariance(drawn, 1 / (resamples - 1))

    def counts(self, a, b, weight=lambda a, b: 1):
        sums = [0] * self.bins
        for k, region, other in self.pairs[a, b]:
            sums[k] += weight(region, other)
        return sums

    def all_pairs(self, a, b, weight):
        """The weights of all pairs at whatever distance, region by region."""
        of_a, of_b = ([regions.count(r) for r in range(self.count)] for regions in (self.regions[a], self.regions[b]))
        total = 0
        for r in range(self.count):
            for s in range(r if a == b else 0, self.count):
                total += weight(r, s) * (of_a[r] * (of_a[r] - 1) / 2 if a == b and r == s else of_a[r] * of_b[s])
        return total

    def weighted(self, weight):
        DD, DR, RR = (
            [count / self.all_pairs(a, b, weight) for count in self.counts(a, b, weight)]
            for a, b in ((0, 0), (0, 1), (1, 1))
        )
        return [(dd - 2 * dr + rr) / rr for dd, dr, rr in zip(DD, DR, RR)]


def east_of_180(ra):
    """The field of these tests lies across right ascension 0."""
    return round((ra - 180) % 360, 6)


def region_of(point, boxes):
    """By the boxes that were written: a border belongs to the box east or north of it, and boxes at the rim of the field
    go on beyond it."""
    sides = [(east_of_180(box["ra_from_deg"]), east_of_180(box["ra_to_deg"]), box["dec_from_deg"], box["dec_to_deg"])
             for box in boxes]  # fmt: skip
    rim = [choose(column) for choose, column in zip((min, max, min, max), zip(*sides))]
    east, north = east_of_180(point[0]), point[1]
    [region] = [
        region
        for region, (west, to_east, south, to_north) in enumerate(sides)
        if (west == rim[0] or east >= west)
        and (to_east == rim[1] or east < to_east)
        and (south == rim[2] or north >= south)
        and (to_north == rim[3] or north < to_north)
    ]
    return region


def near(found, expected, tolerance=1e-7):
    return abs(found - expected) <= tolerance * (1 + abs(expected))


def check_tables(desk, name, galaxies, randoms, edges, resamples, seed):
    boxes = desk.numbers(f"{name}-regions.csv")
    expected = Expected(galaxies, randoms, boxes, edges, resamples, seed)
    for column, regions in zip(("galaxies", "random_points"), expected.regions):
        if [box[column] for box in boxes] != [regions.count(r) for r in range(len(boxes))]:
            fail(f"the regions have not as many {column} as they say: {boxes}")
    rows = desk.numbers(f"{name}-correlation.csv")
    if len(rows) != len(edges) - 1:
        fail(f"not a row for each bin: {rows}")
    DD, DR, RR = (expected.counts(a, b) for a, b in ((0, 0), (0, 1), (1, 1)))
    across = expected.counts(1, 1, lambda a, b: a != b)
    for k, row in enumerate(rows):
        wanted = {"theta_from_deg": edges[k], "theta_to_deg": edges[k + 1], "theta_deg": math.sqrt(edges[k] * edges[k + 1]),
                  "DD": DD[k], "DR": DR[k], "RR": RR[k], "w": expected.w[k],
                  "jackknife_error": math.sqrt(expected.jackknife[k][k]),
                  "corrected_error": math.sqrt(expected.corrected[k][k]),
                  "bootstrap_error": math.sqrt(expected.bootstrap[k][k]),
                  "poisson_error": (1 + expected.w[k]) / math.sqrt(DD[k]), "across_borders": across[k] / RR[k]}  # fmt: skip
        if list(row) != list(wanted) or not all(near(row[key], value) for key, value in wanted.items()):
            fail(f"bin {k}: {row}, not {wanted}")
    table = iter(desk.numbers(f"{name}-covariance.csv"))
    for k in range(len(rows)):
        for l in range(len(rows)):
            row = next(table)
            wanted = [rows[k]["theta_deg"], rows[l]["theta_deg"], expected.jackknife[k][l], expected.corrected[k][l],
                      expected.bootstrap[k][l]]  # fmt: skip
            if not all(near(found, value) for found, value in zip(row.values(), wanted)):
                fail(f"covariance of bins {k} and {l}: {row}, not {wanted}")
    if next(table, None):
        fail("the covariance has more rows than pairs of bins")


# --- the example ---


def catalogue(path):
    with open(path, encoding="ascii", newline="") as file:
        return [(float(row["ra"]), float(row["dec"])) for row in csv.DictReader(file)]


def check_example(desk):
    desk.example([f"example-{table}.csv" for table in TABLES] + ["example.svg"])
    desk.check_picture("example.svg", "tpacf-jackknife-study.svg",
                       ["example.csv", "separation θ", "jackknife", "bootstrap", "16 regions and the galaxies",
                        "0°"])  # fmt: skip
    edges = [0.01 * 10 ** (k / 5) for k in range(13)]
    DD = [0] * 12
    galaxies = catalogue(FOLDER / "example.csv")
    for k, _, _ in binned_pairs(galaxies, galaxies, edges):
        DD[k] += 1
    rows = desk.numbers("example-correlation.csv")
    if [row["DD"] for row in rows] != DD:
        fail(f"not the pairs of the example: {DD}\n{rows}")
    # Errors of clustered galaxies are larger than those of independent pairs, and neighbours go together.
    if not all(row["jackknife_error"] > 3 * row["poisson_error"] for row in rows[6:]):
        fail(f"errors that are too small: {rows}")
    times = [round(row["jackknife_error"] / row["poisson_error"]) for row in rows[-3:]]
    said = "errors of the jackknife are {}, {} and {} times those of Poisson".format(*times)
    if said not in " ".join(desk.page().split()):
        fail(f"README.md does not say that {said}")
    desk.check_make_example("example.csv", "example-randoms.csv")


# --- catalogues of one's own ---


def small_sky(rng):
    """Galaxies in twos and random points across right ascension 0, to a hundred-thousandth of a degree."""

    def anywhere():
        return round(rng.uniform(-3, 4) % 360, 5) % 360, round(rng.uniform(-2, 3), 5)

    galaxies = []
    for _ in range(50):
        ra, dec = anywhere()
        galaxies += [(ra, dec), (round((ra + rng.gauss(0, 0.1)) % 360, 5) % 360, round(dec + rng.gauss(0, 0.1), 5))]
    return galaxies, [anywhere() for _ in range(240)]


def fits_table(columns, points, cells=">dd"):
    """The bytes of a FITS file with one binary table. FITS Standard 4.0: blocks of 2880 bytes, records of 80."""

    def header(records):
        text = "".join(line.ljust(80) for line in [*records, "END"])
        return text.ljust(-(-len(text) // 2880) * 2880).encode("ascii")

    def record(key, value):
        return f"{key:<8}= {value!r:>20}" if isinstance(value, int) else f"{key:<8}= '{value:<8}'"

    data = b"".join(struct.pack(cells, *point) for point in points)
    records = ["XTENSION= 'BINTABLE'", *(record(*pair) for pair in {
        "BITPIX": 8, "NAXIS": 2, "NAXIS1": struct.calcsize(cells), "NAXIS2": len(points), "PCOUNT": 0, "GCOUNT": 1,
        "TFIELDS": len(columns)}.items())]  # fmt: skip
    for number, (name, form, unit) in enumerate(columns, 1):
        records += [record(f"TTYPE{number}", name), record(f"TFORM{number}", form), record(f"TUNIT{number}", unit)]
    primary = ["SIMPLE  =                    T", record("BITPIX", 8), record("NAXIS", 0), "EXTEND  =                    T"]
    return header(primary) + header(records) + data.ljust(-(-len(data) // 2880) * 2880, b"\0")


def check_own_catalogues(desk):
    galaxies, randoms = small_sky(random.Random(18))
    bins = ["--first", "3arcmin", "--per-decade", "3", "--bins", "5", "--regions", "7"]
    edges = [3 / 60 * 10 ** (k / 3) for k in range(6)]
    desk.write("mine.txt",
               "# id dec ra\n" + "".join(f"{i} {dec:.5f} {ra:.5f}\n" for i, (ra, dec) in enumerate(galaxies)))  # fmt: skip
    desk.write("mock.csv", "RA;DEC;Z\r\n" + "".join(f"{ra:.5f};{dec:.5f};0.5\r\n" for ra, dec in randoms))
    desk.passes("mine.txt", "--randoms", "mock.csv", *bins, "--resamples", "40", "--seed", "9")
    check_tables(desk, "mine", galaxies, randoms, edges, 40, 9)
    tables = [desk.bytes_of(f"mine-{table}.csv") for table in TABLES]

    fits = fits_table([("RA", "1D", "deg"), ("DEC", "1D", "deg")], galaxies)
    desk.write("one[1].fits", fits)
    desk.write("two.fits.gz", gzip.compress(fits))
    if subprocess.run(["pkg-config", "--exists", "cfitsio"], check=False).returncode != 0:
        print("skipped: cfitsio is not there, so no FITS file is read")
        desk.refuses(1, "one[1].fits is a FITS file. FITS files need libcfitsio-dev: sudo apt-get install libcfitsio-dev",
                     "one[1].fits", "--randoms", "mock.csv")  # fmt: skip
    else:
        for file, name in (("one[1].fits", "one[1]"), ("two.fits.gz", "two")):
            shown = desk.passes(file, "--randoms", "mock.csv", *bins, "--resamples", "40", "--seed", "9")
            if f"{file} (FITS): 100 galaxies" not in shown:
                fail(shown)
            if tables != [desk.bytes_of(f"{name}-{table}.csv") for table in TABLES]:
                fail("the FITS file gives other tables than the text")
        desk.write("hours.fits", fits.replace(b"'deg     '", b"'h       '", 1))
        desk.refuses(1, 'hours.fits: column RA is in "h": positions are read in deg or rad', "hours.fits",
                     "--randoms", "mock.csv")  # fmt: skip
        desk.write("cut.fits", fits[: 2 * 2880 + 40])
        desk.refuses(1, "cut.fits: it is no sound FITS file: ", "cut.fits", "--randoms", "mock.csv")


def check_box(desk):
    """Random points that are made: in the box, and written, so that they give the same again."""
    box = ["--box", "356,5,-3,4"]
    shown = desk.passes("mine.txt", *box, "--random-points", "500", "--bins", "6", "--first", "0.1", "--output", "a")
    if "made      500 random points in the box" not in shown:
        fail(shown)
    points = catalogue(desk.folder / "a-made-randoms.csv")
    if len(points) != 500 or not all((ra - 356) % 360 <= 9 and -3 <= dec <= 4 for ra, dec in points):
        fail("the random points are not in the box")
    desk.passes("mine.txt", "--randoms", "a-made-randoms.csv", "--bins", "6", "--first", "0.1", "--output", "b")
    if desk.numbers("a-correlation.csv") != desk.numbers("b-correlation.csv"):
        fail("the random points that were written give another correlation")
    every = catalogue(desk.folder / "a-made-randoms.csv")[::3]
    if f"{len(every)} random points" not in desk.passes("mine.txt", "--randoms", "a-made-randoms.csv", "--every", "3", "--bins", "2",
                                                        "--first", "0.3", "--output", "c"):  # fmt: skip
        fail("not every third random point")
    # No file that is read is replaced: neither random points of the user beside galaxies, nor what --output names.
    desk.write("gal.txt", desk.bytes_of("mine.txt"))
    desk.write("gal-randoms.csv", "the user's\n")
    few = ["--bins", "2", "--first", "0.3"]
    desk.passes("gal.txt", *box, "--random-points", "99", *few)
    if desk.bytes_of("gal-randoms.csv") != b"the user's\n" or "gal-made-randoms.csv" not in desk.files():
        fail(f"random points of the user were replaced: {desk.files()}")
    desk.passes("gal.txt", "--randoms", "gal-made-randoms.csv", *few)
    desk.refuses(1, "gal-made-randoms.csv would replace a file that was read", "./gal-made-randoms.csv", *box, *few,
                 "--random-points", "99", "--output", "gal")  # fmt: skip
    (desk.folder / "x-regions.csv").symlink_to("mock.csv")
    desk.refuses(1, "x-regions.csv would replace a file that was read", "mine.txt", "--randoms", "mock.csv", *few,
                 "--output", "x")  # fmt: skip
    desk.refuses(1, "galaxies lie outside of --box", "mine.txt", "--box", "0,5,-3,4")
    desk.refuses(2, "not both", "mine.txt", *box, "--randoms", "mock.csv")
    desk.refuses(2, "--random-points says how many", "mine.txt", *box, "--every", "2")
    desk.refuses(2, "--random-points are made in a --box", "mine.txt", "--randoms", "mock.csv", "--random-points", "9")


# One file for three mistakes, as compiling takes time: the number of bins says which one is made.
WRONG_KERNELS = """
#include "tpacf_jackknife.h"

__global__ void nothing() {}

std::size_t tpacf_jackknife_workspace_bytes(int, int, int) { return 1; }

void tpacf_jackknife(const double*, const int*, int, int regions, double, int, int bins, unsigned long long* counts,
                     void*, cudaStream_t stream) {
  if (bins == 3) nothing<<<1, 4096, 0, stream>>>();
  if (bins == 4) cudaMemsetAsync(counts, 0, (1 + regions) * bins * sizeof *counts, stream);
}
"""


def check_own_kernels(desk):
    """A file that writes nothing, one whose kernel cannot be launched, and one that counts nothing, as the starter."""
    own = desk.with_own("exercises/18-tpacf-jackknife/tpacf_jackknife.cu", WRONG_KERNELS)
    before = desk.compiled()
    for bins, sentence in ((2, "counts of regions contradict those of all points in bin 1"),
                           (3, "cudaGetLastError(): cudaErrorInvalidConfiguration"),
                           (4, "no bin holds a pair of random points")):  # fmt: skip
        status, out, err = own.typed("--own", "tpacf-jackknife", desk.folder / "mine.txt", "--randoms",
                                     desk.folder / "mock.csv", "--first", "0.1", "--bins", bins)  # fmt: skip
        written = list(own.working_directory.glob("mine*"))
        # Behind the first line is what the emulated device finds.
        if status != 1 or sentence not in err.partition("\n")[0] or out or written:
            fail(f"{bins} bins by a wrong kernel: status {status}, not {sentence}\n{out}{err}{written}")
    if desk.compiled() != before + 2:  # the file and a program with it, once
        fail(f"not one file and one program were compiled: {desk.compiled() - before}")


def check_sparse_bins(desk):
    """Bins without pairs have empty fields, and few regions are remarked on."""
    shown = desk.passes("mine.txt", "--randoms", "mock.csv", "--first", "3.6arcsec", "--per-decade", "20", "--bins",
                        "64", "--regions", "2", "--output", "sparse")  # fmt: skip
    if "a jackknife over 2 regions has a covariance of rank 1 at most" not in shown:
        fail(shown)
    empty = [row for row in desk.numbers("sparse-correlation.csv") if row["RR"] == 0]
    if not empty or any(row["w"] is not None or row["jackknife_error"] is not None for row in empty):
        fail(f"a correlation without random pairs: {empty}")
    if "nan" in (desk.folder / "sparse.svg").read_text(encoding="utf-8") + shown:
        fail("a NaN is shown")


def check_refusals(desk):
    desk.refuses(2, "random points of the survey's field are needed", "mine.txt")
    desk.refuses(2, "--first: \"1arcsec\" is no angle from 3.6arcsec", "mine.txt", "--randoms", "mock.csv", "--first", "1arcsec")
    desk.refuses(2, "there is no option --region", "--region", "2")
    desk.refuses(2, "the last bin ends beyond 180 degrees", "--bins", "40")
    desk.refuses(1, "no bin holds a pair of random points", "mine.txt", "--randoms", "mock.csv", "--first", "3.6arcsec",
                 "--bins", "1")  # fmt: skip
    desk.refuses(1, "none.csv cannot be opened", "mine.txt", "--randoms", "none.csv")
    desk.refuses(1, "missing/x-correlation.csv cannot be written", "mine.txt", "--randoms", "mock.csv", "--output", "missing/x")
    desk.write("bad.csv", "ra,dec\n1,2\n1,nan\n")
    desk.refuses(1, 'bad.csv:3: "nan" in column 2 is no decimal number', "bad.csv", "--randoms", "mock.csv")
    desk.write("bad.csv", "ra,dec\n1,2\n")
    desk.refuses(1, "bad.csv: one galaxy has no pair", "bad.csv", "--randoms", "mock.csv")
    desk.refuses(1, "cannot be divided into 16 regions", "mine.txt", "--randoms", "bad.csv")


def main():
    with tempfile.TemporaryDirectory() as name:
        desk = Desk(pathlib.Path(name), FOLDER, "tpacf-jackknife")
        check_example(desk)
        check_own_catalogues(desk)
        check_box(desk)
        check_sparse_bins(desk)
        check_own_kernels(desk)
        check_refusals(desk)
        desk.check_help()


if __name__ == "__main__":
    main()
