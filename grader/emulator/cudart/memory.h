// Device memory, host memory that the runtime gave out, and copies between the two.
//
// Pinned host memory is plain memory here: copies are as fast either way, and kernels do not reach it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "emulator/cudart/device_connection.h"

namespace lockstep::cudart {

/// A rectangle of bytes in memory, as the two-dimensional calls describe it.
struct Rows {
  std::size_t pitch = 0;  ///< bytes from one row to the next
  std::size_t width = 0;  ///< bytes of a row
  std::size_t height = 0;
};

class Memory {
 public:
  explicit Memory(DeviceConnection& device) : device_(device) {}

  void* allocate(std::size_t bytes);
  /// Rows start at multiples of the pitch, which is returned through `pitch`.
  void* allocate_pitched(std::size_t* pitch, std::size_t width, std::size_t height);
  void free(void* address);

  void* allocate_host(std::size_t bytes, unsigned flags);
  void free_host(void* address);
  void register_host(void* address, std::size_t bytes, unsigned flags);
  void unregister_host(void* address);
  unsigned host_flags(void* address) const;

  void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
  void copy_rows(void* to, std::size_t to_pitch, const void* from, const Rows& rows, cudaMemcpyKind kind);
  void fill(void* to, int value, std::size_t bytes);
  void fill_rows(void* to, int value, const Rows& rows);

  void information(std::size_t* free_bytes, std::size_t* total_bytes);
  cudaPointerAttributes attributes(const void* address);

 private:
  struct HostRange {
    std::size_t bytes;
    unsigned flags;
    bool owned;  ///< allocated here, not registered
  };

  void to_device(emulator::DeviceAddress to, const std::byte* from, std::size_t bytes);
  void to_host(std::byte* to, emulator::DeviceAddress from, std::size_t bytes);

  DeviceConnection& device_;
  std::map<const void*, HostRange> host_ranges_;
};

}  // namespace lockstep::cudart
