// Counts sectors and wavefronts; what they are is said in ../traffic.h.
#include "emulator/program/traffic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "emulator/core/sectors.h"
#include "emulator/handlers/lanes.h"
#include "emulator/handlers/tables.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

constexpr unsigned kBanks = 32;

/// Numbers of the active lanes by class modulo `classes`, a power of two up to 32: how many are in the most
/// contended.
class Classes {
 public:
  explicit Classes(unsigned classes) : mask_(classes - 1) {}
  void add(std::uint32_t value) {
    // Values of one class come in a row when banks conflict: each waits for the count that another part
    // holds.
    ++counts_[next_++ % kParts][value & mask_];
  }
  unsigned most_contended() const {
    unsigned most = 0;
    for (unsigned k = 0; k < kBanks; ++k) {
      unsigned count = 0;
      for (unsigned part = 0; part < kParts; ++part) count += counts_[part][k];
      most = std::max(most, count);
    }
    return most;
  }
  unsigned added() const { return next_; }

 private:
  static constexpr unsigned kParts = 4;
  std::uint32_t mask_;
  unsigned next_ = 0;
  std::array<std::array<std::uint8_t, kBanks>, kParts> counts_{};
};

/// Different sectors of any access; slow.
unsigned distinct_sectors(const std::uint64_t* addresses, Mask active, unsigned width) {
  std::array<std::uint64_t, 2 * kLanes> sectors;
  auto end = sectors.begin();
  for (Mask left = active; left != 0; left &= left - 1) {
    const std::uint64_t address = addresses[first_lane(left)];
    *end++ = address / kSectorBytes;
    *end++ = (address + width - 1) / kSectorBytes;
  }
  std::sort(sectors.begin(), end);
  return static_cast<unsigned>(std::unique(sectors.begin(), end) - sectors.begin());
}

/// Wavefronts of the lanes that are served together.
Units group_wavefronts(const std::uint32_t* offsets, Mask active, unsigned width) {
  if (active == 0) return {};
  // Lanes that touch the same slot of 4, 8 or 16 bytes share it, and a slot's words fill neighbouring banks
  // alike.
  const unsigned bytes = std::max(width, 4U);
  const auto shift = static_cast<unsigned>(std::countr_zero(bytes));
  const unsigned classes = kBanks * 4 / bytes;
  alignas(64) std::array<std::uint32_t, kLanes> slots;
  for (unsigned lane = 0; lane < kLanes; ++lane) slots[lane] = offsets[lane] >> shift;
  std::uint32_t seen = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    seen |= (active >> lane & 1) << (slots[lane] & (classes - 1));
  }
  if (std::popcount(seen) == std::popcount(active)) return {1, 1};
  Classes counts(classes);
  for (Mask left = first_of_each(active, slots.data()); left != 0; left &= left - 1) {
    counts.add(slots[first_lane(left)]);
  }
  return {counts.most_contended(), (counts.added() + classes - 1) / classes};
}

/// Whether every active lane has the offset of the lane beside it, or every one that of the lane after next.
bool neighbours_share(const std::uint32_t* offsets, Mask active) {
  const auto share = [&](unsigned apart) {
    Mask different = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      different |= Mask{offsets[lane] != offsets[lane ^ apart]} << lane;
    const Mask partners = apart == 1 ? (active >> 1 & 0x5555'5555) | (active << 1 & 0xAAAA'AAAA)
                                     : (active >> 2 & 0x3333'3333) | (active << 2 & 0xCCCC'CCCC);
    return (different & active & partners) == 0;
  };
  return share(1) || share(2);
}

/// Size of the largest set of equal values among the active lanes. A small hash table in place: lanes are
/// chained by the low bits of their word.
template <class T>
unsigned largest_set(const T* values, Mask active) {
  constexpr unsigned kClasses = 64;
  std::array<std::uint8_t, kClasses> first{};  // of a class: lane + 1; 0 when empty
  std::array<std::uint8_t, kLanes> next{}, count{};
  unsigned most = 0;
  for (; active != 0; active &= active - 1) {
    const unsigned lane = first_lane(active);
    std::uint8_t& head = first[values[lane] / 4 % kClasses];
    unsigned link = head;
    while (link != 0 && values[link - 1] != values[lane]) link = next[link - 1];
    if (link == 0) {
      link = lane + 1;
      next[lane] = std::exchange(head, static_cast<std::uint8_t>(link));
    }
    most = std::max<unsigned>(most, ++count[link - 1]);
  }
  return most;
}

}  // namespace

unsigned most_at_one_address(const std::uint64_t* addresses, Mask active) {
  return largest_set(addresses, active);
}
unsigned most_at_one_address(const std::uint32_t* offsets, Mask active) {
  return largest_set(offsets, active);
}

Units global_sectors(const std::uint64_t* addresses, Mask active, unsigned width) {
  if (active == 0) return {};
  alignas(64) std::array<std::uint32_t, kLanes> low;
  const std::uint64_t some = addresses[first_lane(active)] / kSectorBytes;
  std::uint64_t far =
      0;  // an address that straddles two sectors, or one whose sector needs more than 32 bits
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::uint64_t sector = addresses[lane] / kSectorBytes;
    const std::uint64_t last = (addresses[lane] + width - 1) / kSectorBytes;
    low[lane] = static_cast<std::uint32_t>(sector);
    far |= (active >> lane & 1) != 0 ? (sector ^ last) | (sector ^ some) >> 32 : 0;
  }
  const unsigned n = far == 0 ? static_cast<unsigned>(std::popcount(first_of_each(active, low.data())))
                              : distinct_sectors(addresses, active, width);
  const auto lanes = static_cast<unsigned>(std::popcount(active));
  return {n, std::min(n, (lanes * width + kSectorBytes - 1) / kSectorBytes)};
}

Units shared_wavefronts(const std::uint32_t* offsets, Mask active, unsigned width) {
  if (active != 0 && is_uniform(active, offsets)) {
    const bool two_halves = width == 16 && (active & 0x0000'FFFF) != 0 && (active & 0xFFFF'0000) != 0;
    return two_halves ? Units{2, 2} : Units{1, 1};
  }
  // What the banks give in one pass, 128 bytes, serves 32, 16 or 8 lanes; twice as many where neighbours
  // share.
  unsigned together = std::min(kLanes, kBanks * 4 / width);
  if (together < kLanes && neighbours_share(offsets, active)) together *= 2;
  Units sum;
  for (unsigned first = 0; first < kLanes; first += together) {
    const Mask lanes = together == kLanes ? ~Mask{0} : ((Mask{1} << together) - 1) << first;
    const Units units = group_wavefronts(offsets, active & lanes, width);
    sum = {sum.units + units.units, sum.ideal + units.ideal};
  }
  return sum;
}

Units shared_atomic_wavefronts(const std::uint32_t* offsets, Mask active, unsigned width) {
  if (active == 0) return {};
  if (is_uniform(active, offsets)) return {1, 1};
  const unsigned bytes = std::max(width, 4U);  // an atomic on half of a word has its bank to itself
  const auto shift = static_cast<unsigned>(std::countr_zero(bytes));
  Classes counts(kBanks * 4 / bytes);
  for (Mask left = active; left != 0; left &= left - 1) counts.add(offsets[first_lane(left)] >> shift);
  const auto lanes = static_cast<unsigned>(std::popcount(active));
  return {counts.most_contended(), (lanes * (bytes / 4) + kBanks - 1) / kBanks};
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
