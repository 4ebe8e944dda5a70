#include "emulator/server/leak_check.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "emulator/server/session.h"

namespace lockstep::emulator::server {

namespace {

constexpr std::size_t kMaxSizes = 20;    // that are told
constexpr std::size_t kMaxNumbers = 10;  // of one size

}  // namespace

void LeakCheck::report(ServedDevice& served, int device) {
  std::map<std::uint64_t, std::vector<std::uint64_t>> numbers_by_bytes;
  for (const auto& [address, allocation] : held_) {
    if (allocation.device == device) numbers_by_bytes[allocation.bytes].push_back(allocation.number);
  }
  std::erase_if(held_, [device](const auto& held) { return held.second.device == device; });
  std::size_t told = 0;
  // What wastes the most comes first.
  for (auto size = numbers_by_bytes.rbegin(); size != numbers_by_bytes.rend() && told < kMaxSizes;
       ++size, ++told) {
    auto& [bytes, numbers] = *size;
    std::ranges::sort(numbers);
    Finding finding = Finding::make(Finding::Cause::never_freed);
    finding.numbers = {signed_of(numbers.size()), signed_of(bytes), signed_of(count_)};
    const std::size_t shown = std::min(numbers.size(), kMaxNumbers);
    finding.numbers.insert(finding.numbers.end(), numbers.begin(),
                           numbers.begin() + static_cast<std::ptrdiff_t>(shown));
    served.add_finding(std::move(finding));
  }
}

}  // namespace lockstep::emulator::server
