// The arguments of a prepared call by name and as numbers, for the tests of the exercises.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "course/catalogue.h"
#include "lockstep/random.h"

namespace lockstep::test {

inline const course::Problem& problem(const std::string& name) {
  const course::Exercise* const exercise = course::find_exercise(name);
  if (!exercise) throw std::runtime_error("no exercise is named " + name);
  return exercise->problem;
}

inline const course::Argument& argument(const course::Call& call, std::string_view name) {
  for (const course::Argument& one : call.arguments()) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("the call has no argument " + std::string(name));
}

/// Reads bytes as numbers of type T.
template <class T>
std::vector<T> numbers(const course::Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

inline int scalar(const course::Call& call, std::string_view name) {
  int value = 0;
  std::memcpy(&value, &argument(call, name).scalar_bits, sizeof value);
  return value;
}

/// The contents of an input.
template <class T>
std::vector<T> input(const course::Call& call, std::string_view name) {
  return numbers<T>(argument(call, name).input);
}

/// What the output `out` must hold.
template <class T>
std::vector<T> expected(const course::Call& call) {
  return numbers<T>(argument(call, "out").output.expected);
}

/// Calls `check` with a call of each case of a puzzle, of which there must be five.
inline void for_each_call(const std::string& exercise, const std::string& puzzle,
                          const std::function<void(const course::Call&)>& check) {
  std::size_t cases = 0;
  for (const course::Case& one : problem(exercise).cases) {
    if (one.puzzle != puzzle) continue;
    SCOPED_TRACE(one.name);
    SplitMix64 random(7);
    check(one.prepare(random));
    ++cases;
  }
  EXPECT_EQ(cases, 5U) << puzzle;
}

/// Fails unless every case of the exercise states as many elements as each of its outputs has words.
inline void expect_elements_are_words_of_output(const std::string& name) {
  for (const course::Case& one : problem(name).cases) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    for (const course::Argument& argument : call.arguments()) {
      if (argument.kind != course::Argument::Kind::output) continue;
      EXPECT_EQ(one.cost.elements * sizeof(std::uint32_t),
                static_cast<double>(argument.output.expected.size()))
          << one.name << ", " << argument.name;
    }
  }
}

}  // namespace lockstep::test
