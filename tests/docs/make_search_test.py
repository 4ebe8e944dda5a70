"""docs/make_search: the sections of a site's pages, each with its heading, address and text."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "docs/make_search"
PAGE = """<html><head><title>Scan · Lockstep</title><script>let hidden;</script></head><body>
<nav><a href="index.html">Contents</a></nav>
<div class="header"><div class="headertitle"><div class="title">Scan &amp; more </div></div></div>
<div class="contents"><div class="toc interactive"><h3>Table of Contents</h3><ul><li><a href="#scan-idea">The idea</a></li></ul></div>
<div class="textblock"><p>Sums.</p>
<h1><a class="anchor" id="scan-idea"></a>
The <code>idea</code></h1>
<div class="fragment"><div class="line">__syncthreads();</div></div>
<svg><title>drawn</title><text>label</text></svg>
<p>Add up.</p></div></div>
<footer>Set.</footer></body></html>
"""


class MakeSearch(unittest.TestCase):
    def sections(self, **pages):
        with tempfile.TemporaryDirectory() as folder:
            site, library = pathlib.Path(folder, "site"), pathlib.Path(folder, "lunr.min.js")
            site.mkdir()
            library.write_text("library")
            for name, text in pages.items():
                (site / f"{name}.html").write_text(text, encoding="utf-8")
            subprocess.run([sys.executable, "-S", "-B", TOOL, site, library], capture_output=True, check=True)
            self.assertEqual((site / "lunr.min.js").read_text(), "library")
            data = (site / "search-data.js").read_text(encoding="utf-8")
        self.assertTrue(data.startswith("const kSections = [") and data.endswith("];\n"))
        return json.loads(data.removeprefix("const kSections = ").removesuffix(";\n"))

    def test_sections_have_heading_address_and_text(self):
        self.assertEqual(
            self.sections(lecture_scan=PAGE),
            [
                {"title": "Scan & more", "heading": "", "address": "lecture_scan.html", "text": "Sums."},
                {
                    "title": "Scan & more",
                    "heading": "The idea",
                    "address": "lecture_scan.html#scan-idea",
                    "text": "__syncthreads(); Add up.",
                },
            ],
        )

    def test_page_without_text_is_left_out(self):
        self.assertEqual(self.sections(empty="<html><body><nav>Contents</nav></body></html>"), [])


if __name__ == "__main__":
    unittest.main()
