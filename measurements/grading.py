"""Gradings on this machine's GPU, and a record that has each of them as soon as it is made."""

import json
import os
import subprocess

from heading import ROOT, heading, write_record


class Failed(Exception):
    """Something could not be run or recorded; the message says why."""


def graded(exercise, submission, report, gpu="", program=ROOT / "lockstep", device="gpu"):
    """The report's device, what it says of the exercise, and what was printed. `report` is a file to write it to."""
    report.unlink(missing_ok=True)
    # Resolved: a path such as ./lockstep loses its dot in pathlib, and is then looked for in PATH.
    command = [program.resolve(), "grade", exercise, "--submission", submission, "--device", device]
    command += ["--format", "json", "--output", report]
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": gpu} if gpu else None
    try:
        ran = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise Failed(str(error)) from error
    words = ran.stdout + ran.stderr
    if not report.is_file():
        raise Failed(words)
    result = json.loads(report.read_text(encoding="utf-8"))
    return result["device"], result["exercises"][0], words


class GrowingRecord:
    """The rows so far, in a file after each, if one is named: a run that is cut short leaves what it measured."""

    def __init__(self, schema, path, commit):
        self.rows, self._schema, self._path, self._commit, self._head = [], schema, path, commit, None

    def resume(self):
        """Goes on with the file, if there is one: it must be of this commit."""
        if not self._path.exists():
            return
        try:
            head = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise Failed(f"{self._path} cannot be read: {error}") from error
        is_whole = isinstance(head, dict) and {"schema", "card", "commit", "results"} <= head.keys()
        if not is_whole or head["schema"] != self._schema:
            raise Failed(f"{self._path} is no record of this kind")
        commit = heading(self._schema, "", self._commit)["commit"]
        if commit == "unknown":
            raise Failed("which commit is this? Name it by --commit")
        if head["commit"] != commit:
            raise Failed(f"{self._path} is of commit {head['commit']}")
        self.rows = head.pop("results")
        self._head = head

    def add(self, gpu, row):
        """`gpu` is empty where no report names it; the file waits for the first that does."""
        if gpu and not self._head:
            self._head = heading(self._schema, gpu, self._commit)
        if gpu and gpu != self._head["card"]:
            raise Failed(f"this GPU is {gpu}, the record's is {self._head['card']}")
        self.rows.append(row)
        if self._path and self._head:
            write_record(self._path, self._head, self.rows)
