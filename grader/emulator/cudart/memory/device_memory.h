// Device memory, and copies between places of every kind.
//
// Managed memory counts as the device's: what the program has written to it is sent first, and the pages that
// a copy changes are taken from the program, so that each byte travels at most once. Pinned memory is the
// program's own; it decides whether an asynchronous copy waits for its turn (streams/submission.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "emulator/cudart/device/device_connection.h"
#include "emulator/cudart/memory/unified_memory.h"
#include "emulator/cudart/streams/work.h"

namespace lockstep::emulator::cudart {

class DeviceMemory {
 public:
  DeviceMemory(DeviceConnection& device, UnifiedMemory& unified) : device_(device), unified_(unified) {}

  void* allocate(std::size_t bytes);
  /// Rows start at multiples of the pitch, which is returned through `pitch`.
  void* allocate_pitched(std::size_t* pitch, std::size_t width, std::size_t height);
  void free(void* address);
  /// A device was reset, and all its memory is gone.
  void forget_allocations() { allocations_.clear(); }

  /// Whether an address is one of the device's, managed memory included.
  bool on_device(const void* address) const;
  /// Whether an address lies in host memory that was allocated or registered here.
  bool pinned(const void* address) const { return unified_.pinned.contains(address); }
  bool managed(const void* address) const;

  /// Makes sure that a copy's direction is the one that it names, and that its ends lie in allocations.
  /// Throws Failure.
  void check(const CopyWork& work);
  void check(const FillWork& work);
  void copy(const CopyWork& work);
  void fill(const FillWork& work);

  void information(std::size_t* free_bytes, std::size_t* total_bytes);
  cudaPointerAttributes attributes(const void* address);

 private:
  cudaMemcpyKind checked_kind(const CopyWork& work) const;
  void check_range(const void* address, std::size_t bytes);
  void revoke(const BoxPlace& to, const BoxShape& shape);
  void to_device(const BoxPlace& to, const BoxPlace& from, const BoxShape& shape);
  void to_host(const BoxPlace& to, const BoxPlace& from, const BoxShape& shape);

  DeviceConnection& device_;
  UnifiedMemory& unified_;
  std::map<DeviceAddress, std::size_t> allocations_;  ///< of the program; there is other memory too
};

}  // namespace lockstep::emulator::cudart
