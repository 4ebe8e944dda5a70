"""A real Slurm of one controller and two nodes, all on this machine: what is started here ends with this process."""

import ctypes
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

PATIENCE = 60  # seconds until something has certainly failed
NODES = ("one", "two")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "scontrol", "squeue", "sinfo")
os.environ["PATH"] += ":/usr/sbin:/sbin"
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LIBC = ctypes.CDLL(None)

SETTINGS = """\
ClusterName=lockstep-test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SwitchType=switch/none
MpiDefault=none
SlurmdTimeout=30
MessageTimeout=10
KillWait=1
ReturnToService=2
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1
{nodes}
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def children():
    """Numbers of the processes that descend from this one. What has lost its parent is a child of this one."""
    parents = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has ended
    found = {os.getpid()}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {os.getpid()}


def kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return


def wait_for(what, found):
    deadline = time.monotonic() + PATIENCE
    while not (result := found()):
        if time.monotonic() > deadline:
            raise AssertionError(f"waited in vain for {what}")
        time.sleep(0.05)
    return result


class Cluster:
    def __init__(self, folder):
        self.folder = folder
        sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(1 + len(NODES))]
        ports = [one.getsockname()[1] for one in sockets]
        for one in sockets:
            one.close()
        host = socket.gethostname().partition(".")[0]
        nodes = (
            f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=1 RealMemory=1000"
            for name, port in zip(NODES, ports[1:])
        )
        settings = SETTINGS.format(
            host=host,
            controller_port=ports[0],
            user=pwd.getpwuid(os.getuid()).pw_name,
            folder=folder,
            nodes="\n".join(nodes),
        )
        (folder / "slurm.conf").write_text(settings)
        (folder / "state").mkdir()
        (folder / "munge.key").write_bytes(os.urandom(64))
        (folder / "munge.key").chmod(0o600)
        self.environment = {**os.environ, "SLURM_CONF": str(folder / "slurm.conf"), "CUDA_VISIBLE_DEVICES": ""}
        self.daemons = {}
        files = {"key-file": "key", "socket": "socket", "pid-file": "pid", "seed-file": "seed"}
        options = [f"--{option}={folder}/munge.{end}" for option, end in files.items()]
        self.start("munged", "--foreground", "--force", "--num-threads=1", *options)
        wait_for("munged", (folder / "munge.socket").exists)
        self.start("slurmctld", "-D", "-c", "-i")
        for name in NODES:
            self.start_node(name)
        self.wait_until_idle()

    def wait_until_idle(self):
        try:
            wait_for("the nodes", lambda: self.ask("sinfo", "--noheader", "--format=%T %D") == "idle 2\n")
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.log()}") from error

    def start(self, *words, name=None):
        name = name or words[0]
        with open(self.folder / f"{name}.log", "ab") as log:
            self.daemons[name] = subprocess.Popen(
                words,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                preexec_fn=lambda: LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL),
            )

    def start_node(self, name):
        self.start("slurmd", "-D", "-N", name, name=name)

    def ask(self, *words):
        ran = subprocess.run(words, env=self.environment, capture_output=True, text=True, check=False)
        return ran.stdout

    def states(self):
        """State of each task that Slurm remembers, by the array's number in its run and the task's number."""
        lines = self.ask("squeue", "--noheader", "--array", "--states=all", "--format=%j %K %T").splitlines()
        words = (line.split() for line in lines)
        return {(name, int(index)): state for name, index, state in words if index.isdigit()}

    def log(self):
        return "".join(f"== {file.name}\n{file.read_text()[-3000:]}" for file in sorted(self.folder.glob("*.log")))


def why_not():
    """Why no cluster can be started here; nothing when one can."""
    missing = [program for program in PROGRAMS if shutil.which(program) is None]
    if missing:
        return f"there is no {missing[0]}: install slurm-wlm and munge"
    return "" if os.getuid() == 0 else "not run as root"


def become_parent_of_all():
    """What loses its parent becomes a child of this process, which remove() ends."""
    LIBC.prctl(PR_SET_CHILD_SUBREAPER, 1)


def make_folder():
    """For a cluster and what runs on it. The path of munge's socket in it must be short."""
    return pathlib.Path(tempfile.mkdtemp(prefix="lockstep-slurm-", dir="/tmp"))


def remove(folder):
    """Ends all that descends from this process, and removes the cluster's folder."""
    while left := children():
        for process in left:
            kill(process)
        try:
            while os.waitpid(-1, os.WNOHANG)[0] > 0:
                pass
        except ChildProcessError:
            break
        time.sleep(0.01)
    shutil.rmtree(folder)
