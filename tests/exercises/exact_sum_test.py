#!/usr/bin/env python3
"""The rung exact of "reduction" makes the float nearest to the exact sum, whatever the elements and their order.

What is expected is calculated with Python's integers. Arguments: the root of the tree, nvcc, the command lockstep.
"""

import array
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT, NVCC, LOCKSTEP = pathlib.Path(sys.argv[1]), *sys.argv[2:4]
LARGEST, SMALLEST = struct.unpack("<2f", struct.pack("<2I", 0x7F7FFFFF, 1))  # finite; above 0


def float_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def multiples(value):
    """A finite float as a multiple of 2^-149."""
    return int(math.ldexp(value, 100)) << 49 if abs(value) >= 1 else int(math.ldexp(value, 149))


def nearest(units):
    """The bits of the float nearest to so many times 2^-149, of two the even one."""
    sign, units = (0x80000000, -units) if units < 0 else (0, units)
    dropped = max(units.bit_length() - 24, 0)
    kept, rest = units >> dropped, units & ((1 << dropped) - 1)
    half = 1 << dropped >> 1
    if dropped and (rest > half or (rest == half and kept & 1)):
        kept += 1
    # A significand of 2^24 carries into the exponent, which the addition does by itself.
    exponent = dropped + 1 if kept >= 1 << 23 else 0
    bits = (exponent << 23) + kept - (1 << 23 if exponent else 0)
    return sign | min(bits, 0x7F800000)


def nearest_sum(values):
    return nearest(sum(map(multiples, values)))


class ExactSum(unittest.TestCase):
    def expect(self, arrays, old="", new=""):
        """That the rung, in which `new` replaces `old`, gives the nearest float for each array."""
        source = (ROOT / "solutions/06-reduction/rungs/exact.cu").read_text(encoding="utf-8")
        self.assertIn(old, source)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "exact.cu").write_text(source.replace(old, new) if old else source, encoding="utf-8")
            subprocess.run(
                [NVCC, "-std=c++20", "-arch", "compute_90", "-cudart", "shared", "-I", ROOT / "common"]
                + ["-I", ROOT / "exercises/06-reduction", "-o", folder / "sums"]
                + [ROOT / "tests/exercises/exact_sum.cu", folder / "exact.cu"],
                check=True,
            )
            (folder / "arrays").write_bytes(
                b"".join(struct.pack("<i", len(values)) + array.array("f", values).tobytes() for values in arrays)
            )
            command = [LOCKSTEP, "emulate", folder / "sums", folder / "arrays"]
            run = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        found = run.stdout.split()
        self.assertEqual(len(found), len(arrays))
        for values, bits in zip(arrays, found):
            self.assertEqual(bits, f"{nearest_sum(values):08x}", f"{len(values)} elements, {values[:3]} …")

    def test_nearest(self):
        """The oracle itself."""
        for value in (0.0, 1.0, -1.5, SMALLEST, 2.0**-126, 2.0**-126 - SMALLEST, -LARGEST, 1000.1):
            bits = struct.unpack("<I", struct.pack("<f", value))[0]
            self.assertEqual(nearest(multiples(float_of(bits))), bits, value)
        self.assertEqual(nearest(multiples(2.0**24) + multiples(1.0)), 0x4B800000)
        self.assertEqual(nearest(2 * multiples(LARGEST)), 0x7F800000)

    def test_of_whatever_elements(self):
        generator = random.Random(25)

        def any_float(exponents):
            return float_of(generator.randrange(2) << 31 | generator.choice(exponents) << 23 | generator.randrange(1 << 23))

        arrays = [
            [],
            [0.0],
            [SMALLEST],
            [-SMALLEST] * 3,
            [2.0**24, 1.0],  # in the middle: the even one
            [2.0**24, 1.0, SMALLEST],  # beyond the middle, by the least there is
            [-(2.0**24), -1.0, SMALLEST],
            [LARGEST, LARGEST, -LARGEST],  # more than a float in between
            [LARGEST, LARGEST],
            [-LARGEST] * 5000,
            [LARGEST, 2.0**102],  # 2^128 is less than half a unit away
            [LARGEST, 2.0**103],
            [1e8, 1.0, -1e8],
            [any_float(range(1)) for _ in range(2001)],  # subnormal
            [any_float(range(1, 30)) for _ in range(2001)],
        ]
        arrays += [[any_float(range(255)) for _ in range(n)] for n in (2, 33, 4099, 20011)]
        for n in (5, 1027, 7001):  # all but a little cancels
            some = [any_float(range(255)) for _ in range(n)]
            arrays.append(some + [-one for one in some] + [any_float(range(3)), any_float(range(20))])
        for values in list(arrays[-7:]):
            arrays.append(generator.sample(values, len(values)))
        self.expect(arrays)

    def test_of_more_elements_than_a_thread_adds_at_once(self):
        """A single block of 256 threads, in place of 660."""
        generator = random.Random(26)
        largest = float_of(31 << 23 | 0x7FFFFF)  # of those that one row counts: as many as possible overflow it
        n = 256 * 520
        mixed = [float_of(generator.randrange(2) << 31 | generator.randrange(255) << 23) for _ in range(n + 3)]
        self.expect([[largest] * (n + 3), [-largest] * n, mixed], "kMaxBlocks = 660", "kMaxBlocks = 1")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
