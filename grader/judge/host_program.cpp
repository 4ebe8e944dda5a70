#include "judge/host_program.h"

#include <fmt/format.h>

#include <tuple>
#include <vector>

#include "emulator/cudart/library/runtime_names.h"
#include "judge/findings.h"
#include "judge/source_search.h"
#include "text/wording.h"

namespace lockstep::judge {
namespace {

using result::Verdict;

std::string name_of_error(std::uint64_t code) {
  const auto* text = emulator::cudart::library::error_text(static_cast<int>(code));
  return text != nullptr ? text->name : fmt::format("{}, which is no cudaError_t", code);
}

/// What was made since the call began and is still there, such as "2 streams"; empty where nothing is.
std::string left_behind(const device::HostProgramState& state) {
  std::vector<std::string> parts;
  const auto add = [&parts](std::uint64_t before, std::uint64_t after, const char* one) {
    if (after > before) parts.push_back(text::counted(after - before, one));
  };
  const auto& [before, after] = std::tie(state.before, state.after);
  add(before.allocations, after.allocations, "allocation");
  if (!parts.empty() && after.allocated_bytes > before.allocated_bytes) {
    parts.back() +=
        fmt::format(" of {}", text::counted(after.allocated_bytes - before.allocated_bytes, "byte"));
  }
  add(before.streams, after.streams, "stream");
  add(before.events, after.events, "event");
  add(before.registrations, after.registrations, "registration");
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Where `name` is called, if that is in one place: a launch by its own syntax.
void add_place_of_call(const std::string& name, const SourceText& source, result::CaseResult& result) {
  const std::vector<Statement> calls =
      name == "cudaLaunchKernel" ? launches_of(source) : calls_of(source, name + '(');
  if (calls.size() == 1) result.places = {source.place({source.file_name(), calls.front().line})};
}

/// "call 2 of the CUDA runtime, cudaMalloc, was made to fail".
std::string failed_call_words(const Evidence& evidence) {
  const std::string name = name_of_failed_call(evidence);
  return fmt::format("call {} of the CUDA runtime{} was made to fail", evidence.mode.failing_call,
                     name.empty() ? "" : ", " + name + ",");
}

/// Whether the runtime has told the device once when the function began and once when it ended.
bool is_heard_of(const Evidence& evidence) {
  return evidence.use.host_program.begins == 1 && evidence.use.host_program.ends == 1;
}

void report_silence(result::CaseResult& result) {
  result.verdict = Verdict::crashed;
  result.message = "the emulated runtime did not report one beginning and one end of your function";
  result.question =
      "your function may call the CUDA runtime by the names that CUDA documents, and no others.";
}

}  // namespace

std::string name_of_failed_call(const Evidence& evidence) {
  return evidence.use.host_program.failed_call.data();
}

void report_missing_wait(result::CaseResult& result) {
  result.guess =
      "copies or kernels were still in flight when your function returned: what they had not yet written is "
      "missing";
  result.cause_is_known = true;
  result.question =
      "wait for every stream before you return, such as with cudaStreamSynchronize(stream) or "
      "cudaDeviceSynchronize().";
}

void report_returned_error(const Evidence& evidence, const SourceText& source, result::CaseResult& result) {
  result.verdict = Verdict::launch_failed;
  result.message = fmt::format("your function returned {}", name_of_error(evidence.outcome.value));
  result.question = "which call returns that error in this case, and what is it given?";
  if (evidence.refused_calls.empty()) return;
  const emulator::Finding& refused = evidence.refused_calls.front();
  result.message += "; before that " + sentence_of(refused);
  add_place_of_call(refused.name, source, result);
}

void report_too_many_calls(result::CaseResult& result) {
  result.verdict = Verdict::unchecked_error;
  result.message = fmt::format(
      "your function makes more than {} calls of the CUDA runtime in this case, and only "
      "so many were made to fail",
      kMaxFailingCalls);
  result.question = "enqueue larger parts: each needs a few calls, however long it is.";
}

void conclude_host_program(const Evidence& evidence, result::CaseResult& result) {
  if (evidence.left_work) {
    result.verdict = Verdict::bad_sync;
    result.message = "the output was right, but your function had not waited for all of its work";
    report_missing_wait(result);
    return;
  }
  if (evidence.watched && !is_heard_of(evidence)) return report_silence(result);
  if (evidence.watched && evidence.wants_output && evidence.kernels.empty()) {
    result.verdict = Verdict::wrong_answer;
    result.message = "the output was right, but your function launched no kernel";
    result.question = "launch the given kernel: what it computes is not for the host to compute.";
    return;
  }
  const std::string left = left_behind(evidence.use.host_program);
  if (left.empty()) return;
  result.verdict = Verdict::leak;
  result.message = fmt::format("when your function had returned, it had not released {}", left);
  result.question =
      "what does your function make, and where does it release each of them? It keeps nothing for its next "
      "call.";
}

void conclude_failing_call(const Evidence& evidence, const SourceText& source, result::CaseResult& result) {
  const std::string name = name_of_failed_call(evidence);
  if (evidence.outcome.kind != runner::Outcome::Kind::done) {
    conclude(evidence, source, result);
    result.message = failed_call_words(evidence) + ", and then: " + result.message;
    return;
  }
  if (evidence.use.host_program.begins > 1) return report_silence(result);
  if (evidence.use.host_program.ends == 0) {
    result.verdict = Verdict::unchecked_error;
    result.message = failed_call_words(evidence) + ", and your function went on until a kernel failed";
    result.question = "look at what each call returns before the next one needs what it made.";
    return;
  }
  if (!is_heard_of(evidence)) return report_silence(result);
  // As many calls as there are have failed before: this one has to be right.
  if (name.empty()) return conclude(evidence, source, result);
  if (evidence.outcome.value == 0) {
    result.verdict = Verdict::unchecked_error;
    result.message = failed_call_words(evidence) + ", and your function returned cudaSuccess";
    result.question =
        name.starts_with("cudaLaunch")
            ? "a launch returns nothing: ask cudaGetLastError() right behind it, release what you "
              "hold, and return the error."
            : "look at what it returns, release what you hold, and return the error.";
    add_place_of_call(name, source, result);
    return;
  }
  const std::string left = left_behind(evidence.use.host_program);
  if (left.empty() && !evidence.left_work) return;
  result.verdict = left.empty() ? Verdict::bad_sync : Verdict::leak;
  result.message = failed_call_words(evidence) + ", and your function returned " +
                   (left.empty() ? "with work in flight" : "without releasing " + left);
  result.question =
      "leave your function by one way: release what has been made so far, wait for what is in flight, and "
      "then "
      "return the error.";
  add_place_of_call(name, source, result);
}

}  // namespace lockstep::judge
