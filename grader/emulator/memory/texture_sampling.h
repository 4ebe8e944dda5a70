// Which texels a texture fetch reads, and what it makes of them.
//
// Exact where the programming guide's appendix "Texture Fetching" is: the texel of floor(x), and linear
// filtering with fractions of 8 bits. Where it leaves room, the choice stands at the function. Cards round
// the products of fractions too: results for 8-bit texels may differ by a part of 1/255.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "emulator/core/image.h"

namespace lockstep::emulator::memory {

/// One lane's operands: coordinates in floating point or as indices of texels, and the layer.
struct TexturePoint {
  std::array<float, 3> at{};
  std::array<std::int32_t, 3> index{};
  std::uint32_t layer = 0;
};

/// The bits of a texel's four channels, as they come into registers.
using Texel = std::array<std::uint32_t, 4>;

inline constexpr unsigned kWeightBits = 24;

/// A texel that a fetch reads.
struct Tap {
  std::uint64_t address;  ///< 0: outside the texture, where the border is
  std::uint32_t weight;   ///< in units of 2 to the power of -kWeightBits
};

/// Not cleared when it is made, as every lane of every fetch has one.
struct Footprint {
  unsigned count;
  std::array<Tap, 8> taps;  ///< the first `count`
};

/// Whether an instruction of this shape can read the image.
bool can_fetch(Image::Shape shape, bool by_index, const Image& image);

/// The texel at an index, as tex with .s32 coordinates reads it, whatever the sampler says. Outside it is
/// the border, with all channels zero.
void find_texel(const Image& image, Image::Shape shape, const TexturePoint& point, Footprint& footprint);

/// The texels that a fetch with floating-point coordinates filters. Those of weight 0 are left out.
void find_footprint(const Image& image, const Sampler& sampler, Image::Shape shape, const TexturePoint& point,
                    Footprint& footprint);

/// The four texels that linear filtering would read, in the order of tld4: (i, j+1), (i+1, j+1), (i+1, j),
/// (i, j). For shapes of two coordinates.
void find_gathered(const Image& image, const Sampler& sampler, const TexturePoint& point,
                   Footprint& footprint);

/// Channels that the format lacks are 0, the fourth 1, as in graphics; CUDA does not say.
Texel read_texel(const Image& image, const Sampler& sampler, const std::byte* texel);

/// The weighted sum of the footprint's texels, one for each tap: in double, rounded once. A single texel
/// passes as it is.
Texel filtered(const Image& image, const Sampler& sampler, const Footprint& footprint, const Texel* texels);

}  // namespace lockstep::emulator::memory
