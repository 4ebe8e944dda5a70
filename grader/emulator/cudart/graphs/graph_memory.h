// Memory of allocation nodes: reserved when the node is made, at an address that stays the same, and given
// back when neither a graph nor an executable graph needs it any more.
//
// Between launches it stays readable here; on hardware it may hold anything.
#pragma once

#include <cstddef>
#include <map>
#include <memory>

#include "emulator/cudart/memory/device_memory.h"

namespace lockstep::emulator::cudart {

struct GraphAllocation {
  GraphAllocation(DeviceMemory& memory_of, std::size_t wanted)
      : memory(memory_of), device(current_device()), bytes(wanted), address(memory_of.allocate(wanted)) {}
  ~GraphAllocation();
  GraphAllocation(const GraphAllocation&) = delete;
  GraphAllocation& operator=(const GraphAllocation&) = delete;

  DeviceMemory& memory;
  int device;
  std::size_t bytes;
  void* address;
  bool in_use = false;  ///< between a launch that allocates it and what frees it, as the calls come
};

class GraphMemory {
 public:
  explicit GraphMemory(DeviceMemory& memory) : memory_(memory) {}

  /// On the current device.
  std::shared_ptr<GraphAllocation> allocate(std::size_t bytes);
  /// The allocation that begins at an address; null when it is none of a graph.
  std::shared_ptr<GraphAllocation> find(const void* address) const;

  /// What cudaDeviceGetGraphMemAttribute tells of a device.
  std::size_t used(int device) const;
  std::size_t reserved(int device) const;
  std::size_t used_high(int device) { return used_high_[device]; }
  std::size_t reserved_high(int device) { return reserved_high_[device]; }
  void note_use();
  void forget_used_high(int device) { used_high_[device] = 0; }
  void forget_reserved_high(int device) { reserved_high_[device] = 0; }

 private:
  std::size_t sum(int device, bool in_use_only) const;

  DeviceMemory& memory_;
  std::map<const void*, std::weak_ptr<GraphAllocation>> allocations_;
  std::map<int, std::size_t> used_high_, reserved_high_;  ///< by device
};

}  // namespace lockstep::emulator::cudart
