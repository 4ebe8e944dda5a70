#include "emulator/memory/image_table.h"

namespace lockstep::emulator::memory {
namespace {

constexpr std::size_t kMaxObjects = std::size_t{1} << 16;
/// No texture of any GPU is larger in one direction, and sizes in bytes fit into 64 bits.
constexpr std::uint64_t kMaxTexels = std::uint64_t{1} << 28;
constexpr std::uint64_t kMaxTexelRows = std::uint64_t{1} << 17, kMaxSlices = std::uint64_t{1} << 17;
constexpr std::uint64_t kMaxStep = std::uint64_t{1} << 40;

void require(bool condition, const char* otherwise) {
  if (!condition) throw DeviceError(DeviceError::Code::invalid_value, otherwise);
}

void check(const TexelFormat& format) {
  using enum TexelFormat::Kind;
  require(format.channels == 1 || format.channels == 2 || format.channels == 4,
          "a texel has one, two or four channels");
  require(format.bits == 8 || format.bits == 16 || format.bits == 32, "a channel has 8, 16 or 32 bits");
  require(format.kind <= floating && (format.kind != floating || format.bits != 8),
          "a channel is an integer or a floating-point number of 16 or 32 bits");
}

void check_extent(const Image& image) {
  using enum Image::Shape;
  require(image.shape <= buffer, "an image of no known shape");
  require(image.width >= 1 && image.height >= 1 && image.depth >= 1, "an image of no texels");
  require(image.width <= kMaxTexels && image.height <= kMaxTexelRows && image.depth <= kMaxSlices,
          "an image larger than a texture can be");
  const bool one_row = image.shape == line || image.shape == line_layers || image.shape == buffer;
  const bool one_slice = image.shape == line || image.shape == plane || image.shape == buffer;
  require(!one_row || image.height == 1, "an image of one dimension has one row");
  require(!one_slice || image.depth == 1, "an image without layers and depth has one slice");
  const bool faces = image.shape == cube || image.shape == cube_layers;
  require(!faces || (image.width == image.height && image.depth % kCubeFaces == 0),
          "a cube has six faces as wide as high");
  require(image.shape != cube || image.depth == kCubeFaces, "a cube has six faces");
}

void check(const Image& image) {
  check(image.format);
  check_extent(image);
  const std::uint64_t texel = image.format.bytes();
  require(image.row_bytes <= kMaxStep && image.slice_bytes <= kMaxStep, "rows lie too far apart");
  require(image.address % texel == 0 && image.row_bytes % texel == 0 && image.slice_bytes % texel == 0,
          "texels lie at multiples of their size");
  require(image.height == 1 || image.row_bytes >= image.width * texel, "rows overlap");
  require(image.depth == 1 || image.slice_bytes >= (image.height - 1) * image.row_bytes + image.width * texel,
          "slices overlap");
}

/// Surfaces are accessed in words besides texels, and the shadows of memory are those of words.
void check_words(const Image& image) {
  constexpr std::uint64_t kWord = 4;
  require(image.address % kWord == 0 && (image.height == 1 || image.row_bytes % kWord == 0) &&
              (image.depth == 1 || image.slice_bytes % kWord == 0),
          "rows of a surface begin at multiples of four bytes");
}

void check(const Image& image, const Sampler& sampler) {
  using enum TexelFormat::Kind;
  for (const Sampler::Outside outside : sampler.outside) {
    require(outside <= Sampler::Outside::border, "an address mode that does not exist");
  }
  require(sampler.linear <= 1 && sampler.normalised_coordinates <= 1 && sampler.normalised_values <= 1,
          "a sampler's switch that is neither on nor off");
  require(sampler.normalised_values == 0 || (image.format.kind != floating && image.format.bits <= 16),
          "only integers of 8 and 16 bits are read as fractions");
  require(sampler.linear == 0 || sampler.normalised_values == 1 || image.format.kind == floating,
          "linear filtering is for values read as floating-point numbers");
}

}  // namespace

ImageHandle ImageTable::add(const Image& image, const std::optional<Sampler>& sampler,
                            const GlobalMemory& memory) {
  check(image);
  if (sampler) {
    check(image, *sampler);
  } else {
    check_words(image);
  }
  if (objects_.size() == kMaxObjects) {
    throw DeviceError(DeviceError::Code::out_of_resources,
                      "more texture and surface objects than the device has");
  }
  ImageObject object{image, sampler};
  object.bytes = (image.depth - 1) * image.slice_bytes + (image.height - 1) * image.row_bytes +
                 image.width * image.format.bytes();
  memory.require(image.address, object.bytes);
  object.allocation = memory.find(image.address)->begin;
  if (object.sampler && object.sampler->normalised_coordinates == 0) {
    // Coordinates in texels do not repeat: cudaCreateTextureObject's documentation.
    for (Sampler::Outside& outside : object.sampler->outside) {
      if (outside == Sampler::Outside::wrap || outside == Sampler::Outside::mirror)
        outside = Sampler::Outside::clamp;
    }
  }
  objects_.emplace(next_, object);
  return next_++;
}

void ImageTable::remove(ImageHandle handle) {
  if (objects_.erase(handle) == 0) {
    throw DeviceError(DeviceError::Code::invalid_value, "no such texture or surface object");
  }
}

const ImageObject* ImageTable::find(ImageHandle handle) const {
  const auto found = objects_.find(handle);
  return found == objects_.end() ? nullptr : &found->second;
}

}  // namespace lockstep::emulator::memory
