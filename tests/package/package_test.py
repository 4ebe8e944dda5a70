"""The package that cpack makes of a build, unpacked elsewhere and used as on a machine that never saw this build.

    package_test.py CPACK BUILD SOURCE TOOLKIT_BIN

Hidden meanwhile, in a mount namespace: the tree, the build, this machine's bubblewrap, its GPUs, what builds need, and
its copies of the libraries that the package brings, except those that a compiler or the shell needs itself.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CPACK, BUILD, SOURCE, TOOLKIT_BIN = (pathlib.Path(argument) for argument in sys.argv[1:5])
SKIPPED = 77
BUBBLEWRAP = shutil.which("bwrap")
SYSTEM_PATH = "/usr/bin:/bin"
SYSTEM_LIBRARY = re.compile(r"(linux-vdso|ld-linux-x86-64|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|cuda))\.so")
BUILD_TOOLS = ["cmake", "ninja", "pkg-config", "git"]
# What any machine with a compiler has.
TOOLS = ["bash", "ls", "python3", "tar", "ld", "as", "cc1plus", "collect2"]


def libraries_of(listing):
    """Name and path of each library in what ldd prints; no path where there is none."""
    for line in listing.splitlines():
        found = re.fullmatch(r"\s*(.*?)(?: => (.*?))?(?: \(0x[0-9a-f]+\))?", line)
        if found[1]:
            yield found[1], found[2] or found[1]


def libraries_here(program):
    ran = subprocess.run(["ldd", program], capture_output=True, text=True, check=True)
    return {name: os.path.realpath(path) for name, path in libraries_of(ran.stdout) if path.startswith("/")}


def path_of_tool(name):
    ran = subprocess.run(["g++", f"-print-prog-name={name}"], capture_output=True, text=True, check=True)
    return shutil.which(ran.stdout.strip(), path=SYSTEM_PATH)


def hidden_libraries():
    """This machine's copies of what the package brings."""
    needed = set().union(*(libraries_here(path_of_tool(tool)).values() for tool in TOOLS))
    brought = {}
    for program in [*(BUILD / "bin").glob("lockstep*"), BUBBLEWRAP]:
        brought.update(libraries_here(program))
    return sorted({path for name, path in brought.items() if not SYSTEM_LIBRARY.match(name)} - needed)


