// Images: memory as texture and surface instructions see it, and how a texture is sampled.
//
// Plain structs, which also travel to the device process; what they say is checked where an object is made of
// them. Source: CUDA C++ Programming Guide, "Texture and Surface Memory" and "Texture Fetching".
#pragma once

#include <array>
#include <cstdint>

namespace lockstep::emulator {

/// What a kernel holds of a texture or surface object. No small number, so that an integer passed by mistake
/// names none.
using ImageHandle = std::uint64_t;

struct TexelFormat {
  enum class Kind : std::uint32_t { signed_integer, unsigned_integer, floating };
  Kind kind = Kind::unsigned_integer;
  std::uint32_t bits = 32;     ///< of a channel: 8, 16 or 32; floating ones have 16 or 32
  std::uint32_t channels = 1;  ///< 1, 2 or 4
  std::uint32_t bytes() const { return bits / 8 * channels; }
};

struct Image {
  enum class Shape : std::uint32_t {
    line,
    plane,
    volume,
    line_layers,
    plane_layers,
    cube,         ///< six faces, as layers
    cube_layers,  ///< six faces a layer
    buffer,       ///< a line in linear memory, which is read by index only
  };
  std::uint64_t address = 0;                     ///< of the first texel, on the device
  std::uint64_t width = 1;                       ///< texels of a row
  std::uint64_t height = 1;                      ///< rows of a slice
  std::uint64_t depth = 1;                       ///< slices: of a volume, layers, or faces
  std::uint64_t row_bytes = 0, slice_bytes = 0;  ///< from one row or slice to the next
  TexelFormat format;
  Shape shape = Shape::line;
};

inline constexpr std::uint64_t kCubeFaces = 6;

/// Coordinates of a shape besides the layer: a direction has three.
constexpr unsigned dimensions_of(Image::Shape shape) {
  using enum Image::Shape;
  if (shape == volume || shape == cube || shape == cube_layers) return 3;
  return shape == plane || shape == plane_layers ? 2 : 1;
}

constexpr bool has_layer(Image::Shape shape) {
  using enum Image::Shape;
  return shape == line_layers || shape == plane_layers || shape == cube_layers;
}

struct Sampler {
  /// What a texel index outside the texture means.
  enum class Outside : std::uint32_t { wrap, clamp, mirror, border };
  std::array<Outside, 3> outside{Outside::clamp, Outside::clamp, Outside::clamp};
  std::uint32_t linear = 0;                  ///< 1: filters between neighbours; 0: takes the nearest
  std::uint32_t normalised_coordinates = 0;  ///< 1: from 0 to 1 over the texture; 0: in texels
  std::uint32_t normalised_values = 0;       ///< 1: integers are fractions of the largest one; 0: as they are
  std::array<std::uint32_t, 4> border{};     ///< channels of Outside::border, as a fetch returns their bits
};

}  // namespace lockstep::emulator
