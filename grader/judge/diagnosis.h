// Guesses at the cause of a wrong output from the pattern of its errors.
//
// A guess is one sentence in the student's terms, and is made only when its pattern explains nearly all of
// the wrong elements: a wrong guess costs a student more time than none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "course/problem.h"
#include "emulator/core/observations.h"
#include "judge/source_text.h"

namespace lockstep::judge {

/// What the kernels of one call did, as far as it shows why an output was not written.
struct Activity {
  std::uint64_t launches = 0;
  std::uint64_t blocks = 0;  ///< of all launches
  std::string kernel;        ///< as it is written in the source; empty where there are none or several
  bool stored = false;       ///< something to global memory
  bool added = false;        ///< with an atomic operation on global memory
  bool copied = false;       ///< to the output in question, by a copy or a fill of the program
  std::optional<course::Launch> launch = {};  ///< nothing where there was none or several
  /// The first line of the submission that reads an array which every thread has for itself; 0 where none is.
  std::uint32_t private_line = 0;
};
Activity activity_of(const emulator::Observations& observations, const SourceText& source);

struct LikelyCause {
  /// What it follows from: what the errors look like, what the exercise remarks on them, or that a known
  /// mistake leaves exactly what was found.
  enum class Basis : std::uint8_t { likeness, remark, known_mistake };
  std::string sentence;  ///< empty where there is none
  std::string advice;    ///< what to do about it, a sentence; empty where the sentence says it all
  Basis basis = Basis::likeness;
};

/// The likely cause of what is wrong in `found`, the snapshot of the output named `name`; empty when no
/// pattern fits or nothing is wrong. `activity` is nothing where the device does not count.
LikelyCause likely_cause(const std::string& name, const course::Output& output,
                         std::span<const std::byte> found,
                         const std::optional<Activity>& activity = std::nullopt);

/// Of an output in host memory, which copies write and no kernel.
LikelyCause likely_cause_on_host(const std::string& name, const course::Output& output,
                                 std::span<const std::byte> found, const std::optional<Activity>& activity);

}  // namespace lockstep::judge
