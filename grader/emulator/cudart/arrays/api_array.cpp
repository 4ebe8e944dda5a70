// CUDA arrays: allocation, queries and copies, which are ordered as those of other memory are.
#include <concepts>
#include <utility>

#include "emulator/cudart/arrays/array_copies.h"
#include "emulator/cudart/runtime.h"
#include "emulator/cudart/streams/submission.h"

using lockstep::emulator::cudart::Array;
using lockstep::emulator::cudart::Arrays;
using lockstep::emulator::cudart::box_copy;
using lockstep::emulator::cudart::bytes_between;
using lockstep::emulator::cudart::bytes_from;
using lockstep::emulator::cudart::bytes_to;
using lockstep::emulator::cudart::call;
using lockstep::emulator::cudart::CopyWork;
using lockstep::emulator::cudart::require;
using lockstep::emulator::cudart::rows_between;
using lockstep::emulator::cudart::rows_from;
using lockstep::emulator::cudart::rows_to;
using lockstep::emulator::cudart::Runtime;
using lockstep::emulator::cudart::wait_for_all;

namespace {

/// Calls submit(copy) for the copy, or each of the copies, that `make` returns.
template <class Make, class Submit>
void for_copies(Runtime& r, const Make& make, const Submit& submit) {
  const auto made = make(std::as_const(r.arrays));
  if constexpr (std::same_as<decltype(made), const CopyWork>) {
    submit(made);
  } else {
    for (const CopyWork& copy : made) submit(copy);
  }
}

template <class Make>
cudaError_t copy_now(const Make& make, const char* name = __builtin_FUNCTION()) {
  return call([&](Runtime& r) { for_copies(r, make, [&](const CopyWork& copy) { copy_blocking(r, copy); }); },
              name);
}

template <class Make>
cudaError_t copy_in(cudaStream_t stream, const Make& make, const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& r) { for_copies(r, make, [&](const CopyWork& copy) { submit_copy(r, stream, copy); }); },
      name);
}

}  // namespace

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* channels, size_t width,
                            size_t height, unsigned flags) {
  return call([&](Runtime& r) {
    require(array != nullptr && channels != nullptr);
    require((flags & (cudaArrayLayered | cudaArrayCubemap)) == 0);
    r.captures.check_unsafe_call();
    *array = r.arrays.allocate(*channels, {width, height, 0}, flags);
  });
}

cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* channels, cudaExtent extent,
                              unsigned flags) {
  return call([&](Runtime& r) {
    require(array != nullptr && channels != nullptr);
    r.captures.check_unsafe_call();
    *array = r.arrays.allocate(*channels, extent, flags);
  });
}

cudaError_t cudaFreeArray(cudaArray_t array) {
  return call([&](Runtime& r) {
    r.captures.check_unsafe_call();
    wait_for_all(r);
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
  return copy_now([&](const Arrays& arrays) {
    require(parameters != nullptr);
    return box_copy(arrays, *parameters);
  });
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream) {
  return copy_in(stream, [&](const Arrays& arrays) {
    require(parameters != nullptr);
    return box_copy(arrays, *parameters);
  });
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_now([&](const Arrays& arrays) {
    return rows_to(arrays, {to, x, y}, from, pitch, width, height, kind);
  });
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                     size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_in(stream, [&](const Arrays& arrays) {
    return rows_to(arrays, {to, x, y}, from, pitch, width, height, kind);
  });
}

cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                  size_t width, size_t height, cudaMemcpyKind kind) {
  return copy_now([&](const Arrays& arrays) {
    return rows_from(arrays, to, pitch, {from, x, y}, width, height, kind);
  });
}

cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                       size_t width, size_t height, cudaMemcpyKind kind,
                                       cudaStream_t stream) {
  return copy_in(stream, [&](const Arrays& arrays) {
    return rows_from(arrays, to, pitch, {from, x, y}, width, height, kind);
  });
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                     size_t from_x, size_t from_y, size_t width, size_t height,
                                     cudaMemcpyKind kind) {
  return copy_now([&](const Arrays& arrays) {
    return rows_between(arrays, {to, to_x, to_y}, {from, from_x, from_y}, width, height, kind);
  });
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                              cudaMemcpyKind kind) {
  return copy_now([&](const Arrays& arrays) { return bytes_to(arrays, {to, x, y}, from, bytes, kind); });
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                   cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_in(stream, [&](const Arrays& arrays) {
    return bytes_to(arrays, {to, x, y}, from, bytes, kind);
  });
}

cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                cudaMemcpyKind kind) {
  return copy_now([&](const Arrays& arrays) { return bytes_from(arrays, to, {from, x, y}, bytes, kind); });
}

cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                     cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_in(stream, [&](const Arrays& arrays) {
    return bytes_from(arrays, to, {from, x, y}, bytes, kind);
  });
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                   size_t from_x, size_t from_y, size_t bytes, cudaMemcpyKind kind) {
  return copy_now([&](const Arrays& arrays) {
    return bytes_between(arrays, {to, to_x, to_y}, {from, from_x, from_y}, bytes, kind);
  });
}
