"""docs/draw_speeds and measurements/plot: what they make of a record, and what they refuse."""

import hashlib
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL, PLOT = ROOT / "docs/draw_speeds", ROOT / "measurements/plot"


def can_plot():
    """Whether the interpreter in the plot's first line has the module that it draws with."""
    interpreter = PLOT.read_text(encoding="utf-8").split("\n", 1)[0][2:].split()
    try:
        return subprocess.run([*interpreter, "-c", "import matplotlib"], capture_output=True).returncode == 0
    except OSError:
        return False


def cells_of(table):
    """The rows of a table in Markdown, its head first."""
    rows = [line.strip("|").split("|") for line in table.splitlines() if line.startswith("|")]
    return [[cell.strip().strip("`") for cell in row] for row in (rows[0], *rows[2:])]


def row(name, label, size, seconds, ratio, variation=False):
    elements = size * size
    return {
        "name": f"05-transpose/{name}",
        "label": label,
        "size": f"{size} x {size}",
        "variation": variation,
        "elements": float(elements),
        "bytes": 8.0 * elements,
        "work": 8.0 * elements,
        "seconds": seconds,
        "interval": [0.9 * seconds, 1.2 * seconds],
        "ratio": ratio,
    }


RECORD = {
    "schema": "lockstep/measurement/v1",
    "exercise": "transpose",
    "card": "NVIDIA Test <1>",
    "driver": "580.1",
    "toolkit": "13.0",
    "date": "2026-01-02",
    "commit": "0123456789abcdef",
    "command": "./lockstep bench transpose",
    "copy_bandwidth": 4e12,
    "ceiling": {"name": "copied-bytes", "description": "what this GPU's memory can copy", "rate": 4e12, "unit": "B/s"},
    "results": [
        row("peers/memcpy", "memcpy", 1000, 2e-6, 2.0),
        row("rungs/naive", "naive", 1000, 40e-6, 0.1),
        row("rungs/tiled", "tiled", 1000, 8e-6, 0.5),
        row("transpose", "reference", 1000, 4e-6, 1.0),
        row("transpose", "reference", 500, 3e-6, 1.0),
        row("rungs/naive", "naive", 2000, 1.0, 0.25, variation=True),
    ],
}
LECTURE = "text\n<!-- speeds turned: transpose -->\n"


def race(task, name, seconds):
    return {"exercise": "05-transpose", "task": task, "name": f"05-transpose/{name}", "rounds": 11, "seconds": seconds}


PEERS = {
    **{key: RECORD[key] for key in ("card", "driver", "toolkit", "date", "commit")},
    "schema": "lockstep/peer-comparison/v1",
    "results": [
        race("small & quick", "peers/other", 8e-6),
        race("small & quick", "transpose", 4e-6),
        race("small & quick", "rungs/tiled", 6e-6),
        race("large", "transpose", 4e-3),
        race("large", "peers/other", 2e-3),
    ],
}


