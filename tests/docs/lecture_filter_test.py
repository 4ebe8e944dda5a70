"""docs/lecture_filter: every line keeps its number, and pages become right for the site."""

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
                [sys.executable, "-S", "-B", FILTER, path], capture_output=True, text=True, check=True
            ).stdout
        self.assertEqual(said.count("\n"), text.count("\n"), said)
        return said.splitlines()

    def test_figure_goes_into_the_page_with_its_caption(self):
        lines = self.filtered("lectures/05-transpose.md", "![One & all](pictures/store.svg)\n\n*One & all*\n\n*Two*\n")
        self.assertIn("\\htmlinclude[block] store.svg", lines[0])
        self.assertIn("<figcaption>One &amp; all</figcaption>", lines[0])
        self.assertEqual(lines[1:], ["", "", "", "*Two*"])

    def test_caption_of_a_table_is_set_as_one(self):
        lines = self.filtered(
            "lectures/05-transpose.md", "<!-- insert cost -->\n\n| a |\n\n*Counted & shown.*\n\n<!-- end -->\n\n*Not one.*\n"
        )
        self.assertEqual(lines[4], '\\htmlonly[block]<p class="caption">Counted &amp; shown.</p>\\endhtmlonly')
        self.assertEqual(lines[8], "*Not one.*")

    def test_headings_get_labels_and_the_first_section_a_table_of_contents(self):
        lines = self.filtered(
            "lectures/05-transpose.md",
            "# Transpose\n\nAn aim.\n\n## The `idea`\n\n```sh\n# no heading\n```\n\n### Again\n### Again\n",
        )
        self.assertEqual(lines[0], "# Transpose {#lecture_transpose}")
        self.assertEqual(lines[3:5], ["[TOC]", "## The `idea` {#lecture_transpose-the-idea}"])
        self.assertEqual(lines[7], "# no heading")
        self.assertEqual(
            lines[10:], ["### Again {#lecture_transpose-again}", "### Again {#lecture_transpose-again-1}"]
        )

    def test_answer_is_hidden_in_html(self):
        lines = self.filtered(
            "lectures/05-transpose.md", "<details>\n<summary>Why?</summary>\n\nSo.\n</details>\n"
        )
        self.assertEqual(lines[0], "\\htmlonly[block]<details>\\endhtmlonly")
        self.assertIn("Why?</summary>\\endhtmlonly", lines[1])
        self.assertEqual(lines[3], "So.")

    def test_task_gets_a_label_and_keeps_links_inside_the_site_alone(self):
        lines = self.filtered(
            "exercises/09-block-scan/README.md", "# Scan\n\n[lecture](../a.md) and [file](block_scan.cu)\n"
        )
        self.assertEqual(lines[0], "# Task: Scan {#task_block_scan}")
        self.assertEqual(lines[2], "[lecture](../a.md) and file")

    def test_study_has_the_name_of_its_exercise(self):
        lines = self.filtered("exercises/20-drmsd-matrix/study/README.md", "# Shapes\n\n![A map](pictures/map.svg)\n")
        self.assertEqual(lines[0], "# Shapes {#study_drmsd_matrix}")
        self.assertIn("\\htmlinclude[block] map.svg", lines[2])

    def test_link_to_a_place_names_its_label(self):
        text = "[load](architecture.md#life-of-a-load), [here](#place), [site](https://example.org/a.md#b)\n"
        (line,) = self.filtered("docs/checks.md", text)
        self.assertEqual(
            line, "[load](#architecture-life-of-a-load), [here](#checks-place), [site](https://example.org/a.md#b)"
        )


if __name__ == "__main__":
    unittest.main()
