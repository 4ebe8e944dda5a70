// What streams and graphs do: one struct for each kind of work, as plain values that can be done later and
// more than once.
#pragma once

#include <cstddef>
#include <memory>

#include "emulator/cudart/api.h"
#include "emulator/cudart/kernels/modules.h"

namespace lockstep::emulator::cudart {

/// A launch that the device has accepted, with its own copy of the arguments.
struct KernelWork {
  std::shared_ptr<const Kernel> kernel;
  const void* function = nullptr;  ///< as the program named it
  int device = 0;
  server::LaunchRequest request;
  server::Bytes arguments;
};

/// A box of bytes: `depth` slices of `height` rows.
struct CopyWork {
  void* to = nullptr;
  std::size_t to_pitch = 0, to_slice = 0;  ///< bytes from one row, and from one slice, to the next
  const void* from = nullptr;
  std::size_t from_pitch = 0, from_slice = 0;
  std::size_t width = 0, height = 1, depth = 1;  ///< bytes, rows, slices
  cudaMemcpyKind kind = cudaMemcpyDefault;
  cudaArray_const_t to_array = nullptr, from_array = nullptr;  ///< that hold the ends, where one does

  static CopyWork linear(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
    return {to, bytes, bytes, from, bytes, bytes, bytes, 1, 1, kind};
  }
  static CopyWork rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                       std::size_t width, std::size_t height, cudaMemcpyKind kind) {
    return {to, to_pitch, to_pitch * height, from, from_pitch, from_pitch * height, width, height, 1, kind};
  }
  bool empty() const { return width == 0 || height == 0 || depth == 0; }
};

/// Rows of elements that all get one value.
struct FillWork {
  void* to = nullptr;
  std::size_t pitch = 0;
  unsigned value = 0;
  unsigned element_bytes = 1;         ///< 1, 2 or 4
  std::size_t width = 0, height = 1;  ///< elements, rows

  bool empty() const { return width == 0 || height == 0; }
};

struct HostWork {
  cudaHostFn_t function = nullptr;
  void* data = nullptr;
};

}  // namespace lockstep::emulator::cudart
