#include "emulator/cudart/arrays/arrays.h"

#include <algorithm>
#include <array>

#include "emulator/cudart/arrays/texture_limits.h"
#include "emulator/cudart/errors/unsupported.h"
#include "emulator/cudart/memory/addresses.h"

namespace lockstep::emulator::cudart {

namespace {

using Shape = Image::Shape;

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
  constexpr auto kFaces = static_cast<std::size_t>(kCubeFaces);
  switch (shape) {
    case Shape::line:
      return within({1, 0, 0}, {kMaxTexels1D, 0, 0});
    case Shape::plane:
      if ((flags & cudaArrayTextureGather) != 0)
        return within({1, 1, 0}, {kMaxTexelsGather[0], kMaxTexelsGather[1], 0});
      return within({1, 1, 0}, {kMaxTexels2D[0], kMaxTexels2D[1], 0});
    case Shape::volume:
      return within({1, 1, 1}, {kMaxTexels3D[0], kMaxTexels3D[1], kMaxTexels3D[2]});
    case Shape::line_layers:
      return within({1, 0, 1}, {kMaxTexels1DLayered[0], 0, kMaxTexels1DLayered[1]});
    case Shape::plane_layers:
      return within({1, 1, 1}, {kMaxTexels2DLayered[0], kMaxTexels2DLayered[1], kMaxTexels2DLayered[2]});
    case Shape::cube:
    case Shape::cube_layers:
      require(extent.width == extent.height && extent.depth % kFaces == 0);
      return within({1, 1, kFaces}, {kMaxTexelsCubemap, kMaxTexelsCubemap,
                                     shape == Shape::cube ? kFaces : kMaxTexelsCubemapLayered[1]});
    case Shape::buffer:
      break;
  }
  throw Failure{cudaErrorInvalidValue};
}

Image lay_out(const cudaExtent& extent, Shape shape, const TexelFormat& format) {
  Image image;
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

}  // namespace

TexelFormat texel_format(const cudaChannelFormatDesc& channels) {
  using Kind = TexelFormat::Kind;
  if (channels.f > cudaChannelFormatKindNone) refuse("channel formats besides integers and floats");
  TexelFormat format;
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
  if ((flags & ~kKnown) != 0) refuse("sparse and deferred CUDA arrays");
  const TexelFormat format = texel_format(channels);
  const Shape shape = shape_of(extent, flags);
  require((flags & cudaArrayTextureGather) == 0 || shape == Shape::plane);
  check_extent(extent, shape, flags);
  auto array = std::make_unique<Array>(Array{channels, extent, flags, lay_out(extent, shape, format)});
  array->image.address = address_of(memory_.allocate(array->image.slice_bytes * array->image.depth));
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

}  // namespace lockstep::emulator::cudart
