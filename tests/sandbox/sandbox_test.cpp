// The sandbox alone: limits, isolation, descriptors, output, and what is left afterwards. Runs twice, with
// namespaces and (LOCKSTEP_SANDBOX=none) without.
#include "sandbox/sandbox.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/keyctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <future>
#include <thread>

#include "misbehaviours.h"
#include "remains.h"
#include "sandbox/file_descriptor.h"
#include "sandbox/isolation_memory.h"
#include "sandbox/program_files.h"
#include "sandbox/temporary_folder.h"

namespace lockstep::sandbox {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Kind = End::Kind;

const std::filesystem::path kBinaries = std::filesystem::read_symlink("/proc/self/exe").parent_path();

Command shell(const std::string& script) {
  Command command;
  command.arguments = {"/bin/sh", "-c", script};
  command.environment = {{"PATH", "/usr/bin:/bin"}};
  return command;
}

Command misbehave(const std::string& name) {
  Command command;
  command.mounts = {{kBinaries / "misbehave", "/misbehave", false}};
  command.arguments = {seen_path(command.mounts[0]), name};
  command.limits.wall_time = 5s;
  return command;
}

struct Result {
  End end;
  std::string output;
  bool truncated = false;
};

Result finish(Process& process) {
  const auto end = process.wait(20s);
  if (!end) ADD_FAILURE() << "the command still runs";
  return {end.value_or(End{}), process.output(), process.output_truncated()};
}

Result run(const Command& command) {
  Process process(command);
  return finish(process);
}

using Sandbox = LeavesNothingBehind;

/// What only namespaces can promise.
class Isolated : public Sandbox {
 protected:
  void SetUp() override {
    if (!isolation().namespaces) GTEST_SKIP() << isolation().reason;
  }
};

TEST_F(Sandbox, IsIsolatedUnlessToldOtherwise) {
  const char* wanted = std::getenv("LOCKSTEP_SANDBOX");
  if (wanted != nullptr && std::string(wanted) == "none") {
    EXPECT_FALSE(isolation().namespaces);
    EXPECT_THAT(isolation().reason, HasSubstr("LOCKSTEP_SANDBOX"));
  } else if (!isolation().namespaces) {
    EXPECT_THAT(isolation().reason, testing::Not(testing::IsEmpty()));
  }
}

TEST_F(Sandbox, StartsNothingAsTheJudgesUserWhereThatIsForbidden) {
  if (isolation().namespaces) GTEST_SKIP() << "namespaces isolate commands here";
  setenv("LOCKSTEP_SANDBOX", "user", 1);
  Command open = shell("id -u"), closed = open;
  const TemporaryFolder folder(std::filesystem::temp_directory_path(), "lockstep-closed-");
  closed.mounts.push_back({.host = folder.path(), .inside = "/closed"});  // its user's alone
  EXPECT_THROW(run(closed), std::system_error);
  if (geteuid() == 0) {
    EXPECT_NE(run(open).output, "0\n");
  } else {
    EXPECT_THROW(run(open), std::system_error);
  }
  setenv("LOCKSTEP_SANDBOX", "none", 1);
}

TEST_F(Sandbox, TellsExitStatusAndOutputInOrder) {
  const Result result = run(shell("echo one; echo two >&2; echo three; exit 3"));
  EXPECT_EQ(result.end.kind, Kind::exited);
  EXPECT_EQ(result.end.status, 3);
  EXPECT_EQ(result.output, "one\ntwo\nthree\n");
  EXPECT_FALSE(result.truncated);
}

TEST_F(Sandbox, TellsAnExitStatusFromASignal) {
  const Result exited = run(shell("exit 139"));
  EXPECT_EQ(exited.end.kind, Kind::exited);
  EXPECT_EQ(exited.end.status, 139);
  const Result aborted = run(misbehave("abort_now"));
  EXPECT_EQ(aborted.end.kind, Kind::signalled);
  EXPECT_EQ(aborted.end.status, SIGABRT);
  const Result faulted = run(misbehave("read_device_address"));
  EXPECT_EQ(faulted.end.kind, Kind::signalled);
  EXPECT_EQ(faulted.end.status, SIGSEGV);
}

TEST_F(Sandbox, InheritsNoEnvironmentAndNoInput) {
  setenv("LOCKSTEP_TEST_SECRET", "secret", 1);
  Command command = shell("env; cat");
  command.environment["GIVEN"] = "value";
  const Result result = run(command);
  unsetenv("LOCKSTEP_TEST_SECRET");
  EXPECT_EQ(result.end.kind, Kind::exited);
  EXPECT_THAT(result.output, HasSubstr("GIVEN=value\n"));
  EXPECT_THAT(result.output, testing::Not(HasSubstr("LOCKSTEP_TEST_SECRET")));
}

TEST_F(Sandbox, PassesTheDescriptorsThatAreNamedAndNoOther) {
  const FileDescriptor leaked(open("/dev/null", O_RDONLY));  // without O_CLOEXEC
  int ends[2];
  ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  Command command = shell("ls /proc/self/fd | tr '\\n' ' '; echo through >&5");
  command.descriptors = {{writing.get(), 5}, {reading.get(), writing.get() == 3 ? 4 : 3}};
  const Result result = run(command);
  writing.reset();
  char text[16] = {};
  EXPECT_EQ(read(reading.get(), text, sizeof text), 8);
  EXPECT_STREQ(text, "through\n");
  // 0, 1, 2, the two that were passed, and ls's own.
  EXPECT_EQ(std::count(result.output.begin(), result.output.end(), ' '), 6) << result.output;

  const Result without = run(misbehave("see_other_descriptors"));
  EXPECT_EQ(without.end.status, 0) << without.output;
}

TEST_F(Sandbox, MountsAreSeenWhereSeenPathSays) {
  const TemporaryFolder folder(std::filesystem::temp_directory_path(), "lockstep-test-");
  std::filesystem::create_directory(folder.path() / "writable");
  std::filesystem::create_directory(folder.path() / "kept");
  const Mount writable{folder.path() / "writable", "/given/writable", true};
  const Mount kept{folder.path() / "kept", "/given/kept", false};
  Command command = shell("echo text > '" + seen_path(writable).string() + "/file'; echo text > '" +
                          seen_path(kept).string() + "/file'");
  command.mounts = {writable, kept};
  command.working_directory = seen_path(writable);
  const Result result = run(command);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "writable" / "file")) << result.output;
  EXPECT_TRUE(!isolation().namespaces || !std::filesystem::exists(folder.path() / "kept" / "file"));
}

