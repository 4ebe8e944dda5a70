#include "course/similar_words.h"

#include <algorithm>
#include <numeric>

namespace lockstep::course {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // distances of the prefix of `a` so far to every prefix of `b`
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
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
