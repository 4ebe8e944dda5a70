#include "course/similar_words.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace lockstep::course {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Distances of prefixes of `a`, the whole of it at last and the two before, to every prefix of `b`.
  std::vector<std::size_t> row(b.size() + 1), before, before_that;
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    before_that = std::move(before);
    before = row;
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = before[j] + (a[i] == b[j] ? 0 : 1);
      row[j + 1] = std::min({replaced, row[j] + 1, before[j + 1] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        row[j + 1] = std::min(row[j + 1], before_that[j - 1] + 1);
    }
  }
  return row.back();
}

std::vector<std::string> similar_words(std::string_view word, const std::vector<std::string>& words) {
  if (word.empty()) return {};
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& candidate : words) {
    const std::size_t distance = edit_distance(word, candidate);
    const bool near = distance <= std::max(word.size(), candidate.size()) / 3;
    const bool part = word.size() >= 3 && candidate.find(word) != std::string::npos;
    if (near || part) ranked.emplace_back(distance, candidate);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<std::string> result;
  for (std::size_t i = 0; i < ranked.size() && i < 3; ++i) result.push_back(ranked[i].second);
  return result;
}

}  // namespace lockstep::course
