// Options whose value is one of a few words.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "report/printable.h"

namespace lockstep::cli {

/// How the name of a validator begins that takes some words alone, which follow. CLI11 shows no such name:
/// `completion` reads the words there.
inline constexpr const char* kOneOf = "one of ";

/// Takes one of `words` as it is, and says of any other what there is.
inline CLI::Validator word_of(const std::vector<std::string>& words) {
  const auto take = [words](std::string& given) -> std::string {
    if (std::ranges::find(words, given) != words.end()) return "";
    return fmt::format("{} is none of {}", report::printable(given), fmt::join(words, ", "));
  };
  return {take, "", kOneOf + fmt::format("{}", fmt::join(words, " "))};
}

/// The words that the option takes; none where it takes others.
inline std::vector<std::string> words_of(CLI::Option& option) {
  try {
    for (int i = 0;; ++i) {
      const std::string& name = option.get_validator(i)->get_name();
      if (!name.starts_with(kOneOf)) continue;
      std::istringstream words(name.substr(std::string(kOneOf).size()));
      return {std::istream_iterator<std::string>(words), {}};
    }
  } catch (const CLI::OptionNotFound&) {  // how CLI11 says that there is no further one
    return {};
  }
}

/// Turns one of `words` into its value of an enumeration, and says of any other what there is.
template <class Enumeration>
CLI::Validator one_of(std::vector<std::pair<std::string, Enumeration>> words) {
  std::vector<std::string> names;
  for (const auto& [word, value] : words) names.push_back(word);
  const CLI::Validator check = word_of(names);
  const auto take = [check, words = std::move(words)](std::string& given) -> std::string {
    std::string error = check(given);
    for (const auto& [word, value] : words) {
      if (given != word) continue;
      given = std::to_string(static_cast<int>(value));
      break;
    }
    return error;
  };
  return {take, "", check.get_name()};
}

}  // namespace lockstep::cli
