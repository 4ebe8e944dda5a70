#!/usr/bin/env python3
"""The study of resampling as it is typed, on the emulated device: estimates against exact ones, outputs, refusals.

Arguments: the root of the tree, the command lockstep.
"""

import csv
import itertools
import math
import pathlib
import random
import re
import statistics
import tempfile

from study_desk import ROOT, Desk, fail, must_refuse, words_of

FOLDER = ROOT / "exercises/21-resampling/study"
SCHEMES = "exercise", "systematic", "stratified", "residual", "multinomial"
COMPONENTS = "x", "y", "vx", "vy"
# Of differences of means of independent runs. About one in 30 000 of Student's t with 14 degrees of freedom is larger,
# and the seeds are fixed, so that what passes once passes again with the same toolkit.
STANDARD_ERRORS = 6
PROCESS_NOISE, RANGE_NOISE, BEARING_NOISE, POSITION_NOISE, FIRST_SPEED = 0.5, 20.0, 0.02, 20.0, 10.0


# --- a linear model with normal noise, whose answer is exact: Kalman's filter ---


def product(a, b):
    return [[math.fsum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def transposed(a):
    return [list(row) for row in zip(*a)]


LINEAR_NOISE = 3.0  # of the acceleration: with much of it filters soon forget which particles they lost


def kalman(rows):
    """Mean and covariance after each row (time, x, y), where x and y are measured or None."""
    mean = [rows[0][1], rows[0][2], 0.0, 0.0]
    variances = [POSITION_NOISE**2] * 2 + [FIRST_SPEED**2] * 2
    covariance = [[variances[k] if k == j else 0.0 for j in range(4)] for k in range(4)]
    estimates = [(mean, covariance)]
    for before, (time, *seen) in zip(rows, rows[1:]):
        dt = time - before[0]
        step = [[1, 0, dt, 0], [0, 1, 0, dt], [0, 0, 1, 0], [0, 0, 0, 1]]
        push = [[dt * dt / 2, 0], [0, dt * dt / 2], [dt, 0], [0, dt]]
        noise = product(push, transposed(push))
        mean = [math.fsum(s * m for s, m in zip(row, mean)) for row in step]
        covariance = product(product(step, covariance), transposed(step))
        covariance = [[c + LINEAR_NOISE**2 * q for c, q in zip(*pair)] for pair in zip(covariance, noise)]
        if seen[0] is not None:
            for axis in (0, 1):  # one after the other, as their noise is independent
                total = covariance[axis][axis] + POSITION_NOISE**2
                gain = [row[axis] / total for row in covariance]
                mean = [m + g * (seen[axis] - mean[axis]) for m, g in zip(mean, gain)]
                seen_row = covariance[axis]
                covariance = [[c - g * s for c, s in zip(row, seen_row)] for row, g in zip(covariance, gain)]
        estimates.append((mean, covariance))
    return estimates


def positions():
    """Irregular times, two rows at one time, a row without a measurement, coordinates far from 0."""
    rng = random.Random(5)
    times = [0, 1, 1.5, 1.5, 3, 4, 6, 7, 8, 8.5, 10, 11]
    return [(t, None, None) if t == 7 else (t, 4.5e5 + 8 * t + rng.gauss(0, 20), 5.2e6 - 5 * t + rng.gauss(0, 20))
            for t in times]  # fmt: skip


def check_exact(desk):
    """By every scheme, with particles that fill no warp."""
    rows = positions()
    cells = [",".join("" if value is None else f"{value:.3f}" for value in row) for row in rows]
    desk.write("gps.csv", "time,x,y\r\n" + "\r\n".join(cells) + "\r\n")
    # The last digits that the file has.
    rows = [tuple(None if value is None else round(value, 3) for value in row) for row in rows]
    runs = []
    for seed, scheme in itertools.product((1, 2, 3), SCHEMES):
        desk.passes("gps.csv", "--particles", 3001, "--seed", 10 * seed + SCHEMES.index(scheme), "--scheme", scheme,
                    "--resample-below", (0.5, 0.9, 1)[seed - 1], "--process-noise", LINEAR_NOISE)  # fmt: skip
        runs.append(desk.numbers("gps-estimates.csv"))
    for k, (mean, covariance) in enumerate(kalman(rows)):
        for axis, name in enumerate(COMPONENTS):
            deviation = math.sqrt(covariance[axis][axis])
            close(f"row {k + 1}: {name}", [(run[k][name] - mean[axis]) / deviation for run in runs], 0.25)
            close(f"row {k + 1}: sd_{name}", [run[k]["sd_" + name] / deviation - 1 for run in runs], 0.25)
        scale = math.sqrt(covariance[0][0] * covariance[1][1])
        close(f"row {k + 1}: cov_x_y", [run[k]["cov_x_y"] / scale for run in runs], 0.25)
    return runs


def close(what, differences, most):
    """Differences to the exact value are 0 on average, and each is small. A filter's bias is of the order of 1/N, far
    below the standard error, which is of the order of 1/√N."""
    mean, error = statistics.fmean(differences), statistics.stdev(differences) / math.sqrt(len(differences))
    if not abs(mean) <= STANDARD_ERRORS * error or not max(map(abs, differences)) <= most:
        fail(f"{what}: off by {mean:.3g} ± {error:.3g}, at most {max(map(abs, differences)):.3g}")


# --- range and bearing: another particle filter, in double ---


def log_weight(state, seen):
    if seen is None:
        return 0.0
    turned = math.remainder(math.atan2(state[1], state[0]) - seen[1], 2 * math.pi)
    return -(((math.hypot(state[0], state[1]) - seen[0]) / RANGE_NOISE) ** 2 + (turned / BEARING_NOISE) ** 2) / 2


def example_rows():
    with open(FOLDER / "example.csv", encoding="ascii", newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return [(float(row["range"]), float(row["bearing"])) if row["range"] else None for row in rows]


def plainly(rows, particles, rng):
    """Means of x and y after each row, each a second after the one before, resampled at each by independent draws."""
    states = []
    for _ in range(particles):
        distance, angle = rows[0][0] + rng.gauss(0, RANGE_NOISE), rows[0][1] + rng.gauss(0, BEARING_NOISE)
        states.append((distance * math.cos(angle), distance * math.sin(angle), rng.gauss(0, FIRST_SPEED),
                       rng.gauss(0, FIRST_SPEED)))  # fmt: skip
    means = []
    for k, seen in enumerate(rows):
        weights = [1.0] * particles
        if k != 0:
            after = []
            for x, y, vx, vy in states:
                push_x, push_y = rng.gauss(0, PROCESS_NOISE), rng.gauss(0, PROCESS_NOISE)
                after.append((x + vx + push_x / 2, y + vy + push_y / 2, vx + push_x, vy + push_y))
            states = after
            weights = [math.exp(log_weight(state, seen)) for state in states]
        total = math.fsum(weights)
        means.append([math.fsum(w * s[axis] for w, s in zip(weights, states)) / total for axis in (0, 1)])
        states = rng.choices(states, weights, k=particles)
    return means


def check_radar(desk):
    """The first 46 rows, three of which are empty."""
    rows = example_rows()[:46]
    cells = [f"{k},{','.join(map(str, seen)) if seen else ','}" for k, seen in enumerate(rows)]
    desk.write("radar.csv", "time,range,bearing\n" + "\n".join(cells))
    runs = []
    for seed in range(1, 9):
        desk.passes("radar.csv", "--seed", seed, "--particles", 2000)
        runs.append(desk.numbers("radar-estimates.csv"))
    others = [plainly(rows, 2000, random.Random(seed)) for seed in range(6)]
    for k in range(len(rows)):
        for axis, name in enumerate(("x", "y")):
            found, expected = [run[k][name] for run in runs], [other[k][axis] for other in others]
            error = math.sqrt(statistics.variance(found) / len(found) + statistics.variance(expected) / len(expected))
            if not abs(statistics.fmean(found) - statistics.fmean(expected)) <= STANDARD_ERRORS * error:
                fail(f"row {k + 1}: {name} = {found}, another filter has {expected}")
            if not statistics.stdev(found) < 4:  # of a deviation of 5 to 20 m
                fail(f"row {k + 1}: {name} = {found}")


# --- one step, particle by particle ---


def check_step(desk):
    """Weights, mean, covariance and effective sample size of one row from the states that were written, in double.

    In float the range of 700 m is off by 10⁻⁴ at most, and the bearing by 10⁻⁶, so at ten standard deviations the
    logarithm of a weight by 5·10⁻⁵ + 5·10⁻⁴.
    """
    seen = example_rows()[4]
    desk.passes("--particles", 1001, "--resample-below", 1, "--cloud", 5, "--output", "step")
    cloud, row = desk.numbers("step-cloud.csv"), desk.numbers("step-estimates.csv")[4]
    if len({tuple(one.values()) for one in cloud}) != 1001 or max(one["weight"] for one in cloud) != 1:
        fail(f"not the particles: {cloud[:3]}")
    logs = [log_weight((one["x"], one["y"]), seen) for one in cloud]
    for one, log in zip(cloud, logs):
        exact = math.exp(log - max(logs))
        if not abs(one["weight"] - exact) <= 1e-3 * exact + 1e-20:
            fail(f"{one}, exactly {exact}")
    weights = [one["weight"] for one in cloud]
    total = math.fsum(weights)
    mean = {name: math.fsum(w * one[name] for w, one in zip(weights, cloud)) / total for name in COMPONENTS}

    def covariance(a, b):
        return math.fsum(w * (one[a] - mean[a]) * (one[b] - mean[b]) for w, one in zip(weights, cloud)) / total

    exact = {**mean, **{"sd_" + name: math.sqrt(covariance(name, name)) for name in COMPONENTS},
             "cov_x_y": covariance("x", "y"), "resampled": 1, "time": 4,
             "effective_sample_size": total**2 / math.fsum(w * w for w in weights)}  # fmt: skip
    for name, value in exact.items():
        if not abs(row[name] - value) <= 1e-7 * abs(value) + 1e-8:
            fail(f"{name} is {row[name]}, exactly {value}")


# --- the other modes ---


def check_offspring(desk):
    """The error of each scheme against its theory, within standard errors of its own.

    The mean over R runs has a noise of error / R, which bias² is rid of. What is left varies most for systematic
    resampling, where one random number per run decides: the noise is then like Cramér's and von Mises's ω² of R
    numbers, whose standard deviation is 0.9 of its mean, for the mean of 16 sets of weights 0.22, times R / (R - 1) as
    the noise that is subtracted comes from the same runs. The bound is 1.
    """
    runs = 8
    shown = desk.passes("--offspring", runs, "--particles", 100, "--seed", 3)
    rows = desk.rows("resampling-offspring.csv")
    if [(int(row["y"]), row["scheme"]) for row in rows] != list(itertools.product(range(5), SCHEMES)):
        fail(f"not a row for each y and scheme: {rows}")
    for row in rows:
        name, error, off = row["scheme"], float(row["error"]), float(row["standard_error"])
        if name == "exercise":
            if row["theory"]:
                fail(f"the exercise's function may follow any procedure: {row}")
        elif not 0 < off < 0.05 * error or not abs(error - float(row["theory"])) <= STANDARD_ERRORS * off:
            fail(f"not the theory's error: {row}")
        if not abs(float(row["bias_squared"])) <= error / runs:
            fail(f"a bias: {row}")
    if not {"exercise", "multinomial", "mean of (O − e)²"} <= words_of(desk.folder / "resampling-offspring.svg"):
        fail("the picture of copies lacks its words")
    if f"0.{round(1e4 * float(rows[2]['theory'])):04d}" not in shown:
        fail(f"the table lacks {rows[2]}: {shown}")


def check_compare(desk):
    shown = desk.passes("--compare", 3, "--sizes", "33,200", "--resample-below", 1)
    rows = desk.rows("resampling-compare.csv")
    if len(rows) != 2 * 5 * 3:
        fail(f"not a row for each size, scheme and track: {rows}")
    for size in (33, 200):
        own = [row for row in rows if int(row["particles"]) == size]
        squared = {scheme: [float(row["mean_squared_error"]) for row in own if row["scheme"] == scheme]
                   for scheme in SCHEMES}  # fmt: skip
        root = math.sqrt(statistics.fmean(squared["exercise"]))
        ratio = math.sqrt(statistics.fmean(squared["multinomial"]) / statistics.fmean(squared["exercise"]))
        if not re.search(rf"^ +{size} +{root:.3f} ± .* {ratio:.4f} ± [0-9.]+$", shown, re.MULTILINE):
            fail(f"{size} particles have {root}, {ratio}: {shown}")
        if squared["systematic"] != squared["exercise"] or squared["stratified"] == squared["multinomial"]:
            fail(f"the reference is systematic resampling: {squared}")
    if not {"33", "200", "residual"} <= words_of(desk.folder / "resampling-compare.svg"):
        fail("the picture of errors lacks its words")
    # Without noise all particles are at the truth: an error of 0, whose own is unknown, as is the ratio of two.
    exact = desk.passes("--compare", 2, "--sizes", 8, "--process-noise", 0, "--start-noise", "0,0", "--output", "exact")
    if not re.search(r"^ +8 +0\.000 ± +-( +- ± +-){4}$", exact, re.MULTILINE):
        fail(f"not an error of 0: {exact}")
    desk.refuses(1, "--compare: track 1, row 1: it is more than 1000 standard deviations away from every particle",
                 "--compare", 2, "--sizes", 16, "--range-noise", "1e-6")  # fmt: skip
    # An estimate from noise of 20 m and 0.02 · 700 m alone is off by 24 m.
    if not 5 < root < 24:
        fail(f"an RMSE of {root} m with 200 particles")


# --- the example, the page and the picture ---


def check_example(desk):
    shown = desk.example(["example-estimates.csv", "example.svg"])
    desk.check_picture("example.svg", "resampling-study.svg",
                       ["example.csv", "x (m)", "y (m)", "time (s)", "truth", "measured", "sensor"])  # fmt: skip
    estimates = desk.rows("example-estimates.csv")
    if len(estimates) != 80 or f"after {sum(int(row['resampled']) for row in estimates)} of 80 rows" not in shown:
        fail(f"not the estimates: {shown}")
    with open(FOLDER / "example.csv", encoding="ascii", newline="") as file:
        truth = list(csv.DictReader(line for line in file if not line.startswith("#")))
    squares = [math.dist((float(a["x"]), float(a["y"])), (float(b["true_x"]), float(b["true_y"]))) ** 2
               for a, b in zip(estimates, truth)]  # fmt: skip
    seen = [math.dist((r * math.cos(b), r * math.sin(b)), (float(row["true_x"]), float(row["true_y"]))) ** 2
            for (r, b), row in ((one, row) for one, row in zip(example_rows(), truth) if one)]  # fmt: skip
    if (f"RMSE      {math.sqrt(statistics.fmean(squares)):.3g} m over 80 rows; of the measured positions "
            f"{math.sqrt(statistics.fmean(seen)):.3g} m over {len(seen)} rows\n") not in shown:  # fmt: skip
        fail(f"not the roots of {statistics.fmean(squares)} and {statistics.fmean(seen)}: {shown}")
    few = "--particles", 2000, "--output"
    desk.passes(*few, "reference")
    # The same words, the same ancestors: the plain scheme against the reference.
    desk.passes(*few, "plain", "--scheme", "systematic")
    desk.must_be_same("plain-estimates.csv", "reference-estimates.csv", "systematic resampling, which is the reference's")
    desk.passes(*few, "seed", "--seed", 2)
    if desk.bytes_of("seed-estimates.csv") == desk.bytes_of("reference-estimates.csv"):
        fail("another seed gives the same estimates")


def check_degrees(desk):
    """Degrees from the direction of x, and clockwise from that of y, are the radians of the example."""
    rows = example_rows()[:12]
    desk.write("radians.csv", "time,range,bearing\n" + "".join(f"{k},{r},{b}\n" for k, (r, b) in enumerate(rows)))
    for name, angle in (("bearing_deg", math.degrees), ("azimuth_deg", lambda b: 90 - math.degrees(b) + 360)):
        lines = [f"{angle(b)!r},,{k},{r}\n" for k, (r, b) in enumerate(rows)]
        desk.write(f"{name}.csv", f"{name},note,time,range\n" + "".join(lines))
    small = "--particles", 500, "--bearing-noise"
    desk.passes("radians.csv", *small, math.radians(1.5))
    expected = desk.numbers("radians-estimates.csv")
    for name in ("bearing_deg", "azimuth_deg"):
        shown = desk.passes(f"{name}.csv", *small, 1.5)
        if 'ignored: "note"' not in shown:
            fail(f"it does not say what is ignored: {shown}")
        for a, b in zip(desk.numbers(f"{name}-estimates.csv"), expected):
            if not math.dist((a["x"], a["y"]), (b["x"], b["y"])) < 0.5:  # rounded angles, other copies
                fail(f"{name}: {a}, by radians {b}")


def check_first_row(desk):
    # Coordinates and times with more digits than a float has.
    desk.write("digits.csv", "time,x,y\n1764496714.125,,\n1764496715.625,450001,5200001\n")
    desk.passes("digits.csv", "--start", "450000.4,5200000.4,0.5,0", "--start-noise", "0,0", "--process-noise", 0,
                "--particles", 100)  # fmt: skip
    first, last = desk.rows("digits-estimates.csv")
    if (first["time"], first["x"], first["y"]) != ("1764496714.125", "450000.4", "5200000.4"):
        fail(f"not the start: {first}")
    if not math.dist((float(last["x"]), float(last["y"])), (450001.15, 5200000.4)) < 1e-6:
        fail(f"not 1.5 seconds later: {last}")
    # The first row's x was measured twice, by a receiver and by a radar so far away that y hardly changes its range.
    desk.write("both.csv", "time,x,y,range,sensor_x,sensor_y\n0,110,0,100100,-100000,0\n")
    desk.passes("both.csv", "--position-noise", 20, "--range-noise", 15, "--particles", 4000)
    [row] = desk.numbers("both-estimates.csv")
    exact, variance = (110 / 20**2 + 100 / 15**2) / (1 / 20**2 + 1 / 15**2), 1 / (1 / 20**2 + 1 / 15**2)
    error = math.sqrt(variance / row["effective_sample_size"])
    if not abs(row["x"] - exact) <= STANDARD_ERRORS * error or not abs(row["sd_x"] - math.sqrt(variance)) < 1:
        fail(f"x is {exact} ± {math.sqrt(variance)} at first: {row}")


def check_edges(desk):
    desk.write("one.csv", "time,range,bearing\n3,100,1\n")
    shown = desk.passes("one.csv", "--particles", 1, "--resample-below", 1)
    [row] = desk.numbers("one-estimates.csv")
    if row["effective_sample_size"] != 1 or row["sd_x"] != 0 or "resampled after 1 of 1 rows" not in shown:
        fail(f"one particle: {row}{shown}")
    # Bearings alone, from two places, with a known start.
    desk.write("bearings.csv", "time,bearing_deg,sensor_x,sensor_y\n0,45,0,0\n0,135,100,0\n1,45,0,0\n1,135,100,0\n")
    desk.passes("bearings.csv", "--start", "52,48,0,0", "--start-noise", "10,1", "--bearing-noise", "0.5", "--particles",
                4000)  # fmt: skip
    last = desk.numbers("bearings-estimates.csv")[-1]
    if not math.dist((last["x"], last["y"]), (50, 50)) < 1.5 or not last["sd_x"] < 1:
        fail(f"two bearings meet at 50, 50: {last}")
    check_first_row(desk)
    # A target that jumps far away leaves few particles that count, and too far none.
    desk.write("jump.csv", "time,x,y\n0,0,0\n1,1000,0\n2,1000,0\n")
    if "below 10 after" not in desk.passes("jump.csv", "--particles", 1000):
        fail("no word about a target that was lost")
    desk.write("far.csv", "time,x,y\n0,0,0\n1,1e9,0\n")
    desk.refuses(1, "far.csv:3: it is more than 1000 standard deviations away from every particle", "far.csv",
                 "--position-noise", "1e-6", "--particles", 100)  # fmt: skip
    desk.write("start.csv", "time,range\n0,100\n")
    desk.refuses(1, "start.csv:2: the first row does not say where the target is: --start does", "start.csv")
    desk.write("nan.csv", "time,range,bearing\n0,100,1\n1,nan,1\n")
    desk.refuses(1, 'nan.csv:3: range: "nan" is no number', "nan.csv")
    desk.refuses(1, "none.csv cannot be opened", "none.csv")
    desk.refuses(1, "missing/x-estimates.csv cannot be written", "one.csv", "--output", "missing/x")
    desk.refuses(2, "there is no option --particle", "--particle", "2")
    desk.refuses(2, "--particles: \"0\" is no number from 1 to", "--particles", "0")
    desk.refuses(2, '--scheme: "best" is none of exercise,', "--scheme", "best")
    desk.refuses(2, "--cloud: the file has 1 rows", "one.csv", "--cloud", "2")
    desk.refuses(2, "--start takes X,Y,VX,VY", "--start", "1,2")
    desk.refuses(2, "--compare and --offspring take no file", "one.csv", "--compare", "2")
    # What would do nothing.
    desk.refuses(2, "--particles does nothing with --compare: --sizes does", "--compare", "4", "--particles", "512")
    desk.refuses(2, "--scheme does nothing with --compare", "--compare", "2", "--scheme", "residual", "--cloud", "5")
    desk.refuses(2, "--steps does nothing with --offspring", "--offspring", "2", "--particles", "9", "--steps", "9")
    desk.refuses(2, "--start-noise does nothing without --start", "--start-noise", "1,1")
    desk.refuses(2, "--first-speed does nothing with --start", "--start", "1,2,3,4", "--first-speed", "1")
    desk.refuses(2, "--steps does nothing without the exercise's", "--steps", "9", "--scheme", "residual")
    desk.check_help()


def with_own_function(desk):
    """A function that leaves nothing with 7 steps is found: its ancestors are no particles. Otherwise it always gives all
    copies to particle 0: the whole error is bias."""
    return desk.with_own("exercises/21-resampling/resampling.cu", """#include "resampling.h"
std::size_t resampling_workspace_bytes(int) { return 0; }
void resampling(const float*, int n, int steps, unsigned long long, int* ancestors, void*, cudaStream_t) {
  if (steps != 7) cudaMemset(ancestors, 0, n * sizeof(int));
}
""")  # fmt: skip


def check_own_function(desk, own):
    said = "resampling: resampling left 100 ancestors that are no particles: see ./lockstep grade resampling\n"
    own.is_refused(1, said, "--own", "resampling", "--particles", "100", "--steps", "7")
    status, out, err = own.typed("--own", "resampling", "--offspring", 2, "--particles", 32, "--output",
                                 desk.folder / "bias")  # fmt: skip
    if status != 0 or err:
        fail(f"--offspring of a wrong function: status {status}\n{out}{err}")
    for row in desk.rows("bias-offspring.csv")[:: len(SCHEMES)]:
        bias, error = float(row["bias_squared"]), float(row["error"])
        if not abs(bias - error) <= 1e-6 * error or not float(row["standard_error"]) <= 1e-6 * error:
            fail(f"not all of the error is bias: {row}")


def main():
    with tempfile.TemporaryDirectory() as name:
        desk = Desk(pathlib.Path(name), FOLDER, "resampling")
        check_example(desk)
        check_step(desk)
        check_exact(desk)
        check_radar(desk)
        check_degrees(desk)
        check_edges(desk)
        check_offspring(desk)
        check_compare(desk)
        check_own_function(desk, with_own_function(desk))
        desk.check_make_example("example.csv")


if __name__ == "__main__":
    main()
