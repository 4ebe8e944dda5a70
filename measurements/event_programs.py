"""The programs in measurements/events, which call a solution and time it by events: what they are made of, and how the
sizes of reports and records are passed to them."""

import re
import subprocess

from grading import Failed
from heading import ROOT, find_nvcc
from record import topic_of

PROGRAMS = ROOT / "measurements/events"
# How reports and records name the sizes of each exercise, and the arguments of its program for them.
SIZES = {
    "coalescing": {r"(\d+) in rows of (\d+)": r"\1 \2"},
    "transpose": {r"(\d+) x (\d+)": r"\1 \2"},
    "block-scan": {r"(\d+) x (\d+)": r"\1 \2"},
    "reduction": {r"n = (\d+)": r"\1"},
    "matrix-product": {r"(\d+) x (\d+) x (\d+)": r"\1 \2 \3"},
    "tensor-cores": {r"(\d+) x (\d+) x (\d+)": r"\1 \2 \3"},
    "scan": {r"n = (\d+)": r"\1"},
    "compaction": {
        r"n = (\d+)": r"\1 500",
        r"one in 100 kept": r"33554432 10",
        r"nine in ten kept": r"33554432 900",
    },
    "segmented-scan": {
        r"n = (\d+)": r"\1 1024",
        r"short segments": r"33554432 4",
        r"one segment": r"33554432 0",
    },
    "sparse-matrix": {
        r"(\d+) x (\d+), (\d+) nonzeros": r"\1 \2 \3 power-law",
        r"banded": r"3355443 3355443 16777215 banded",
        r"sixteen per row": r"1048576 1048576 16777216 even",
        r"a dense row": r"1048576 16777216 16777216 dense-row",
        r"most rows empty": r"4194304 2097152 16777216 most-empty",
        r"long rows": r"1000 524288 16777216 even",
    },
    "block-sort": {
        r"(\d+) x (\d+)": r"\1 \2 any",
        r"few values": r"65536 1024 few",
        r"descending": r"65536 1024 descending",
    },
    "sorting": {
        r"n = (\d+)": r"\1 0 any",
        r"with values": r"33554432 1 any",
        r"2\^28 with values": r"268435456 1 any",
        r"descending": r"33554432 0 descending",
        r"seven keys": r"33554432 0 few",
        r"all but one equal": r"33554432 0 equal",
    },
    "histogram": {
        r"bytes, n = (\d+), bins = 256": r"\1 1 256 0 uniform",
        r"bytes, all equal": r"134217728 1 256 0 equal",
        r"bytes, two values": r"134217728 1 256 0 two",
        r"bytes after Zipf": r"134217728 1 256 0 zipf",
        r"bytes, sorted": r"134217728 1 256 0 sorted",
        r"bytes from the third on": r"134217723 1 256 3 uniform",
        r"words, (\d+) bins": r"134217728 4 \1 0 uniform",
        r"words, (\d+) bins, all equal": r"134217728 4 \1 0 equal",
        r"words, (\d+) bins, after Zipf": r"134217728 4 \1 0 zipf",
    },
    "multi-tau": {r"(\d+) instants, (\d+) sensors, (\d+) groups, elapsed = (\d+)": r"\2 \1 \4 \3"},
    "tpacf": {
        r"n = (\d+), m = (\d+), sets = (\d+)": r"\1 \2 \3 galaxies",
        r"no clustering": r"10391 10391 20 none",
        r"a field of ten degrees": r"10391 10391 20 field",
        r"50 000 points, one set": r"50000 50000 1 galaxies",
    },
    "flood": {
        r"(\d+) x \1": r"\1 4 terrain few",
        r"(spiral|comb|serpentine)": r"8192 4 \1 few",
        r"checkerboard, (\d) neighbours": r"8192 \1 checkerboard few",
        r"percolation, 4 neighbours": r"8192 4 percolation-of-sides few",
        r"percolation, 8 neighbours": r"8192 8 percolation-of-corners few",
        r"terrain, 8 neighbours, many sources": r"8192 8 terrain many",
        r"all wet": r"8192 4 all-wet few",
    },
    "drmsd": {r"n = (\d+), frames = (\d+)": r"\1 \2", r"(\d+) atoms, (\d+) frames": r"\1 \2"},
    "resampling": {r"n = (\d+), y = ([0-9.]+), (\d+) steps": r"\1 \2 \3"},
}


def exercise_of(topic):
    """Its folder under exercises and solutions."""
    (exercise,) = [one.name for one in (ROOT / "exercises").iterdir() if one.is_dir() and topic_of(one.name) == topic]
    return exercise


def call(what, command):
    """What it prints. `what` names it where it fails."""
    try:
        ran = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise Failed(f"{what}: {error}") from error
    if ran.returncode != 0:
        raise Failed(f"{what} ended with {ran.returncode}:\n{(ran.stderr + ran.stdout).strip()}")
    return ran.stdout


def build(name, folder):
    """The program for a solution, such as 05-transpose/peers/cublas, that times its calls by events."""
    exercise = name.split("/")[0]
    program = folder / name.replace("/", "-")
    command = [find_nvcc(), "-std=c++20", "-O3", "-arch=native", f'-DSOLUTION="{ROOT / "solutions" / name}.cu"']
    command += ["-I", ROOT / "common", "-I", ROOT / "exercises" / exercise]
    command += ["-o", program, PROGRAMS / f"{topic_of(exercise).replace('-', '_')}.cu"]
    command += [f"-l{library}" for library in ("cublas", "cusparse") if f"/peers/{library}" in name]
    call(f"the compilation of {name}", command)
    return program


def arguments_for(name, size):
    """What the program of a solution is given for a size, as one word; nothing where it does not know that size."""
    for pattern, arguments in SIZES[topic_of(name.split("/")[0])].items():
        known = re.fullmatch(pattern, size)
        if known:
            return known.expand(arguments)
    return None


def seconds_of(name, program, sizes, *options):
    """Of one call at each of some sizes, as the program prints them."""
    printed = call(f"the timing of {name}", [program, *options, *sizes])
    try:
        seconds = [float(line) for line in printed.split()]
    except ValueError:
        seconds = []
    if len(seconds) != len(sizes):
        raise Failed(f"the timing of {name} printed no time: {printed}")
    return seconds
