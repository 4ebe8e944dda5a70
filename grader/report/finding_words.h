// What the emulated device found, in words: one table of kinds and one of causes. The judge and `lockstep
// emulate` take their words from here, and nothing else makes a sentence of a finding.
#pragma once

#include <cstdint>
#include <string>

#include "emulator/core/finding.h"
#include "result/result.h"

namespace lockstep::report {

/// A kind of finding, and what follows from it.
struct KindOfFinding {
  emulator::Finding::Kind kind;
  const char* name;
  result::Verdict verdict;
  /// Lower is graver. What ends a kernel comes before what only spoils its result, and a cause before its
  /// effects: an address out of bounds may be why a barrier is missed, a missed barrier why there is a race.
  int rank;
  bool stops_kernel = true;    ///< and leaves the device's context unusable, as on hardware
  bool has_thread = true;      ///< one is at fault, rather than a launch or an image as a whole
  bool never_ends = false;     ///< a program that waits for the kernel waits forever
  bool may_lack_work = false;  ///< may be met because work that should come before was not done
  const char* other_place = "the earlier access";  ///< what is at Finding::other_line
  const char* question = "what happens there?";    ///< of causes that have none of their own
  const char* guess = "";                          ///< why it may be so; empty where that is not known
};

const KindOfFinding& row_of(emulator::Finding::Kind kind);

/// Who reads a sentence.
enum class Reader {
  developer,  ///< of a program that is emulated
  student,    ///< whose line is shown below, and whom a question leads to the barrier that lacks
};

/// One sentence with its numbers, such as "read of 4 bytes just past the end of 'in' (64 bytes)".
std::string sentence_of(const emulator::Finding& finding, Reader reader);

/// What to ask of such a finding, as far as that does not depend on the source.
const char* question_of(const emulator::Finding& finding);

/// Where the access begins, in bytes from the start of its object or window; negative before it.
std::int64_t offset_of(const emulator::Finding& finding);

/// A few lines for a person: kind, kernel and place; the sentence; then block, thread and how often. Ends
/// with a line break.
std::string text_of(const emulator::Finding& finding);

}  // namespace lockstep::report
