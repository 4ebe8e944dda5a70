#include "judge/case_verdict.h"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>

#include <algorithm>

#include "judge/findings.h"
#include "judge/host_program.h"
#include "judge/source_search.h"
#include "report/finding_words.h"
#include "text/shortened.h"

namespace lockstep::judge {
namespace {

using emulator::Finding;
using result::Verdict;
using OutcomeKind = runner::Outcome::Kind;
using EndKind = sandbox::End::Kind;

std::string seconds_text(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", std::chrono::duration<double>(time).count());
}

ProgramFault fault_of_signal(int signal) {
  const char* description = sigdescr_np(signal);
  const std::string message =
      fmt::format("the program was ended by signal {} ({})", signal, description ? description : "unknown");
  switch (signal) {
    case SIGSEGV:
    case SIGBUS:
      return {
          Verdict::crashed, message,
          "host code read or wrote memory that is not its own; a pointer to device memory cannot be "
          "dereferenced on the host",
          "which pointer does host code follow? Those that your function is given point to device memory: "
          "kernels reach it, and a copy brings it to the host."};
    case SIGABRT:
      return {Verdict::crashed, message,
              "this is how a failed assert() or a call of abort() in host code ends",
              "what do your assertions in host code ask, and which of them is false in this case?"};
    case SIGFPE:
      return {Verdict::crashed, message, "host code divided an integer by zero",
              "which divisor in host code is 0 in this case? Return before it where there is nothing to do."};
    case SIGXCPU:
      return {Verdict::time_limit, message, "host code used up its processor time"};
    case SIGXFSZ:
      return {Verdict::crashed, message, "it wrote a larger file than it may"};
    default:
      return {Verdict::crashed, message, ""};
  }
}

ProgramFault fault_of_end(const sandbox::End& end) {
  switch (end.kind) {
    case EndKind::exited:
      return {Verdict::crashed, fmt::format("the program exited by itself, with status {}", end.status),
              "does something call exit(), as many macros for checking errors do?",
              "check calls with `CHECK_CUDA(…)`, which throws with the call and its line."};
    case EndKind::signalled:
      return fault_of_signal(end.status);
    case EndKind::time_limit:
      return {Verdict::time_limit, "the program used up its time", ""};
    case EndKind::memory_limit:
      return {
          Verdict::memory_limit,
          fmt::format("the program used more host memory than it may ({} MiB)", end.peak_memory_bytes >> 20),
          ""};
    case EndKind::process_limit:
      return {Verdict::crashed, "the program started more processes than it may", ""};
  }
  return {};
}

/// Whether the program's end is how a program in order answers an error of the device: by throwing or
/// exiting.
bool may_answer_device_error(const runner::Outcome& outcome) {
  if (outcome.kind == OutcomeKind::threw) return true;
  if (outcome.kind != OutcomeKind::ended) return false;
  return outcome.end.kind == EndKind::exited ||
         (outcome.end.kind == EndKind::signalled && outcome.end.status == SIGABRT);
}

/// Whether what a launch was refused for did no harm: the program has looked at the error, as none is left
/// behind, and all came right.
bool is_answered_refusal(const Finding& finding, const Evidence& evidence) {
  return finding.kind == Finding::Kind::bad_launch && evidence.outcome.kind == OutcomeKind::done &&
         evidence.outcome.message.empty() && !evidence.wrong_output && evidence.changed_input.empty();
}

bool explains(const Finding& finding, const Evidence& evidence) {
  const runner::Outcome& outcome = evidence.outcome;
  const report::KindOfFinding& kind = report::row_of(finding.kind);
  if (outcome.kind == OutcomeKind::done) return !is_answered_refusal(finding, evidence);
  // A kernel that cannot end keeps the program waiting; the device can say why and where, the clock cannot.
  if (outcome.kind == OutcomeKind::time_limit) {
    return kind.never_ends;
  }
  return may_answer_device_error(outcome) && (kind.stops_kernel || finding.kind == Finding::Kind::bad_launch);
}

void report_finding(const Finding& finding, const SourceText& source, result::CaseResult& result) {
  result.verdict = report::row_of(finding.kind).verdict;
  result.message = sentence_of(finding);
  result.places = places_of(finding, source);
  result.question = question_of(finding, source);
  result.guess = report::row_of(finding.kind).guess;
}

/// What is known to have gone wrong takes the place of what the output, or the place of a fault, looks like.
void name_cause(std::string sentence, std::string advice, result::CaseResult& result) {
  result.guess = std::move(sentence);
  result.question = std::move(advice);
  result.cause_is_known = true;
}

/// Whether a thread that should have stayed out may have met both: it copies from shared memory, where
/// nothing is for it, to where it has no place.
bool is_of_the_same_thread(const Finding& uninitialised, const Finding& stop) {
  return uninitialised.line == stop.line && uninitialised.space == Finding::Space::shared;
}

/// A kernel that stops may do so because of an uninitialised value: an index, a flag, a size. Not
/// where threads did not wait for each other, which is the cause of both then. Null when there is none.
const Finding* uninitialised_cause(const Finding& stop, std::span<const Finding> findings) {
  if (!report::row_of(stop.kind).stops_kernel) return nullptr;
  const Finding* uninitialised = nullptr;
  for (const Finding& finding : findings) {
    if (finding.kind == Finding::Kind::race || finding.kind == Finding::Kind::bad_sync) return nullptr;
    if (finding.kind == Finding::Kind::uninitialised_read && uninitialised == nullptr &&
        !is_of_the_same_thread(finding, stop))
      uninitialised = &finding;
  }
  return uninitialised;
}

/// Sends the reader to the cause first.
void report_uninitialised_cause(const Finding& uninitialised, const SourceText& source,
                                result::CaseResult& result) {
  const std::string where =
      uninitialised.line.line == 0 ? "" : fmt::format("in line {}, ", uninitialised.line.line);
  result.guess = where + sentence_of(uninitialised);
  result.question = question_of(uninitialised, source);
  std::vector<result::Place> places = places_of(uninitialised, source);
  for (result::Place& place : places) place.part = "reads what nothing has written";
  for (result::Place& place : result.places) place.part = "what followed";
  result.places.insert(result.places.begin(), places.begin(), places.end());
}

void report_wrong_output(const Evidence& evidence, result::CaseResult& result) {
  const WrongOutput& output = *evidence.wrong_output;
  const Comparison& comparison = output.comparison;
  result.verdict = Verdict::wrong_answer;
  result.message =
      fmt::format("{} of {} element{} of {} {} wrong", comparison.wrong, comparison.total,
                  comparison.total == 1 ? "" : "s", output.name, comparison.wrong == 1 ? "is" : "are");
  if (evidence.call > 1) result.message += fmt::format(" in call {}", evidence.call);
  if (!output.compared_with.empty()) {
    result.message +=
        fmt::format(", compared with {}, the nearest of the right answers", output.compared_with);
  }
  if (!evidence.changed_input.empty()) {
    result.message += fmt::format(", and your code changed its input {}", evidence.changed_input);
  }
  result.mismatches = comparison.first;
  result.wrong = comparison.wrong;
  result.total = comparison.total;
  result.guess = output.cause.sentence;
  result.question = output.cause.advice;
  result.cause_is_known = output.cause.basis == LikelyCause::Basis::known_mistake;
  if (result.guess.empty() && evidence.watched && evidence.mode.streams_alternate) {
    result.guess =
        "in this call streams do their work alternately, and in the one before, which was right, each does "
        "its "
        "own at once";
    result.question =
        "do two streams use the same device memory, or is something kept from one call to the next?";
  } else if (result.guess.empty() && evidence.call > 1) {
    result.guessed_from_calls = true;
    result.guess =
        "the call before it, with other values, was right: is something kept from one call to the next, such "
        "as a __device__ variable or a workspace that is taken to be zero?";
  }
}

/// A call of the runtime that was refused, as "cudaMemcpy returned …" says, and what the program then gave up
/// at. Its line is known where the source has one such call.
void report_refused_call(const Finding& refused, const SourceText& source, result::CaseResult& result) {
  result.message += "; before that " + sentence_of(refused);
  result.guess.clear();
  const std::vector<Statement> calls = calls_of(source, refused.name + '(');
  if (calls.size() != 1) return;
  const std::uint32_t line = calls.front().line;
  result.places = {source.place({source.file_name(), line})};
  result.question = "give this call what it needs.";
  if (!has_word(source.code(line), "CHECK_CUDA"))
    result.question += " Put `CHECK_CUDA(…)` round it: a check further down names another call.";
}

/// An exception that the submission may have thrown itself, as its source has a `throw`. Its line is known
/// where it has one.
void report_exception(const SourceText& source, result::CaseResult& result) {
  std::vector<result::Place> places;
  for (std::uint32_t line = 1; line <= source.line_count(); ++line) {
    if (has_word(source.code(line), "throw")) places.push_back(source.place({source.file_name(), line}));
  }
  if (places.empty()) return;
  result.question = "no exception may leave your function: where there is nothing to do, return.";
  if (places.size() == 1) result.places = std::move(places);
}

void report_left(const Evidence& evidence, const SourceText& source, result::CaseResult& result) {
  if (evidence.of_host_program) return report_missing_wait(result);
  report_left_work(evidence.left_kernels, source, result);
}

/// An old value was read, and nothing else says why the output is wrong: at most what the errors look like,
/// which follows from it.
void report_stale_read(const Finding& finding, const SourceText& source, result::CaseResult& result) {
  result.places = places_of(finding, source);
  result.question = question_of(finding, source);
  result.guess = cause_of_stale_read(finding);
}

}  // namespace

ProgramFault fault_of(const runner::Outcome& outcome, std::chrono::milliseconds time_limit) {
  const std::string message = text::shortened(outcome.message);  // it may be the submission's
  switch (outcome.kind) {
    case OutcomeKind::time_limit:
      return {Verdict::time_limit, fmt::format("no answer within {}", seconds_text(time_limit)), ""};
    case OutcomeKind::ended:
      // Ended by the judge, which knows better than the signal that it sent.
      if (!outcome.message.empty()) return {Verdict::crashed, outcome.message, ""};
      return fault_of_end(outcome.end);
    case OutcomeKind::threw:
      return {Verdict::crashed, fmt::format("an exception left your function: {}", message), ""};
    case OutcomeKind::device_error:
      return {Verdict::launch_failed, fmt::format("the CUDA runtime reports: {}", message), ""};
    case OutcomeKind::missing_function:
    case OutcomeKind::load_failed:
      return {Verdict::compile_error, message, ""};
    case OutcomeKind::done:
      break;
  }
  return {};
}

void conclude(const Evidence& evidence, const SourceText& source, result::CaseResult& result) {
  std::vector<Finding> explaining;
  std::copy_if(evidence.findings.begin(), evidence.findings.end(), std::back_inserter(explaining),
               [&](const Finding& finding) { return explains(finding, evidence); });
  if (const Finding* finding = gravest(explaining)) {
    report_finding(*finding, source, result);
    const Finding* const uninitialised = uninitialised_cause(*finding, evidence.findings);
    if (evidence.left_work && report::row_of(finding->kind).may_lack_work) {
      report_left(evidence, source, result);
    } else if (uninitialised != nullptr) {
      report_uninitialised_cause(*uninitialised, source, result);
    } else if (finding->kind == Finding::Kind::race && both_write(*finding) && evidence.wrong_output &&
               evidence.wrong_output->cause.basis == LikelyCause::Basis::known_mistake) {
      // Threads that write one element, and just what a known mistake leaves: its index is the mistake.
      const LikelyCause& cause = evidence.wrong_output->cause;
      name_cause(cause.sentence, cause.advice, result);
    } else if (result.verdict == Verdict::time_limit && !evidence.stale_reads.empty()) {
      result.guess = cause_of_stale_read(evidence.stale_reads.front());
    } else if (finding->kind == Finding::Kind::time_limit) {
      report_many_launches(evidence.kernels, finding, source, result);
    }
    if (evidence.outcome.kind == OutcomeKind::threw && !evidence.outcome.message.empty()) {
      result.message += "; your own check then reported: " + text::shortened(evidence.outcome.message);
    }
  } else if (evidence.use.late_requests > 0 && evidence.outcome.kind != OutcomeKind::ended) {
    // Refused requests are errors of the device to the program, so the next call may report them or throw.
    result.verdict = Verdict::race;
    result.message = "your function had returned, and its program went on using the device";
    result.guess =
        "does a thread of your own go on, or is work in another stream than the given one? The caller waits "
        "for what that stream holds when the function returns, and for nothing else";
  } else if (evidence.outcome.kind != OutcomeKind::done) {
    const ProgramFault fault = fault_of(evidence.outcome, evidence.time_limit);
    result.verdict = fault.verdict;
    result.message = fault.message;
    result.guess = fault.guess;
    result.question = fault.question;
    if (may_answer_device_error(evidence.outcome) && !evidence.refused_calls.empty()) {
      report_refused_call(evidence.refused_calls.back(), source, result);  // at which it gave up
    } else if (evidence.outcome.kind == OutcomeKind::threw) {
      report_exception(source, result);
    }
    if (evidence.outcome.kind == OutcomeKind::time_limit) {
      report_many_launches(evidence.kernels, nullptr, source, result);
    }
  } else if (evidence.workspace_fault) {
    result.verdict = Verdict::memory_limit;
    result.message = *evidence.workspace_fault;
    result.question = "how many elements must the workspace hold, and of how many bytes is each?";
  } else if (!evidence.became_idle) {
    result.verdict = Verdict::time_limit;
    result.message = "the device was still at work long after your function had returned";
  } else if (evidence.of_host_program && evidence.outcome.value != 0) {
    report_returned_error(evidence, source, result);
  } else if (evidence.wrong_output) {
    report_wrong_output(evidence, result);
    if (evidence.left_work) {
      report_left(evidence, source, result);
    } else if (!evidence.refused_calls.empty()) {
      name_cause("a call was refused, and your code went on: " + sentence_of(evidence.refused_calls.front()),
                 "", result);
    } else if (evidence.wrong_output->cause.basis == LikelyCause::Basis::likeness &&
               !evidence.stale_reads.empty()) {
      report_stale_read(evidence.stale_reads.front(), source, result);
    }
  } else if (!evidence.changed_input.empty()) {
    result.verdict = Verdict::wrong_answer;
    result.message =
        fmt::format("the output is right, but your code changed its input {}", evidence.changed_input);
    result.guess = "a kernel writes to it: inputs may only be read";
  } else if (evidence.of_host_program) {
    conclude_host_program(evidence, result);
  }
}

bool ends_context(const Evidence& evidence) {
  return evidence.outcome.kind != OutcomeKind::done || !evidence.became_idle ||
         evidence.use.late_requests > 0 ||
         std::any_of(evidence.findings.begin(), evidence.findings.end(),
                     [](const Finding& finding) { return report::row_of(finding.kind).stops_kernel; });
}

}  // namespace lockstep::judge
