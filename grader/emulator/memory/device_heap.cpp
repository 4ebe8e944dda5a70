#include "emulator/memory/device_heap.h"

#include <algorithm>
#include <iterator>

#include "emulator/core/round_up.h"

namespace lockstep::emulator::memory {
namespace {

/// Hardware's heap keeps about this much besides each block, and aligns blocks to as much.
constexpr std::uint64_t kHeader = 16;
/// Bytes behind a block that belong to nobody.
constexpr std::uint64_t kGuardBytes = 16;
/// Bookkeeping is the machine's memory, which hostile kernels may want to fill.
constexpr std::size_t kMaxBlocks = std::size_t{1} << 21;
constexpr std::size_t kMaxOwners = 1000;

std::uint64_t charge_of(std::uint64_t bytes) { return round_up(bytes, kHeader) + kHeader; }
std::uint64_t span_of(std::uint64_t bytes) { return round_up(bytes + kGuardBytes, GlobalMemory::kLineBytes); }

}  // namespace

std::size_t DeviceHeap::region_bytes(std::size_t bytes) {
  // The smallest block is charged two headers and lies on a line.
  constexpr std::size_t kSpread = GlobalMemory::kLineBytes / (2 * kHeader);
  return bytes <= SIZE_MAX / kSpread ? bytes * kSpread : SIZE_MAX;
}

DeviceHeap::DeviceHeap(GlobalMemory& memory, std::size_t bytes)
    : memory_(memory),
      begin_(memory.allocate(region_bytes(bytes), "device heap")),
      end_(begin_ + region_bytes(bytes)),
      capacity_(bytes),
      next_(begin_) {}

DeviceHeap::~DeviceHeap() { memory_.free(begin_); }

DeviceAddress DeviceHeap::allocate(std::uint64_t bytes, const HeapOwner& owner) {
  if (bytes == 0 || bytes > capacity_) return 0;
  const std::lock_guard lock(mutex_);
  if (charge_of(bytes) > capacity_ - used_) return 0;
  if (live_.size() + freed_.size() >= kMaxBlocks) recycle();
  if (live_.size() >= kMaxBlocks) return 0;
  DeviceAddress address = place(span_of(bytes));
  if (address == 0) {
    recycle();
    address = place(span_of(bytes));
  }
  if (address == 0) return 0;
  used_ += charge_of(bytes);
  live_[address] = {bytes, index_of(owner)};
  return address;
}

/// Address space for a block, from what has not been used yet or from what is to be used again; 0 when there
/// is none.
DeviceAddress DeviceHeap::place(std::uint64_t span) {
  if (span <= end_ - next_) {
    const DeviceAddress address = next_;
    next_ += span;
    return address;
  }
  const auto found = std::ranges::find_if(spans_, [&](const auto& free) { return free.second >= span; });
  if (found == spans_.end()) return 0;
  const auto [address, bytes] = *found;
  spans_.erase(found);
  if (bytes > span) spans_[address + span] = bytes - span;
  memory_.forget(address, span);
  return address;
}

/// Makes the address space of all freed blocks available again.
void DeviceHeap::recycle() {
  for (const auto& [address, block] : freed_) spans_[address] = span_of(block.bytes);
  freed_.clear();
  for (auto span = spans_.begin(); span != spans_.end();) {
    const auto next = std::next(span);
    if (next != spans_.end() && span->first + span->second == next->first) {
      span->second += next->second;
      spans_.erase(next);
    } else {
      span = next;
    }
  }
}

std::optional<Miss> DeviceHeap::free(DeviceAddress address) {
  using enum Finding::Cause;
  const std::lock_guard lock(mutex_);
  const auto found = live_.find(address);
  if (found != live_.end()) {
    used_ -= charge_of(found->second.bytes);
    freed_.insert(live_.extract(found));
    return std::nullopt;
  }
  if (const auto freed = freed_.find(address); freed != freed_.end()) {
    return Miss{freed_twice, object_of(*freed)};
  }
  if (const auto* block = block_at(live_, address)) return Miss{freed_inside, object_of(*block)};
  return Miss{contains(address) ? freed_between_blocks : freed_elsewhere, {}};
}

bool DeviceHeap::holds(DeviceAddress address, std::uint64_t bytes) const {
  const std::lock_guard lock(mutex_);
  const auto* block = block_at(live_, address);
  return block != nullptr && bytes <= block->first + block->second.bytes - address;
}

Miss DeviceHeap::find_miss(DeviceAddress address) const {
  using enum Finding::Cause;
  const std::lock_guard lock(mutex_);
  if (const auto* block = block_at(live_, address)) return {reaches_past_end, object_of(*block)};
  if (const auto* block = block_at(freed_, address)) return {freed_memory, object_of(*block)};
  const auto above = live_.upper_bound(address);
  if (above == live_.begin()) return {outside_blocks, {}};
  const Finding::Object below = object_of(*std::prev(above));
  return {address == below.begin + below.bytes ? just_past_end : past_end, below};
}

std::vector<HeapBlock> DeviceHeap::live_blocks() const {
  const std::lock_guard lock(mutex_);
  std::vector<HeapBlock> blocks;
  blocks.reserve(live_.size());
  for (const auto& [address, block] : live_) {
    blocks.push_back({address, block.bytes, owners_[block.owner]});
  }
  return blocks;
}

Finding::Object DeviceHeap::object_of(const Blocks::value_type& block) {
  return {{}, block.first, block.second.bytes};
}

const DeviceHeap::Blocks::value_type* DeviceHeap::block_at(const Blocks& blocks, DeviceAddress address) {
  const auto above = blocks.upper_bound(address);
  if (above == blocks.begin()) return nullptr;
  const auto& block = *std::prev(above);
  return address - block.first < block.second.bytes ? &block : nullptr;
}

std::uint32_t DeviceHeap::index_of(const HeapOwner& owner) {
  const auto known = std::ranges::find(owners_, owner);
  if (known != owners_.end()) return static_cast<std::uint32_t>(known - owners_.begin());
  if (owners_.size() < kMaxOwners) owners_.push_back(owner);
  return static_cast<std::uint32_t>(owners_.size() - 1);
}

}  // namespace lockstep::emulator::memory
