// Device memory that another process may map: made by the judge, passed on as a file descriptor.
//
// Addresses are reserved with a gap behind them that is mapped to nothing, so that an access past the end
// faults as it should.
#pragma once

#include <cstddef>
#include <cstdint>

#include "device/cuda_driver.h"

namespace lockstep::device {

/// A range of device addresses with memory behind it. Needs a current context.
class MappedMemory {
 public:
  /// New memory of at least `bytes` bytes that can be shared; bytes() says how many it became. Throws
  /// OutOfMemory.
  static MappedMemory create(CUdevice gpu, std::size_t bytes);
  /// Memory of `bytes` bytes that another process has made and shares as `descriptor`, which stays open.
  static MappedMemory import(CUdevice gpu, std::size_t bytes, int descriptor);

  MappedMemory(MappedMemory&& other) noexcept;
  MappedMemory& operator=(MappedMemory&&) = delete;
  ~MappedMemory();

  CUdeviceptr address() const { return address_; }
  std::size_t bytes() const { return bytes_; }
  /// A new descriptor of the memory, for the caller to close.
  int share() const;

 private:
  MappedMemory(CUdevice gpu, std::size_t bytes, CUmemGenericAllocationHandle handle);

  CUmemGenericAllocationHandle handle_ = 0;
  std::size_t bytes_ = 0, reserved_bytes_ = 0;
  CUdeviceptr address_ = 0;
};

}  // namespace lockstep::device
