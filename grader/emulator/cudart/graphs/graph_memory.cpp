#include "emulator/cudart/graphs/graph_memory.h"

#include <algorithm>

namespace lockstep::emulator::cudart {

GraphAllocation::~GraphAllocation() {
  try {
    memory.free(address);
  } catch (const Failure&) {
    // A kernel has failed: the device releases the memory with the connection.
  }
}

std::shared_ptr<GraphAllocation> GraphMemory::allocate(std::size_t bytes) {
  require(bytes != 0);
  auto allocation = std::make_shared<GraphAllocation>(memory_, bytes);
  std::erase_if(allocations_, [](const auto& entry) { return entry.second.expired(); });
  allocations_[allocation->address] = allocation;
  std::size_t& high = reserved_high_[allocation->device];
  high = std::max(high, reserved(allocation->device));
  return allocation;
}

std::shared_ptr<GraphAllocation> GraphMemory::find(const void* address) const {
  const auto found = allocations_.find(address);
  return found == allocations_.end() ? nullptr : found->second.lock();
}

std::size_t GraphMemory::used(int device) const { return sum(device, true); }

std::size_t GraphMemory::reserved(int device) const { return sum(device, false); }

std::size_t GraphMemory::sum(int device, bool in_use_only) const {
  std::size_t bytes = 0;
  for (const auto& [address, entry] : allocations_) {
    const auto allocation = entry.lock();
    if (allocation && allocation->device == device && (allocation->in_use || !in_use_only))
      bytes += allocation->bytes;
  }
  return bytes;
}

void GraphMemory::note_use() {
  for (const auto& [address, entry] : allocations_) {
    const auto allocation = entry.lock();
    if (!allocation || !allocation->in_use) continue;
    std::size_t& high = used_high_[allocation->device];
    high = std::max(high, used(allocation->device));
  }
}

}  // namespace lockstep::emulator::cudart
