// The runner with submissions that misbehave: each has its Outcome, and the judge neither hangs nor believes.
// Runs twice, with namespaces and without.
#include "runner/runner_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <future>
#include <optional>
#include <thread>

#include "misbehaviours.h"
#include "remains.h"
#include "runner/message.h"
#include "sandbox/file_descriptor.h"
#include "sandbox/temporary_folder.h"

namespace lockstep::runner {
namespace {

using namespace std::chrono_literals;
using course::Signature;
using Kind = Outcome::Kind;
using testing::HasSubstr;

const std::filesystem::path kBinaries = std::filesystem::read_symlink("/proc/self/exe").parent_path();
const std::filesystem::path kLibraries = kBinaries.parent_path() / "lib";

#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;  // each process then holds the sanitizer's memory too
#else
constexpr bool kSanitized = false;
#endif

RunnerProcess::Options options_for(const std::string& object) {
  RunnerProcess::Options options;
  options.executable = kBinaries / "lockstep-runner";
  options.object = kLibraries / object;
  options.cudart_directory = kLibraries / "imitated_cudart";
  options.limits.memory_bytes = std::size_t{kSanitized ? 4096 : 256} << 20;
  return options;
}

template <class T>
std::uint64_t word(T value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

class Runner : public LeavesNothingBehind {
 protected:
  void TearDown() override {
    runner_.reset();
    LeavesNothingBehind::TearDown();
  }

  RunnerProcess& start(const RunnerProcess::Options& options = options_for("libmisbehaviours.so")) {
    return runner_.emplace(options);
  }

  /// What comes of loading misbehaviours and calling one without arguments.
  Outcome outcome_of(const Signature& function, std::chrono::milliseconds timeout = kSanitized ? 30s : 5s) {
    start();
    const Outcome loaded = runner_->load({&function, 1}, 10s);
    EXPECT_EQ(loaded.kind, Kind::done) << loaded.message;
    return runner_->call(function, {}, timeout);
  }

  std::optional<RunnerProcess> runner_;
};

#define OUTCOME_OF(function, ...) outcome_of(LOCKSTEP_SIGNATURE(function) __VA_OPT__(, ) __VA_ARGS__)

TEST_F(Runner, CallsFunctionsOfEveryKindOfParameter) {
  const std::vector<Signature> functions{LOCKSTEP_SIGNATURE(add), LOCKSTEP_SIGNATURE(scale),
                                         LOCKSTEP_SIGNATURE(mixed), LOCKSTEP_SIGNATURE(largest_size)};
  start();
  ASSERT_EQ(runner_->load(functions, 10s).kind, Kind::done);

  const Outcome sum = runner_->call(functions[0], std::vector{word(-7), word(3)}, 5s);
  EXPECT_EQ(sum.kind, Kind::done);
  EXPECT_EQ(sum.value, 0xFFFF'FFFCU);  // -4 in 32 bits, zero-extended

  const Outcome scaled = runner_->call(functions[1], std::vector{word(1.5F), word(2.0)}, 5s);
  EXPECT_EQ(scaled.value, word(3.0F));

  const Outcome mixture = runner_->call(
      functions[2], std::vector{word(1), word(2.5F), word(std::int64_t{1} << 40), word(0.25), word(0ULL)},
      5s);
  EXPECT_EQ(mixture.value, word(1 + 2.5 + 0x1p40 + 0.25 + 0.5));

  EXPECT_EQ(runner_->call(functions[3], {}, 5s).value, ~std::uint64_t{0});
}

TEST_F(Runner, SaysWhichFunctionIsMissing) {
  const Signature present = LOCKSTEP_SIGNATURE(add);
  Signature missing = present;
  missing.linker_name = "_Z7missingv";
  missing.declaration = "void missing()";
  start();
  const Outcome outcome = runner_->load(std::vector{present, missing}, 10s);
  EXPECT_EQ(outcome.kind, Kind::missing_function);
  EXPECT_THAT(outcome.message, HasSubstr("void missing()"));
}

TEST_F(Runner, SaysWhyAnObjectDoesNotLoad) {
  const sandbox::TemporaryFolder folder(std::filesystem::temp_directory_path(), "lockstep-test-");
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  RunnerProcess::Options options = options_for("");
  options.object = folder.path() / "not_an_object.so";
  std::ofstream(options.object) << std::string(1000, 'x');
  start(options);
  const Outcome outcome = runner_->load({}, 10s);
  EXPECT_EQ(outcome.kind, Kind::load_failed);
  EXPECT_THAT(outcome.message, HasSubstr("invalid ELF header"));
}

TEST_F(Runner, AConstructorThatExitsEndsTheLoading) {
  start(options_for("libexits_when_loaded.so"));
  const Outcome outcome = runner_->load({}, 10s);
  EXPECT_EQ(outcome.kind, Kind::ended);
  EXPECT_EQ(outcome.end.kind, sandbox::End::Kind::exited);
  EXPECT_EQ(outcome.end.status, 0);
}

TEST_F(Runner, SeesTheRuntimeAndNotTheLibrariesBesideIt) {
  if (!sandbox::isolation().namespaces) GTEST_SKIP() << sandbox::isolation().reason;
  const sandbox::TemporaryFolder toolkit(std::filesystem::temp_directory_path(), "lockstep-test-");
  std::filesystem::permissions(toolkit.path(), std::filesystem::perms(0755));
  for (const char* name : {"libcudart.so.13", "libcublas.so.13"}) {
    std::filesystem::copy_file(kLibraries / "imitated_cudart/libcudart.so.13", toolkit.path() / name);
  }
  RunnerProcess::Options options = options_for("libmisbehaviours.so");
  options.cudart_directory = toolkit.path();
  start(options);
  const Signature function = LOCKSTEP_SIGNATURE(load_libraries);
  ASSERT_EQ(runner_->load({&function, 1}, 10s).kind, Kind::done);
  EXPECT_EQ(runner_->call(function, {}, 5s).value, 1U) << "libcudart is there, libcublas is not";
}

TEST_F(Runner, SynchronisesTheRuntimeThatTheObjectBrought) {
  const Signature function = LOCKSTEP_SIGNATURE(print_a_line);
  start(options_for("libuses_cudart.so"));
  ASSERT_EQ(runner_->load({&function, 1}, 10s).kind, Kind::done);
  ASSERT_EQ(runner_->call(function, {}, 5s).kind, Kind::done);
  runner_->load({}, 1ms);  // ends one way or another; by then the output is there
  for (int i = 0; i < 100 && runner_->output().empty(); ++i) std::this_thread::sleep_for(10ms);
  EXPECT_EQ(runner_->output(), "a line\nsynchronised\n");
}

// 1: the flag of a stream that waits for no other.
TEST_F(Runner, GivesOneStreamToEveryCallAndWaitsForIt) {
  const Signature function = LOCKSTEP_SIGNATURE(print_the_stream);
  RunnerProcess::Options options = options_for("libuses_cudart.so");
  options.whole_device = false;
  start(options);
  ASSERT_EQ(runner_->load({&function, 1}, 10s).kind, Kind::done);
  for (int call = 0; call < 2; ++call)
    ASSERT_EQ(runner_->call(function, std::vector<std::uint64_t>{0}, 5s).kind, Kind::done);
  ASSERT_EQ(runner_->settle(5s).kind, Kind::done);
  runner_->load({}, 1ms);
  for (int i = 0; i < 100 && !runner_->output().ends_with("synchronised\n"); ++i)
    std::this_thread::sleep_for(10ms);
  EXPECT_EQ(runner_->output(),
            "given stream 1001\nstream 1001 is done\ngiven stream 1001\nstream 1001 is done\nsynchronised\n");
}

TEST_F(Runner, PassesTheDeviceDescriptor) {
  const Signature function = LOCKSTEP_SIGNATURE(see_other_descriptors);
  const sandbox::FileDescriptor device(open("/dev/null", O_RDWR | O_CLOEXEC));
  RunnerProcess::Options options = options_for("libmisbehaviours.so");
  options.device_descriptor = device.get();
  start(options);
  ASSERT_EQ(runner_->load({&function, 1}, 10s).kind, Kind::done);
  EXPECT_EQ(runner_->call(function, {}, 5s).value, 3U);  // the judge's, the device's, the clock
}

TEST_F(Runner, ExitIsAnEndAndNotAnAnswer) {
  const Outcome early = OUTCOME_OF(exit_early);
  EXPECT_EQ(early.kind, Kind::ended);
  EXPECT_EQ(early.end.kind, sandbox::End::Kind::exited);
  EXPECT_EQ(early.end.status, 0);
  const Outcome at_once = OUTCOME_OF(exit_at_once);
  EXPECT_EQ(at_once.kind, Kind::ended);
  EXPECT_EQ(at_once.end.status, 7);
  // It stays so.
  EXPECT_EQ(runner_->call(LOCKSTEP_SIGNATURE(exit_at_once), {}, 1s).kind, Kind::ended);
}

TEST_F(Runner, SignalsAreNamed) {
  const Outcome aborted = OUTCOME_OF(abort_now);
  EXPECT_EQ(aborted.kind, Kind::ended);
  EXPECT_EQ(aborted.end.kind, sandbox::End::Kind::signalled);
  EXPECT_EQ(aborted.end.status, SIGABRT);
  const Outcome faulted = OUTCOME_OF(read_device_address);
  EXPECT_EQ(faulted.kind, Kind::ended);
  EXPECT_EQ(faulted.end.status, SIGSEGV);
  EXPECT_EQ(OUTCOME_OF(end_only_the_thread).kind, Kind::ended);
}

TEST_F(Runner, ExceptionsAreReportedAndSurvived) {
  const Outcome error = OUTCOME_OF(throw_an_error);
  EXPECT_EQ(error.kind, Kind::threw);
  EXPECT_EQ(error.message, "no luck");  // one line
  EXPECT_EQ(runner_->call(LOCKSTEP_SIGNATURE(throw_an_error), {}, 5s).kind, Kind::threw);
  EXPECT_EQ(OUTCOME_OF(throw_a_number).kind, Kind::threw);
}

TEST_F(Runner, LoopsEndAtTheTimeLimit) {
  EXPECT_EQ(OUTCOME_OF(spin, 300ms).kind, Kind::time_limit);
  EXPECT_EQ(OUTCOME_OF(sleep_forever, 300ms).kind, Kind::time_limit);
  EXPECT_EQ(OUTCOME_OF(stop_itself, 300ms).kind, Kind::time_limit);
  EXPECT_EQ(OUTCOME_OF(print_without_end, 300ms).kind, Kind::time_limit);
  EXPECT_TRUE(runner_->output_truncated());
  EXPECT_EQ(runner_->output().size(), sandbox::Limits{}.output_bytes);
}

TEST_F(Runner, ACallGoesOnWhileItsPatienceIsDue) {
  const Signature function = LOCKSTEP_SIGNATURE(sleep_for_milliseconds);
  int asked = 0;
  const auto start_anew = [&] {
    start();
    asked = 0;
    ASSERT_EQ(runner_->load({&function, 1}, 10s).kind, Kind::done);
  };
  start_anew();
  Patience patience{.more = 10s, .is_due = [&] { return ++asked > 0; }};
  EXPECT_EQ(runner_->call(function, std::vector{word(500)}, 100ms, patience).kind, Kind::done);
  EXPECT_GT(asked, 0);
  start_anew();
  patience.is_due = [&] { return ++asked < 3; };
  EXPECT_EQ(runner_->call(function, std::vector{word(60'000)}, 100ms, patience).kind, Kind::time_limit);
  EXPECT_EQ(asked, 3);
  start_anew();
  patience = {.more = 300ms, .is_due = [&] { return ++asked > 0; }};
  EXPECT_EQ(runner_->call(function, std::vector{word(60'000)}, 100ms, patience).kind, Kind::time_limit);
}

TEST_F(Runner, LimitsAreNamed) {
  const Outcome memory = OUTCOME_OF(allocate_without_end);
  EXPECT_EQ(memory.kind, Kind::ended);
  EXPECT_EQ(memory.end.kind, sandbox::End::Kind::memory_limit);
  const Outcome processes = OUTCOME_OF(fork_without_end);
  EXPECT_EQ(processes.kind, Kind::ended);
  EXPECT_EQ(processes.end.kind, sandbox::End::Kind::process_limit);
  const Outcome threads = OUTCOME_OF(start_threads_without_end);
  EXPECT_EQ(threads.end.kind, sandbox::End::Kind::process_limit);
}

/// Whether this process may put itself before all others, as root may unless that was taken from it.
bool may_go_first() {
  const sched_param first{.sched_priority = sched_get_priority_min(SCHED_FIFO)}, usual{};
  return sched_setscheduler(0, SCHED_FIFO, &first) == 0 && sched_setscheduler(0, SCHED_OTHER, &usual) == 0;
}

// While the judge is stopped a bomb takes every processor and the caller's time passes. The limit is named
// all the same, and the end does not wait for processes to which the bomb leaves no processor.
TEST_F(Runner, ABombEndsThoughTheJudgeWasStopped) {
  if (!may_go_first()) GTEST_SKIP() << "beside a bomb a helper that may not go first does not wake";
  const pid_t judge = getpid();
  for (const auto before : {2ms, 5ms, 8ms, 11ms}) {
    start();
    const Signature function = LOCKSTEP_SIGNATURE(fork_without_end);
    ASSERT_EQ(runner_->load({&function, 1}, 10s).kind, Kind::done);
    const auto start = std::chrono::steady_clock::now();
    const pid_t helper = fork();
    if (helper == 0) {
      const sched_param priority{.sched_priority = sched_get_priority_min(SCHED_FIFO)};
      sched_setscheduler(0, SCHED_FIFO, &priority);
      std::this_thread::sleep_for(before);
      kill(judge, SIGSTOP);
      std::this_thread::sleep_for(600ms);
      kill(judge, SIGCONT);
      _exit(0);
    }
    const Outcome outcome = runner_->call(function, {}, 500ms);
    EXPECT_EQ(outcome.kind, Kind::ended);
    EXPECT_EQ(outcome.end.kind, sandbox::End::Kind::process_limit);
    EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
    waitpid(helper, nullptr, 0);
  }
}

TEST_F(Runner, OutputIsKeptAndCut) {
  EXPECT_EQ(OUTCOME_OF(print_a_megabyte).kind, Kind::done);
  EXPECT_TRUE(runner_->output_truncated());
}

TEST_F(Runner, ClosedDescriptorsAreAnEnd) {
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = OUTCOME_OF(close_every_descriptor, 20s);
  EXPECT_EQ(outcome.kind, Kind::ended);
  EXPECT_THAT(outcome.message, HasSubstr("descriptor"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, 5s);
}

TEST_F(Runner, ForgedRepliesAreNoAnswers) {
  EXPECT_EQ(OUTCOME_OF(write_nonsense).kind, Kind::ended);
  EXPECT_EQ(OUTCOME_OF(write_a_long_message).kind, Kind::ended);
  EXPECT_EQ(OUTCOME_OF(answer_the_wrong_request).kind, Kind::ended);

  // A guessed reply says "done" early, which proves nothing; the next request finds the surplus.
  const Signature forge = LOCKSTEP_SIGNATURE(answer_in_advance);
  EXPECT_EQ(outcome_of(forge).kind, Kind::done);
  std::this_thread::sleep_for(100ms);
  const Outcome next = runner_->call(forge, {}, 5s);
  EXPECT_EQ(next.kind, Kind::ended);
  EXPECT_THAT(next.message, HasSubstr("not its own"));
}

TEST_F(Runner, AProcessLeftBehindEndsWithTheRunner) {
  EXPECT_EQ(OUTCOME_OF(leave_a_process_behind).kind, Kind::done);
}

TEST_F(Runner, AttacksFromWithinASubmissionFailToo) {
  if (!sandbox::isolation().namespaces) GTEST_SKIP() << sandbox::isolation().reason;
  EXPECT_EQ(OUTCOME_OF(write_outside).value, 0U) << runner_->output();
  EXPECT_EQ(OUTCOME_OF(read_process_one).value, 0U) << runner_->output();
  EXPECT_EQ(OUTCOME_OF(write_kernel_settings).value, 0U) << runner_->output();
}

TEST_F(Runner, SeveralAtOnce) {
  const Signature function = LOCKSTEP_SIGNATURE(add);
  std::vector<std::future<std::uint64_t>> sums;
  for (int i = 0; i < 8; ++i) {
    sums.push_back(std::async(std::launch::async, [&function, i] {
      RunnerProcess runner(options_for("libmisbehaviours.so"));
      if (runner.load({&function, 1}, 20s).kind != Kind::done) return ~std::uint64_t{0};
      std::uint64_t sum = 0;
      for (int k = 0; k < 100; ++k) sum += runner.call(function, std::vector{word(i), word(k)}, 20s).value;
      return sum;
    }));
  }
  for (std::uint64_t i = 0; i < 8; ++i) EXPECT_EQ(sums[i].get(), 100 * i + 4950);
}

TEST_F(Runner, TimesSeveralCallsFromSignToIdle) {
  const Signature function = LOCKSTEP_SIGNATURE(sleep_for_milliseconds);
  start();
  ASSERT_EQ(runner_->load({&function, 1}, 10s).kind, Kind::done);
  int looks = 0;
  const auto timed = runner_->timed_calls(function, std::vector{word(20), word(30), word(50)}, 5s, [&looks] {
    ++looks;
    std::this_thread::sleep_for(40ms);
  });
  ASSERT_EQ(timed.outcome.kind, Kind::done);
  EXPECT_EQ(looks, 1);
  EXPECT_GE(timed.time, 140ms) << "the look is a part of it";
  EXPECT_LT(timed.time, 1s);
  EXPECT_EQ(timed.outcome.value, 50) << "the last call's";
  EXPECT_EQ(runner_->call(function, std::vector{word(1)}, 5s).value, 1) << "untimed calls go on as before";
}

TEST_F(Runner, EventsDoNotCountTheHostsPart) {
  const Signature function = LOCKSTEP_SIGNATURE(launch_slowly);
  start(options_for("libuses_cudart.so"));
  ASSERT_EQ(runner_->load({&function, 1}, 10s).kind, Kind::done);
  const std::vector calls = {word(2), word(1), word(2), word(1), word(2), word(1),
                             word(2), word(1), word(2), word(1), word(2), word(1)};
  const auto timed = runner_->timed_calls(
      function, calls, 5s, [] {}, true);
  ASSERT_EQ(timed.outcome.kind, Kind::done) << timed.outcome.message;
  EXPECT_GE(timed.on_device, 6ms);
  EXPECT_LT(timed.on_device, 12ms) << "the kernels wait for the gate, and then follow each other";
  EXPECT_GE(timed.time, 18ms) << "by the judge's clock";
  EXPECT_EQ(runner_->timed_calls(function, calls, 5s, [] {}).on_device, 0ms) << "nobody asked";
}

TEST_F(Runner, WhatWaitsForTheDeviceOpensTheGate) {
  const Signature function = LOCKSTEP_SIGNATURE(launch_and_wait);
  start(options_for("libuses_cudart.so"));
  ASSERT_EQ(runner_->load({&function, 1}, 10s).kind, Kind::done);
  const auto timed = runner_->timed_calls(
      function, std::vector{word(10), word(10)}, 5s, [] {}, true);
  ASSERT_EQ(timed.outcome.kind, Kind::done) << timed.outcome.message;
  EXPECT_GE(timed.on_device, 20ms);
  EXPECT_LT(timed.on_device, 200ms);
}

TEST_F(Runner, EventsNeedARuntime) {
  const Signature function = LOCKSTEP_SIGNATURE(add);
  start();
  ASSERT_EQ(runner_->load({&function, 1}, 10s).kind, Kind::done);
  const auto timed = runner_->timed_calls(
      function, std::vector{word(1), word(2)}, 5s, [] {}, true);
  EXPECT_EQ(timed.outcome.kind, Kind::threw);
  EXPECT_THAT(timed.outcome.message, HasSubstr("the CUDA runtime lacks cudaEventCreate"));
  EXPECT_EQ(runner_->call(function, std::vector{word(1), word(2)}, 5s).value, 3U);
}

TEST_F(Runner, WhoIsNotReadyForTheSignIsTimedUntilThen) {
  const std::vector<Signature> functions = {LOCKSTEP_SIGNATURE(sleep_for_milliseconds),
                                            LOCKSTEP_SIGNATURE(sleep_through_the_next_request)};
  start();
  ASSERT_EQ(runner_->load(functions, 10s).kind, Kind::done);
  const auto prompt = runner_->timed_calls(functions[0], std::vector{word(1)}, 5s, [] {});
  ASSERT_EQ(prompt.outcome.kind, Kind::done);
  EXPECT_GT(prompt.arming, 0ms);
  EXPECT_LT(prompt.arming, 300ms);
  ASSERT_EQ(runner_->call(functions[1], std::vector{word(500)}, 5s).kind, Kind::done);
  std::this_thread::sleep_for(50ms);
  const auto late = runner_->timed_calls(functions[0], std::vector{word(1)}, 5s, [] {});
  ASSERT_EQ(late.outcome.kind, Kind::done);
  EXPECT_GT(late.arming, 300ms);
  EXPECT_LT(late.time, 300ms) << "the clock begins with the sign";
}

TEST_F(Runner, WhatIsSignalledTooEarlyIsLookedAtTooEarly) {
  const Signature function = LOCKSTEP_SIGNATURE(signal_done_and_sleep);
  start();
  ASSERT_EQ(runner_->load({&function, 1}, 10s).kind, Kind::done);
  std::chrono::steady_clock::time_point looked;
  const auto timed = runner_->timed_calls(function, std::vector{word(200)}, 5s,
                                          [&looked] { looked = std::chrono::steady_clock::now(); });
  ASSERT_EQ(timed.outcome.kind, Kind::done);
  EXPECT_GE(std::chrono::steady_clock::now() - looked, 100ms) << "while the call was still at work";
}

// The judge looks at that memory, where a file that ends too early would be a bus error of its own.
TEST_F(Runner, TheClocksWordsCannotBeTakenAway) {
  const std::vector<Signature> functions = {LOCKSTEP_SIGNATURE(resize_the_clock), LOCKSTEP_SIGNATURE(add)};
  start();
  ASSERT_EQ(runner_->load(functions, 10s).kind, Kind::done);
  const Outcome resized = runner_->call(functions[0], {}, 5s);
  ASSERT_EQ(resized.kind, Kind::done);
  EXPECT_EQ(resized.value, 0U);
  const auto timed = runner_->timed_calls(functions[1], std::vector{word(1), word(2)}, 5s, [] {});
  EXPECT_EQ(timed.outcome.kind, Kind::done);
  EXPECT_EQ(timed.outcome.value, 3U);
}

TEST_F(Runner, ATimedCallThatNeverEndsIsStopped) {
  const Signature function = LOCKSTEP_SIGNATURE(sleep_for_milliseconds);
  start();
  ASSERT_EQ(runner_->load({&function, 1}, 10s).kind, Kind::done);
  bool looked = false;
  const auto timed =
      runner_->timed_calls(function, std::vector{word(60'000)}, 300ms, [&looked] { looked = true; });
  EXPECT_EQ(timed.outcome.kind, Kind::time_limit);
  EXPECT_FALSE(looked) << "the device may be as busy as the call";
}

TEST_F(Runner, MappingWithoutADriverIsAnErrorOfTheDevice) {
  const Signature function = LOCKSTEP_SIGNATURE(add);
  start();
  ASSERT_EQ(runner_->load({&function, 1}, 10s).kind, Kind::done);
  const sandbox::FileDescriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  const Outcome outcome = runner_->map(1 << 20, 2 << 20, 0, nothing.get(), 5s);
  EXPECT_EQ(outcome.kind, Kind::device_error);
  EXPECT_FALSE(outcome.message.empty());
  EXPECT_EQ(runner_->call(function, std::vector{word(1), word(2)}, 5s).value, 3);
}

TEST(Message, EveryTruncationOfARequestIsMalformed) {
  const Packet load = encode(1, LoadRequest{"/object.so", {"_Z1fv", "_Z1gv"}});
  CallRequest two_calls;
  two_calls.result = course::ValueKind::f64;
  two_calls.calls = 2;
  two_calls.kinds = {course::ValueKind::i32, course::ValueKind::pointer};
  two_calls.words = {1, 2, 3, 4};
  const Packet call = encode(2, two_calls);
  const Packet map = encode(3, MapRequest{false, 1 << 20, 4096, 256});
  for (const Packet& packet : {load, call, map}) {
    EXPECT_TRUE(decode_request(packet));
    EXPECT_FALSE(decode_request(packet + "x"));
    for (std::size_t size = 0; size < packet.size(); ++size)
      EXPECT_FALSE(decode_request(packet.substr(0, size)));
  }
}

TEST(Message, AFlagIsZeroOrOne) {
  for (bool CallRequest::*const member :
       {&CallRequest::timed, &CallRequest::by_events, &CallRequest::host_program}) {
    CallRequest request;
    const Packet without = encode(1, request);
    request.*member = true;
    Packet with = encode(1, request);
    const auto flag = std::ranges::mismatch(with, without).in1;
    ASSERT_NE(flag, with.end());
    EXPECT_TRUE(*decode_request(with)->call.*member);
    *flag = 2;
    EXPECT_FALSE(decode_request(with));
  }
}

TEST(Message, ARepliesMustFitItsRequest) {
  const Packet reply = encode(7, Reply{Reply::Kind::threw, 3, "text"});
  ASSERT_TRUE(decode_reply(reply, 7));
  EXPECT_EQ(decode_reply(reply, 7)->text, "text");
  EXPECT_FALSE(decode_reply(reply, 8));
  EXPECT_FALSE(decode_reply(reply + "x", 7));
  for (std::size_t size = 0; size < reply.size(); ++size)
    EXPECT_FALSE(decode_reply(reply.substr(0, size), 7));
  Packet unknown_kind = reply;
  unknown_kind[4] = 5;
  EXPECT_FALSE(decode_reply(unknown_kind, 7));
  Packet endless_text = reply;
  endless_text[19] = '\xFF';
  EXPECT_FALSE(decode_reply(endless_text, 7));
}

}  // namespace
}  // namespace lockstep::runner
