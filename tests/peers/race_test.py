"""measurements/peers/race.h: who runs when, and what is printed of it."""

import itertools
import subprocess
import sys
import time
import unittest

LOCKSTEP, RACE = sys.argv[1:]


class Race(unittest.TestCase):
    def test_both_run_by_turns_in_either_order_and_all_rounds_are_told(self):
        begin = time.monotonic()
        ran = subprocess.run([LOCKSTEP, "emulate", RACE], capture_output=True, text=True, check=True)
        took = time.monotonic() - begin
        lines = [line.split("\t") for line in ran.stdout.splitlines()]
        self.assertEqual([line[0] for line in lines].count("card"), 1)
        ran_by = [line[1] for line in lines if line[0] == "runs"]
        turns = [name for name, _ in itertools.groupby(ran_by)]
        # Both prepare; then second follows first in the first round, and first follows second in the next.
        self.assertEqual(turns, ["first", "second"] + ["first", "second"] * 6)
        told = {line[2]: [float(one) for one in line[3:]] for line in lines if line[0] == "seconds"}
        self.assertEqual(list(told), ["first", "second"])
        for name, seconds in told.items():
            self.assertEqual(len(seconds), 11)
            self.assertTrue(all(one > 0 for one in seconds))
            calls = (ran_by.count(name) - 2) // 11  # in a round: two prepare
            self.assertGreater(calls, 1)
            self.assertLess(sum(seconds) * calls, took)  # they are of one call
        self.assertIn(["difference", "n = 1", "second", "what differs", "0.25"], lines)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
