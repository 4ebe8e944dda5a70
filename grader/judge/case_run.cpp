#include "judge/case_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>

#include "device/device.h"
#include "judge/case_buffers.h"
#include "judge/case_verdict.h"
#include "judge/diagnosis.h"
#include "judge/findings.h"
#include "judge/host_array.h"
#include "judge/host_program.h"
#include "judge/keyed_random.h"
#include "judge/limits.h"
#include "judge/observation_sum.h"
#include "judge/seeds.h"
#include "judge/shown_call.h"

namespace lockstep::judge {
namespace {

using course::Argument;
using course::Call;
using course::ValueKind;
using ArgumentKind = course::Argument::Kind;

bool fits(const Argument& argument, const course::Parameter& parameter) {
  switch (argument.kind) {
    case ArgumentKind::input:
      return parameter.kind == ValueKind::pointer;
    case ArgumentKind::output:
    case ArgumentKind::workspace:
      return parameter.kind == ValueKind::pointer && !parameter.read_only;
    case ArgumentKind::stream:
      return parameter.kind == ValueKind::stream;
    case ArgumentKind::scalar:
      return parameter.kind != ValueKind::pointer && parameter.kind != ValueKind::stream;
  }
  return false;
}

void require_fit(const course::Problem& problem, const Call& call) {
  const std::vector<Argument>& arguments = call.arguments();
  const std::vector<course::Parameter>& parameters = problem.function.parameters;
  if (!std::equal(arguments.begin(), arguments.end(), parameters.begin(), parameters.end(), fits)) {
    throw std::logic_error("problem.cpp prepares a call that does not fit " + problem.function.declaration);
  }
}

/// One call of one case, from its inputs to its evidence.
class CallRun {
 public:
  CallRun(const course::Problem& problem, const Call& call, std::chrono::milliseconds call_time,
          Attempt& attempt, const SourceText& source, CaseBuffers& buffers, std::vector<std::byte>& snapshot,
          std::vector<course::Bytes>* outputs, result::ShownCall* shown,
          const runner::HostProgramCall& mode = {})
      : problem_(problem),
        call_(call),
        attempt_(attempt),
        session_(attempt.session()),
        source_(source),
        buffers_(buffers),
        snapshot_(snapshot),
        outputs_(outputs),
        shown_(shown) {
    evidence_.time_limit = call_time;
    evidence_.of_host_program = problem.host_program;
    evidence_.watched = problem.host_program && session_.leaves_work_undone();
    evidence_.wants_output = std::ranges::any_of(
        call.arguments(), [](const Argument& one) { return !one.output.expected.empty(); });
    evidence_.mode = mode;
  }

  /// The device's counters are added to `total`.
  Evidence run(emulator::Observations& total) {
    session_.set_limits(evidence_.time_limit, kDeviceMemory);
    if (ask_workspace_bytes()) {
      fill_buffers();
      call(problem_.function, words_);
    }
    if (!evidence_.became_idle) return std::move(evidence_);  // nor would it answer what follows
    emulator::Observations observations = session_.take_observations();
    evidence_.refused_calls = take_kind(emulator::Finding::Kind::bad_call, observations.findings);
    evidence_.stale_reads = take_kind(emulator::Finding::Kind::stale_read, observations.findings);
    evidence_.findings = observations.findings;
    // Only such a device keeps work back, and counts.
    if (session_.leaves_work_undone()) activity_ = activity_of(observations, source_);
    copied_to_ = observations.copied_to;
    evidence_.kernels = observations.kernels;
    add(total, std::move(observations));
    if (!ends_context(evidence_) && !evidence_.workspace_fault) check_buffers();
    evidence_.use = session_.take_runner_use();
    if ((session_.leaves_work_undone() || problem_.host_program) &&
        evidence_.outcome.kind != runner::Outcome::Kind::ended &&
        evidence_.outcome.kind != runner::Outcome::Kind::time_limit) {
      settle(total);
    }
    return std::move(evidence_);
  }

 private:
  /// Only between its beginning and its answer the program can use the device.
  void call(const course::Signature& function, std::span<const std::uint64_t> words) {
    session_.admit_runner();
    const std::chrono::milliseconds timeout = evidence_.time_limit + kGrace;
    if (problem_.host_program) {
      evidence_.outcome = attempt_.call_host_program(function, words, arrays_, evidence_.mode, timeout);
      // What it has not waited for may still change them.
      for (const std::unique_ptr<HostArray>& array : arrays_)
        array_snapshots_.emplace_back(array->contents().begin(), array->contents().end());
    } else {
      evidence_.outcome = attempt_.call(function, words, timeout);
    }
    evidence_.became_idle = session_.hold_runner(kGrace);
  }

