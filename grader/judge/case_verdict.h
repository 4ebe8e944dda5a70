// From what was seen of one call to its verdict: which of several faults to report, and in which sentence.
//
// The order is that of cause and effect: a program that ended, then the device's findings from gravest to
// mildest, then a wrong output, then a changed input. What the submission says of itself decides nothing.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"
#include "emulator/core/observations.h"
#include "judge/comparison.h"
#include "judge/diagnosis.h"
#include "judge/source_text.h"
#include "result/result.h"
#include "runner/runner_process.h"

namespace lockstep::judge {

struct WrongOutput {
  std::string name;
  Comparison comparison;
  LikelyCause cause;
  std::string compared_with;  ///< of several right answers the nearest one's name; empty where there is one
};

/// What was seen of one call.
struct Evidence {
  runner::Outcome outcome;
  std::vector<emulator::Finding> findings;
  /// Of kind bad_call, in their order. They decide nothing: a program may ask for what it does not get. They
  /// say why one failed.
  std::vector<emulator::Finding> refused_calls;
  /// Of kind stale_read. They decide nothing either: many programs do well with old values. Beside a wrong
  /// output they are why it is wrong.
  std::vector<emulator::Finding> stale_reads;
  bool became_idle = true;                    ///< the device, soon after the function returned
  bool left_work = false;                     ///< for which the stream that was given did not wait
  std::vector<std::string> left_kernels;      ///< of that work, mangled
  std::vector<emulator::KernelWork> kernels;  ///< that the call launched
  device::RunnerUse use;                      ///< of the device, besides launches
  bool of_host_program = false;
  bool watched = false;       ///< and by a device that hears of what the program makes and releases
  bool wants_output = false;  ///< the call has an output that is not empty
  /// Of a host program. That the call which was to fail was made is known where `use` names it.
  runner::HostProgramCall mode;
  std::optional<std::string> workspace_fault;  ///< a size function asked for more than its limit
  std::optional<WrongOutput> wrong_output;
  std::string answer;                       ///< course::Answer::name of a right output
  std::string remark;                       ///< its course::Answer::remark
  std::string changed_input;                ///< name of the first input that differs from its original
  int call = 1;                             ///< counted from 1
  std::chrono::milliseconds time_limit{0};  ///< that held for the call
};

/// Fills verdict, message, mismatches, guess and places of `result`; leaves it passed when nothing is wrong.
void conclude(const Evidence& evidence, const SourceText& source, result::CaseResult& result);

/// Whether the program and the device's context cannot be used for another call.
bool ends_context(const Evidence& evidence);

/// Of a program that leaves no memory of a GPU to the judge.
inline constexpr const char* kNoMemoryLeft =
    "your program holds so much of the GPU's memory that none is left for the inputs";

/// Verdict and sentence of a program that did not answer as it should: it ended, threw, or took too long.
struct ProgramFault {
  result::Verdict verdict = result::Verdict::crashed;
  std::string message;
  std::string guess;
  std::string question{};  ///< as CaseResult::question
};
ProgramFault fault_of(const runner::Outcome& outcome, std::chrono::milliseconds time_limit);

}  // namespace lockstep::judge
