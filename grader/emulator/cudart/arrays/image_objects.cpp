#include "emulator/cudart/arrays/image_objects.h"

#include <bit>

#include "emulator/cudart/arrays/texture_limits.h"
#include "emulator/cudart/errors/unsupported.h"
#include "emulator/cudart/memory/addresses.h"

namespace lockstep::emulator::cudart {
namespace {

using server::bytes_of;
using server::RequestKind;

DeviceAddress aligned_address(const void* pointer) {
  const DeviceAddress address = address_of(pointer);
  require(address != 0 && address % kTextureAlignment == 0);
  return address;
}

Image linear_image(const cudaResourceDesc& resource) {
  const auto& linear = resource.res.linear;
  Image image;
  image.shape = Image::Shape::buffer;
  image.format = texel_format(linear.desc);
  image.address = aligned_address(linear.devPtr);
  image.width = linear.sizeInBytes / image.format.bytes();
  require(image.width >= 1 && image.width <= kMaxTexelsLinear);
  return image;
}

Image pitched_image(const cudaResourceDesc& resource) {
  const auto& pitched = resource.res.pitch2D;
  require(pitched.width >= 1 && pitched.width <= kMaxTexels2DLinear[0] && pitched.height >= 1 &&
          pitched.height <= kMaxTexels2DLinear[1] && pitched.pitchInBytes <= kMaxTexels2DLinear[2]);
  Image image;
  image.shape = Image::Shape::plane;
  image.format = texel_format(pitched.desc);
  image.address = aligned_address(pitched.devPtr);
  image.width = pitched.width;
  image.height = pitched.height;
  image.row_bytes = pitched.pitchInBytes;
  require(image.row_bytes % kTexturePitchAlignment == 0 &&
          image.row_bytes >= image.width * image.format.bytes());
  return image;
}

Sampler::Outside outside_of(cudaTextureAddressMode mode) {
  switch (mode) {
    case cudaAddressModeWrap:
      return Sampler::Outside::wrap;
    case cudaAddressModeClamp:
      return Sampler::Outside::clamp;
    case cudaAddressModeMirror:
      return Sampler::Outside::mirror;
    case cudaAddressModeBorder:
      return Sampler::Outside::border;
  }
  throw Failure{cudaErrorInvalidValue};
}

Sampler sampler_of(const cudaTextureDesc& sampling, const Image& image) {
  if (sampling.sRGB != 0) refuse("sRGB textures");
  if (sampling.maxAnisotropy > 1) refuse("anisotropic filtering");
  require(sampling.filterMode == cudaFilterModePoint || sampling.filterMode == cudaFilterModeLinear);
  require(sampling.readMode == cudaReadModeElementType || sampling.readMode == cudaReadModeNormalizedFloat);
  Sampler sampler;
  for (std::size_t d = 0; d < sampler.outside.size(); ++d)
    sampler.outside[d] = outside_of(sampling.addressMode[d]);
  sampler.normalised_coordinates = sampling.normalizedCoords != 0 ? 1 : 0;
  const bool floating = image.format.kind == TexelFormat::Kind::floating;
  // Integers of 32 bits stay what they are, whatever the read mode says.
  const bool fractions =
      sampling.readMode == cudaReadModeNormalizedFloat && !floating && image.format.bits <= 16;
  sampler.normalised_values = fractions ? 1 : 0;
  if (image.shape == Image::Shape::buffer) return sampler;  // read by index: nothing is filtered
  if (sampling.filterMode == cudaFilterModeLinear) {
    if (!floating && !fractions) throw Failure{cudaErrorInvalidFilterSetting};
    sampler.linear = 1;
  }
  if (sampling.seamlessCubemap != 0) {
    require(image.shape == Image::Shape::cube || image.shape == Image::Shape::cube_layers);
    if (sampler.linear != 0) refuse("seamless filtering of cubemaps");
    sampler.outside.fill(Sampler::Outside::clamp);
  }
  for (std::size_t k = 0; k < sampler.border.size(); ++k)
    sampler.border[k] = std::bit_cast<std::uint32_t>(sampling.borderColor[k]);
  return sampler;
}

}  // namespace

Image ImageObjects::image_of(const cudaResourceDesc& resource) const {
  switch (resource.resType) {
    case cudaResourceTypeArray:
      return arrays_.find(resource.res.array.array).image;
    case cudaResourceTypeMipmappedArray:
      refuse("mipmapped textures");
    case cudaResourceTypeLinear:
      return linear_image(resource);
    case cudaResourceTypePitch2D:
      return pitched_image(resource);
  }
  throw Failure{cudaErrorInvalidValue};
}

cudaTextureObject_t ImageObjects::create_texture(const cudaResourceDesc& resource,
                                                 const cudaTextureDesc& sampling) {
  server::TextureRequest wanted;
  wanted.image = image_of(resource);
  wanted.sampler = sampler_of(sampling, wanted.image);
  const cudaTextureObject_t handle =
      device_.ask<server::IdReply>(RequestKind::create_texture, {bytes_of(wanted)}).id;
  textures_[handle] = {resource, sampling};
  return handle;
}

cudaSurfaceObject_t ImageObjects::create_surface(const cudaResourceDesc& resource) {
  require(resource.resType == cudaResourceTypeArray);
  const Array& array = arrays_.find(resource.res.array.array);
  require((array.flags & cudaArraySurfaceLoadStore) != 0);
  const server::SurfaceRequest wanted{array.image};
  const cudaSurfaceObject_t handle =
      device_.ask<server::IdReply>(RequestKind::create_surface, {bytes_of(wanted)}).id;
  surfaces_[handle] = resource;
  return handle;
}

void ImageObjects::destroy_texture(cudaTextureObject_t handle) {
  texture(handle);
  device_.request(RequestKind::destroy_image, {bytes_of(server::IdRequest{handle})});
  textures_.erase(handle);
}

void ImageObjects::destroy_surface(cudaSurfaceObject_t handle) {
  surface(handle);
  device_.request(RequestKind::destroy_image, {bytes_of(server::IdRequest{handle})});
  surfaces_.erase(handle);
}

const ImageObjects::Texture& ImageObjects::texture(cudaTextureObject_t handle) const {
  const auto found = textures_.find(handle);
  require(found != textures_.end());
  return found->second;
}

const cudaResourceDesc& ImageObjects::surface(cudaSurfaceObject_t handle) const {
  const auto found = surfaces_.find(handle);
  require(found != surfaces_.end());
  return found->second;
}

void ImageObjects::forget_all() {
  textures_.clear();
  surfaces_.clear();
}

}  // namespace lockstep::emulator::cudart
