// Packing and unpacking of payloads: plain structs, then bytes.
//
// The reader's bytes may come from a hostile program: everything that is not there raises MalformedMessage.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace lockstep::emulator::server {

class MalformedMessage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

using Bytes = std::vector<std::byte>;

template <class T>
requires std::is_trivially_copyable_v<T> std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

inline std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

inline void append(Bytes& to, std::span<const std::byte> bytes) {
  const std::size_t before = to.size();
  to.resize(before + bytes.size());
  std::copy(bytes.begin(), bytes.end(), to.begin() + static_cast<std::ptrdiff_t>(before));
}

class MessageReader {
 public:
  explicit MessageReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <class T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }

  std::span<const std::byte> take(std::size_t bytes) {
    if (rest_.size() < bytes) throw MalformedMessage("a message is shorter than its kind needs");
    const auto taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }

  /// The rest as a name of at most `limit` bytes.
  std::string take_name(std::size_t limit) {
    if (rest_.size() > limit) throw MalformedMessage("a name is longer than the protocol allows");
    std::string name(reinterpret_cast<const char*>(rest_.data()), rest_.size());
    rest_ = {};
    return name;
  }

  std::span<const std::byte> take_rest() {
    const auto rest = rest_;
    rest_ = {};
    return rest;
  }

  /// Call last: bytes that no one asked for are an error too.
  void finish() const {
    if (!rest_.empty()) throw MalformedMessage("a message is longer than its kind needs");
  }

 private:
  std::span<const std::byte> rest_;
};

}  // namespace lockstep::emulator::server
