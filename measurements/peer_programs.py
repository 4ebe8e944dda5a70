"""The programs in measurements/peers, which run public code beside the course's solutions: what that code is, and what the
programs are made of. The code is no part of this repository: each is a Git checkout in a folder of such."""

import dataclasses

from event_programs import call
from grading import Failed
from heading import ROOT, find_nvcc
from record import topic_of

DRIVERS = ROOT / "measurements/peers"


@dataclasses.dataclass(frozen=True)
class Peer:
    """Public code, and what its driver is built with."""

    exercise: str  # folder under exercises and solutions
    name: str  # of the project, and of the checkout in SOURCES
    url: str
    commit: str
    licence: str
    ours: dict  # what the driver calls a function of the exercise: the solution that it is of
    include: tuple = (".",)  # folders of the checkout
    stand_ins: tuple = ()  # headers of third parties that the driver replaces
    flags: tuple = ()  # that its own build has

    @property
    def function(self):
        return topic_of(self.exercise).replace("-", "_")

    def record(self):
        return {key: getattr(self, key) for key in ("name", "exercise", "url", "commit", "licence")}


PEERS = (
    Peer(
        exercise="17-multi-tau",
        name="AutocorrelationCUDA",
        url="https://github.com/Lapo9/AutocorrelationCUDA",
        commit="828c8e074205d4673e91c483e17f9a5a48cfeb08",
        licence="none stated",
        ours={"lockstep_multi_tau": "multi_tau.cu"},
    ),
    Peer(
        exercise="18-tpacf",
        name="gpu-parboil",
        url="https://github.com/yuhc/gpu-parboil",
        commit="ccf3d3126f1754ca85528722f4ced5894ccb852b",
        licence="University of Illinois/NCSA",
        ours={"lockstep_tpacf": "tpacf.cu"},
        include=(".", "common/include"),
    ),
    Peer(
        exercise="19-flood",
        name="YACCLAB",
        url="https://github.com/prittt/YACCLAB",
        commit="54e43543a02ff9966124c4bc41a5eda568aa8a06",
        licence="BSD-3-Clause",
        ours={"lockstep_flood": "flood.cu"},
        stand_ins=("opencv2/cudafeatures2d.hpp", "labeling_algorithms.h", "register.h"),
    ),
    Peer(
        exercise="21-resampling",
        name="Megopolis",
        url="https://github.com/AdelaideAuto-IDLab/Megopolis",
        commit="70e68fbd3f89d4627881008f32b55888a00f673f",
        licence="MIT",
        ours={
            "lockstep_metropolis": "rungs/metropolis.cu",
            "lockstep_megopolis": "rungs/megopolis.cu",
            "lockstep_c1_128": "rungs/c1_128.cu",
            "lockstep_c2_128": "rungs/c2_128.cu",
            "lockstep_systematic": "rungs/systematic.cu",
            "lockstep_reference": "resampling.cu",
        },
        flags=("-use_fast_math",),
    ),
)


def complaint_of(peer, sources):
    """What is wrong with its checkout, and what to type; nothing where it is the one that the driver is written for."""
    checkout = sources / peer.name
    if not checkout.is_dir():
        return f"there is no {checkout}. Type: git clone {peer.url} {checkout} && git -C {checkout} checkout {peer.commit}"
    try:
        commit = call("git", ["git", "-C", checkout, "rev-parse", "HEAD"]).strip()
        changes = call("git", ["git", "-C", checkout, "status", "--porcelain", "--untracked-files=no"])
    except Failed as error:
        return str(error)
    if commit != peer.commit:
        return f"{checkout} is at commit {commit}. Type: git -C {checkout} checkout {peer.commit}"
    return f"{checkout} was changed. Type: git -C {checkout} stash" if changes else ""


def build(peer, sources, folder, workers):
    """What gives the program that compares, once all that `workers` compile for it is done. All of our solutions define
    the same functions: each is a library of its own, under another name."""
    course = ["-I", ROOT / "common", "-I", ROOT / "exercises" / peer.exercise]
    nvcc = [find_nvcc(), "-std=c++20", "-O3", "-arch=native"]
    compiled = []
    for name, source in peer.ours.items():
        renamed = [f"-D{peer.function}={name}", f"-D{peer.function}_workspace_bytes={name}_workspace_bytes"]
        shared = ["-shared", "-Xcompiler", "-fPIC", "-Xlinker", "-Bsymbolic", "-o", folder / f"{name}.so"]
        command = [*nvcc, *course, *renamed, *shared, ROOT / "solutions" / peer.exercise / source]
        compiled.append(workers.submit(call, f"{peer.exercise}: the compilation of {source}", command))
    for header in peer.stand_ins:
        (folder / header).parent.mkdir(exist_ok=True)
        (folder / header).touch()
    folders = [DRIVERS, folder, *(sources / peer.name / one for one in peer.include)]
    includes = [word for one in folders for word in ("-I", one)]
    driver = [*nvcc, *course, *peer.flags, *includes, "-o", folder / "driver.o", "-c", DRIVERS / f"{peer.function}.cu"]
    compiled.append(workers.submit(call, f"{peer.exercise}: the compilation of the driver", driver))

    def link():
        for one in compiled:
            one.result()
        libraries = [folder / f"{name}.so" for name in peer.ours]
        call(f"{peer.exercise}: linking", [*nvcc, "-o", folder / "compare", folder / "driver.o", *libraries])
        return folder / "compare"

    return link
