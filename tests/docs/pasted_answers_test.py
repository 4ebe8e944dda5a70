"""What a lecture of a basic topic prints, pasted together, earns no full points. Of the program that passes and of which
the lecture prints most, the lines that it prints are graded, in their order and with the program's includes.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from printed_answers_test import FIRST_CASE_STUDY, FIRST_OF_THE_COURSE, ROOT, bare, printed_by, printed_share

LOCKSTEP = pathlib.Path(sys.argv.pop())


def pasted(program, printed):
    """Its lines that are printed; includes, braces and comments are anybody's."""
    lines = program.read_text(encoding="utf-8").splitlines()
    return "".join(f"{line}\n" for line in lines if bare(line) in printed | {"", "{", "}"} or line.startswith("#include"))


def graded(exercise, text, folder):
    """What the judge says of it: the verdict, points and most points."""
    submission, report = folder / "pasted.cu", folder / "report.json"
    submission.write_text(text, encoding="utf-8")
    command = [LOCKSTEP, "grade", exercise, "--submission", submission, "--device", "emulated"]
    subprocess.run([*command, "--format", "json", "--output", report], capture_output=True, check=False)
    result = json.loads(report.read_text(encoding="utf-8"))["exercises"][0]
    return result["verdict"], result["points"], result["max_points"]


class PastedAnswers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def test_none_passes(self):
        topics = 0
        for lecture in sorted(ROOT.glob("lectures/[0-9][0-9]-*.md")):
            if not FIRST_OF_THE_COURSE <= lecture.name[:2] < FIRST_CASE_STUDY:
                continue
            printed = printed_by(lecture)
            folder = ROOT / "solutions" / lecture.stem
            passing = [
                program
                for program in [*folder.glob("*.cu"), *folder.glob("rungs/*.cu")]
                if not program.read_text(encoding="utf-8").startswith("// fails:")
            ]
            program = max(passing, key=lambda one: printed_share(one, printed))
            with self.subTest(program.relative_to(ROOT)):
                verdict, points, most = graded(lecture.stem[3:], pasted(program, printed), self.folder)
                self.assertNotEqual(verdict, "passed")
                self.assertLess(points, most)
                topics += 1
        self.assertGreaterEqual(topics, 8)

    def test_a_program_that_is_printed_whole_passes(self):
        program = ROOT / "solutions/06-reduction/rungs/halves.cu"
        everything = {bare(line) for line in program.read_text(encoding="utf-8").splitlines()}
        self.assertEqual(graded("reduction", pasted(program, everything), self.folder)[0], "passed")


if __name__ == "__main__":
    unittest.main()
