// The words behind the name of a case study: each option is asked for once, with its help, and finish() says
// what is left over.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "text.h"

namespace lockstep::study {

/// Arguments that a program does not take; what() is a sentence. Its exit status is 2.
class WrongUse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Options {
 public:
  Options(int count, char** words) : words_(words + std::min(count, 1), words + count) {
    wants_help_ = take("--help") || take("-h");
  }

  /// Whether an option without a value is there.
  bool flag(const std::string& name, const std::string& meaning) {
    explain(name, meaning);
    return take(name);
  }

  /// The value behind an option, such as FILE behind --names. Throws WrongUse where none follows.
  std::optional<std::string> text(const std::string& name, const std::string& value,
                                  const std::string& meaning) {
    explain(name + ' ' + value, meaning);
    return take_value(name, value);
  }

  /// The same of an option that may be repeated: all of its values, in the order in which they were typed.
  std::vector<std::string> texts(const std::string& name, const std::string& value,
                                 const std::string& meaning) {
    explain(name + ' ' + value, meaning);
    std::vector<std::string> values;
    while (const std::optional<std::string> next = take_value(name, value)) values.push_back(*next);
    return values;
  }

  /// The value of text() as a number from `least` to `most`.
  template <class T>
  std::optional<T> number(const std::string& name, const std::string& value, const std::string& meaning,
                          T least, T most) {
    const std::optional<std::string> given = text(name, value, meaning);
    if (!given) return std::nullopt;
    const std::optional<T> result = number_of<T>(*given);
    if (!(result >= least && result <= most))
      throw WrongUse(name + ": " + in_quotes(*given) + " is no number from " + written(least) + " to " +
                     written(most));
    return result;
  }

  /// What is no option, in the order in which it was typed; asked for last. Throws WrongUse where an option
  /// is left, one given twice or unknown, or more than `most` words.
  std::vector<std::string> finish(std::size_t most) const {
    for (const std::string& word : words_)
      if (word.size() > 1 && word.starts_with('-'))
        throw WrongUse("there is no option " + excerpt(word) + ", or it was given twice. --help shows all");
    if (words_.size() > most)
      throw WrongUse(in_quotes(words_[most]) + " is one word too many. --help shows what there is");
    return words_;
  }

  bool wants_help() const { return wants_help_; }
  /// A line for each option that was asked for.
  const std::string& help() const { return help_; }

 private:
  static constexpr std::size_t kWidth = 18;  ///< of names in the help

  bool take(const std::string& name) {
    const auto found = std::find(words_.begin(), words_.end(), name);
    if (found == words_.end()) return false;
    words_.erase(found);
    return true;
  }

  std::optional<std::string> take_value(const std::string& name, const std::string& value) {
    const auto found = std::find(words_.begin(), words_.end(), name);
    if (found == words_.end()) return std::nullopt;
    if (found + 1 == words_.end()) throw WrongUse(name + " needs a value behind it: " + name + ' ' + value);
    const std::string given = *(found + 1);
    words_.erase(found, found + 2);
    return given;
  }

  template <class T>
  static std::string written(T number) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, number).ptr};
  }

  void explain(std::string name, const std::string& meaning) {
    name.resize(std::max(name.size(), kWidth), ' ');
    help_ += "  " + name + "  " + meaning + '\n';
  }

  std::vector<std::string> words_;
  std::string help_;
  bool wants_help_ = false;
};

}  // namespace lockstep::study
