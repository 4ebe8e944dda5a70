// Copies from and to CUDA arrays: from the calls' ways to name them to work that a stream or a graph does.
//
// All throw Failure for what does not fit the array. Pointers and directions are checked where the work is
// given to a stream, as for every copy.
#pragma once

#include <cstddef>
#include <vector>

#include "emulator/cudart/arrays/arrays.h"
#include "emulator/cudart/streams/work.h"

namespace lockstep::emulator::cudart {

/// As cudaMemcpy3D, between memory and arrays of every kind.
CopyWork box_copy(const Arrays& arrays, const cudaMemcpy3DParms& parameters);
/// Parameters of which box_copy makes this work.
cudaMemcpy3DParms parameters_of(const Arrays& arrays, const CopyWork& work);

/// A place in a 2D array, as the calls name it: bytes into a row.
struct ArrayPlace {
  cudaArray_const_t array = nullptr;
  std::size_t x = 0, y = 0;
};

/// As cudaMemcpy2DToArray and its like: rows of `width` bytes.
CopyWork rows_to(const Arrays& arrays, const ArrayPlace& to, const void* from, std::size_t pitch,
                 std::size_t width, std::size_t height, cudaMemcpyKind kind);
CopyWork rows_from(const Arrays& arrays, void* to, std::size_t pitch, const ArrayPlace& from,
                   std::size_t width, std::size_t height, cudaMemcpyKind kind);
CopyWork rows_between(const Arrays& arrays, const ArrayPlace& to, const ArrayPlace& from, std::size_t width,
                      std::size_t height, cudaMemcpyKind kind);

/// As cudaMemcpyToArray and its like: bytes that go on in the next row.
std::vector<CopyWork> bytes_to(const Arrays& arrays, const ArrayPlace& to, const void* from,
                               std::size_t bytes, cudaMemcpyKind kind);
std::vector<CopyWork> bytes_from(const Arrays& arrays, void* to, const ArrayPlace& from, std::size_t bytes,
                                 cudaMemcpyKind kind);
std::vector<CopyWork> bytes_between(const Arrays& arrays, const ArrayPlace& to, const ArrayPlace& from,
                                    std::size_t bytes, cudaMemcpyKind kind);

}  // namespace lockstep::emulator::cudart
