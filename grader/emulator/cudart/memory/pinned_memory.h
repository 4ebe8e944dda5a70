// Host memory that the runtime gave out or took over, which kernels may reach: zero-copy.
//
// It stays the program's own memory, open to it and to system calls at all times. Once a kernel may reach an
// allocation, because the program asked for its device address or passed a pointer into it to a kernel, its
// contents are exchanged around every launch: what the program changed is sent before, what the kernel
// changed is received after. Other pinned memory, such as what only serves copies, costs nothing.
//
// Memory of cudaHostAlloc has the same address on both sides. Registered memory has another one on the
// device, which cudaHostGetDevicePointer returns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "emulator/cudart/device/device_connection.h"

namespace lockstep::emulator::cudart {

class PinnedMemory {
 public:
  explicit PinnedMemory(DeviceConnection& device) : device_(device) {}

  void* allocate(std::size_t bytes, unsigned flags);
  void free(void* address);
  void add(void* address, std::size_t bytes, unsigned flags);
  void remove(void* address);
  unsigned flags(const void* address) const;
  /// Whether one allocation holds the bytes from an address on.
  bool contains(const void* address, std::size_t bytes = 1) const;
  /// The address under which kernels reach a place in pinned memory, from now on.
  DeviceAddress device_address(const void* address);

  /// Gives what is registered now its address on the device, so that to ask for it takes no memory later.
  void locate_registered();
  /// Ranges that the program registered and that are so still.
  std::size_t registered_count() const;

  /// Lets a kernel reach what its parameters point to.
  void map_named(std::span<const std::byte> parameters);
  /// Before a launch, and after it.
  void send();
  void receive();
  /// The device has been reset: it no longer knows what was mapped.
  void clear();

 private:
  struct Range {
    std::size_t bytes = 0;
    unsigned flags = 0;
    bool owned = false;                      ///< allocated here, not registered
    DeviceAddress device = 0;                ///< 0: none yet
    bool mapped = false;                     ///< kernels reach it
    std::vector<std::byte> device_contents;  ///< as last exchanged; empty before the first time
  };
  using Ranges = std::map<std::uintptr_t, Range>;

  Ranges::const_iterator find_range(const void* address) const;
  const Range* find(const void* address) const;
  bool overlaps(std::uintptr_t begin, std::size_t bytes) const;
  void locate(Range& range);
  void map(Range& range);
  void send(std::uintptr_t begin, Range& range);
  void receive(std::uintptr_t begin, Range& range);

  DeviceConnection& device_;
  Ranges ranges_;
};

}  // namespace lockstep::emulator::cudart
