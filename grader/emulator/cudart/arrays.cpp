#include "emulator/cudart/arrays.h"

#include <algorithm>
#include <array>
#include <span>

#include "emulator/cudart/texture_limits.h"

namespace lockstep::cudart {

namespace {

using Shape = emulator::Image::Shape;

std::byte* pointer_to(emulator::DeviceAddress address) { return reinterpret_cast<std::byte*>(address); }

Shape shape_of(const cudaExtent& extent, unsigned flags) {
  const bool layered = (flags & cudaArrayLayered) != 0, cube = (flags & cudaArrayCubemap) != 0;
  if (cube) return layered ? Shape::cube_layers : Shape::cube;
  if (layered) return extent.height == 0 ? Shape::line_layers : Shape::plane_layers;
  if (extent.depth != 0) return Shape::volume;
  return extent.height != 0 ? Shape::plane : Shape::line;
}

/// The table at cudaMalloc3DArray: which extents a kind of array may have.
void check_extent(const cudaExtent& extent, Shape shape, unsigned flags) {
  const auto within = [&](std::array<std::size_t, 3> least, std::array<std::size_t, 3> most) {
    require(extent.width >= least[0] && extent.width <= most[0] && extent.height >= least[1] &&
            extent.height <= most[1] && extent.depth >= least[2] && extent.depth <= most[2]);
  };
  constexpr auto kFaces = static_cast<std::size_t>(emulator::kCubeFaces);
  switch (shape) {
    case Shape::line:
      return within({1, 0, 0}, {kMostTexels1D, 0, 0});
    case Shape::plane:
      if ((flags & cudaArrayTextureGather) != 0)
        return within({1, 1, 0}, {kMostTexelsGather[0], kMostTexelsGather[1], 0});
      return within({1, 1, 0}, {kMostTexels2D[0], kMostTexels2D[1], 0});
    case Shape::volume:
      return within({1, 1, 1}, {kMostTexels3D[0], kMostTexels3D[1], kMostTexels3D[2]});
    case Shape::line_layers:
      return within({1, 0, 1}, {kMostTexels1DLayered[0], 0, kMostTexels1DLayered[1]});
    case Shape::plane_layers:
      return within({1, 1, 1}, {kMostTexels2DLayered[0], kMostTexels2DLayered[1], kMostTexels2DLayered[2]});
    case Shape::cube:
    case Shape::cube_layers:
      require(extent.width == extent.height && extent.depth % kFaces == 0);
      return within({1, 1, kFaces}, {kMostTexelsCubemap, kMostTexelsCubemap,
                                     shape == Shape::cube ? kFaces : kMostTexelsCubemapLayered[1]});
    case Shape::buffer:
      break;
  }
  throw Failure{cudaErrorInvalidValue};
}

emulator::Image lay_out(const cudaExtent& extent, Shape shape, const emulator::TexelFormat& format) {
  emulator::Image image;
  image.shape = shape;
  image.format = format;
  image.width = extent.width;
  image.height = std::max<std::size_t>(extent.height, 1);
  image.depth = std::max<std::size_t>(extent.depth, 1);
  image.row_bytes = image.width * format.bytes();
  // Surfaces are read up to 16 bytes at a time, in every row.
  constexpr std::uint64_t kRowGranule = 32;
  if (image.height > 1 || image.depth > 1)
    image.row_bytes = (image.row_bytes + kRowGranule - 1) / kRowGranule * kRowGranule;
  image.slice_bytes = image.row_bytes * image.height;
  return image;
}

/// One side of cudaMemcpy3D: a box in memory, in bytes.
struct Box {
  std::byte* first = nullptr;
  std::size_t row_bytes = 0, slice_bytes = 0;
};

Box box_in(const Array& array, const cudaPos& at, const cudaExtent& extent) {
  const emulator::Image& image = array.image;
  require(at.x <= image.width && extent.width <= image.width - at.x && at.y <= image.height &&
          extent.height <= image.height - at.y && at.z <= image.depth && extent.depth <= image.depth - at.z);
  return {pointer_to(image.address) + at.z * image.slice_bytes + at.y * image.row_bytes +
              at.x * image.format.bytes(),
          image.row_bytes, image.slice_bytes};
}

Box box_at(const cudaPitchedPtr& pointer, const cudaPos& at) {
  const std::size_t slice_bytes = pointer.pitch * pointer.ysize;
  return {static_cast<std::byte*>(pointer.ptr) + at.z * slice_bytes + at.y * pointer.pitch + at.x,
          pointer.pitch, slice_bytes};
}

}  // namespace

emulator::TexelFormat texel_format(const cudaChannelFormatDesc& channels) {
  using Kind = emulator::TexelFormat::Kind;
  if (channels.f > cudaChannelFormatKindNone) unsupported("channel formats besides integers and floats");
  emulator::TexelFormat format;
  format.kind = channels.f == cudaChannelFormatKindSigned     ? Kind::signed_integer
                : channels.f == cudaChannelFormatKindUnsigned ? Kind::unsigned_integer
                                                              : Kind::floating;
  const std::array<int, 4> bits{channels.x, channels.y, channels.z, channels.w};
  format.bits = static_cast<std::uint32_t>(channels.x);
  format.channels = bits[1] == 0 ? 1 : bits[2] == 0 ? 2 : 4;
  const bool known = channels.f != cudaChannelFormatKindNone &&
                     (bits[0] == 8 || bits[0] == 16 || bits[0] == 32) &&
                     (format.kind != Kind::floating || bits[0] != 8);
  for (std::size_t k = 0; k < bits.size(); ++k) {
    if (!known || bits[k] != (k < format.channels ? bits[0] : 0))
      throw Failure{cudaErrorInvalidChannelDescriptor};
  }
  return format;
}

cudaArray_t Arrays::allocate(const cudaChannelFormatDesc& channels, const cudaExtent& extent,
                             unsigned flags) {
  constexpr unsigned kKnown =
      cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap | cudaArrayTextureGather;
  if ((flags & ~kKnown) != 0) unsupported("sparse and deferred CUDA arrays");
  const emulator::TexelFormat format = texel_format(channels);
  const Shape shape = shape_of(extent, flags);
  require((flags & cudaArrayTextureGather) == 0 || shape == Shape::plane);
  check_extent(extent, shape, flags);
  auto array = std::make_unique<Array>(Array{channels, extent, flags, lay_out(extent, shape, format)});
  array->image.address = reinterpret_cast<emulator::DeviceAddress>(
      memory_.allocate(array->image.slice_bytes * array->image.depth));
  auto* handle = reinterpret_cast<cudaArray_t>(array.get());
  arrays_[handle] = std::move(array);
  return handle;
}

void Arrays::free(cudaArray_t handle) {
  if (handle == nullptr) return;
  memory_.free(pointer_to(find(handle).image.address));
  arrays_.erase(handle);
}

const Array& Arrays::find(cudaArray_const_t handle) const {
  const auto found = arrays_.find(handle);
  if (found == arrays_.end()) throw Failure{cudaErrorInvalidResourceHandle};
  return *found->second;
}

void Arrays::copy(const cudaMemcpy3DParms& parameters) {
  const cudaMemcpy3DParms& p = parameters;
  require((p.srcArray != nullptr) != (p.srcPtr.ptr != nullptr) &&
          (p.dstArray != nullptr) != (p.dstPtr.ptr != nullptr));
  const Array* from = p.srcArray != nullptr ? &find(p.srcArray) : nullptr;
  const Array* to = p.dstArray != nullptr ? &find(p.dstArray) : nullptr;
  if (p.extent.width == 0 || p.extent.height == 0 || p.extent.depth == 0) return;
  // The extent is in elements of an array, where one takes part, else in bytes.
  const Array* counted = to != nullptr ? to : from;
  require(from == nullptr || to == nullptr || from->image.format.bytes() == to->image.format.bytes());
  const std::size_t element = counted != nullptr ? counted->image.format.bytes() : 1;
  require(p.extent.width <= SIZE_MAX / element);
  const Rows rows{0, p.extent.width * element, p.extent.height};
  const Box source = from != nullptr ? box_in(*from, p.srcPos, p.extent) : box_at(p.srcPtr, p.srcPos);
  const Box target = to != nullptr ? box_in(*to, p.dstPos, p.extent) : box_at(p.dstPtr, p.dstPos);
  for (std::size_t z = 0; z < p.extent.depth; ++z) {
    memory_.copy_rows(target.first + z * target.slice_bytes, target.row_bytes,
                      source.first + z * source.slice_bytes, Rows{source.row_bytes, rows.width, rows.height},
                      p.kind);
  }
}

std::byte* Arrays::place(const Array& array, std::size_t x, std::size_t y, const Rows& rows) const {
  const emulator::Image& image = array.image;
  const std::size_t row_bytes = image.width * image.format.bytes();
  require(x <= row_bytes && rows.width <= row_bytes - x && y <= image.height &&
          rows.height <= image.height - y);
  return pointer_to(image.address) + y * image.row_bytes + x;
}

void Arrays::copy_rows_to(cudaArray_t to, std::size_t x, std::size_t y, const void* from, const Rows& rows,
                          cudaMemcpyKind kind) {
  const Array& array = find(to);
  memory_.copy_rows(place(array, x, y, rows), array.image.row_bytes, from, rows, kind);
}

void Arrays::copy_rows_from(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y,
                            const Rows& rows, cudaMemcpyKind kind) {
  const Array& array = find(from);
  memory_.copy_rows(to, pitch, place(array, x, y, rows), Rows{array.image.row_bytes, rows.width, rows.height},
                    kind);
}

void Arrays::copy_rows_between(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from,
                               std::size_t from_x, std::size_t from_y, const Rows& rows,
                               cudaMemcpyKind kind) {
  const Array& source = find(from);
  copy_rows_to(to, to_x, to_y, place(source, from_x, from_y, rows),
               Rows{source.image.row_bytes, rows.width, rows.height}, kind);
}

template <class F>
void Arrays::for_pieces(const Array& array, std::size_t x, std::size_t y, std::size_t bytes, F f) const {
  const std::size_t row_bytes = array.image.width * array.image.format.bytes();
  require(x < row_bytes && y < array.image.height && bytes <= (array.image.height - y) * row_bytes - x);
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t left = bytes - done;
    const bool whole_rows = x == 0 && left >= row_bytes;
    const Rows rows{array.image.row_bytes, whole_rows ? row_bytes : std::min(left, row_bytes - x),
                    whole_rows ? left / row_bytes : 1};
    f(place(array, x, y, rows), done, rows);
    done += rows.width * rows.height;
    y += rows.height;
    x = 0;
  }
}

