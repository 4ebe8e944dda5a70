// The bytes of an output as the numbers that they stand for.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace lockstep::course {

/// As many numbers of type T as fit in the bytes.
template <class T>
std::vector<T> numbers_of(std::span<const std::byte> bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

}  // namespace lockstep::course
