// lockstep-spawner: what a process that is to become bubblewrap or the keeper does to itself first. Trusted.
//
// It is a program of its own because the judge must not fork: the judge keeps gigabytes of inputs, and after
// a fork each of their pages faults when it is written next. posix_spawn copies no memory.
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>
#include <vector>

#include "sandbox/keeper_protocol.h"
#include "sandbox/spawner_protocol.h"

namespace {

using namespace lockstep::sandbox;

constexpr int kFailed = 125;

int descriptor(const char* word) { return static_cast<int>(std::strtol(word, nullptr, 10)); }

// Makes a user namespace, waits until the supervisor has mapped it, and lets it have none below.
bool enter_user_namespace(int speaks, int listens) {
  char word = 1;
  if (unshare(CLONE_NEWUSER) != 0) return false;
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // while it waits below
  if (write(speaks, &word, 1) != 1 || read(listens, &word, 1) != 1) return false;
  const int file = open("/proc/sys/user/max_user_namespaces", O_WRONLY | O_CLOEXEC);
  const bool written = file >= 0 && write(file, "0", 1) == 1;
  if (file >= 0) close(file);
  return written;
}

/// The next program gets the descriptors of `placement` and no others.
bool move_descriptors(char* placement) {
  if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) != 0) return false;  // Linux before 5.11
  std::vector<std::pair<int, int>> moves;
  for (char* at = placement; *at != '\0'; ++at) {
    const auto from = static_cast<int>(std::strtol(at, &at, 10));
    if (*at != ':') return false;
    const auto to = static_cast<int>(std::strtol(at + 1, &at, 10));
    if (*at != ',') return false;
    moves.emplace_back(from, to);
  }
  // First above every target, so that no target overwrites a source that is still needed.
  int above = 0;
  for (const auto& [from, to] : moves) above = std::max(above, to + 1);
  for (auto& [from, to] : moves) {
    from = fcntl(from, F_DUPFD_CLOEXEC, above);
    if (from < 0) return false;
  }
  return std::ranges::all_of(moves, [](const auto& move) { return dup2(move.first, move.second) >= 0; });
}

bool prepare(char** arguments) {
  setsid();
  // The judge's session keyring may hold its user's tickets, and what the command left there would await the
  // next one: this one is new and empty. A kernel without keyrings refuses.
  syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);
  // If memory runs out all the same, the kernel is to take the sandbox and not the judge. Where it refuses
  // the number, all else still holds.
  if (const int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC); file >= 0) {
    [[maybe_unused]] const ssize_t written = write(file, "1000", 4);
    close(file);
  }
  const int group = descriptor(arguments[kGroupEntry]);
  if (group >= 0 && write(group, "0", 1) != 1) return false;
  const int speaks = descriptor(arguments[kSpeaks]);
  if (speaks >= 0 && !enter_user_namespace(speaks, descriptor(arguments[kListens]))) return false;
  // The supervisor's thread is the parent: when the judge dies, so does everything here. Entering a namespace
  // would have cleared it.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return move_descriptors(arguments[kPlacement]);
}

}  // namespace

int main(int count, char** arguments) {
  if (count <= kFirstOfProgram) return kFailed;
  if (prepare(arguments)) execv(arguments[kFirstOfProgram], arguments + kFirstOfProgram);
  const KeeperReport report{KeeperReport::Kind::refused, errno, 0};
  [[maybe_unused]] const ssize_t written =
      write(descriptor(arguments[kRefusals]), &report, sizeof report);  // to -1 where nobody reads it
  return kFailed;
}
