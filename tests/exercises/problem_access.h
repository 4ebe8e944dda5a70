// The arguments of a prepared call by name and as numbers, for the tests of the exercises.
#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "course/catalogue.h"

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

}  // namespace lockstep::test
