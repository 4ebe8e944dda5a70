#include "emulator/server/leak_check.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "emulator/server/session.h"

namespace lockstep::emulator {

namespace {

constexpr std::size_t kMostSizes = 20;    // that are told
constexpr std::size_t kMostNumbers = 10;  // of one size

/// "1, 2, 4 and 7 more of 30", of ascending numbers.
std::string list_of(const std::vector<std::uint64_t>& numbers, std::uint64_t count) {
  std::string text;
  const std::size_t shown = std::min(numbers.size(), kMostNumbers);
  for (std::size_t k = 0; k < shown; ++k) text += (k == 0 ? "" : ", ") + std::to_string(numbers[k]);
  if (numbers.size() > shown) text += " and " + std::to_string(numbers.size() - shown) + " more";
  return text + " of the program's " + std::to_string(count);
}

}  // namespace

void LeakCheck::report(ServedDevice& served, int device) {
  std::map<std::uint64_t, std::vector<std::uint64_t>> numbers_by_bytes;
  for (const auto& [address, allocation] : held_) {
    if (allocation.device == device) numbers_by_bytes[allocation.bytes].push_back(allocation.number);
  }
  std::erase_if(held_, [device](const auto& held) { return held.second.device == device; });
  std::size_t told = 0;
  // What wastes the most comes first.
  for (auto size = numbers_by_bytes.rbegin(); size != numbers_by_bytes.rend() && told < kMostSizes;
       ++size, ++told) {
    auto& [bytes, numbers] = *size;
    std::ranges::sort(numbers);
    const bool one = numbers.size() == 1;
    served.add_finding(Finding::Kind::leak, {},
                       std::to_string(numbers.size()) + (one ? " allocation of " : " allocations of ") +
                           std::to_string(bytes) + (one ? " bytes was" : " bytes were") +
                           " never freed: in order of allocation " + list_of(numbers, count_));
  }
}

}  // namespace lockstep::emulator