TEST_F(Sandbox, ACommandThatCannotBeExecutedIsOurError) {
  Command command;
  command.arguments = {"/nonexistent"};
  try {
    const Process process(command);
    FAIL() << "it started";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code().value(), ENOENT);
  }
}

TEST_F(Sandbox, StopsAtTheWallTime) {
  Command command = misbehave("sleep_forever");
  command.limits.wall_time = 300ms;
  const Result result = run(command);
  EXPECT_EQ(result.end.kind, Kind::time_limit);
  EXPECT_GE(result.end.wall_time, 300ms);
  EXPECT_LT(result.end.wall_time, 3s);
}

TEST_F(Sandbox, StopsAStoppedProcess) {
  Command command = misbehave("stop_itself");
  command.limits.wall_time = 300ms;
  EXPECT_EQ(run(command).end.kind, Kind::time_limit);
}

TEST_F(Sandbox, StopsAtTheProcessorTime) {
  Command command = misbehave("spin");
  command.limits.processor_time = 1s;
  command.limits.wall_time = 15s;
  EXPECT_EQ(run(command).end.kind, Kind::time_limit);
}

TEST_F(Sandbox, CountsTheProcessorTimeOfChildrenThatHaveEnded) {
  Command command = shell("while true; do (i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done); done");
  command.limits.processor_time = 1s;
  command.limits.wall_time = 15s;
  const Result result = run(command);
  EXPECT_EQ(result.end.kind, Kind::time_limit);
  EXPECT_LT(result.end.wall_time, 10s);
}

