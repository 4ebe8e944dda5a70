// CUDA arrays: allocation, queries and copies. Asynchronous forms do the same work; blocking ones also print
// what kernels have printed so far, as on hardware.
#include "emulator/cudart/runtime.h"

using lockstep::cudart::Array;
using lockstep::cudart::call;
using lockstep::cudart::require;
using lockstep::cudart::Rows;
using lockstep::cudart::Runtime;

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* channels, size_t width,
                            size_t height, unsigned flags) {
  return call([&](Runtime& r) {
    require(array != nullptr && channels != nullptr);
    require((flags & (cudaArrayLayered | cudaArrayCubemap)) == 0);
    *array = r.arrays.allocate(*channels, {width, height, 0}, flags);
  });
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* channels, cudaExtent extent,
                              unsigned flags) {
  return call([&](Runtime& r) {
    require(array != nullptr && channels != nullptr);
    *array = r.arrays.allocate(*channels, extent, flags);
  });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return call([&](Runtime& r) {
    r.launcher.synchronise();
    r.arrays.free(array);
  });
}

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* channels, cudaExtent* extent, unsigned* flags,
                             cudaArray_t array) {
  return call([&](Runtime& r) {
    const Array& found = r.arrays.find(array);
    if (channels != nullptr) *channels = found.channels;
    if (extent != nullptr) *extent = found.extent;
    if (flags != nullptr) *flags = found.flags;
  });
}

cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* channels, cudaArray_const_t array) {
  return call([&](Runtime& r) {
    require(channels != nullptr);
    *channels = r.arrays.find(array).channels;
  });
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters) {
  return call([&](Runtime& r) {
    require(parameters != nullptr);
    r.launcher.synchronise();
    r.arrays.copy(*parameters);
  });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return call([&](Runtime& r) {
    require(parameters != nullptr);
    r.streams.find(stream);
    r.arrays.copy(*parameters);
  });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  return call([&](Runtime& r) {
    r.launcher.synchronise();
    r.arrays.copy_rows_to(to, x, y, from, Rows{pitch, width, height}, kind);
  });
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                     size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Runtime& r) {
    r.streams.find(stream);
    r.arrays.copy_rows_to(to, x, y, from, Rows{pitch, width, height}, kind);
  });
}

cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                  size_t width, size_t height, cudaMemcpyKind kind) {
  return call([&](Runtime& r) {
    r.launcher.synchronise();
    r.arrays.copy_rows_from(to, pitch, from, x, y, Rows{0, width, height}, kind);
  });
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                       size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return call([&](Runtime& r) {
    r.streams.find(stream);
    r.arrays.copy_rows_from(to, pitch, from, x, y, Rows{0, width, height}, kind);
  });
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                     size_t from_x, size_t from_y, size_t width, size_t height,
                                     cudaMemcpyKind kind) {
  return call([&](Runtime& r) {
    r.launcher.synchronise();
    r.arrays.copy_rows_between(to, to_x, to_y, from, from_x, from_y, Rows{0, width, height}, kind);
  });
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                              cudaMemcpyKind kind) {
  return call([&](Runtime& r) {
    r.launcher.synchronise();
    r.arrays.copy_bytes_to(to, x, y, from, bytes, kind);
  });
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Runtime& r) {
    r.streams.find(stream);
    r.arrays.copy_bytes_to(to, x, y, from, bytes, kind);
  });
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  return call([&](Runtime& r) {
    r.launcher.synchronise();
    r.arrays.copy_bytes_from(to, from, x, y, bytes, kind);
  });
}

cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Runtime& r) {
    r.streams.find(stream);
    r.arrays.copy_bytes_from(to, from, x, y, bytes, kind);
  });
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t from_x, size_t from_y, size_t bytes, cudaMemcpyKind kind) {
  return call([&](Runtime& r) {
    r.launcher.synchronise();
    r.arrays.copy_bytes_between(to, to_x, to_y, from, from_x, from_y, bytes, kind);
  });
}
