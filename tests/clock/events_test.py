"""measurements/events: a program of them, tried on the emulated device."""

import subprocess
import sys
import unittest

LOCKSTEP, PROGRAM = sys.argv[1:]


class Events(unittest.TestCase):
    def test_a_trial_calls_the_solution_at_each_size_and_prints_the_seconds(self):
        words = [LOCKSTEP, "emulate", PROGRAM, "--trial", "1000 1024", "4096 4096"]
        ran = subprocess.run(words, capture_output=True, text=True, check=True)
        seconds = [float(line) for line in ran.stdout.splitlines()]
        self.assertEqual(len(seconds), 2)
        self.assertTrue(all(one > 0 for one in seconds), seconds)

    def test_a_size_that_lacks_a_number_is_an_error(self):
        words = [LOCKSTEP, "emulate", PROGRAM, "--trial", "1000"]
        self.assertNotEqual(subprocess.run(words, capture_output=True, check=False).returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