TEST_F(Sandbox, StopsAtTheMemoryLimit) {
  for (const char* name : {"allocate_without_end", "allocate_after_the_first_thread_has_ended",
                           "allocate_in_many_processes", "fill_page_tables"}) {
    Command command = misbehave(name);
    command.limits.memory_bytes = std::size_t{128} << 20;
    const Result result = run(command);
    EXPECT_EQ(result.end.kind, Kind::memory_limit) << name;
    EXPECT_GT(result.end.peak_memory_bytes, command.limits.memory_bytes) << name;
    EXPECT_LT(result.end.peak_memory_bytes, std::size_t{2} << 30) << name;
  }
}

TEST_F(Sandbox, StopsAForkBomb) {
  for (const char* name : {"fork_without_end", "start_threads_without_end"}) {
    const auto start = std::chrono::steady_clock::now();
    EXPECT_EQ(run(misbehave(name)).end.kind, Kind::process_limit) << name;
    EXPECT_LT(std::chrono::steady_clock::now() - start, 15s) << name;
  }
  // The shell's bomb (of some 250 processes at most) ends by itself at the first fork that fails, so either
  // end is right.
  const End::Kind end =
      run(shell("bomb() { [ $1 -gt 0 ] && bomb $(($1 - 1)) | bomb $(($1 - 1)) & }; bomb 6; sleep 0.5"))
          .end.kind;
  EXPECT_TRUE(end == Kind::process_limit || end == Kind::exited);
}

TEST_F(Sandbox, AMegabyteOfOutputIsReadAndCut) {
  const Result result = run(misbehave("print_a_megabyte"));
  EXPECT_EQ(result.end.kind, Kind::exited);
  EXPECT_EQ(result.output.size(), Limits{}.output_bytes);
  EXPECT_TRUE(result.truncated);
}

TEST_F(Sandbox, EndlessOutputDoesNotKeepTheLimitsFromHolding) {
  Command command = misbehave("print_without_end");
  command.limits.wall_time = 500ms;
  const Result result = run(command);
  EXPECT_EQ(result.end.kind, Kind::time_limit);
  EXPECT_EQ(result.output.size(), command.limits.output_bytes);
}

TEST_F(Sandbox, BoundsFilesAndDescriptors) {
  Command large = misbehave("write_a_large_file");
  large.limits.file_bytes = std::size_t{4} << 20;
  EXPECT_EQ(run(large).end.status, 4);
  Command many = misbehave("open_many_files");
  many.limits.open_files = 20;
  EXPECT_LE(run(many).end.status, 17);
}

