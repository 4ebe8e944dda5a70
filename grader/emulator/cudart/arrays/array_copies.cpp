#include "emulator/cudart/arrays/array_copies.h"

#include <algorithm>
#include <cstdint>

namespace lockstep::emulator::cudart {

namespace {

/// One end of a copy of boxes or rows.
struct End {
  std::byte* first = nullptr;
  std::size_t pitch = 0, slice = 0;
  cudaArray_const_t array = nullptr;
};

CopyWork between(const End& to, const End& from, std::size_t width, std::size_t height, std::size_t depth,
                 cudaMemcpyKind kind) {
  return {to.first, to.pitch, to.slice, from.first, from.pitch, from.slice,
          width,    height,   depth,    kind,       to.array,   from.array};
}

std::byte* begin_of(const Array& array) { return reinterpret_cast<std::byte*>(array.image.address); }

std::size_t row_bytes_of(const Array& array) { return array.image.width * array.image.format.bytes(); }

End box_in(const Arrays& arrays, cudaArray_const_t handle, const cudaPos& at, const cudaExtent& extent) {
  const Array& array = arrays.find(handle);
  const Image& image = array.image;
  require(at.x <= image.width && extent.width <= image.width - at.x && at.y <= image.height &&
          extent.height <= image.height - at.y && at.z <= image.depth && extent.depth <= image.depth - at.z);
  return {begin_of(array) + at.z * image.slice_bytes + at.y * image.row_bytes + at.x * image.format.bytes(),
          image.row_bytes, image.slice_bytes, handle};
}

End box_at(const cudaPitchedPtr& pointer, const cudaPos& at) {
  const std::size_t slice = pointer.pitch * pointer.ysize;
  return {static_cast<std::byte*>(pointer.ptr) + at.z * slice + at.y * pointer.pitch + at.x, pointer.pitch,
          slice};
}

cudaPitchedPtr box_of(const void* address, std::size_t pitch, std::size_t slice, const CopyWork& work) {
  const std::size_t rows = pitch == 0 ? work.height : std::max(slice / pitch, work.height);
  return {const_cast<void*>(address), pitch, work.width, rows};
}

/// Where in its array an end lies, in elements.
cudaPos position_in(const Array& array, const void* address) {
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(address) - begin_of(array));
  const Image& image = array.image;
  return {offset % image.row_bytes / image.format.bytes(), offset % image.slice_bytes / image.row_bytes,
          offset / image.slice_bytes};
}

/// A place where `height` rows of `width` bytes fit.
End rows_in(const Arrays& arrays, const ArrayPlace& place, std::size_t width, std::size_t height) {
  const Array& array = arrays.find(place.array);
  const Image& image = array.image;
  const std::size_t row_bytes = row_bytes_of(array);
  require(place.x <= row_bytes && width <= row_bytes - place.x && place.y <= image.height &&
          height <= image.height - place.y);
  return {begin_of(array) + place.y * image.row_bytes + place.x, image.row_bytes, image.slice_bytes,
          place.array};
}

End rows_at(const void* pointer, std::size_t pitch, std::size_t height) {
  return {static_cast<std::byte*>(const_cast<void*>(pointer)), pitch, pitch * height};
}

/// One end of a copy of bytes: memory without rows, or an array, where they go on in the next row.
struct Run {
  std::byte* first = nullptr;
  std::size_t row_bytes = 0;  ///< 0: no rows
  std::size_t pitch = 0;
  std::size_t x = 0;  ///< bytes between the first row's begin and the first byte
  cudaArray_const_t array = nullptr;

  std::size_t left_in_row(std::size_t done) const {
    return row_bytes == 0 ? SIZE_MAX : row_bytes - (x + done) % row_bytes;
  }
  /// Whether rows of `width` bytes, from `done` on, follow each other as the run's own do.
  bool goes_on(std::size_t done, std::size_t width) const {
    return row_bytes == 0 || (width == row_bytes && left_in_row(done) == row_bytes);
  }
  End at(std::size_t done, std::size_t width, std::size_t height) const {
    if (row_bytes == 0) return {first + done, width, width * height};
    return {first + (x + done) / row_bytes * pitch + (x + done) % row_bytes, pitch, pitch * height, array};
  }
};

Run run_in(const Arrays& arrays, const ArrayPlace& place, std::size_t bytes) {
  const Array& array = arrays.find(place.array);
  const std::size_t row_bytes = row_bytes_of(array);
  require(place.x < row_bytes && place.y < array.image.height &&
          bytes <= (array.image.height - place.y) * row_bytes - place.x);
  return {begin_of(array) + place.y * array.image.row_bytes, row_bytes, array.image.row_bytes, place.x,
          place.array};
}

Run run_at(const void* pointer) { return {static_cast<std::byte*>(const_cast<void*>(pointer))}; }

/// As few copies of rows as make the whole.
std::vector<CopyWork> pieces(const Run& to, const Run& from, std::size_t bytes, cudaMemcpyKind kind) {
  std::vector<CopyWork> made;
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t left = bytes - done;
    const std::size_t width = std::min({left, to.left_in_row(done), from.left_in_row(done)});
    const std::size_t height = to.goes_on(done, width) && from.goes_on(done, width) ? left / width : 1;
    made.push_back(between(to.at(done, width, height), from.at(done, width, height), width, height, 1, kind));
    done += width * height;
  }
  return made;
}

}  // namespace

