// Theory of operation
//
// A command that is not trusted runs under three of ours:
//
//     judge, supervisor thread ── bubblewrap ── keeper ── the command and its children
//
// bubblewrap makes new user, mount, PID, IPC, network and UTS namespaces. The command sees the system's
// programs and libraries, the mounts that its Command lists, its own /proc and /dev, and a /tmp of bounded
// size, all but /tmp and writable mounts read-only; it has no network, no capabilities, and cannot make
// further user namespaces.
//
// The judge does not fork, which would make every page that the judge holds fault when it is written
// next: the judge spawns lockstep-spawner, which enters session, keyring, control group and user namespace,
// moves the descriptors to their numbers, and becomes bubblewrap.
//
// A judge that is root makes the user namespace itself and maps two users into it: root, who sets up, and
// nobody, whom the command becomes. Left to bubblewrap, the command would be root's user to the kernel:
// exempt from RLIMIT_NPROC, so that a fork bomb fills the machine before anybody has counted, and owner of
// the files of /proc/sys, of which kernel/core_pattern is a way out of any sandbox.
//
// The keeper is process 1 of the PID namespace, so no signal from within reaches it. It sets the rlimits,
// passes on the descriptors of the Command and no other, executes the command, and reports its wait status on
// a pipe that the command does not have. When the keeper goes, the kernel ends every process of the namespace
// before anybody can wait for it: killing the keeper and waiting for bubblewrap therefore leaves nothing
// behind. Each of the three dies with its parent, so nothing outlives a judge that is killed.
//
// The supervisor reads stdout and stderr, whose excess it drops, and every 20 ms adds up memory with its page
// tables, threads and processor time of the tree from /proc. The first limit that is exceeded ends the tree
// and names the End.
// Sums rather than rlimits decide because RLIMIT_NPROC exempts root's user, RLIMIT_AS breaks CUDA, which
// reserves terabytes, and both count processes one by one. What the sums miss is memory that no process maps.
// The filter of system calls leaves out what makes most of it (files without a name, System V segments);
// where the machine lets the judge divide its control group, the tree also gets a group of its own, whose
// limit counts pages of file systems and what the kernel holds. Elsewhere scratch and buffers of pipes and
// sockets stay uncounted; they die with the namespaces, and an oom_score_adj of 1000 makes the kernel, should
// memory run out, take the sandbox and not the judge.
//
// No channel outlives a command. Its session keyring is new, its scratch is its own, and a command that runs
// a student's code has copies of its files in memory of its own (Command::own_files): which pages of a shared
// file are in memory would show the next command what this one has read. The kernel's calls are those that
// system_calls.cpp names, all others fail as if the kernel did not have them.
//
// Where namespaces do not work (no bubblewrap, a container or a kernel setting that forbids them) the keeper
// runs alone: the same limits, a process group and a subreaper of its own, a scratch folder for /tmp whose
// total size is not bounded. Files and network are then open to the command as to any program of the same
// user; isolation() says so, so that reports warn.
#include "sandbox/sandbox.h"

#include <cstdlib>
#include <optional>
#include <system_error>

#include "sandbox/control_group.h"
#include "sandbox/isolation_memory.h"
#include "sandbox/supervisor.h"

namespace lockstep::sandbox {
namespace {

std::optional<IsolationMemory>& memory() {
  static std::optional<IsolationMemory> kept;
  return kept;
}

Isolation find_namespaces() {
  const char* wanted = std::getenv("LOCKSTEP_SANDBOX");
  if (wanted != nullptr && std::string(wanted) == "none") {
    return {false, "LOCKSTEP_SANDBOX=none turns the sandbox off"};
  }
  if (memory() && memory()->has_worked()) return {true, ""};
  try {
    // It must still be there when the supervisor takes hold of it, however late that is on a busy machine.
    Command waiting;
    waiting.arguments = {"/bin/sleep", "60"};
    Supervisor probe(waiting, true);
    if (memory()) memory()->keep();
    return {true, ""};
  } catch (const std::system_error& error) {
    return {false, error.what()};
  }
}

Isolation find_isolation() {
  constexpr std::size_t kAnyLimit = std::size_t{64} << 20;
  Isolation found = find_namespaces();
  found.control_groups = ControlGroup::make(kAnyLimit) != nullptr;
  return found;
}

}  // namespace

struct Process::State {
  explicit State(const Command& command) try : supervisor(command, isolation().namespaces) {
  } catch (...) {
    if (memory()) memory()->forget();  // perhaps namespaces no longer work: the next command finds out
  }
  Supervisor supervisor;
  std::string output;
};

Process::Process(const Command& command) : state_(std::make_unique<State>(command)) {}

Process::~Process() = default;

std::optional<End> Process::wait(std::chrono::milliseconds timeout) {
  return state_->supervisor.wait(timeout);
}

void Process::kill() { state_->supervisor.kill(); }

const std::string& Process::output() const {
  state_->output = state_->supervisor.output();
  return state_->output;
}

bool Process::output_truncated() const { return state_->supervisor.output_truncated(); }

const Isolation& isolation() {
  static const Isolation found = find_isolation();
  return found;
}

void remember_isolation(const std::filesystem::path& file) { memory().emplace(file); }

std::filesystem::path seen_path(const Mount& mount) {
  return isolation().namespaces ? mount.inside : std::filesystem::absolute(mount.host);
}

}  // namespace lockstep::sandbox