TEST_F(Sandbox, LeavesNoCoreDump) {
  const TemporaryFolder folder(std::filesystem::temp_directory_path(), "lockstep-test-");
  const Mount mount{folder.path(), "/given", true};
  Command command = misbehave("abort_now");
  command.mounts.push_back(mount);
  command.working_directory = seen_path(mount);
  EXPECT_EQ(run(command).end.status, SIGABRT);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST_F(Sandbox, EndsWhatACommandLeavesBehind) {
  const Result result = run(misbehave("leave_a_process_behind"));
  EXPECT_EQ(result.end.kind, Kind::exited);
  EXPECT_EQ(result.end.status, 0);
}

TEST_F(Sandbox, SurvivesAnAttackOnItsOwnProcesses) {
  Command command = misbehave("kill_the_parent");
  command.limits.wall_time = 500ms;
  const Result result = run(command);
  // The keeper is out of reach by its namespace or its user. Where it is not, its loss is noticed and all
  // ends.
  const bool out_of_reach = isolation().namespaces || geteuid() == 0;
  EXPECT_EQ(result.end.kind, out_of_reach ? Kind::time_limit : Kind::signalled);
}

TEST_F(Sandbox, AStoppedKeeperEndsToo) {
  Command command = misbehave("stop_the_parent");
  command.limits.wall_time = 500ms;
  EXPECT_EQ(run(command).end.kind, Kind::time_limit);
}

TEST_F(Sandbox, KillEndsTheTree) {
  Process process(misbehave("leave_a_process_behind"));
  process.kill();
  const Result result = finish(process);
  EXPECT_EQ(result.end.kind, Kind::signalled);
  EXPECT_EQ(result.end.status, SIGKILL);
}

// Each time at another distance from the last measurement.
TEST_F(Sandbox, ALimitIsNamedThoughTheEndIsAskedForBeforeTheNextMeasurement) {
  Command command = shell("i=0; while [ $i -lt 7 ]; do sleep 10 & i=$((i + 1)); done; echo started; wait");
  command.limits.processes = 4;
  for (int attempt = 0; attempt < 10; ++attempt) {
    Process process(command);
    while (process.output().empty() && !process.wait(1ms)) continue;
    process.kill();
    EXPECT_EQ(finish(process).end.kind, Kind::process_limit) << "attempt " << attempt;
  }
}

TEST_F(Sandbox, TheDestructorEndsTheTree) {
  const auto start = std::chrono::steady_clock::now();
  { const Process process(misbehave("sleep_forever")); }
  EXPECT_TRUE(children().empty());
  EXPECT_LT(std::chrono::steady_clock::now() - start, 2s);
}

TEST_F(Sandbox, WaitReturnsNothingWhileItRuns) {
  Process process(misbehave("sleep_forever"));
  EXPECT_FALSE(process.wait(0ms));
  EXPECT_FALSE(process.wait(50ms));
}

TEST_F(Sandbox, OutlivesTheThreadThatStartedIt) {
  auto process = std::async(std::launch::async, [] {
                   return std::make_unique<Process>(shell("sleep 0.3; exit 5"));
                 }).get();
  EXPECT_EQ(finish(*process).end.status, 5);
}

TEST_F(Sandbox, RunsWhereRootIsTheOnlyUser) {
  // As in a container of somebody who is not root; there may be no further namespaces there.
  const std::string alone = "unshare --user --map-root-user ";
  if (std::system((alone + "true 2>/dev/null").c_str()) != 0) GTEST_SKIP() << "no user namespace can be made";
  const std::string again =
      (kBinaries / "sandbox_test").string() + " --gtest_filter=Sandbox.TellsExitStatusAndOutputInOrder";
  const std::string passes = " | grep -qF '[  PASSED  ] 1 test.'";
  EXPECT_EQ(std::system((alone + "env LOCKSTEP_SANDBOX=none " + again + passes).c_str()), 0);
}

// The judge of a GPU writes gigabytes of inputs while processes start.
TEST_F(Sandbox, StartingACommandLeavesTheCallersPagesAsTheyAre) {
  constexpr std::size_t kPage = 4096, kPages = 8192;
  void* const mapped =
      mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  madvise(mapped, kPages * kPage, MADV_NOHUGEPAGE);
  auto* const bytes = static_cast<volatile char*>(mapped);
  const auto faults_of_writing = [bytes] {
    rusage before{}, after{};
    getrusage(RUSAGE_THREAD, &before);
    for (std::size_t page = 0; page < kPages; ++page) bytes[page * kPage] = 1;
    getrusage(RUSAGE_THREAD, &after);
    return static_cast<std::size_t>(after.ru_minflt - before.ru_minflt);
  };
  EXPECT_GE(faults_of_writing(), kPages);  // the first time
  Process process(shell("exit 0"));
  EXPECT_LT(faults_of_writing(), kPages / 10);
  EXPECT_EQ(finish(process).end.kind, Kind::exited);
  munmap(mapped, kPages * kPage);
}

TEST_F(Sandbox, SeveralAtOnceDoNotDisturbEachOther) {
  if (!isolation().namespaces && geteuid() != 0) {
    GTEST_SKIP()
        << "without namespaces the kernel counts all processes of an ordinary user together and gives "
           "a bomb as much of the processor as the thread that is to end it";
  }
  std::vector<std::future<Result>> results;
  for (int i = 0; i < 12; ++i) {
    results.push_back(std::async(std::launch::async, [i] {
      if (i % 4 == 3) return run(misbehave("fork_without_end"));
      return run(shell("sleep 0.2; echo " + std::to_string(i) + "; exit " + std::to_string(i)));
    }));
  }
  for (int i = 0; i < 12; ++i) {
    const Result result = results[static_cast<std::size_t>(i)].get();
    if (i % 4 == 3) {
      EXPECT_EQ(result.end.kind, Kind::process_limit);
    } else {
      EXPECT_EQ(result.end.kind, Kind::exited);
      EXPECT_EQ(result.end.status, i);
      EXPECT_EQ(result.output, std::to_string(i) + "\n");
    }
  }
}

// The filter of system calls needs no namespaces.
class Refused : public Sandbox, public testing::WithParamInterface<const char*> {};

TEST_P(Refused, Always) {
  const Result result = run(misbehave(GetParam()));
  EXPECT_EQ(result.end.kind, Kind::exited);
  EXPECT_EQ(result.end.status, 0) << result.output;
}

INSTANTIATE_TEST_SUITE_P(SystemCalls, Refused,
                         testing::Values("use_keyrings", "make_nameless_files", "make_segments",
                                         "use_calls_for_privileged_programs", "make_namespaces"),
                         [](const auto& test) { return std::string(test.param); });

TEST_F(Sandbox, TheSessionsKeysAreNotPassedOn) {
  std::promise<std::string> keys;
  // In a thread, whose keyring ends with it.
  std::thread([&keys] {
    if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) < 0 ||
        syscall(SYS_add_key, "user", "lockstep-secret", "word", 4, KEY_SPEC_SESSION_KEYRING) < 0) {
      keys.set_value("");
      return;
    }
    keys.set_value(run(shell("cat /proc/keys; echo end")).output);
  }).join();
  const std::string seen = keys.get_future().get();
  if (seen.empty()) GTEST_SKIP() << "this kernel has no keyrings";
  EXPECT_THAT(seen, HasSubstr("end"));
  EXPECT_THAT(seen, testing::Not(HasSubstr("lockstep-secret")));
}

