// Known mistakes, solutions/NN-topic/wrong: a whole file, or the difference from a solution
// (tests/course/mistake).
#pragma once

#include <filesystem>

namespace lockstep::test {

/// A submission as it can be handed in: the path itself, or of a .patch file what it makes of its solution,
/// in `folder`. Throws what tests/course/mistake says where it no longer applies.
std::filesystem::path source_of(const std::filesystem::path& submission, const std::filesystem::path& folder);

}  // namespace lockstep::test
