#include "report/access_map.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace lockstep::report {
namespace {

std::map<std::uint64_t, Touching> touched_words(const emulator::AccessTrace& trace) {
  std::map<std::uint64_t, Touching> words;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((trace.active >> lane & 1U) == 0) continue;
    const std::uint64_t first = trace.addresses[lane] / kWordBytes;
    const std::uint64_t last = (trace.addresses[lane] + trace.bytes - 1) / kWordBytes;
    for (std::uint64_t word = first; word <= last; ++word) words[word * kWordBytes].push_back(lane);
  }
  return words;
}

/// Each active lane as a word of its own.
std::array<std::vector<Word>, kBanks> lanes_by_bank(const emulator::AccessTrace& trace) {
  std::array<std::vector<Word>, kBanks> banks;
  for (const Word& word : lanes_by_address(trace)) {
    for (const unsigned lane : word.lanes)
      banks[word.address / kWordBytes % kBanks].push_back({word.address, {lane}});
  }
  return banks;
}

}  // namespace

std::array<std::vector<Word>, kBanks> words_by_bank(const emulator::AccessTrace& trace) {
  std::array<std::vector<Word>, kBanks> banks;
  for (auto& [address, lanes] : touched_words(trace)) {
    banks[address / kWordBytes % kBanks].push_back({address, std::move(lanes)});
  }
  return banks;
}

std::array<std::vector<Word>, kBanks> queues_of_banks(const emulator::AccessTrace& trace) {
  return serves_lanes_apart(trace) ? lanes_by_bank(trace) : words_by_bank(trace);
}

bool serves_lanes_apart(const emulator::AccessTrace& trace) {
  const auto longest = [](const auto& queues) {
    std::size_t length = 0;
    for (const auto& queue : queues) length = std::max(length, queue.size());
    return length;
  };
  const std::size_t lanes = longest(lanes_by_bank(trace));
  return trace.operation == "atomic" && trace.units == lanes && lanes > longest(words_by_bank(trace));
}

std::vector<Word> lanes_by_address(const emulator::AccessTrace& trace) {
  std::map<std::uint64_t, Touching> addresses;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if ((trace.active >> lane & 1U) != 0) addresses[trace.addresses[lane]].push_back(lane);
  }
  std::vector<Word> words;
  for (auto& [address, lanes] : addresses) words.push_back({address, std::move(lanes)});
  return words;
}

std::size_t most_lanes_at_one_address(const emulator::AccessTrace& trace) {
  std::size_t most = 0;
  for (const Word& word : lanes_by_address(trace)) most = std::max(most, word.lanes.size());
  return most;
}

std::vector<Sector> touched_sectors(const emulator::AccessTrace& trace) {
  std::vector<Sector> sectors;
  for (auto& [address, lanes] : touched_words(trace)) {
    const std::uint64_t begin = address / kSectorBytes * kSectorBytes;
    if (sectors.empty() || sectors.back().address != begin) sectors.push_back({begin, {}});
    sectors.back().words[(address - begin) / kWordBytes] = std::move(lanes);
  }
  return sectors;
}

}  // namespace lockstep::report
