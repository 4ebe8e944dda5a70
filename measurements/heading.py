"""What every record begins with: where, with what, when, of which commit, by which command; and its file."""

import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def printed_by(command):
    """What a command prints; nothing when there is no such command or it fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def find_nvcc():
    """The one that CUDACXX names, on the PATH, or of a toolkit in a usual place; nothing when there is none."""
    toolkits = [os.environ.get("CUDA_HOME"), os.environ.get("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda"]
    candidates = [os.environ.get("CUDACXX"), "nvcc", *(f"{toolkit}/bin/nvcc" for toolkit in toolkits if toolkit)]
    return next(filter(None, (shutil.which(candidate) for candidate in candidates if candidate)), None)


def toolkit_version():
    nvcc = find_nvcc()
    release = re.search(r"release ([0-9.]+)", printed_by([nvcc, "--version"])) if nvcc else None
    return release[1] if release else "unknown"


def write_record(path, head, rows):
    """As JSON, and whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = path.with_name(path.name + ".new")
    whole.write_text(json.dumps({**head, "results": rows}, indent=1) + "\n", encoding="utf-8")
    whole.replace(path)


def where_and_when(command):
    """What a record without a GPU begins with; `command` is the program's path from the root."""
    cpu_info = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    names = re.findall(r"^model name\s*: (.*)$", cpu_info, re.MULTILINE)
    return {
        "processors": f"{len(os.sched_getaffinity(0))} of {names[0] if names else 'unknown'}",
        "toolkit": toolkit_version(),
        "date": datetime.date.today().isoformat(),
        "commit": printed_by(["git", "-C", str(ROOT), "rev-parse", "HEAD"]).strip() or "unknown",
        "command": " ".join([command, *sys.argv[1:]]),
    }


def heading(schema, gpu, commit):
    """`commit` is of this tree where that is no Git repository, else empty."""
    driver = printed_by(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]).split("\n")[0]
    command = pathlib.Path(sys.argv[0]).resolve().relative_to(ROOT)
    return {
        "schema": schema,
        "card": gpu,
        "driver": driver.strip() or "unknown",
        "toolkit": toolkit_version(),
        "date": datetime.date.today().isoformat(),
        "commit": commit or printed_by(["git", "-C", str(ROOT), "rev-parse", "HEAD"]).strip() or "unknown",
        "command": " ".join([str(command), *sys.argv[1:]]),
    }
