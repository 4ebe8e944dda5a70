"""docs/lecture_filter: every line keeps its number, regions move to the margin, pages become right for the site."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

FILTER = pathlib.Path(__file__).resolve().parents[2] / "docs/lecture_filter"


class LectureFilter(unittest.TestCase):
    def filtered(self, name, text):
        """The lines that come out for a file of that name; always as many as went in."""
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            said = subprocess.run(
                [sys.executable, "-B", FILTER, path], capture_output=True, text=True, check=True
            ).stdout
        self.assertEqual(said.count("\n"), text.count("\n"), said)
        return said.splitlines()

    def test_region_loses_the_indentation_that_its_lines_share(self):
        lines = self.filtered(
            "scan.cu", "void f() {\n  // [loop]\n  for (;;) {\n\n    g();\n  }\n  // [loop]\n  h();\n}\n"
        )
        self.assertEqual(lines[2:6], ["for (;;) {", "", "  g();", "}"])
        self.assertEqual(lines[7], "  h();")

    def test_region_at_the_margin_stays(self):
        text = "// [f]\nvoid f() {\n  g();\n}\n// [f]\n"
        self.assertEqual(self.filtered("scan.cu", text), text.splitlines())

    def test_figure_goes_into_the_page(self):
        (line,) = self.filtered("lectures/03-transpose.md", '\\image html store.svg "One & all"\n')
        self.assertIn("\\htmlinclude[block] store.svg", line)
        self.assertIn("<figcaption>One &amp; all</figcaption>", line)

    def test_answer_is_hidden_in_html(self):
        lines = self.filtered(
            "lectures/03-transpose.md", "<details>\n<summary>Why?</summary>\n\nSo.\n</details>\n"
        )
        self.assertEqual(lines[0], "\\htmlonly[block]<details>\\endhtmlonly")
        self.assertIn("Why?</summary>\\endhtmlonly", lines[1])
        self.assertEqual(lines[3], "So.")

    def test_task_gets_a_label_and_keeps_links_inside_the_site_alone(self):
        lines = self.filtered(
            "exercises/06-block-scan/README.md", "# Scan\n\n[lecture](../a.md) and [file](block_scan.cu)\n"
        )
        self.assertEqual(lines[0], "# Task: Scan {#task_block_scan}")
        self.assertEqual(lines[2], "[lecture](../a.md) and file")

    def test_link_to_a_place_in_another_page_keeps_the_place(self):
        text = "[load](architecture.md#life-of-a-load), [here](#place), [site](https://example.org/a.md#b)\n"
        (line,) = self.filtered("docs/checks.md", text)
        self.assertEqual(line, "[load](#life-of-a-load), [here](#place), [site](https://example.org/a.md#b)")


if __name__ == "__main__":
    unittest.main()
