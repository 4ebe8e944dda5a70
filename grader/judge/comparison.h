// Compares an output's snapshot with what was expected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "course/problem.h"
#include "result/result.h"

namespace lockstep::judge {

struct Comparison {
  std::uint64_t wrong = 0;
  std::uint64_t total = 0;
  std::vector<result::Mismatch> first;  ///< the first five wrong elements
};

/// `found` must hold as many bytes as `output.expected`.
Comparison compare(const course::Output& output, std::span<const std::byte> found);

/// Whether every element of `found` agrees with `expected`, under the output's type and tolerance.
bool all_agree(const course::Output& output, std::span<const std::byte> expected,
               std::span<const std::byte> found);

/// The same of what a known mistake leaves.
bool all_agree(const course::Output& output, const course::KnownMistake& mistake,
               std::span<const std::byte> found);

/// Where an element is, in the student's terms.
std::string position_of(const course::Output& output, std::size_t index);

}  // namespace lockstep::judge
