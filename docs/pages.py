"""What the tools behind the pages share: how pages and their sections are called, tables in Markdown, and
records that are text."""

import collections
import json
import pathlib
import re

MEASUREMENTS = pathlib.Path(__file__).resolve().parents[1] / "measurements"

# A part of a page that docs/fill_pages writes: the code of a region, a drawing, the caption of a drawing or a table.
CODE = re.compile(r"^<!-- code (?P<source>\S+) (?P<tag>\S+) -->$")
PICTURE = re.compile(r"^!\[(?P<caption>.+)\]\(pictures/(?P<file>[a-z0-9-]+\.svg)\)$")
CAPTION = re.compile(r"^\*[^*]+\*$")
# The first and the last line of a region of a source.
REGION_MARK = re.compile(r"^\s*//+!?\s*\[([a-z0-9]+(?:-[a-z0-9]+)*)\]\s*$")

FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*(\S*)")
HEADING = re.compile(r"^(#{1,6}) (?P<title>.+?)\s*$")


def label_of(page):
    """The name that the site gives to a page: lecture_scan of lectures/10-scan.md, task_scan of its task, and
    study_drmsd_matrix of a case study."""
    if page.name == "README.md" and page.parent.name == "study":
        name, prefix = page.parent.parent.name, "study_"
    elif page.name == "README.md":
        name, prefix = page.parent.name, "task_" if page.parent.parent.name == "exercises" else ""
    else:
        name, prefix = page.stem, "lecture_" if page.parent.name == "lectures" else ""
    if prefix and name == "index":
        return "mainpage"
    return prefix + re.sub(r"^\d+-", "", name).replace("-", "_").lower()


def slug_of(title):
    """What a code host makes of a heading: the anchor that links in the tree name."""
    plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title)  # a link leaves its words
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def section_label(page, slug):
    """The name that the site gives to a section: they are all in one space there."""
    return f"{label_of(page)}-{slug}".encode("ascii", "ignore").decode()


def fences(lines):
    """First and last number, from 0, and language of each fence; one that is not closed ends with the page."""
    opened = None
    for number, line in enumerate(lines):
        match = FENCE.match(line)
        if opened is None:
            opened = (number, match[1], match[2]) if match else None
        elif match and match[1].startswith(opened[1]) and not match[2]:
            yield opened[0], number, opened[2]
            opened = None
    if opened:
        yield opened[0], len(lines) - 1, opened[2]


def lines_outside_fences(lines):
    """Number, from 0, and text of the lines that are no code."""
    inside = {number for first, last, _ in fences(lines) for number in range(first, last + 1)}
    return [(number, line) for number, line in enumerate(lines) if number not in inside]


def slugs_of(lines):
    """The slug of each heading, by the number of its line. One that occurs again gets a number, as on code hosts."""
    seen, slugs = collections.Counter(), {}
    for number, line in lines_outside_fences(lines):
        match = HEADING.match(line)
        if match:
            slug = slug_of(match["title"])
            slugs[number] = f"{slug}-{seen[slug]}" if seen[slug] else slug
            seen[slug] += 1
    return slugs


def printed_record(name):
    """A record of measurements/ that is what a program printed: its first line, which says what ran where and when, and the
    lines below the empty one that follows."""
    heading, empty, *lines = (MEASUREMENTS / name).read_text(encoding="utf-8").splitlines()
    assert not empty, f"{name}: the second line is empty"
    return heading, lines


def origin_of(record):
    """What the head of a record in JSON says of its run, except for the GPU."""
    return f"driver {record['driver']}, toolkit {record['toolkit']}, {record['date']}, commit {record['commit'][:7]}"


def profiles():
    """What measurements/profile_kernels recorded of an H200: its rows, and what a caption says of the record."""
    record = json.loads((MEASUREMENTS / "nvidia-h200/profiles.json").read_text(encoding="utf-8"))
    return record["results"], f"By Nsight Compute; {record['card']}, {origin_of(record)}."


def code(text):
    return f"`{text}`"


def table(heads, rows, caption=""):
    """A table in Markdown, the first column to the left and the others to the right, and its caption below, which is set
    in italics: the site would show marks of code in it as they are."""
    if "`" in caption:
        raise ValueError(f"a caption has marks of code: {caption}")
    aligned = ["---"] + ["--:"] * (len(heads) - 1)
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in (heads, aligned, *rows)]
    lines = ["| " + " | ".join(row) + " |" for row in cells]
    return "\n".join(lines + (["", f"*{caption}*"] if caption else [])) + "\n"


def prose_table(heads, rows):
    """The same with all columns to the left."""
    return table(heads, rows).replace("| --: ", "| --- ", len(heads) - 1)