  /// Has the work done for which the call's stream did not wait, before it can meet the next call's.
  void settle(emulator::Observations& total) {
    session_.admit_runner();
    const runner::Outcome outcome = attempt_.settle(evidence_.time_limit + kGrace);
    evidence_.became_idle = session_.hold_runner(kGrace);
    if (outcome.kind != runner::Outcome::Kind::done) evidence_.outcome = outcome;
    if (!evidence_.became_idle) return;
    emulator::Observations observations = session_.take_observations();
    const device::RunnerUse use = session_.take_runner_use();
    const bool copied = use.host_reads > 0 || use.host_writes > 0;
    evidence_.left_work = use.work > 0 || (problem_.host_program && copied);
    for (const emulator::KernelWork& left : observations.kernels)
      evidence_.left_kernels.push_back(left.kernel);
    evidence_.use.host_reads += use.host_reads;
    evidence_.use.late_requests += use.late_requests;
    take_kind(emulator::Finding::Kind::bad_call, observations.findings);
    take_kind(emulator::Finding::Kind::stale_read, observations.findings);
    evidence_.findings.insert(evidence_.findings.end(), observations.findings.begin(),
                              observations.findings.end());
    add(total, std::move(observations));
  }

  /// False when there is no valid answer; the evidence then says why.
  bool ask_workspace_bytes() {
    if (!problem_.workspace) return true;
    const course::WorkspaceQuery& query = *problem_.workspace;
    const std::vector<std::uint64_t> words = query.arguments(call_);
    call(query.function, words);
    if (evidence_.outcome.kind != runner::Outcome::Kind::done || !evidence_.became_idle) return false;
    workspace_bytes_ = evidence_.outcome.value;
    const std::uint64_t limit = query.limit_bytes(call_);
    if (workspace_bytes_ <= limit) return true;
    evidence_.workspace_fault = fmt::format("{} asks for {} bytes of workspace, at most {} are allowed",
                                            query.function.name, workspace_bytes_, limit);
    return false;
  }

  /// Inputs in, outputs and workspace poisoned, and the words of the call collected.
  void fill_buffers() {
    const std::vector<Argument>& arguments = call_.arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Argument& argument = arguments[i];
      if (argument.on_host) {
        add_array(argument);
        continue;
      }
      switch (argument.kind) {
        case ArgumentKind::input:
          words_.push_back(buffers_.address(i, argument.input.size(), argument.name));
          session_.write(words_.back(), argument.input);
          break;
        case ArgumentKind::output:
          words_.push_back(poisoned_buffer(i, argument.output.expected.size(), argument.name));
          break;
        case ArgumentKind::workspace:
          words_.push_back(poisoned_buffer(i, workspace_bytes_, argument.name));
          break;
        case ArgumentKind::scalar:
          words_.push_back(argument.scalar_bits);
          break;
        case ArgumentKind::stream:
          words_.push_back(0);
          break;
      }
    }
  }

  void add_array(const Argument& argument) {
    const bool is_input = argument.kind == ArgumentKind::input;
    const std::size_t bytes = is_input ? argument.input.size() : argument.output.expected.size();
    const HostArray& array = *arrays_.emplace_back(std::make_unique<HostArray>(bytes));
    if (is_input) {
      std::ranges::copy(argument.input, array.contents().begin());
    } else {
      std::ranges::fill(array.contents(), static_cast<std::byte>(course::kPoisonByte));
    }
    words_.push_back(arrays_.size());
  }

  std::uint64_t poisoned_buffer(std::size_t index, std::size_t bytes, const std::string& name) {
    const std::uint64_t address = buffers_.address(index, bytes, name);
    session_.poison(address, bytes);
    return address;
  }