CopyWork box_copy(const Arrays& arrays, const cudaMemcpy3DParms& parameters) {
  const cudaMemcpy3DParms& p = parameters;
  require((p.srcArray != nullptr) != (p.srcPtr.ptr != nullptr) &&
          (p.dstArray != nullptr) != (p.dstPtr.ptr != nullptr));
  // The extent is in elements of an array, where one takes part, else in bytes.
  const auto element_of = [&](cudaArray_const_t array) { return arrays.find(array).image.format.bytes(); };
  require(p.srcArray == nullptr || p.dstArray == nullptr || element_of(p.srcArray) == element_of(p.dstArray));
  const std::size_t element = p.dstArray != nullptr   ? element_of(p.dstArray)
                              : p.srcArray != nullptr ? element_of(p.srcArray)
                                                      : 1;
  require(p.extent.width <= SIZE_MAX / element);
  const End to =
      p.dstArray != nullptr ? box_in(arrays, p.dstArray, p.dstPos, p.extent) : box_at(p.dstPtr, p.dstPos);
  const End from =
      p.srcArray != nullptr ? box_in(arrays, p.srcArray, p.srcPos, p.extent) : box_at(p.srcPtr, p.srcPos);
  return between(to, from, p.extent.width * element, p.extent.height, p.extent.depth, p.kind);
}

cudaMemcpy3DParms parameters_of(const Arrays& arrays, const CopyWork& work) {
  cudaMemcpy3DParms parameters{};
  std::size_t element = 1;
  if (work.to_array != nullptr) {
    const Array& array = arrays.find(work.to_array);
    element = array.image.format.bytes();
    parameters.dstArray = const_cast<cudaArray_t>(work.to_array);
    parameters.dstPos = position_in(array, work.to);
  } else {
    parameters.dstPtr = box_of(work.to, work.to_pitch, work.to_slice, work);
  }
  if (work.from_array != nullptr) {
    const Array& array = arrays.find(work.from_array);
    element = array.image.format.bytes();
    parameters.srcArray = const_cast<cudaArray_t>(work.from_array);
    parameters.srcPos = position_in(array, work.from);
  } else {
    parameters.srcPtr = box_of(work.from, work.from_pitch, work.from_slice, work);
  }
  parameters.extent = {work.width / element, work.height, work.depth};
  parameters.kind = work.kind;
  return parameters;
}

CopyWork rows_to(const Arrays& arrays, const ArrayPlace& to, const void* from, std::size_t pitch,
                 std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return between(rows_in(arrays, to, width, height), rows_at(from, pitch, height), width, height, 1, kind);
}

CopyWork rows_from(const Arrays& arrays, void* to, std::size_t pitch, const ArrayPlace& from,
                   std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return between(rows_at(to, pitch, height), rows_in(arrays, from, width, height), width, height, 1, kind);
}

CopyWork rows_between(const Arrays& arrays, const ArrayPlace& to, const ArrayPlace& from, std::size_t width,
                      std::size_t height, cudaMemcpyKind kind) {
  return between(rows_in(arrays, to, width, height), rows_in(arrays, from, width, height), width, height, 1,
                 kind);
}

std::vector<CopyWork> bytes_to(const Arrays& arrays, const ArrayPlace& to, const void* from,
                               std::size_t bytes, cudaMemcpyKind kind) {
  return pieces(run_in(arrays, to, bytes), run_at(from), bytes, kind);
}

std::vector<CopyWork> bytes_from(const Arrays& arrays, void* to, const ArrayPlace& from, std::size_t bytes,
                                 cudaMemcpyKind kind) {
  return pieces(run_at(to), run_in(arrays, from, bytes), bytes, kind);
}

std::vector<CopyWork> bytes_between(const Arrays& arrays, const ArrayPlace& to, const ArrayPlace& from,
                                    std::size_t bytes, cudaMemcpyKind kind) {
  return pieces(run_in(arrays, to, bytes), run_in(arrays, from, bytes), bytes, kind);
}

}  // namespace lockstep::emulator::cudart
