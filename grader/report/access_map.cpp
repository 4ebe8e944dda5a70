#include "report/access_map.h"

#include <map>

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

}  // namespace

std::array<std::vector<Word>, kBanks> words_by_bank(const emulator::AccessTrace& trace) {
  std::array<std::vector<Word>, kBanks> banks;
  for (auto& [address, lanes] : touched_words(trace)) {
    banks[address / kWordBytes % kBanks].push_back({address, std::move(lanes)});
  }
  return banks;
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
