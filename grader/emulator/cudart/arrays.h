// CUDA arrays: memory of the device that textures and surfaces show, and copies from and to it.
//
// An array is an ordinary allocation, row after row; its handle is only of use to the runtime, which checks
// every copy against the array's extent.
#pragma once

#include <memory>
#include <unordered_map>

#include "emulator/cudart/memory.h"
#include "emulator/image.h"

namespace lockstep::cudart {

/// Throws Failure: cudaErrorInvalidChannelDescriptor for what CUDA does not have.
emulator::TexelFormat texel_format(const cudaChannelFormatDesc& channels);

struct Array {
  cudaChannelFormatDesc channels{};
  cudaExtent extent{};  ///< as the program gave it: 0 for a dimension that the array does not have
  unsigned flags = 0;
  emulator::Image image;
};

class Arrays {
 public:
  explicit Arrays(Memory& memory) : memory_(memory) {}

  cudaArray_t allocate(const cudaChannelFormatDesc& channels, const cudaExtent& extent, unsigned flags);
  void free(cudaArray_t array);
  const Array& find(cudaArray_const_t array) const;
  /// After the device was reset.
  void forget_all() { arrays_.clear(); }

  /// As cudaMemcpy3D.
  void copy(const cudaMemcpy3DParms& parameters);
  /// As cudaMemcpy2DToArray and its like: an offset of bytes and rows, rows of `width` bytes.
  void copy_rows_to(cudaArray_t to, std::size_t x, std::size_t y, const void* from, const Rows& rows,
                    cudaMemcpyKind kind);
  void copy_rows_from(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
                      const Rows& rows, cudaMemcpyKind kind);
  void copy_rows_between(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from,
                         std::size_t from_x, std::size_t from_y, const Rows& rows, cudaMemcpyKind kind);
  /// As cudaMemcpyToArray and its like: bytes that go on in the next row.
  void copy_bytes_to(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
                     cudaMemcpyKind kind);
  void copy_bytes_from(void* to, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t bytes,
                       cudaMemcpyKind kind);
  void copy_bytes_between(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from,
                          std::size_t from_x, std::size_t from_y, std::size_t bytes, cudaMemcpyKind kind);

 private:
  /// The place (x bytes, row y) of a 2D array, where `rows` must fit.
  std::byte* place(const Array& array, std::size_t x, std::size_t y, const Rows& rows) const;
  /// Calls f(place in the array, bytes before it, its rows) for the whole rows and parts of rows that `bytes`
  /// bytes from (x, y) on make.
  template <class F>
  void for_pieces(const Array& array, std::size_t x, std::size_t y, std::size_t bytes, F f) const;

  Memory& memory_;
  std::unordered_map<cudaArray_const_t, std::unique_ptr<Array>> arrays_;
};

}  // namespace lockstep::cudart
