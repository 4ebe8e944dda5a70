// CUDA arrays: memory of the device that textures and surfaces show.
//
// An array is an ordinary allocation, row after row; its handle is only of use to the runtime, which checks
// every copy against the array's extent (array_copies.h).
#pragma once

#include <memory>
#include <unordered_map>

#include "emulator/core/image.h"
#include "emulator/cudart/memory/device_memory.h"

namespace lockstep::emulator::cudart {

/// Throws Failure: cudaErrorInvalidChannelDescriptor for what CUDA does not have.
TexelFormat texel_format(const cudaChannelFormatDesc& channels);

struct Array {
  cudaChannelFormatDesc channels{};
  cudaExtent extent{};  ///< as the program gave it: 0 for a dimension that the array does not have
  unsigned flags = 0;
  Image image;
};

class Arrays {
 public:
  explicit Arrays(DeviceMemory& memory) : memory_(memory) {}

  cudaArray_t allocate(const cudaChannelFormatDesc& channels, const cudaExtent& extent, unsigned flags);
  void free(cudaArray_t array);
  const Array& find(cudaArray_const_t array) const;
  /// After the device was reset.
  void forget_all() { arrays_.clear(); }

 private:
  DeviceMemory& memory_;
  std::unordered_map<cudaArray_const_t, std::unique_ptr<Array>> arrays_;
};

}  // namespace lockstep::emulator::cudart