void Arrays::copy_bytes_to(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t bytes,
                           cudaMemcpyKind kind) {
  const Array& array = find(to);
  for_pieces(array, x, y, bytes, [&](std::byte* piece, std::size_t done, const Rows& rows) {
    memory_.copy_rows(piece, rows.pitch, static_cast<const std::byte*>(from) + done,
                      Rows{rows.width, rows.width, rows.height}, kind);
  });
}

void Arrays::copy_bytes_from(void* to, cudaArray_const_t from, std::size_t x, std::size_t y,
                             std::size_t bytes, cudaMemcpyKind kind) {
  const Array& array = find(from);
  for_pieces(array, x, y, bytes, [&](std::byte* piece, std::size_t done, const Rows& rows) {
    memory_.copy_rows(static_cast<std::byte*>(to) + done, rows.width, piece, rows, kind);
  });
}

void Arrays::copy_bytes_between(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from,
                                std::size_t from_x, std::size_t from_y, std::size_t bytes,
                                cudaMemcpyKind kind) {
  const emulator::Image& target = find(to).image;
  const std::size_t row_bytes = target.width * target.format.bytes();
  require(to_x < row_bytes && to_y < target.height && bytes <= (target.height - to_y) * row_bytes - to_x);
  for_pieces(find(from), from_x, from_y, bytes, [&](std::byte* piece, std::size_t done, const Rows& rows) {
    for (std::size_t row = 0; row < rows.height; ++row) {
      const std::size_t at = to_y * row_bytes + to_x + done + row * rows.width;
      copy_bytes_to(to, at % row_bytes, at / row_bytes, piece + row * rows.pitch, rows.width, kind);
    }
  });
}

}  // namespace lockstep::cudart
