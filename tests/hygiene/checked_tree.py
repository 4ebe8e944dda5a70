"""What the tests of the checks share: a repository for them to look at."""

import pathlib
import subprocess


def write(folder, files):
    """Makes the folder a repository with the files, given as texts by their paths; nothing is committed."""
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    for name, text in files.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
