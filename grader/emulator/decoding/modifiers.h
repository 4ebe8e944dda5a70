// An instruction's modifiers, and how decoding says that it knows no such instruction.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/ptx/module.h"

namespace lockstep::emulator::decoding {

/// An instruction's modifiers, taken one by one; what is left over is not supported.
class Modifiers {
 public:
  explicit Modifiers(const ptx::Instruction& instruction) : words_(instruction.modifiers) {}

  /// Removes `word` if it is there.
  bool take(std::string_view word) {
    const auto found = std::find(words_.begin(), words_.end(), word);
    if (found == words_.end()) return false;
    words_.erase(found);
    return true;
  }
  /// Removes and returns the first of `words` that is there.
  template <class T>
  std::optional<T> take_one(std::initializer_list<std::pair<std::string_view, T>> words) {
    for (const auto& [word, value] : words) {
      if (take(word)) return value;
    }
    return std::nullopt;
  }
  /// Removes and returns the first word, in the instruction's order, that is one of `words`.
  template <class T>
  std::optional<T> take_first(std::initializer_list<std::pair<std::string_view, T>> words) {
    for (auto word = words_.begin(); word != words_.end(); ++word) {
      for (const auto& [text, value] : words) {
        if (*word != text) continue;
        words_.erase(word);
        return value;
      }
    }
    return std::nullopt;
  }
  /// Removes and returns the first word that names a type.
  std::optional<ptx::Type> take_type() {
    for (auto word = words_.begin(); word != words_.end(); ++word) {
      if (const std::optional<ptx::Type> type = ptx::type_from(*word)) {
        words_.erase(word);
        return type;
      }
    }
    return std::nullopt;
  }
  bool empty() const { return words_.empty(); }

 private:
  std::vector<std::string> words_;
};

/// Thrown within decoding/; neither carries a place: guarded_decode adds it.
struct NotSupported {};
struct Contradiction {
  std::string message;
};

}  // namespace lockstep::emulator::decoding