class DrawSpeeds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.lectures, self.records, self.output = (
            self.root / name for name in ("lectures", "records", "output")
        )
        self.lectures.mkdir()
        self.records.mkdir()

    def run_tool(self, lecture=LECTURE, record=RECORD, peers=PEERS):
        """Status and what it said."""
        (self.records / "peers.json").write_text(json.dumps(peers), encoding="utf-8")
        (self.lectures / "05-transpose.md").write_text(lecture, encoding="utf-8")
        (self.records / "transpose.json").write_text(json.dumps(record), encoding="utf-8")
        finished = subprocess.run(
            [sys.executable, "-B", TOOL, self.lectures, self.records, self.output],
            capture_output=True,
            text=True,
            check=False,
        )
        return finished.returncode, finished.stderr

    @unittest.skipUnless(can_plot(), "python3-matplotlib is not installed")
    def test_table_has_the_largest_size_in_the_order_of_the_plot(self):
        self.assertEqual(self.run_tool(), (0, ""))
        table = (self.output / "turned.md").read_text(encoding="utf-8")
        cells = cells_of(table)[1:]
        self.assertEqual(
            cells,
            [
                ["naive", "40.0 µs", "200", "5 %", "0.10"],
                ["tiled", "8.00 µs", "1000", "25 %", "0.50"],
                ["reference", "4.00 µs", "2000", "50 %", "1.00"],
                ["memcpy", "2.00 µs", "4000", "100 %", "2.00"],
            ],
        )
        for words in ("1000 x 1000", "NVIDIA Test <1>", "driver 580.1", "toolkit 13.0", "2026-01-02"):
            self.assertIn(words, table)
        self.assertIn("commit 0123456.", table)

    def test_a_scale_has_the_points_that_the_grader_gives(self):
        size = "1000 x 1000"
        request = f"scale there: transpose of RUNGS at {size}"
        rungs = [one for one in RECORD["results"] if one["size"] == size and "/rungs/" in one["name"]]
        self.assertEqual(len(rungs), 2)
        labels = " ".join(one["label"] for one in rungs)
        self.assertEqual(self.run_tool(f"<!-- {request.replace('RUNGS', labels + ' reference')} -->\n"), (0, ""))
        drawing = (self.output / "there.svg").read_text(encoding="utf-8")
        for one in rungs:
            # exercises/05-transpose/problem.cpp: the first rung has 0.14 of the reference's speed.
            share = math.log(one["ratio"] / 0.14) / math.log(0.9 / 0.14)
            self.assertIn(f">{one['label']}<", drawing)
            self.assertIn(f">{100 * min(max(share, 0), 1):.0f} %<", drawing)
        self.assertIn(">100 %<", drawing)
        for wrong in ("RUNGS", "nothing reference"):
            status, words = self.run_tool(f"<!-- {request.replace('RUNGS', wrong)} -->\n")
            self.assertEqual(status, 1, wrong)
            self.assertIn("05-transpose.md:1:", words)
        for form in ("scale there: transpose", f"speeds there: transpose of reference at {size}"):
            status, words = self.run_tool(f"<!-- {form} -->\n")
            self.assertEqual(status, 1, form)
            self.assertIn("not in the form", words)

    @unittest.skipUnless(can_plot(), "python3-matplotlib is not installed")
    def test_shares_are_of_the_ceiling_that_binds(self):
        ceiling = {"name": "fused-multiply-adds", "description": "the multiply-adds of a GPU", "rate": 1e12, "unit": "/s"}
        rows = [{**one, "work": one["elements"]} for one in RECORD["results"]]
        self.assertEqual(self.run_tool(record={**RECORD, "ceiling": ceiling, "results": rows}), (0, ""))
        table = (self.output / "turned.md").read_text(encoding="utf-8")
        self.assertIn("share of fused multiply-adds", table)
        # A million elements in 4 us are 0.25 T/s, though their bytes are half of what the GPU copies.
        reference = ["4.00 µs", "250", "25 %", "1.00"]
        self.assertIn(["reference", *reference], cells_of(table))
        plot = (self.output / "turned.svg").read_text(encoding="utf-8")
        self.assertIn("Share of the multiply-adds of a GPU", plot)
        self.assertNotIn("copying", table)

    @unittest.skipUnless(can_plot(), "python3-matplotlib is not installed")
    def test_small_shares_are_readable(self):
        ceiling = {**RECORD["ceiling"], "rate": 8e13}
        self.assertEqual(self.run_tool(record={**RECORD, "ceiling": ceiling}), (0, ""))
        table = (self.output / "turned.md").read_text(encoding="utf-8")
        reference = ["4.00 µs", "250", "2.5 %", "1.00"]  # bytes per second would say little
        self.assertIn(["reference", *reference], cells_of(table))
        plot = (self.output / "turned.svg").read_text(encoding="utf-8")
        self.assertIn(">5 %<", plot)
        self.assertNotIn(">80 %<", plot)

    @unittest.skipUnless(can_plot(), "python3-matplotlib is not installed")
    def test_the_references_share_decides_whether_bytes_are_told(self):
        ceiling = {**RECORD["ceiling"], "rate": 8e13}
        faster = row("peers/faster", "faster", 1000, 0.9e-6, 4.4)  # has more than a tenth of the ceiling
        record = {**RECORD, "ceiling": ceiling, "results": [*RECORD["results"], faster]}
        self.assertEqual(self.run_tool(record=record), (0, ""))
        table = (self.output / "turned.md").read_text(encoding="utf-8")
        self.assertIn("10⁹ elements/s", cells_of(table)[0])

    @unittest.skipUnless(can_plot(), "python3-matplotlib is not installed")
    def test_plot_is_the_same_every_time_and_keeps_its_text(self):
        self.assertEqual(self.run_tool(), (0, ""))
        first = (self.output / "turned.svg").read_text(encoding="utf-8")
        self.assertEqual(self.run_tool(), (0, ""))
        self.assertEqual((self.output / "turned.svg").read_text(encoding="utf-8"), first)
        drawing = xml.etree.ElementTree.fromstring(first)
        texts = ["".join(one.itertext()) for one in drawing.iter("{http://www.w3.org/2000/svg}text")]
        for words in ("transpose on NVIDIA Test <1>, 2026-01-02", "naive", "tiled", "reference", "memcpy"):
            self.assertIn(words, texts)
        self.assertIn("var(--ink)", first)
        self.assertNotIn("<dc:date>", first)

    @unittest.skipUnless(can_plot(), "python3-matplotlib is not installed")
    def test_what_no_lecture_asks_for_is_removed(self):
        self.run_tool()
        self.assertEqual(self.run_tool("text\n"), (0, ""))
        self.assertEqual(list(self.output.iterdir()), [])

    def test_table_of_variations_has_a_column_for_each_solution_and_begins_with_the_size_that_is_varied(self):
        turned = {**row("transpose", "reference", 1000, 5e-6, 1.0, variation=True), "size": "turned"}
        odd = {**row("rungs/tiled", "tiled", 1000, 2e-5, 1.0, variation=True), "size": "odd"}
        rows = [*RECORD["results"], turned, odd]
        self.assertEqual(self.run_tool("<!-- variations odd: transpose -->\n", {**RECORD, "results": rows}), (0, ""))
        table = (self.output / "odd.md").read_text(encoding="utf-8")
        self.assertEqual(
            cells_of(table),
            [
                ["Inputs", "naive", "tiled", "reference", "memcpy"],
                ["1000 x 1000", "40.0 µs", "8.00 µs", "4.00 µs", "2.00 µs"],
                ["2000 x 2000", "1.00 s", "–", "–", "–"],
                ["turned", "–", "–", "5.00 µs", "–"],
                ["odd", "–", "20.0 µs", "–", "–"],
            ],
        )
        self.assertIn("NVIDIA Test <1>; driver 580.1", table)

    def test_variations_that_no_record_has(self):
        rows = [one for one in RECORD["results"] if not one["variation"]]
        without = {**RECORD, "results": rows}
        self.assert_refused("has no variations", "<!-- variations odd: transpose -->\n", without)
        self.assert_refused("scan.json", "<!-- variations odd: scan -->\n")
        self.assert_refused("not in the form", "<!-- variations odd -->\n")
        alone = {**RECORD, "results": rows + [row("rungs/shy", "shy", 2000, 1.0, 1.0, variation=True)]}
        self.assert_refused("of variations alone", "<!-- variations odd: transpose -->\n", alone)

    def test_table_of_peers_has_each_race_with_the_reference_as_its_unit(self):
        self.assertEqual(self.run_tool("<!-- peers beside: transpose -->\n"), (0, ""))
        table = (self.output / "beside.md").read_text(encoding="utf-8")
        cells = cells_of(table)[1:]
        self.assertEqual(
            cells,
            [
                ["**small & quick**", "", ""],
                ["rungs/tiled", "6.00 µs", "1.50"],
                ["reference", "4.00 µs", "1.00"],
                ["peers/other", "8.00 µs", "2.00"],
                ["**large**", "", ""],
                ["reference", "4.00 ms", "1.00"],
                ["peers/other", "2.00 ms", "0.50"],
            ],
        )
        self.assertIn("medians; NVIDIA Test <1>; driver 580.1", table)

    def test_peers_that_no_record_has(self):
        self.assert_refused("has nothing of scan", "<!-- peers beside: scan -->\n")
        self.assert_refused("not a record of compare_peers", "<!-- peers beside: transpose -->\n", peers=RECORD)
        without = {**PEERS, "results": PEERS["results"][:1]}
        self.assert_refused("has no reference", "<!-- peers beside: transpose -->\n", peers=without)
        self.assert_refused("not in the form", "<!-- peers beside -->\n")

    def assert_refused(self, words, lecture=LECTURE, record=RECORD, peers=PEERS):
        status, errors = self.run_tool(lecture, record, peers)
        self.assertEqual(status, 1)
        self.assertIn("05-transpose.md:", errors)
        self.assertIn(words, errors)
        self.assertNotIn("Traceback", errors)

    def test_record_that_is_not_there_or_of_another_kind(self):
        self.assert_refused("scan.json", "<!-- speeds turned: scan -->\n")
        self.assert_refused("not a record", record={**RECORD, "schema": "lockstep/result/v1"})
        without = {key: value for key, value in RECORD.items() if key != "ceiling"}
        self.assert_refused("not a record", record=without)
        self.assert_refused("not a record", record=[])
        for seconds in (0, -1e-6, float("nan")):
            odd = {**RECORD, "results": [*RECORD["results"], row("rungs/odd", "odd", 1000, seconds, 1.0)]}
            self.assert_refused("a time or a rate is none", record=odd)
        self.assert_refused("has no sizes", record={**RECORD, "results": RECORD["results"][-1:]})
        self.assert_refused("has no reference", record={**RECORD, "results": RECORD["results"][:3]})

    def test_request_in_another_form_or_twice(self):
        self.assert_refused("not in the form", "<!-- speeds Turned: transpose -->\n")
        self.assert_refused("is also asked for at", LECTURE + LECTURE)

    def test_plot_without_its_module_says_so_in_a_sentence(self):
        (self.root / "transpose.json").write_text(json.dumps(RECORD), encoding="utf-8")
        finished = subprocess.run(  # -S: no module but Python's own
            [sys.executable, "-S", "-B", PLOT, self.root / "transpose.json", self.root / "plot.svg"],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(finished.returncode, 1)
        self.assertRegex(finished.stderr, r"^\S+ has no module matplotlib, .*python3-matplotlib\.\n$")


class Legend(unittest.TestCase):
    @unittest.skipUnless(can_plot(), "python3-matplotlib is not installed")
    def test_fits_and_tells_all_lines_apart(self):
        results = [row("transpose", "reference", 1000, 4e-6, 1.0)]
        results += [row(f"rungs/{i}", f"a_long_name_{i}", 1000, 8e-6, 0.5) for i in range(11)]
        with tempfile.TemporaryDirectory() as folder:
            record, picture = pathlib.Path(folder, "transpose.json"), pathlib.Path(folder, "plot.svg")
            record.write_text(json.dumps({**RECORD, "results": results}), encoding="utf-8")
            subprocess.run([PLOT, record, picture], check=True)
            drawn = xml.etree.ElementTree.parse(picture).getroot()
        width, height = (float(number) for number in drawn.get("viewBox").split()[2:])
        (legend,) = [part for part in drawn.findall(".//{*}g") if part.get("id", "").startswith("legend_")]
        texts = legend.findall(".//{*}text")
        lines = [part for part in legend.findall(".//{*}g") if part.get("id", "").startswith("line2d_")]
        looks = {tuple(part.get("style") for part in line.iter() if part.get("style")) for line in lines}
        self.assertEqual((len(texts), len(lines), len(looks)), (12, 12, 12))
        places = {(float(text.get("x")), float(text.get("y"))) for text in texts}
        self.assertEqual(len(places), 12)
        for x, y in places:
            self.assertTrue(0 < x < width - 6 * len("a_long_name_10") and 0 < y < height, (x, y))


class PicturesInTheTree(unittest.TestCase):
    def test_each_shows_the_record_of_today(self):
        pictures = sorted((ROOT / "docs/pictures").glob("*-speeds.svg"))
        self.assertTrue(pictures)
        for picture in pictures:
            with self.subTest(picture=picture.name):
                record = ROOT / "measurements/nvidia-h200" / picture.name.replace("-speeds.svg", ".json")
                digest = hashlib.sha256(record.read_bytes()).hexdigest()[:16]
                shown = re.search(r'data-record="([0-9a-f]*)"', picture.read_text(encoding="utf-8"))
                again = f"measurements/plot {record.relative_to(ROOT)} {picture.relative_to(ROOT)}"
                self.assertEqual(shown and shown[1], digest, f"draw it again: {again}")


if __name__ == "__main__":
    unittest.main()
