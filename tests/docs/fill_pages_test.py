"""docs/fill_pages: parts of pages are written from what they are made from, and a change of that is found."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "docs/fill_pages"
SOURCE = "solutions/05-transpose/rungs/naive.cu"
PAGE = "lectures/05-transpose.md"
TABLE = "| Rung | sectors |\n| --- | --: |\n| `naive` | 1,000 |\n\n*Counted.*\n"


class FillPages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.write("README.md", "")
        self.write(SOURCE, "void f() {\n  // [copy]\n  if (i < n) {\n    out[i] = in[i];\n  }\n  // [copy]\n}\n")
        self.write("made/cost.md", TABLE)
        self.write("made/store.svg", "<svg>1</svg>")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def read(self, name):
        return (self.root / name).read_text(encoding="utf-8")

    def run_tool(self, *options):
        finished = subprocess.run(
            [sys.executable, "-S", "-B", TOOL, *options, self.root, self.root / "made"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return finished.returncode, finished.stdout + finished.stderr

    def written(self, page):
        """What becomes of the page; then everything is in step."""
        self.write(PAGE, page)
        self.assertEqual(self.run_tool("--write")[0], 0)
        self.assertEqual(self.run_tool(), (0, ""))
        return self.read(PAGE)

    def assert_stale(self, name):
        status, said = self.run_tool()
        self.assertEqual(status, 1, said)
        self.assertIn(f"{name}:", said)

    def test_code_is_the_region_at_the_margin(self):
        request = f"text\n\n<!-- code {SOURCE} copy -->\n"
        shown = request + "```cuda\nif (i < n) {\n  out[i] = in[i];\n}\n```\n"
        self.assertEqual(self.written(request + "\nmore\n"), shown + "\nmore\n")
        self.write(SOURCE, self.read(SOURCE).replace("in[i]", "in[j]"))
        self.assert_stale(f"{PAGE}:6")
        self.assertEqual(self.written(self.read(PAGE)), shown.replace("in[i]", "in[j]") + "\nmore\n")

    def test_table_stands_between_its_marks(self):
        request = "<!-- insert cost -->\n<!-- end -->\n\nmore\n"
        self.assertEqual(self.written(request), f"<!-- insert cost -->\n\n{TABLE}\n<!-- end -->\n\nmore\n")
        self.write("made/cost.md", TABLE.replace("1,000", "1,100"))
        self.assert_stale(f"{PAGE}:5")
        self.assertIn("1,100", self.written(self.read(PAGE)))

    def test_counters_alone_may_differ_a_little(self):
        page = f"<!-- counters cost: {SOURCE} -->\n<!-- insert cost -->\n<!-- end -->\n"
        self.written(page)
        self.write("made/cost.md", TABLE.replace("1,000", "1,019"))
        self.assertEqual(self.run_tool(), (0, ""))
        self.write("made/cost.md", TABLE.replace("1,000", "1,021"))
        self.assert_stale(f"{PAGE}:6")
        self.write("made/cost.md", TABLE.replace("1,000", "1,019").replace("naive", "tiled"))
        self.assert_stale(f"{PAGE}:6")
        self.write("made/cost.md", TABLE)
        self.written(page.split("\n", 1)[1])
        self.write("made/cost.md", TABLE.replace("1,000", "1,001"))
        self.assert_stale(f"{PAGE}:5")

    def test_picture_is_copied_and_has_its_caption(self):
        page = "![What one sees.](pictures/store.svg)\n"
        self.assertEqual(self.written(page), page + "\n*What one sees.*\n")
        self.assertEqual(self.read("lectures/pictures/store.svg"), "<svg>1</svg>")
        self.write("made/store.svg", "<svg>2</svg>")
        self.assert_stale("lectures/pictures/store.svg")
        self.written(self.read(PAGE).replace("![What one sees.]", "![What all see.]"))
        self.assertEqual(self.read(PAGE), "![What all see.](pictures/store.svg)\n\n*What all see.*\n")
        self.assertEqual(self.read("lectures/pictures/store.svg"), "<svg>2</svg>")

    def test_plot_of_the_same_record_may_be_drawn_another_way(self):
        self.write("made/store.svg", '<svg data-record="0a">1</svg>')
        self.written("![A](pictures/store.svg)\n")
        self.write("made/store.svg", '<svg data-record="0a">2</svg>')
        self.assertEqual(self.run_tool(), (0, ""))
        self.write("made/store.svg", '<svg data-record="0b">1</svg>')
        self.assert_stale("lectures/pictures/store.svg")

    def test_picture_that_no_page_shows_is_removed(self):
        self.write("README.md", "![B](lectures/pictures/front.svg)")
        self.write("lectures/pictures/front.svg", "<svg/>")
        self.write("lectures/pictures/old.svg", "<svg/>")
        self.write(PAGE, "text\n")
        self.assert_stale("lectures/pictures/old.svg")
        self.written("text\n")
        self.assertEqual([path.name for path in (self.root / "lectures/pictures").iterdir()], ["front.svg"])

    def test_what_a_fence_shows_asks_for_nothing(self):
        text = "```text\n<!-- insert nothing -->\n```\n"
        self.assertEqual(self.written(text), text)

    def test_what_cannot_be_made_is_refused(self):
        for page, words in (
            ("<!-- code solutions/none.cu copy -->\n", "solutions/none.cu does not exist"),
            (f"<!-- code {SOURCE} paste -->\n", "has no region [paste]"),
            ("<!-- insert nothing -->\n<!-- end -->\n", "nothing makes nothing.md"),
            ("![A](pictures/nothing.svg)\n", "nothing makes nothing.svg"),
            ("<!-- insert cost -->\n", "no <!-- end --> below"),
            ("<!-- insert cost -->\n<!-- insert cost -->\n<!-- end -->\n", "before the next part"),
            ("<!-- insert cost-->\n", "not in the form"),
            ("![](pictures/store.svg)\n", "not in the form"),
        ):
            with self.subTest(page=page):
                self.write(PAGE, page)
                for options in ((), ("--write",)):
                    status, said = self.run_tool(*options)
                    self.assertEqual(status, 1)
                    self.assertIn(f"{PAGE}:1: ", said)
                    self.assertIn(words, said)
                self.assertEqual(self.read(PAGE), page, "what is wrong is not written")


if __name__ == "__main__":
    unittest.main()
