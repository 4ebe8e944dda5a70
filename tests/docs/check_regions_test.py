"""docs/check_regions: a tree in order passes; each fault that it looks for fails, named with its place."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).resolve().parents[2] / "docs/check_regions"
SOURCE = "solutions/05-transpose/rungs/naive.cu"
LECTURE = "lectures/05-transpose.md"
REGION = "// [copy]\nout[i] = in[i];\n// [copy]\n"
SHOW = f"<!-- code {SOURCE} copy -->\n```cuda\nout[i] = in[i];\n```\n"


class CheckRegions(unittest.TestCase):
    def check(self, source, lecture):
        """Status and error text of the checker on a tree with one source and one lecture."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in ((SOURCE, source), (LECTURE, lecture)):
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True)
                path.write_text(text, encoding="utf-8")
            finished = subprocess.run(
                [sys.executable, "-S", "-B", CHECKER, folder], capture_output=True, text=True, check=False
            )
        return finished.returncode, finished.stderr

    def assert_fault(self, source, lecture, *expected):
        status, errors = self.check(source, lecture)
        self.assertEqual(status, 1, errors)
        for words in expected:
            self.assertIn(words, errors)

    def test_a_tree_in_order_passes(self):
        status, errors = self.check(
            "int n;\n" + REGION, "# Title\n\n" + SHOW + "\n```sh\n./lockstep grade\n```\n"
        )
        self.assertEqual((status, errors), (0, ""))

    def test_missing_region(self):
        self.assert_fault("int n;\n", "text\n\n" + SHOW, f"{LECTURE}:3:", "no region [copy]")

    def test_missing_source(self):
        self.assert_fault(
            REGION, SHOW + "<!-- code solutions/none.cu copy -->\n", f"{LECTURE}:5:", "does not exist"
        )

    def test_region_without_end(self):
        self.assert_fault("// [copy]\nout[i] = in[i];\n", SHOW, f"{SOURCE}:1:", "marks 1 lines")

    def test_doubled_region(self):
        self.assert_fault(REGION + REGION, SHOW, f"{SOURCE}:1:", "marks 4 lines")

    def test_unused_region(self):
        self.assert_fault(
            "int n;\n" + REGION, "# Title\n", f"{SOURCE}:2:", "no lecture shows region [copy]"
        )

    def test_too_long_region(self):
        def region(lines):
            return "// [copy]\n" + "out[i] = in[i];\n" * lines + "// [copy]\n"

        self.assertEqual(self.check(region(20), SHOW)[0], 0)
        self.assert_fault(region(21), SHOW, f"{SOURCE}:1:", "21 lines")

    def test_empty_region(self):
        self.assert_fault("// [copy]\n// [copy]\n", SHOW, f"{SOURCE}:1:", "0 lines")

    def test_nested_region(self):
        inner = "// [inner]\nout[i] = in[i];\n// [inner]\n"
        self.assert_fault(
            "// [copy]\n" + inner + "// [copy]\n",
            SHOW + f"<!-- code {SOURCE} inner -->\n",
            f"{SOURCE}:2:",
            "do not nest",
        )

    def test_fence_of_code(self):
        for language in ("cuda", "cpp", "c++", "{.cpp}", "C", ""):
            with self.subTest(language=language):
                self.assert_fault(
                    REGION, SHOW + f"```{language}\nint i = 0;\n```\n", f"{LECTURE}:5:", "a fence of"
                )

    def test_region_in_a_fence_of_text(self):
        self.assert_fault(REGION, SHOW.replace("```cuda", "```text"), f"{LECTURE}:2:", "a fence of text")

    def test_cuda_in_a_fence_of_text(self):
        self.assert_fault(
            REGION, SHOW + "~~~text\n__global__ void kernel();\n~~~\n", f"{LECTURE}:6:", "typed-in CUDA"
        )

    def test_cuda_in_indented_lines(self):
        self.assert_fault(REGION, SHOW + "\n    kernel<<<1, 32>>>();\n", f"{LECTURE}:6:", "typed-in CUDA")

    def test_directive_of_the_documentation_tool(self):
        for directive in (
            "\\code",
            "@code{.cpp}",
            "\\verbatim",
            f"\\include {SOURCE}",
            f"\\snippet {SOURCE} copy",
            '\\image html a.svg "A"',
            "\\htmlinclude a.html",
            "[TOC]",
            "## Idea {#idea}",
        ):
            with self.subTest(directive=directive):
                self.assert_fault(REGION, SHOW + directive + "\n", f"{LECTURE}:5:", "plain Markdown")

    def test_cuda_named_in_prose_passes(self):
        self.assertEqual(
            self.check(REGION, SHOW + "Call `__syncthreads()` after `threadIdx.x` is known.\n")[0], 0
        )

    def test_no_lecture_is_wrong_use(self):
        with tempfile.TemporaryDirectory() as folder:
            finished = subprocess.run(
                [sys.executable, "-S", "-B", CHECKER, folder], capture_output=True, text=True, check=False
            )
        self.assertEqual(finished.returncode, 2)


if __name__ == "__main__":
    unittest.main()
