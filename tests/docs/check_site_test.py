"""docs/check_site: a site in order passes; broken links, anchors and drawings fail, named with their page."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECKER = pathlib.Path(__file__).resolve().parents[2] / "docs/check_site"
DRAWING = '<svg xmlns="http://www.w3.org/2000/svg"><title>t</title><style>s</style><rect/></svg>'
PAGE = (
    '<nav><a href="index.html">Course</a></nav><h1 id="idea">Idea</h1>'
    '<a href="#idea">up</a><a href="index.html#path">path</a>'
    f'<a href="https://example.org/x">outside</a>{DRAWING}<table></table><details></details>'
)


class CheckSite(unittest.TestCase):
    def check(self, page=PAGE, drawing=DRAWING):
        with tempfile.TemporaryDirectory() as folder:
            files = {
                "site/index.html": '<h2 id="path">Path</h2><a href="lecture_copy.html">Copy</a>',
                "site/lecture_copy.html": page,
                "generated/copy.svg": drawing,
                "lectures/02-copy.md": "# Copy\n",
            }
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
            folders = [pathlib.Path(folder, name) for name in ("site", "generated", "lectures")]
            finished = subprocess.run(
                [sys.executable, "-S", "-B", CHECKER, *folders], capture_output=True, text=True, check=False
            )
        return finished.returncode, finished.stderr

    def assert_fault(self, words, **files):
        status, errors = self.check(**files)
        self.assertEqual(status, 1, errors)
        self.assertIn(words, errors)

    def test_a_site_in_order_passes(self):
        self.assertEqual(self.check(), (0, ""))

    def test_link_to_no_file(self):
        self.assert_fault(
            "lecture_copy.html:1: gone.html leads to no file", page=PAGE + '<a href="gone.html">x</a>'
        )

    def test_picture_that_is_not_there(self):
        self.assert_fault("gone.png leads to no file", page=PAGE + '<img src="gone.png">')

    def test_link_to_no_anchor(self):
        self.assert_fault("index.html has no anchor gone", page=PAGE + '<a href="index.html#gone">x</a>')
        self.assert_fault("lecture_copy.html has no anchor gone", page=PAGE + '<a href="#gone">x</a>')

    def test_drawing_that_is_no_xml(self):
        self.assert_fault("copy.svg: mismatched tag", drawing=DRAWING.replace("</title>", ""))

    def test_drawing_without_content(self):
        self.assert_fault("copy.svg: not a drawing", drawing='<svg xmlns="http://www.w3.org/2000/svg"></svg>')

    def test_drawing_that_no_page_shows(self):
        self.assert_fault("copy.svg: stands in no page", page=PAGE.replace("<rect/>", "<line/>"))

    def test_lecture_without_table(self):
        self.assert_fault("lecture_copy.html: no table", page=PAGE.replace("<table></table>", ""))

    def test_lecture_without_hidden_answer(self):
        self.assert_fault("lecture_copy.html: no hidden answer", page=PAGE.replace("<details></details>", ""))


if __name__ == "__main__":
    unittest.main()