class OneProcessor(unittest.TestCase):
    def test_a_build_for_one_processor_is_not_packed(self):
        if "LOCKSTEP_ALL_LEVELS:BOOL=ON" in (BUILD / "CMakeCache.txt").read_text(encoding="utf-8"):
            self.skipTest("this build is for every processor")
        with tempfile.TemporaryDirectory() as folder:
            packed = subprocess.run(["cmake", "--install", BUILD, "--prefix", folder],
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)  # fmt: skip
        self.assertNotEqual(packed.returncode, 0, packed.stdout)
        self.assertIn("This build is for this machine's processor alone", packed.stdout)


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="lockstep's package ")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        made = subprocess.run([CPACK, "--config", BUILD / "CPackConfig.cmake", "-G", "TGZ", "-B", cls.folder / "made"],
                              env={**os.environ, "LOCKSTEP_PACK_FOR_THIS_PROCESSOR": "1"},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)  # fmt: skip
        assert made.returncode == 0, made.stdout
        (archive,) = (cls.folder / "made").glob("*.tar.gz")
        (cls.folder / "unpacked").mkdir()
        subprocess.run(["tar", "-xzf", archive, "-C", cls.folder / "unpacked"], check=True)
        (cls.root,) = (cls.folder / "unpacked").iterdir()
        cls.hidden = hidden_libraries()
        hidden = ", ".join(os.path.basename(path) for path in cls.hidden)
        print(f"{archive.name}, {archive.stat().st_size / 1e6:.1f} MB; hidden: {hidden}")

    def run_there(self, *command, **variables):
        """Runs a command in the package's folder, on a machine with a toolkit, a compiler and little more."""
        nothing = self.folder / "nothing"
        nothing.touch()
        hiding = [BUBBLEWRAP, "--die-with-parent", "--dev-bind", "/", "/", "--dev", "/dev", "--tmpfs", SOURCE]
        build_tools = [path for tool in BUILD_TOOLS if (path := shutil.which(tool, path=SYSTEM_PATH))]
        for path in [*self.hidden, BUBBLEWRAP, *build_tools]:
            hiding += ["--ro-bind", nothing, os.path.realpath(path)]
        if not BUILD.is_relative_to(SOURCE):
            hiding += ["--tmpfs", BUILD]
        environment = {"PATH": f"{TOOLKIT_BIN}:{SYSTEM_PATH}", "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        return subprocess.run([*hiding, "--chdir", self.root, *command], env={**environment, **variables},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)  # fmt: skip

    def test_little_else_is_there(self):
        for path in (SOURCE / "README.md", BUILD / "bin/lockstep", *self.hidden, BUBBLEWRAP):
            self.assertNotEqual(self.run_there("test", "-s", path).returncode, 0, path)
        self.assertIn("libfmt", str(self.hidden))

    def test_doctor_asks_for_nothing_that_only_builds_need(self):
        ran = self.run_there("./lockstep", "doctor")
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertIn("This machine can grade.", ran.stdout)
        self.assertNotIn("cmake", ran.stdout)

    def test_grades(self):
        graded = self.run_there("./lockstep", "grade", "transpose", "--submission", "solutions")
        self.assertEqual(graded.returncode, 0, graded.stdout)
        self.assertIn("10.0 of 10", graded.stdout)
        self.assertNotIn("not isolated", graded.stdout)

    def test_makes_a_working_copy(self):
        copy = self.folder / "copy"
        made = self.run_there("./lockstep", "new", copy)
        self.assertEqual(made.returncode, 0, made.stdout)
        starter = "exercises/05-transpose/transpose.cu"
        self.assertEqual((copy / starter).read_bytes(), (self.root / starter).read_bytes())
        listed = self.run_there("env", "--chdir", copy, "./lockstep", "list")
        self.assertIn("\n  edit   exercises/", listed.stdout)
        self.assertIn(f"\n  read   {self.root}/lectures/", listed.stdout)

    def test_lectures_are_built(self):
        told = self.run_there("./lockstep", "lectures", "transpose", "--print")
        self.assertEqual((told.returncode, told.stdout), (0, f"{self.root}/site/lecture_transpose.html\n"))
        page = (self.root / "site/lecture_transpose.html").read_text(encoding="utf-8")
        for part in ("transpose_kernel", "<svg", "<table"):
            self.assertIn(part, page)

    def test_programs_link_to_nothing_outside(self):
        programs = sorted([*(self.root / "bin").iterdir(), *(self.root / "lib/emulated").iterdir()])
        self.assertIn("bwrap", [program.name for program in programs])
        for program in programs:
            # As the grader starts it.
            variables = {"LD_LIBRARY_PATH": str(self.root / "lib/third-party")} if program.name == "bwrap" else {}
            listed = self.run_there("ldd", program, **variables)
            self.assertEqual(listed.returncode, 0, listed.stdout)
            for name, path in libraries_of(listed.stdout):
                with self.subTest(program=program.name, library=name):
                    if not SYSTEM_LIBRARY.match(os.path.basename(name)):
                        self.assertTrue(path.startswith(f"{self.root}/"), path)

    def test_what_is_carried_has_its_licence(self):
        licenses = self.root / "licenses"
        rows = (licenses / "carried.txt").read_text(encoding="utf-8").splitlines()[1:]
        package_of = {name: package for name, package, _ in (row.split("\t") for row in rows)}
        for file in [self.root / "bin/bwrap", *(self.root / "lib/third-party").iterdir()]:
            with self.subTest(file=file.name):
                self.assertGreater((licenses / package_of[file.resolve().name]).stat().st_size, 0)
        for file in ("libstdc++.a", "lunr.min.js"):
            self.assertIn(file, package_of)
        self.assertTrue((licenses / "common/LGPL-2.1").is_file())
        self.assertIn("MIT License", (self.root / "LICENSE").read_text(encoding="utf-8"))

    def test_gpu_tests_are_skipped_without_a_gpu(self):
        ran = self.run_there("./lockstep", "test")
        self.assertEqual(ran.returncode, SKIPPED, ran.stdout)
        self.assertRegex(ran.stdout, r"\n0 passed, 0 failed, [1-9] skipped\n$")

    def test_links_lead_somewhere(self):
        pages = sorted(self.root.rglob("*.md"))
        for page in pages:
            prose = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
            for target in re.findall(r"\]\(([^)\s#]+)(?:#[^)\s]*)?\)", prose):
                with self.subTest(page=str(page.relative_to(self.root)), target=target):
                    self.assertTrue(re.match("https?:", target) or (page.parent / target).exists())
        self.assertIn(self.root / "lectures/01-grading.md", pages)

    def test_what_is_compiled_there_has_its_headers(self):
        folders = [self.root / folder for folder in ("tests/differential", "grader", "common")]
        sources = [path for folder in (*folders, self.root / "tests/cli") for path in folder.rglob("*.*")]
        included = 0
        for source in sources:
            if source.suffix not in (".cpp", ".cu", ".cuh", ".h"):
                continue
            for header in re.findall(r'^#include "(.*)"', source.read_text(encoding="utf-8"), re.MULTILINE):
                included += 1
                with self.subTest(source=str(source.relative_to(self.root)), header=header):
                    self.assertTrue(any((folder / header).exists() for folder in (source.parent, *folders)))
        self.assertGreater(included, 0)


def namespaces_can_be_made():
    command = [BUBBLEWRAP or "bwrap", "--dev-bind", "/", "/", "true"]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


if __name__ == "__main__":
    if not namespaces_can_be_made():
        print("skipped: bubblewrap cannot make namespaces here, so nothing of this machine can be hidden")
        sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], "--verbose"])
