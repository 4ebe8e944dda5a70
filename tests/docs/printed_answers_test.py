"""No lecture of a basic topic prints the answer: a program that passes cannot be put together from its code alone.

Measured in lines of code that stand in a block of the lecture, comments, layout and lines of one brace aside. Rungs
that name a gate which they fail may be printed whole.
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRST_OF_THE_COURSE, FIRST_CASE_STUDY = "02", "17"
MOST = 3 / 4
MOST_OF_A_FURTHER_TASK = 1 / 2  # of an exercise that is named after the one with the lecture, as 09-block-scan-segments


def bare(line):
    return re.sub(r"\s+", "", re.sub(r"//.*", "", line))


def code_of(text):
    lines = (bare(line) for line in text.splitlines())
    return [line for line in lines if line not in ("", "{", "}") and not line.startswith("#include")]


def printed_by(lecture):
    blocks = re.findall(r"^```cuda\n(.*?)^```", lecture.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return {line for block in blocks for line in code_of(block)}


def printed_share(program, printed):
    code = code_of(program.read_text(encoding="utf-8"))
    return sum(line in printed for line in code) / len(code)


class PrintedAnswers(unittest.TestCase):
    def test_no_program_that_passes_is_printed(self):
        seen = further = 0
        for lecture in sorted(ROOT.glob("lectures/[0-9][0-9]-*.md")):
            number = lecture.name[:2]
            if not FIRST_OF_THE_COURSE <= number < FIRST_CASE_STUDY:
                continue
            printed = printed_by(lecture)
            self.assertGreater(len(printed), 10, lecture)
            for program in [*ROOT.glob(f"solutions/{number}-*/*.cu"), *ROOT.glob(f"solutions/{number}-*/rungs/*.cu")]:
                if program.read_text(encoding="utf-8").startswith("// fails:"):
                    continue
                seen += 1
                share = printed_share(program, printed)
                exercise = program.relative_to(ROOT / "solutions").parts[0]
                is_further = exercise.startswith(f"{lecture.stem}-") and not exercise.endswith("-bug")
                further += is_further
                self.assertLess(
                    share,
                    MOST_OF_A_FURTHER_TASK if is_further else MOST,
                    f"{lecture.name} prints {share:.0%} of {program.relative_to(ROOT)}, which passes: print less of it",
                )
        self.assertGreater(seen, 20)
        self.assertGreater(further, 8)

    def test_the_measure_sees_a_program_that_is_printed(self):
        printed = printed_by(ROOT / "lectures/08-histogram.md")
        self.assertGreater(printed_share(ROOT / "solutions/08-histogram/rungs/global_atomics.cu", printed), MOST)


if __name__ == "__main__":
    unittest.main()
