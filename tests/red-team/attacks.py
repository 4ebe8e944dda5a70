"""What the files of this folder say of themselves, for whoever grades or lists them.

A file begins with lines "// key: value"; a value goes on over the comment lines that follow it.

    expect       the verdict that it must get
    expect-gpu   the verdict where there is a GPU, if that is another
    exercise     the exercise that it is handed in for; transpose if it says nothing
    tries        what an attack tries          shows   what an honest submission does
    stopped by   what stops it                 says    words that the report must hold
"""

import pathlib
import re

KEY = re.compile(r"^// (expect|expect-gpu|exercise|tries|stopped by|shows|says): (.*)$")
FOLDER = pathlib.Path(__file__).resolve().parent


class Submission:
    def __init__(self, path):
        self.path, self.name = path, str(path.relative_to(FOLDER).with_suffix(""))
        self.said = {}
        key = None
        for line in path.read_text(encoding="utf-8").splitlines():
            match = KEY.match(line)
            if match:
                key = match.group(1)
                self.said[key] = match.group(2)
            elif key and line.startswith("// "):
                self.said[key] += " " + line[3:]
            else:
                break
        if "expect" not in self.said:
            raise SystemExit(f'{path}:1: the first line is "// expect: VERDICT"')

    @property
    def exercise(self):
        return self.said.get("exercise", "transpose")

    @property
    def needs_gpu(self):
        return "expect-gpu" in self.said

    def expected(self, device):
        return self.said["expect-gpu"] if device == "gpu" and self.needs_gpu else self.said["expect"]


def submissions(below=FOLDER):
    """All of them: attacks by name, then the honest ones."""
    return [Submission(path) for folder in (below, below / "honest") for path in sorted(folder.glob("*.cu"))]
