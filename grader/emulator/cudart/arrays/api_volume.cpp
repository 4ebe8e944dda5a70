// Three-dimensional memory: allocation and fills, as slices of rows one after the other.
#include <cstddef>

#include "emulator/cudart/runtime.h"

namespace {

/// Fills a box by `fill_rows(slice, pitch, value, width, height)`, until one slice fails.
template <class FillRows>
cudaError_t fill_slices(const cudaPitchedPtr& box, int value, const cudaExtent& extent,
                        const FillRows& fill_rows) {
  // Slices are as far apart as the allocation's rows say, however few rows of each are filled.
  for (size_t slice = 0; slice < extent.depth; ++slice) {
    auto* begin = static_cast<std::byte*>(box.ptr) + slice * box.pitch * box.ysize;
    const cudaError_t error = fill_rows(begin, box.pitch, value, extent.width, extent.height);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMalloc3D(cudaPitchedPtr* box, cudaExtent extent) {
  const cudaError_t invalid = lockstep::emulator::cudart::call([&](lockstep::emulator::cudart::Runtime&) {
    lockstep::emulator::cudart::require(box != nullptr);
    lockstep::emulator::cudart::require(extent.height == 0 || extent.depth <= SIZE_MAX / extent.height);
  });
  if (invalid != cudaSuccess) return invalid;
  *box = {nullptr, 0, extent.width, extent.height};
  return cudaMallocPitch(&box->ptr, &box->pitch, extent.width, extent.height * extent.depth);
}

cudaError_t cudaMemset3D(cudaPitchedPtr box, int value, cudaExtent extent) {
  return fill_slices(box, value, extent, cudaMemset2D);
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr box, int value, cudaExtent extent, cudaStream_t stream) {
  return fill_slices(box, value, extent,
                     [stream](void* begin, size_t pitch, int byte, size_t width, size_t height) {
                       return cudaMemset2DAsync(begin, pitch, byte, width, height, stream);
                     });
}
