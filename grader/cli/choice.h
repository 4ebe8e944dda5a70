// Options whose value is one of a few words.
#pragma once

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <string>
#include <utility>
#include <vector>

#include "report/printable.h"

namespace lockstep::cli {

/// Turns one of `words` into its value of an enumeration, and says of any other what there is.
template <class Enumeration>
CLI::Validator one_of(std::vector<std::pair<std::string, Enumeration>> words) {
  const auto take = [words = std::move(words)](std::string& given) -> std::string {
    std::string known;
    for (const auto& [word, value] : words) {
      if (given == word) {
        given = std::to_string(static_cast<int>(value));
        return "";
      }
      known += (known.empty() ? "" : ", ") + word;
    }
    return fmt::format("{} is none of {}", report::printable(given), known);
  };
  return {take, ""};
}

}  // namespace lockstep::cli
