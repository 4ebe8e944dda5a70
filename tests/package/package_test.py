"""The package that cpack makes of a build, unpacked elsewhere and used as on a machine that never saw this build.

    package_test.py CPACK BUILD SOURCE TOOLKIT_BIN

Hidden meanwhile, in a mount namespace: the tree, the build, this machine's bubblewrap, its GPUs, what builds need, and
its copies of the libraries that the package brings, except those that a compiler or the shell needs itself.
"""

import base64
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from bare_root import BareRoot, packages_of_stages, stages_of

try:
    import yaml
except ImportError:
    yaml = None

CPACK, BUILD, SOURCE, TOOLKIT_BIN = (pathlib.Path(argument) for argument in sys.argv[1:5])
SKIPPED = 77
BUBBLEWRAP = shutil.which("bwrap")
SYSTEM_PATH = "/usr/bin:/bin"
SYSTEM_LIBRARY = re.compile(r"(linux-vdso|ld-linux-x86-64|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|cuda))\.so")
BUILD_TOOLS = ["cmake", "ninja", "pkg-config", "git"]
# What any machine with a compiler has.
TOOLS = ["bash", "ls", "python3", "tar", "ld", "as", "cc1plus", "collect2"]
TRANSPOSE = "solutions/05-transpose/transpose.cu"
# Looks for what it could change or read where its code is not kept apart by namespaces.
HOSTILE = """
#include <cstdio>
#include <unistd.h>
#include "transpose.h"
void transpose(const float*, float*, int, int, cudaStream_t) {
  std::printf("root: %d\\n", getuid() == 0);
  for (const char* name :
       {"/autograder/results/results.json", "/autograder/run_autograder", "/opt/lockstep/bin/lockstep"})
    if (std::fopen(name, "a")) std::printf("may write %s\\n", name);
  for (const char* name : {"/autograder/source/class.sqlite", "/opt/lockstep/solutions/05-transpose/transpose.cu"})
    if (std::fopen(name, "r")) std::printf("may read %s\\n", name);
}
"""
# Of https://gradescope-autograders.readthedocs.io/en/latest/specs/; tests/classroom/exports_test.cpp has all rules.
GRADESCOPE_MEMBERS = {"score", "execution_time", "output", "stdout_visibility", "tests"}
GRADESCOPE_TEST = {"name", "score", "max_score", "status", "output", "output_format", "tags"}


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
        cls.archive = archive
        (cls.folder / "cache").mkdir()
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
        environment = {"PATH": f"{TOOLKIT_BIN}:{SYSTEM_PATH}", "HOME": str(self.folder), "LC_ALL": "C.UTF-8",
                       "LOCKSTEP_CACHE": str(self.folder / "cache")}  # fmt: skip
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

    def test_lists_its_studies_and_has_what_they_are_made_of(self):
        ran = self.run_there("./lockstep", "study")
        self.assertIn("drmsd-matrix", ran.stdout)
        for name in ("exercises/20-drmsd-matrix/study/study.cpp", "exercises/20-drmsd-matrix/study/example.pdb",
                     "exercises/17-multi-tau/study/example.bin", "exercises/20-drmsd/structures.h",
                     "common/study/svg.h"):  # fmt: skip
            self.assertTrue((self.root / name).is_file(), name)

    def test_grades(self):
        graded = self.run_there("./lockstep", "grade", "transpose", "--submission", "solutions")
        self.assertEqual(graded.returncode, 0, graded.stdout)
        self.assertIn("10.0 of 10", graded.stdout)
        self.assertNotIn("not isolated", graded.stdout)

    def bare_root(self, name, hides_tools=True):
        """What is compiled is shared by all tests of this class."""
        hidden = [*self.hidden, BUBBLEWRAP]
        if hides_tools:
            hidden += [path for tool in BUILD_TOOLS if (path := shutil.which(tool, path=SYSTEM_PATH))]
        root = BareRoot(BUBBLEWRAP, self.folder / name, TOOLKIT_BIN, hidden)
        root.binds["/opt/lockstep/.lockstep/cache"] = self.folder / "cache"
        return root

    def autograder(self, *exercises):
        """A bare root as Gradescope makes it of an archive, in which setup.sh has run."""
        made = self.run_there("./lockstep", "autograder", "--exercises", *exercises, "--package", self.archive,
                              "--output", self.folder / "autograder.zip")  # fmt: skip
        self.assertEqual(made.returncode, 0, made.stdout)
        root = self.bare_root("gradescope")
        root.binds["/autograder"] = root.folder / "autograder"
        for name in ("source", "submission", "results"):
            (root.folder / "autograder" / name).mkdir(parents=True)
        with zipfile.ZipFile(self.folder / "autograder.zip") as archive:
            archive.extractall(root.folder / "autograder/source")
        runner = root.folder / "autograder/run_autograder"
        shutil.copy(root.folder / "autograder/source/run_autograder", runner)
        runner.chmod(0o755)
        ran = root.run("bash", "/autograder/source/setup.sh")
        self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertIn("This machine can grade.", ran.stdout)
        self.assertEqual(root.installed(), set(), "everything is there, so nothing is installed")
        return root

    def results_of(self, root, text, **variables):
        """What run_autograder makes of a submission of one file."""
        (root.folder / "autograder/submission/transpose.cu").write_text(text, encoding="utf-8")
        ran = root.run("/autograder/run_autograder", cwd="/autograder", **variables)
        self.assertEqual(ran.returncode, 0, ran.stdout)
        results = json.loads((root.folder / "autograder/results/results.json").read_text(encoding="utf-8"))
        self.assertLessEqual(set(results), GRADESCOPE_MEMBERS)
        self.assertIsInstance(results["score"], (int, float))
        self.assertEqual(results["stdout_visibility"], "hidden")
        for test in results.get("tests", []):
            self.assertLessEqual(set(test), GRADESCOPE_TEST)
            self.assertIn(test["status"], ("passed", "failed"))
        return results

    def test_an_autograder_grades_in_a_bare_root(self):
        root = self.autograder("transpose")
        self.assertFalse((root.folder / "opt/lockstep/solutions").exists())
        graded = self.results_of(root, (SOURCE / TRANSPOSE).read_text(encoding="utf-8"))
        self.assertEqual((graded["score"], [test["status"] for test in graded["tests"]]), (10, ["passed"]))
        self.assertNotIn("not isolated", graded["tests"][0]["output"])
        secret = (root.folder / "autograder/source/class.sqlite").read_bytes()
        if os.geteuid() == 0:
            wrong = self.results_of(root, HOSTILE, is_container=True)
            output = wrong["tests"][0]["output"]
            self.assertIn("not isolated", output)
            self.assertIn("wrong-answer", output)
            self.assertIn("root: 0", output)
            self.assertNotIn("may read", output)
            self.assertNotIn("may write", output)
        else:
            wrong = self.results_of(root, HOSTILE)
        self.assertEqual(wrong["score"], 0)
        kept = (root.folder / "autograder/source/class.sqlite").read_bytes()
        self.assertEqual(kept, secret, "the next submission has the same")

        (root.folder / "opt/lockstep/bin/lockstep-device").unlink()
        failed = self.results_of(root, (SOURCE / TRANSPOSE).read_text(encoding="utf-8"))
        self.assertEqual(failed["score"], 0)
        self.assertIn("The grader failed", failed["output"])
        shutil.rmtree(root.folder / "opt/lockstep")
        failed = self.results_of(root, HOSTILE)
        self.assertEqual(failed["score"], 0)
        self.assertIn("Lockstep is not in the image", failed["output"])

    def test_the_recipe_of_an_image_works_in_a_bare_root(self):
        build, final = stages_of((SOURCE / "classroom/Containerfile").read_text(encoding="utf-8"))
        root = self.bare_root("image")
        root.binds["/tmp"] = root.folder / "tmp"
        root.binds["/src"] = root.folder / "src"
        (root.folder / "tmp").mkdir(mode=0o1777)
        shutil.copytree(SOURCE / "cmake", root.folder / "src/cmake")
        made = [text for instruction, text in build if instruction == "RUN"]
        for text in made[:-2]:
            ran = root.run("sh", "-c", text, cwd="/src")
            self.assertEqual(ran.returncode, 0, ran.stdout)
        self.assertEqual(root.installed(), packages_of_stages(SOURCE / "cmake/packages.txt", "build", "site"))
        # As the package of this test was made, of another preset.
        self.assertEqual(made[-2:], ["cmake --preset package", "cmake --build --preset package"])

        for instruction, text in final:
            if instruction == "COPY":
                self.assertEqual(text, "--from=build /src/build/package/lockstep-*.tar.gz /tmp/lockstep.tar.gz")
                shutil.copy(self.archive, root.folder / "tmp/lockstep.tar.gz")
            elif instruction == "RUN":
                ran = root.run("sh", "-c", text)
                self.assertEqual(ran.returncode, 0, f"{text}\n{ran.stdout}")
            elif instruction == "ENTRYPOINT":
                entry = json.loads(text)
        needed = packages_of_stages(SOURCE / "cmake/package/packages.txt", "build")
        self.assertLessEqual(needed, root.installed())
        listed = root.run(*entry, "list")
        self.assertEqual(listed.returncode, 0, listed.stdout)
        self.assertIn("transpose", listed.stdout)
        graded = root.run(*entry, "grade", "transpose", "--submission", "/opt/lockstep/solutions", cwd="/opt")
        self.assertEqual(graded.returncode, 0, graded.stdout)
        self.assertIn("10.0 of 10", graded.stdout)

    def test_the_templates_of_ci_grade_a_repository(self):
        if yaml is None:
            self.skipTest("there is no Python module yaml; type: apt-get install python3-yaml")
        if not shutil.which("git", path=SYSTEM_PATH):
            self.skipTest("there is no git; type: apt-get install git")
        workflow = yaml.safe_load((SOURCE / "classroom/github/classroom.yml").read_text(encoding="utf-8"))
        job = workflow["jobs"]["grade"]
        self.assertEqual(workflow[True], ["push", "workflow_dispatch"])  # YAML takes `on` for a truth value
        root = self.bare_root("github", hides_tools=False)
        root.binds["/package"] = self.archive.parent
        root.binds["/repository"] = self.repository()
        values = {
            "vars.LOCKSTEP_PACKAGE": f"file:///package/{self.archive.name}",
            "vars.LOCKSTEP_EXERCISES": "transpose coalescing",
            "github.event.before": self.git("rev-parse", "HEAD~1").strip(),
        }
        self.assertEqual(self.run_steps(root, job["steps"], values, GITHUB_OUTPUT="/opt/output"), [0, 1])
        self.assertLessEqual(packages_of_stages(SOURCE / "cmake/package/packages.txt", "build"), root.installed())
        name, _, result = (root.folder / "opt/output").read_text(encoding="utf-8").partition("=")
        result = json.loads(base64.b64decode(result))
        self.assertEqual((name, result["max_score"], result["status"]), ("result", 20, "fail"))
        scores = {test["name"]: test["score"] for test in result["tests"]}
        self.assertEqual(scores, {"transpose": 10, "coalescing": 0})

        # The push changed one of them.
        reports = root.binds["/repository"] / "reports"
        shutil.rmtree(reports)
        values["vars.LOCKSTEP_EXERCISES"] = ""
        (step,) = (step for step in job["steps"] if step.get("id") == "lockstep")
        self.assertEqual(self.run_steps(root, [step], values), [1])
        self.assertEqual(sorted(path.name for path in reports.iterdir()),
                         ["coalescing.json", "coalescing.sarif", "coalescing.xml"])  # fmt: skip
        self.assertIn('<testsuite name="coalescing"', (reports / "coalescing.xml").read_text(encoding="utf-8"))

        gitlab = yaml.safe_load((SOURCE / "classroom/gitlab/gitlab-ci.yml").read_text(encoding="utf-8"))["lockstep"]
        lines = "\n".join(step["run"] for step in job["steps"] if "run" in step).split("\n")
        self.assertEqual(gitlab["image"], job["container"])
        self.assertEqual([line.replace("$CI_COMMIT_BEFORE_SHA", "$BEFORE") for line in gitlab["script"]],
                         [line for line in lines if line])  # fmt: skip

    def git(self, *arguments):
        command = ["git", "-c", "user.name=Anna", "-c", "user.email=anna@example.org", "-C", self.folder / "repository"]
        return subprocess.run([*command, *arguments], capture_output=True, text=True, check=True).stdout

    def repository(self):
        """A student's, with transpose solved in a folder of its own; the last commit began coalescing."""
        folder = self.folder / "repository"
        (folder / "homework").mkdir(parents=True)
        self.git("init", "--quiet")
        shutil.copy(SOURCE / TRANSPOSE, folder / "homework")
        for name in ("transpose.cu", "coalescing.cu"):
            if name == "coalescing.cu":
                (folder / name).write_text("#error nothing yet\n", encoding="utf-8")
            self.git("add", ".")
            self.git("commit", "--quiet", "--message", name)
        return folder

    def run_steps(self, root, steps, values, **variables):
        """Exit statuses of the steps that run something, as GitHub runs them in a container."""
        statuses = []
        for step in steps:
            if "run" not in step:
                continue
            given = {name: re.sub(r"\$\{\{ *(.*?) *\}\}", lambda found: values[found[1]], value)
                     for name, value in step.get("env", {}).items()}  # fmt: skip
            ran = root.run("sh", "-e", "-c", step["run"], cwd="/repository", **given, **variables)
            self.assertIn(ran.returncode, (0, 1), ran.stdout)
            statuses.append(ran.returncode)
        return statuses

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
