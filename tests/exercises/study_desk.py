"""What the tests of case studies share: a desk at which commands are typed on the emulated device, and the checks of
what every study promises.

The arguments of a test are the root of the tree and the command lockstep.
"""

import csv
import os
import pathlib
import re
import subprocess
import sys
import textwrap
import xml.etree.ElementTree

ROOT, LOCKSTEP = pathlib.Path(sys.argv[1]), sys.argv[2]


def fail(what):
    sys.exit(what)


class Desk:
    """A folder in which the commands of one study are typed, with compiled programs of its own.

    `study_folder` is the study's, as exercises/19-flood/study; `has_libraries`: with those that pkg-config finds.
    """

    def __init__(self, folder, study_folder, topic, working_directory=None, has_libraries=True):
        self.folder, self.study_folder, self.topic = folder, ROOT / study_folder, topic
        self.working_directory = working_directory or folder
        # With LOCKSTEP_CACHE in the folder the program is compiled here, whatever was compiled before.
        # The course lies where shells would break its path, as nvcc calls them.
        course = folder / "the student's course"
        if not course.exists():
            course.mkdir()
            for name in ("exercises", "solutions", "common", "lectures"):
                (course / name).symlink_to(ROOT / name)
        self.environment = {**os.environ, "LOCKSTEP_ROOT": str(course), "LOCKSTEP_CACHE": str(folder / "cache"),
                            "CUDA_VISIBLE_DEVICES": ""}  # fmt: skip
        if not has_libraries:
            self.environment.update(PKG_CONFIG_LIBDIR=str(folder / "no libraries"), PKG_CONFIG_PATH="")

    def start(self, *words):
        """`lockstep study` with these words, which is not waited for."""
        return subprocess.Popen([LOCKSTEP, "study", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, cwd=self.working_directory, env=self.environment)  # fmt: skip

    def typed(self, *words):
        """Status, output and errors of `lockstep study` with these words."""
        program = self.start(*words)
        out, err = program.communicate()
        return program.returncode, out, err

    def passes(self, *words):
        status, out, err = self.typed(self.topic, *words)
        # A finding of the emulated device is written to stderr.
        if status != 0 or err:
            fail(f"study {self.topic} {words}: status {status}\n{out}{err}")
        return out

    def refuses(self, status, sentence, *words):
        self.is_refused(status, sentence, self.topic, *words)

    def is_refused(self, status, sentence, *words):
        """One line of `lockstep study` with these words, and no file."""
        before = self.files()
        must_refuse(self.start(*words), status, sentence)
        if self.files() != before:
            fail(f"study {words} left {self.files() - before}")

    def with_own(self, name, text):
        """A desk in a working copy with this file, which --own compiles.

        Once the study has been run with the reference that file is all that is compiled.
        """
        copy = self.folder / "copy"
        for path, content in ((".lockstep/working-copy", "\n"), (name, text)):
            (copy / path).parent.mkdir(parents=True, exist_ok=True)
            (copy / path).write_text(content, encoding="ascii")
        return Desk(self.folder, self.study_folder, self.topic, working_directory=copy)

    # --- files ---

    def compiled(self):
        """How many objects and programs have been compiled here."""
        return len(list((self.folder / "cache/objects").iterdir()))

    def files(self):
        return {path.name for folder in (self.folder, self.working_directory) for path in folder.iterdir()}

    def write(self, name, content):
        """Text or bytes."""
        (self.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode("ascii"))

    def bytes_of(self, name):
        return (self.folder / name).read_bytes()

    def must_be_same(self, name, other, what):
        """Files of the desk, byte by byte."""
        if self.bytes_of(name) != self.bytes_of(other):
            fail(f"{what}: {name} differs from {other}")

    def rows(self, name):
        with open(self.folder / name, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def numbers(self, name):
        """A table of numbers; None where a field is empty."""
        return [{key: float(value) if value else None for key, value in row.items()} for row in self.rows(name)]

    # --- what every study promises ---

    def example(self, wrote, *words):
        """Types the study with its example: it writes these files, and the page shows what is printed. Returns that."""
        printed = self.passes(*words)
        if re.findall(r"^wrote +(.*)$", printed, re.MULTILINE) != wrote or not set(wrote) <= self.files():
            fail(f"not what it should write: {printed}{self.files()}")
        shown = re.sub(r"^(read +)/.*/study/", r"\1…/study/", printed, flags=re.MULTILINE)
        if f"\n{textwrap.indent(shown, '    ')}" not in self.page():
            fail(f"{self.study_folder}/README.md lacks what the example prints:\n{shown}")
        return printed

    def page(self):
        return (self.study_folder / "README.md").read_text(encoding="utf-8")

    def check_picture(self, made, shown, words, is_exact=False):
        """The picture has these words, and the page's has the same, or is the same byte by byte.

        Coordinates that come from sums in floating point may differ in their last digits between machines.
        """
        missing = set(words) - words_of(self.folder / made)
        if missing:
            fail(f"{made} lacks {missing}")
        picture = self.study_folder / "pictures" / shown
        same = picture.read_bytes() == self.bytes_of(made)
        if not same and (is_exact or words_of(picture) != words_of(self.folder / made)):
            fail(f"{picture} is not the picture that the example makes: copy {made} there")

    def check_help(self):
        """--help shows options, all of which the page has."""
        options = re.findall(r"^  (--\S+)", self.passes("--help"), re.MULTILINE)
        missing = [option for option in options if not re.search(rf"[` ]{option}\b", self.page())]
        if "--output" not in options or missing:
            fail(f"{self.study_folder}/README.md lacks options: {missing} of {options}")

    def check_make_example(self, name, *others):
        """The script makes the files of the study."""
        made = self.folder / "made"
        made.mkdir()
        subprocess.run([sys.executable, "-B", self.study_folder / "make_example", made / name], check=True,
                       stdout=subprocess.DEVNULL)  # fmt: skip
        for file in (name, *others):
            if (made / file).read_bytes() != (self.study_folder / file).read_bytes():
                fail(f"make_example makes another {file}: type make_example {name}")


def must_refuse(program, status, sentence):
    """A program that was started ends with this status and one line."""
    out, err = program.communicate()
    if program.returncode != status or sentence not in err or err.count("\n") != 1 or out:
        fail(f"{program.args}: status {program.returncode}, not {status} and {sentence}\n{out}{err}")


def words_of(picture):
    svg = xml.etree.ElementTree.parse(picture)
    return {element.text for element in svg.iter("{http://www.w3.org/2000/svg}text")}