TEST_F(Isolated, ACommandWithFilesOfItsOwnSeesNoOther) {
  Command command = misbehave("find_system_files");
  command.own_files = true;
  const std::vector<Mount> libraries = library_mounts({kBinaries / "misbehave"});
  command.mounts.insert(command.mounts.end(), libraries.begin(), libraries.end());
  command.environment["LD_LIBRARY_PATH"] = kLibrariesInside;
  const Result result = run(command);
  EXPECT_EQ(result.end.kind, Kind::exited) << result.output;
  EXPECT_EQ(result.end.status, 0) << result.output;
}

TEST_F(Isolated, DiesWithTheJudge) {
  const pid_t judge = fork();
  if (judge == 0) {
    const Process process(misbehave("sleep_forever"));
    kill(getpid(), SIGKILL);
  }
  ASSERT_GT(judge, 0);
  waitpid(judge, nullptr, 0);
  for (int i = 0; i < 100 && !children().empty(); ++i) std::this_thread::sleep_for(20ms);
  EXPECT_TRUE(children().empty());
}

TEST_F(Isolated, BoundsItsScratch) {
  Command command = misbehave("fill_scratch");
  command.limits.scratch_bytes = std::size_t{4} << 20;
  EXPECT_LE(run(command).end.status, 8);
}

/// A socket of this machine for open_connections to find, as a service of a desktop would be.
class Escape : public Isolated, public testing::WithParamInterface<const char*> {
 protected:
  Escape() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name_.copy(address.sun_path + 1, sizeof address.sun_path - 2);
    EXPECT_EQ(bind(listening_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listening_.get(), 1), 0);
  }

  /// Of this process alone, since tests run side by side.
  const std::string name_ = "lockstep-test-" + std::to_string(getpid());

 private:
  FileDescriptor listening_{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
};

