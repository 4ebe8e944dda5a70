"""No lecture uses a term before the lecture that teaches it, as docs/glossary.md has them.

Looked at are sentences: no code, no tables of figures, no addresses. Lectures 00 and 01 are about the tool, before
the course begins.
"""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRST_OF_THE_COURSE = "02"


def taught_terms(glossary):
    """Pairs of a term and the number of its lecture, from the rows `| term | [NN](…) | … |`."""
    return re.findall(r"^\| ([^|]+) \| \[(\d\d)\]\([^)]*\) \|", glossary, re.MULTILINE)


def sentences(page):
    for unread in (r"(?s)```.*?```", r"(?s)<!--.*?-->", r"`[^`]*`", r"\]\([^)]*\)", r"(?m)^(?:    |\|).*$"):
        page = re.sub(unread, " ", page)
    return page


def pattern_of(term):
    return re.escape(term).replace(r"\ ", r"\s+") + r"(?:s|es|d)?"


def uses(term, text):
    return re.search(rf"(?<![\w-]){pattern_of(term)}(?![\w-])", text, re.IGNORECASE)


def teaches(term, page):
    return re.search(rf"\*{pattern_of(term)}\*", page, re.IGNORECASE)


def lectures():
    pages = sorted(ROOT.glob("lectures/[0-9][0-9]-*.md"))
    return {page.name[:2]: page.read_text(encoding="utf-8") for page in pages if page.name[:2] >= FIRST_OF_THE_COURSE}


class Terms(unittest.TestCase):
    def test_each_is_taught_before_it_is_used(self):
        pages = lectures()
        terms = taught_terms((ROOT / "docs/glossary.md").read_text(encoding="utf-8"))
        self.assertGreater(len(terms), 50)
        for term, number in terms:
            with self.subTest(term=term):
                self.assertTrue(teaches(term, pages[number]), f"lecture {number} has no *{term}* in italics")
                for earlier, page in pages.items():
                    found = uses(term, sentences(page)) if earlier < number else None
                    self.assertFalse(found, f"lecture {earlier} uses '{term}', which lecture {number} teaches")

    def test_a_use_is_seen_in_sentences_alone(self):
        self.assertTrue(uses("bank conflict", sentences("It has Bank\nconflicts.")))
        self.assertFalse(uses("bank", sentences("`bank`, [x](bank.md)\n```cuda\nbank\n```\n| bank | 1 |\n    bank\n")))
        self.assertFalse(uses("sector", "sectorial"))
        self.assertTrue(teaches("warp", "32 threads are a *warp*."))


if __name__ == "__main__":
    unittest.main()