  void check_buffers() {
    const std::vector<Argument>& arguments = call_.arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].kind == ArgumentKind::output) check_output(arguments[i], words_[i]);
      if (arguments[i].kind == ArgumentKind::input) check_input(arguments[i], words_[i]);
    }
  }

  void check_output(const Argument& argument, std::uint64_t address) {
    if (evidence_.wrong_output && !outputs_ && !shown_) return;
    take_snapshot(argument, address, argument.output.expected.size());
    if (shown_) show_output(argument, snapshot_, *shown_);
    if (outputs_) outputs_->push_back(snapshot_);
    if (evidence_.wrong_output) return;
    if (activity_) activity_->copied = std::ranges::binary_search(copied_to_, address);
    if (!argument.output.nearest_answer) return compare_output(argument, argument.output, {});
    course::Answer answer = argument.output.nearest_answer(snapshot_);
    course::Output nearest = argument.output;
    nearest.expected = std::move(answer.bytes);
    compare_output(argument, nearest, answer);
  }

  /// `answer`: the one of several that `output` holds; {} where there is one.
  void compare_output(const Argument& argument, const course::Output& output, const course::Answer& answer) {
    Comparison comparison = compare(output, snapshot_);
    if (comparison.wrong == 0) {
      // One of several outputs has them.
      if (!answer.name.empty()) evidence_.answer = answer.name;
      if (!answer.remark.empty()) evidence_.remark = answer.remark;
      return;
    }
    const auto cause_of = argument.on_host ? likely_cause_on_host : likely_cause;
    evidence_.wrong_output = {argument.name, std::move(comparison),
                              cause_of(argument.name, output, snapshot_, activity_), answer.name};
  }

  void check_input(const Argument& argument, std::uint64_t address) {
    if (evidence_.changed_input.empty() && !still_holds(argument, address))
      evidence_.changed_input = argument.name;
  }

  /// Looks at parts that a cache holds: an input may be gigabytes.
  bool still_holds(const Argument& input, std::uint64_t address) {
    constexpr std::size_t kPart = std::size_t{4} << 20;
    const std::span<const std::byte> all = input.input;
    for (std::size_t begin = 0; begin < all.size(); begin += kPart) {
      const auto part = all.subspan(begin, std::min(kPart, all.size() - begin));
      const std::byte* now = nullptr;
      if (input.on_host) {
        now = array_snapshots_.at(address - 1).data() + begin;
      } else {
        snapshot_.resize(part.size());
        session_.read(address + begin, snapshot_);
        now = snapshot_.data();
      }
      // == of ranges would compare one std::byte after the other.
      if (std::memcmp(now, part.data(), part.size()) != 0) return false;
    }
    return true;
  }

  void take_snapshot(const Argument& argument, std::uint64_t address, std::size_t bytes) {
    if (argument.on_host) {
      snapshot_ = array_snapshots_.at(address - 1);
      return;
    }
    snapshot_.resize(bytes);
    session_.read(address, snapshot_);
  }

  const course::Problem& problem_;
  const Call& call_;
  Attempt& attempt_;
  device::Session& session_;
  const SourceText& source_;
  CaseBuffers& buffers_;
  std::vector<std::byte>& snapshot_;     // reused by all calls of a case: it may be large
  std::vector<course::Bytes>* outputs_;  // to keep; null when nobody wants them
  result::ShownCall* shown_;             // where they are shown; likewise
  std::uint64_t workspace_bytes_ = 0;
  std::vector<std::uint64_t> words_;
  std::vector<std::unique_ptr<HostArray>> arrays_;  // of arguments on the host, named by number in words_
  std::vector<std::vector<std::byte>> array_snapshots_;  // when the call had returned
  std::optional<Activity> activity_;                     // of the kernels, where the device counts
  std::vector<std::uint64_t> copied_to_;                 // addresses of allocations, ascending
  Evidence evidence_;
};

/// Nothing that a submission leaves makes drawing a fault of the grader.
result::Picture draw(const course::Picture& picture, const course::Shown& shown) {
  result::Picture drawn{.case_name = picture.case_name, .ending = picture.ending};
  try {
    drawn.contents = picture.draw(shown);
  } catch (const std::exception& error) {
    drawn.complaint = error.what();
  }
  return drawn;
}

/// Whether a call whose output was wrong, and which found old values, has them to thank for it: where every
/// store is shown at once, the same call is right. `lost`: the attempt was, in finding out.
bool follows_from_stale_reads(const course::Problem& problem, const Call& call,
                              std::chrono::milliseconds call_time, Attempt& attempt, const SourceText& source,
                              CaseBuffers& buffers, std::vector<std::byte>& snapshot, bool& lost) {
  attempt.session().show_stores_at_once(true);
  emulator::Observations uncounted;
  const Evidence again =
      CallRun(problem, call, call_time, attempt, source, buffers, snapshot, nullptr, nullptr).run(uncounted);
  lost = ends_context(again);
  if (!lost) attempt.session().show_stores_at_once(false);
  return !lost && !again.wrong_output;
}

