// What the device found, as a sentence for a student.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "emulator/core/observations.h"
#include "judge/source_text.h"
#include "result/result.h"

namespace lockstep::judge {

/// A kernel's name as it is written, without its parameters.
std::string kernel_name(const std::string& mangled);

/// As it stands before `<<<`, except for template arguments.
std::string launched_name(const std::string& mangled);

/// Whether a race is one of two writes.
bool both_write(const emulator::Finding& race);

/// Takes the findings of one kind out of the others.
std::vector<emulator::Finding> take_kind(emulator::Finding::Kind kind,
                                         std::vector<emulator::Finding>& findings);

/// The finding to report: the gravest, and of equals the first. Null when there are none.
const emulator::Finding* gravest(std::span<const emulator::Finding> findings);

/// One sentence: what was found, in which kernel, by which thread, how often.
std::string sentence_of(const emulator::Finding& finding);

/// Why a read that found an old value may be the cause of a wrong answer.
std::string cause_of_stale_read(const emulator::Finding& finding);

/// What to find out at the place of a finding: one or two questions that follow from what was found there.
std::string question_of(const emulator::Finding& finding, const SourceText& source);

/// Where it was found; of a race the earlier access, then the later one.
std::vector<result::Place> places_of(const emulator::Finding& finding, const SourceText& source);

/// Adds what follows where work of a call lay in another stream than the given one. `kernels`: that were
/// left, mangled; none where only copies or fills were.
void report_left_work(std::span<const std::string> kernels, const SourceText& source,
                      result::CaseResult& result);

/// Of a call that took too long, by what it had launched: a kernel that was launched over and over is
/// reported in place of where it was just then. `at_the_end`: what the device found when time was up, null
/// for nothing; where that is of another kernel, it stands.
void report_many_launches(std::span<const emulator::KernelWork> kernels, const emulator::Finding* at_the_end,
                          const SourceText& source, result::CaseResult& result);

}  // namespace lockstep::judge
