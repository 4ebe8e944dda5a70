#include "emulator/execution/mbarrier.h"

#include <algorithm>
#include <cstring>

#include "emulator/checks/synchronisation.h"
#include "emulator/checks/violations.h"
#include "emulator/execution/async_copies.h"
#include "emulator/execution/cluster.h"

namespace lockstep::emulator::execution {
namespace {

constexpr unsigned kWordBytes = 8;
/// Of arrivals and of bytes: what the PTX ISA promises, and the fields of the word hold.
constexpr std::uint32_t kMax = (1U << 20) - 1;
constexpr unsigned kExpectedShift = 20, kBytesShift = 40, kPhaseShift = 63;
constexpr std::int32_t kBytesBias = 1 << 20;

void refuse(Warp& warp, const Instruction& i, unsigned lane, Finding::Cause cause,
            std::vector<std::int64_t> numbers = {}) {
  checks::fault(warp, LaunchResult::Status::illegal_instruction,
                make_finding(warp, i.id, lane, cause, std::move(numbers)));
}

/// The race check of one lane's operation on the object's words. Init is a plain write; the others are
/// ordered among themselves, and only have to come after it.
void touch(Warp& warp, const Instruction& i, unsigned lane, std::uint32_t offset, std::uint64_t word,
           AccessKind kind) {
  ThreadBlock& block = *warp.block;
  if (!block.grid->checks) return;
  state::SharedShadow& shadow = block.shadow;
  const std::uint32_t granule = block.grid->kernel->shared_granule;
  const std::uint32_t thread = warp.index * kLanes + lane;
  const auto bytes = [&](unsigned, std::byte* to) { std::memcpy(to, &word, sizeof word); };
  const checks::ValueOf value = bytes;
  for (std::uint32_t k = offset / granule; k < (offset + kWordBytes) / granule; ++k) {
    const bool written =
        shadow.write_time[k] > warp.ordered && (shadow.writer[k] & ~state::kAtomicWriter) != thread;
    const bool read = shadow.read_time[k] > warp.ordered && (shadow.read_warps[k] & ~(1U << warp.index)) != 0;
    if (written || read) checks::examine_shared_conflict(warp, i, lane, k, offset, kWordBytes, kind, &value);
    if (kind != AccessKind::store) continue;
    shadow.write_time[k] = block.now;
    shadow.writer[k] = thread;
    shadow.write_place[k] = i.id;
  }
}

/// A lane's mbarrier.
struct Found {
  ThreadBlock* block = nullptr;
  std::uint32_t offset = 0;
  MbarrierClock* mbarrier = nullptr;
};

Found find(Warp& warp, const Instruction& i, unsigned lane) {
  const std::uint64_t address = lane_address(warp, i, lane);
  const ClusterPlace place = find_in_cluster(warp, i, lane, address, kWordBytes, AccessKind::atomic);
  if (place.block == nullptr) return {};
  MbarrierClock* mbarrier = find_mbarrier(*place.block, place.offset);
  if (mbarrier == nullptr) {
    refuse(warp, i, lane, Finding::Cause::mbarrier_missing, {place.offset});
    return {};
  }
  if (place.block == warp.block) {
    touch(warp, i, lane, place.offset, mbarrier->word, AccessKind::atomic);
  }
  return {place.block, place.offset, mbarrier};
}

void store_word(ThreadBlock& block, std::uint32_t offset, MbarrierClock& mbarrier, const MbarrierWord& word) {
  mbarrier.word = word.encode();
  ++block.warps.front().worker->changes;
  std::memcpy(block.shared.data() + offset, &mbarrier.word, kWordBytes);
}

/// What the mbarrier of one lane still waits for, changed by what the lane announces; false and a finding
/// when a count leaves its range.
bool change(Warp& warp, const Instruction& i, unsigned lane, const Found& found, std::uint32_t arrivals,
            std::int64_t bytes) {
  const MbarrierWord word = MbarrierWord::decode(found.mbarrier->word);
  if (arrivals > word.pending) {
    refuse(warp, i, lane, Finding::Cause::mbarrier_arrivals, {arrivals, word.pending});
    return false;
  }
  const std::int64_t left = word.bytes + bytes;
  if (left > kMax || left < -static_cast<std::int64_t>(kMax)) {
    refuse(warp, i, lane, Finding::Cause::mbarrier_bytes, {left, kMax});
    return false;
  }
  count_down(*found.block, found.offset, *found.mbarrier, arrivals, static_cast<std::int32_t>(-bytes));
  return true;
}

}  // namespace

std::uint64_t MbarrierWord::encode() const {
  return std::uint64_t{phase} << kPhaseShift | static_cast<std::uint64_t>(bytes + kBytesBias) << kBytesShift |
         std::uint64_t{expected} << kExpectedShift | pending;
}

MbarrierWord MbarrierWord::decode(std::uint64_t word) {
  MbarrierWord fields;
  fields.phase = static_cast<std::uint32_t>(word >> kPhaseShift);
  fields.bytes = static_cast<std::int32_t>(word >> kBytesShift & (2 * kMax + 1)) - kBytesBias;
  fields.expected = static_cast<std::uint32_t>(word >> kExpectedShift & kMax);
  fields.pending = static_cast<std::uint32_t>(word & kMax);
  return fields;
}

MbarrierClock* find_mbarrier(ThreadBlock& block, std::uint32_t offset) {
  const auto found = block.mbarriers.find(offset);
  if (found == block.mbarriers.end()) return nullptr;
  return std::memcmp(block.shared.data() + offset, &found->second.word, kWordBytes) == 0 ? &found->second
                                                                                         : nullptr;
}

void count_down(ThreadBlock& block, std::uint32_t offset, MbarrierClock& mbarrier, std::uint32_t arrivals,
                std::int32_t bytes) {
  MbarrierWord word = MbarrierWord::decode(mbarrier.word);
  word.pending -= arrivals;
  word.bytes = std::clamp(word.bytes - bytes, -kBytesBias, kBytesBias - 1);
  if (word.pending == 0 && word.bytes == 0) {
    word.phase ^= 1;
    word.pending = word.expected;
    mbarrier.completed = mbarrier.arriving;
  }
  store_word(block, offset, mbarrier, word);
}

bool add_pending(ThreadBlock& block, std::uint32_t offset, MbarrierClock& mbarrier) {
  MbarrierWord word = MbarrierWord::decode(mbarrier.word);
  if (word.pending == kMax) return false;
  ++word.pending;
  store_word(block, offset, mbarrier, word);
  return true;
}

void init_mbarrier(Warp& warp, const Instruction& i, Mask active) {
  for (Mask left = active; left != 0 && !warp.stop; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const std::uint64_t address = lane_address(warp, i, lane);
    const ClusterPlace place = find_in_cluster(warp, i, lane, address, kWordBytes, AccessKind::store);
    if (place.block == nullptr) return;
    const std::uint32_t count = row<std::uint32_t>(warp, i.b)[lane];
    if (place.block != warp.block)
      return refuse(warp, i, lane, Finding::Cause::mbarrier_initialised_elsewhere);
    if (place.offset % kWordBytes != 0) return refuse(warp, i, lane, Finding::Cause::mbarrier_misaligned);
    if (count == 0 || count > kMax) {
      return refuse(warp, i, lane, Finding::Cause::mbarrier_count, {count, kMax});
    }
    const MbarrierWord word{.phase = 0, .expected = count, .pending = count, .bytes = 0};
    touch(warp, i, lane, place.offset, word.encode(), AccessKind::store);
    MbarrierClock& mbarrier = warp.block->mbarriers[place.offset];
    mbarrier = {};
    store_word(*warp.block, place.offset, mbarrier, word);
  }
}

void invalidate_mbarrier(Warp& warp, const Instruction& i, Mask active) {
  for (Mask left = active; left != 0 && !warp.stop; left &= left - 1) {
    const Found found = find(warp, i, first_lane(left));
    if (found.mbarrier != nullptr) found.block->mbarriers.erase(found.offset);
  }
}

void arrive_at_mbarrier(Warp& warp, const Instruction& i, Mask active) {
  const bool releases = (i.detail & mbarrier::kRelaxed) == 0;
  if ((i.detail & mbarrier::kClusterScope) != 0) {
    if (releases) checks::release(warp);
    checks::signal(warp);
  }
  for (Mask left = active; left != 0 && !warp.stop; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const Found found = find(warp, i, lane);
    if (found.mbarrier == nullptr) return;
    const MbarrierWord before = MbarrierWord::decode(found.mbarrier->word);
    const std::uint32_t arrivals = i.b == kNoSlot ? 1 : row<std::uint32_t>(warp, i.b)[lane];
    const std::uint32_t bytes = i.c == kNoSlot ? 0 : row<std::uint32_t>(warp, i.c)[lane];
    if (arrivals == 0) return refuse(warp, i, lane, Finding::Cause::mbarrier_no_arrivals);
    if ((i.detail & mbarrier::kCompletesNothing) != 0 && arrivals == before.pending) {
      return refuse(warp, i, lane, Finding::Cause::mbarrier_completed);
    }
    if (i.destination != kNoSlot) row<std::uint64_t>(warp, i.destination)[lane] = found.mbarrier->word;
    if (releases && found.block == warp.block) checks::release_to(warp, found.mbarrier->arriving);
    if ((i.detail & mbarrier::kDrops) != 0) {
      MbarrierWord word = before;
      word.expected -= std::min(word.expected, arrivals);
      store_word(*found.block, found.offset, *found.mbarrier, word);
    }
    if (!change(warp, i, lane, found, arrivals, bytes)) return;
  }
}

void expect_bytes(Warp& warp, const Instruction& i, Mask active) {
  for (Mask left = active; left != 0 && !warp.stop; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const Found found = find(warp, i, lane);
    if (found.mbarrier == nullptr) return;
    const std::int64_t bytes = row<std::uint32_t>(warp, i.c)[lane];
    if (!change(warp, i, lane, found, 0, (i.detail & mbarrier::kCompletesBytes) != 0 ? -bytes : bytes))
      return;
  }
}

void wait_at_mbarrier(Warp& warp, const Instruction& i, Mask active) {
  Mask complete = 0;
  for (Mask left = active; left != 0 && !warp.stop; left &= left - 1) {
    const unsigned lane = first_lane(left);
    Found found = find(warp, i, lane);
    if (found.mbarrier == nullptr) return;
    if (found.block != warp.block) {
      return refuse(warp, i, lane, Finding::Cause::mbarrier_awaited_elsewhere);
    }
    complete_arrivals(*found.block, found.offset);
    const std::uint32_t phase = (i.detail & mbarrier::kParity) != 0
                                    ? row<std::uint32_t>(warp, i.b)[lane] & 1
                                    : MbarrierWord::decode(row<std::uint64_t>(warp, i.b)[lane]).phase;
    if (MbarrierWord::decode(found.mbarrier->word).phase == phase) {
      warp.path.poll(i.id, warp.awaited == found.mbarrier->word, 0);
      warp.failed_wait = &i;
      warp.awaited = found.mbarrier->word;
      warp.yields = true;
      continue;
    }
    complete |= 1U << lane;
    if ((i.detail & mbarrier::kRelaxed) == 0) checks::acquire_from(warp, found.mbarrier->completed);
  }
  if ((i.detail & mbarrier::kClusterScope) != 0) checks::acquire(warp);
  if (i.destination == kNoSlot) return;
  Mask& predicate = warp.predicates[i.destination];
  predicate = (predicate & ~active) | complete;
}

void pending_count(Warp& warp, const Instruction& i, Mask active) {
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    row<std::uint32_t>(warp, i.destination)[lane] =
        MbarrierWord::decode(row<std::uint64_t>(warp, i.a)[lane]).pending;
  }
}

}  // namespace lockstep::emulator::execution
