"""Records of speeds, as `lockstep bench` and `compare_peers` write them, and what figures and tables show of them:
solutions in one order everywhere.

Variations of a case, which answer a question of their own, have a table of their own.
"""

import dataclasses
import hashlib
import json
import math
import pathlib

SCHEMA = "lockstep/measurement/v1"
PEERS_SCHEMA = "lockstep/peer-comparison/v1"
KINDS = ("rung", "reference", "peer")  # of solutions, in this order
WORTH_TELLING = 0.1  # of copying: below, bytes per second say little of the work


class Fault(Exception):
    """A file is no record of speeds; the message names it."""


@dataclasses.dataclass
class Solution:
    name: str
    label: str
    kind: str  # one of KINDS
    rows: list  # from the smallest size to the largest


def kind_of(name):
    """Of 05-transpose/rungs/tiled, 05-transpose/peers/cublas or 05-transpose/transpose."""
    folder = pathlib.PurePosixPath(name).parent.name
    return {"rungs": "rung", "peers": "peer"}.get(folder, "reference")


def topic_of(exercise):
    """Of 05-transpose: transpose."""
    return exercise.split("-", 1)[1]


def read_any(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:  # also of what is no text, or no JSON
        raise Fault(f"{path}: {error}") from None


def read(path):
    record = read_any(path)
    if not isinstance(record, dict) or record.get("schema") != SCHEMA or "ceiling" not in record:
        raise Fault(f"{path}: not a record of lockstep bench")
    if not (record["ceiling"]["rate"] > 0 and all(0 < row["seconds"] < math.inf for row in record["results"])):
        raise Fault(f"{path}: a time or a rate is none")
    sizes = [row for row in record["results"] if not row["variation"]]
    if not sizes:
        raise Fault(f"{path}: has no sizes")
    if not any(kind_of(row["name"]) == "reference" for row in sizes):
        raise Fault(f"{path}: has no reference")
    return record


def races_of(path, topic):
    """A record of peers, and its rows of a topic by their tasks, each with a reference among them."""
    record = read_any(path)
    if record.get("schema") != PEERS_SCHEMA:
        raise Fault(f"{path}: not a record of compare_peers")
    races = {}
    for row in record["results"]:
        if topic_of(row["exercise"]) == topic:
            races.setdefault(row["task"], []).append(row)
    if not races:
        raise Fault(f"{path}: has nothing of {topic}")
    for task, rows in races.items():
        if not any(kind_of(row["name"]) == "reference" for row in rows):
            raise Fault(f"{path}: {task} has no reference")
    return record, races


def digest_of(path):
    """Of a record's text: what a plot carries, by which it is known to show this record."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def solutions_of(record):
    """Rungs from the slowest to the fastest at the largest size, the reference, then peers likewise."""
    rows = [row for row in record["results"] if not row["variation"]]
    by_name = {}
    for row in sorted(rows, key=lambda row: row["elements"]):
        by_name.setdefault(row["name"], Solution(row["name"], row["label"], kind_of(row["name"]), [])).rows.append(row)
    return sorted(
        by_name.values(), key=lambda one: (KINDS.index(one.kind), -one.rows[-1]["seconds"], one.label)
    )


def variations_of(record):
    """The rows of each variation by the names of their solutions, after those of the ladder's sizes that have as many
    elements. Where bench left a solution out there is none."""
    elements = {row["elements"] for row in record["results"] if row["variation"]}
    variations = {}
    for row in sorted(record["results"], key=lambda row: row["variation"]):
        if row["elements"] in elements:
            variations.setdefault(row["size"], {})[row["name"]] = row
    return variations


def share_of_ceiling(record, row, seconds=None):
    """What the GPU can do at most, over the time of the row's call, or over `seconds`."""
    return row["work"] / (row["seconds"] if seconds is None else seconds) / record["ceiling"]["rate"]


def is_about_bytes(record):
    """Whether moving bytes is a good part of what the reference does at the largest size, so that bytes per second say
    something.
    """
    if record["ceiling"]["name"] != "copied-bytes":
        return False
    references = [row for row in record["results"] if kind_of(row["name"]) == "reference" and not row["variation"]]
    return share_of_ceiling(record, max(references, key=lambda row: row["elements"])) >= WORTH_TELLING
