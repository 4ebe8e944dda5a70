// Device memory, and copies between places of every kind.
//
// Managed memory counts as the device's: what the program has written to it is sent first, and the pages that
// a copy changes are taken from the program, so that each byte travels at most once. Pinned memory is the
// program's own.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/cudart/device_connection.h"
#include "emulator/cudart/unified_memory.h"

namespace lockstep::cudart {

/// A rectangle of bytes in memory, as the two-dimensional calls describe it.
struct Rows {
  std::size_t pitch = 0;  ///< bytes from one row to the next
  std::size_t width = 0;  ///< bytes of a row
  std::size_t height = 0;
};

class Memory {
 public:
  Memory(DeviceConnection& device, UnifiedMemory& unified) : device_(device), unified_(unified) {}

  void* allocate(std::size_t bytes);
  /// Rows start at multiples of the pitch, which is returned through `pitch`.
  void* allocate_pitched(std::size_t* pitch, std::size_t width, std::size_t height);
  void free(void* address);

  void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
  void copy_rows(void* to, std::size_t to_pitch, const void* from, const Rows& rows, cudaMemcpyKind kind);
  void fill(void* to, int value, std::size_t bytes);
  void fill_rows(void* to, int value, const Rows& rows);

  void information(std::size_t* free_bytes, std::size_t* total_bytes);
  cudaPointerAttributes attributes(const void* address);

 private:
  bool on_device(const void* pointer) const;
  cudaMemcpyKind checked_kind(const void* to, const void* from, cudaMemcpyKind kind) const;
  void to_device(emulator::DeviceAddress to, const std::byte* from, std::size_t bytes);
  void to_host(std::byte* to, emulator::DeviceAddress from, std::size_t bytes);

  DeviceConnection& device_;
  UnifiedMemory& unified_;
};

}  // namespace lockstep::cudart