/// A call of a host program again and again, in each of which another call of the runtime fails, until there
/// are no more or one shows a fault.
void run_failing_calls(const course::Problem& problem, const course::Case& one, const Seed& seed,
                       std::chrono::milliseconds call_time, Attempt& attempt, const SourceText& source,
                       CaseBuffers& buffers, CaseRun& run) {
  std::vector<std::byte> snapshot;
  for (std::uint32_t i = 1; i <= kMaxFailingCalls && run.result.verdict == result::Verdict::passed; ++i) {
    KeyedRandom random(derived_seed(seed, fmt::format("failing call {}", i)));
    const Call call = one.prepare(random);
    emulator::Observations uncounted;
    const Evidence evidence = CallRun(problem, call, call_time, attempt, source, buffers, snapshot, nullptr,
                                      nullptr, {.failing_call = i})
                                  .run(uncounted);
    run.attempt_lost = ends_context(evidence);
    conclude_failing_call(evidence, source, run.result);
    if (name_of_failed_call(evidence).empty() || run.attempt_lost) return;
  }
  if (run.result.verdict == result::Verdict::passed) report_too_many_calls(run.result);
}

/// All calls of a case, until one shows a fault.
void run_calls(const course::Problem& problem, const course::Case& one, const Seed& seed,
               std::chrono::milliseconds call_time, Attempt& attempt, const SourceText& source, bool draws,
               bool shows, CaseRun& run) {
  const bool is_drawn = draws && problem.picture && problem.picture->case_name == one.name;
  CaseBuffers buffers(attempt.session());
  std::vector<std::byte> snapshot;
  for (int i = 0; i < one.calls && run.result.verdict == result::Verdict::passed; ++i) {
    KeyedRandom random(derived_seed(seed, fmt::format("call {}", i)));
    const Call call = one.prepare(random);
    require_fit(problem, call);
    std::vector<course::Bytes> outputs;
    if (shows) {
      run.result.shown = shown_call(call);
      run.result.shown->call = i + 1;
      run.result.shown->calls = one.calls;
    }
    Evidence evidence =
        CallRun(problem, call, call_time, attempt, source, buffers, snapshot, is_drawn ? &outputs : nullptr,
                shows ? &*run.result.shown : nullptr, {.streams_alternate = i % 2 == 1})
            .run(run.observations);
    if (!outputs.empty()) run.picture = draw(*problem.picture, {call, std::move(outputs)});
    evidence.call = i + 1;
    run.attempt_lost = ends_context(evidence);
    if (evidence.wrong_output && !evidence.stale_reads.empty() && !run.attempt_lost &&
        !follows_from_stale_reads(problem, call, call_time, attempt, source, buffers, snapshot,
                                  run.attempt_lost)) {
      evidence.stale_reads.clear();
    }
    conclude(evidence, source, run.result);
    run.result.calls = i + 1;
    // Another call may leave none.
    if (!evidence.answer.empty()) run.result.answer = evidence.answer;
    if (!evidence.remark.empty()) run.result.remark = evidence.remark;
    if (run.result.verdict != result::Verdict::passed) {
      run.result.answer.clear();
      run.result.remark.clear();
    }
    if (one.failing && run.result.verdict == result::Verdict::passed &&
        attempt.session().leaves_work_undone())
      run_failing_calls(problem, one, seed, call_time, attempt, source, buffers, run);
    run.copied_bytes += static_cast<double>(evidence.use.host_program.copied_bytes);
    run.chained_bytes += static_cast<double>(evidence.use.host_program.chained_bytes);
    for (const Argument& argument : call.arguments())
      run.input_bytes += static_cast<double>(argument.input.size());
    run.host_copies += host_copies_of_call(evidence.use);
  }
  if (!run.attempt_lost) buffers.free_all();
}

}  // namespace

CaseRun run_case(const course::Problem& problem, const course::Case& one, const Seed& seed,
                 std::chrono::milliseconds call_time, Attempt& attempt, const SourceText& source, bool draws,
                 bool shows) {
  const auto start = std::chrono::steady_clock::now();
  CaseRun run;
  run.result.name = one.name;
  run.result.purpose = one.purpose;
  run.result.elements = one.cost.elements;
  try {
    run_calls(problem, one, seed, call_time, attempt, source, draws, shows, run);
  } catch (const device::DeviceMemoryExceeded& error) {
    run.attempt_lost = true;
    run.result.verdict = result::Verdict::memory_limit;
    run.result.message = error.what();
  } catch (const device::DeviceLost& error) {
    // It had been started, and nothing but the submission used it: one that could make this a fault of the
    // grader could choose to be judged another time.
    run.attempt_lost = true;
    run.result.verdict = result::Verdict::crashed;
    run.result.message = fmt::format("your program brought the emulated device down ({})", error.what());
  }
  run.result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return run;
}

}  // namespace lockstep::judge