TEST_P(Escape, Fails) {
  Command command = misbehave(GetParam());
  command.environment[kListeningVariable] = name_;
  const Result result = run(command);
  EXPECT_EQ(result.end.kind, Kind::exited);
  EXPECT_EQ(result.end.status, 0) << result.output;
}

TEST_F(Isolated, KernelSettingsStayOutOfReachWithADevice) {
  Command command = misbehave("write_kernel_settings");
  command.device_nodes = {"/dev/null"};
  const Result result = run(command);
  EXPECT_EQ(result.end.kind, Kind::exited);
  // Its own process's settings are within reach, as a driver needs them to be.
  EXPECT_EQ(result.output, "opened /proc/self/oom_score_adj\n");
}

// The attacks are real: with nothing in their way some of them succeed.
TEST_F(Sandbox, SomeEscapesSucceedWithoutNamespaces) {
  if (isolation().namespaces) GTEST_SKIP() << "namespaces are in their way";
  EXPECT_GT(run(misbehave("read_secrets")).end.status, 0);
}

TEST_F(Isolated, TheCommandHasNoCapabilities) {
  const std::string output =
      run(shell("grep -E '^(Uid|CapPrm|CapEff|CapAmb|NoNewPrivs)' /proc/self/status")).output;
  EXPECT_THAT(output, HasSubstr("Uid:\t65534\t65534\t65534\t65534\n"));
  for (const char* set : {"CapPrm", "CapEff", "CapAmb"}) {
    EXPECT_THAT(output, HasSubstr(std::string(set) + ":\t0000000000000000\n"));
  }
  EXPECT_THAT(output, HasSubstr("NoNewPrivs:\t1\n"));
}

INSTANTIATE_TEST_SUITE_P(OutOfTheSandbox, Escape,
                         testing::Values("write_outside", "write_kernel_settings", "read_secrets",
                                         "read_process_one", "signal_other_processes",
                                         "trace_other_processes", "open_connections", "make_namespaces",
                                         "see_other_descriptors"),
                         [](const auto& test) { return std::string(test.param); });

TEST(IsolationMemory, CountsUnderTheSameCircumstancesAlone) {
  const TemporaryFolder folder(std::filesystem::temp_directory_path(), "lockstep-memory-");
  const std::filesystem::path file = folder.path() / "cache/namespaces";
  const IsolationMemory memory(file);
  EXPECT_FALSE(memory.has_worked());
  memory.forget();  // nothing
  memory.keep();
  EXPECT_TRUE(memory.has_worked());
  EXPECT_TRUE(IsolationMemory(file).has_worked());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file.parent_path()), {}), 1);
  std::ofstream(file, std::ios::app) << "another boot\n";
  EXPECT_FALSE(memory.has_worked());
  memory.keep();
  EXPECT_TRUE(memory.has_worked());
  memory.forget();
  EXPECT_FALSE(memory.has_worked());
  IsolationMemory("/proc/none/namespaces").keep();  // cannot be written
  // What is no file of this user's own counts for nothing, and nobody waits for it.
  memory.keep();
  std::filesystem::create_symlink(file, folder.path() / "link");
  EXPECT_FALSE(IsolationMemory(folder.path() / "link").has_worked());
  ASSERT_EQ(mkfifo((folder.path() / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(IsolationMemory(folder.path() / "pipe").has_worked());
}

TEST(IsolationMemory, KnowsWhatDecides) {
  const std::string before = circumstances();
  EXPECT_EQ(circumstances(), before);
  EXPECT_THAT(before, HasSubstr("user:["));
  EXPECT_THAT(before, HasSubstr("CapEff:"));
  EXPECT_THAT(before, HasSubstr("lockstep-keeper "));
  const TemporaryFolder folder(std::filesystem::temp_directory_path(), "lockstep-memory-");
  std::filesystem::copy_file("/bin/true", folder.path() / "bwrap");
  const std::string path = std::getenv("PATH");
  setenv("PATH", (folder.path().string() + ':' + path).c_str(), 1);
  EXPECT_NE(circumstances(), before) << "another bubblewrap";
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(circumstances(), before);
}

}  // namespace
}  // namespace lockstep::sandbox
