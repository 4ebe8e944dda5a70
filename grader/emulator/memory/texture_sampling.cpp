#include "emulator/memory/texture_sampling.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace lockstep::emulator::memory {
namespace {

using Shape = Image::Shape;
using Outside = Sampler::Outside;

/// The fraction between two texels has 8 bits, and reaches 1: nine in all.
constexpr unsigned kFractionBits = 8;
constexpr std::uint32_t kOne = 1U << kFractionBits;

/// A coordinate in texels: the product with the texture's size is rounded once to single precision. That is
/// not laid down; like the division that made the coordinate it returns i for i / N, where the exact product
/// may fall short of it. What is no number is taken for 0. Far outside, one place is like the other.
double position(float coordinate, std::uint64_t texels, Outside outside, bool normalised) {
  const auto n = static_cast<double>(texels);
  double place = coordinate;
  if (normalised) {
    const double whole = std::floor(place);
    if (outside == Outside::wrap || outside == Outside::mirror) place -= whole;
    if (outside == Outside::mirror && std::fmod(whole, 2) != 0) place = 1 - place;
    place = static_cast<float>(place * n);
  }
  return std::isnan(place) ? 0 : std::clamp(place, -2.0, n + 2);
}

/// The texel that an index means, or kBorder.
constexpr std::int64_t kBorder = -1;
std::int64_t texel_at(std::int64_t index, std::uint64_t texels, Outside outside) {
  const auto n = static_cast<std::int64_t>(texels);
  if (index >= 0 && index < n) return index;
  switch (outside) {
    case Outside::border:
      return kBorder;
    case Outside::wrap:
      return (index % n + n) % n;
    case Outside::clamp:
    case Outside::mirror:  // the coordinate is inside already: only a neighbour can be one beyond the end
      return std::clamp<std::int64_t>(index, 0, n - 1);
  }
  return kBorder;
}

/// The texels along one direction that a fetch takes, and how much of each.
struct TexelPair {
  unsigned count = 1;
  std::array<std::int64_t, 2> texels{};
  std::array<std::uint32_t, 2> weights{kOne};
};

void take_nearest(double place, std::uint64_t texels, Outside outside, TexelPair& span) {
  span.texels[0] = texel_at(static_cast<std::int64_t>(std::floor(place)), texels, outside);
}

/// The guide's i = floor(x - 0.5) and its fraction, rounded to 8 bits, ties upwards. Where it rounds to 1,
/// the next pair with the fraction 0 is the same.
struct Fixed {
  std::int64_t first = 0;
  std::uint32_t fraction = 0;  ///< of kOne
};
Fixed fixed_point(double place) {
  const auto fixed = static_cast<std::int64_t>(std::floor((place - 0.5) * kOne + 0.5));
  return {fixed >> kFractionBits, static_cast<std::uint32_t>(fixed & (kOne - 1))};
}

void take_neighbours(double place, std::uint64_t texels, Outside outside, TexelPair& span) {
  const Fixed fixed = fixed_point(place);
  span.texels[0] = texel_at(fixed.first, texels, outside);
  if (fixed.fraction == 0) return;
  span.count = 2;
  span.texels[1] = texel_at(fixed.first + 1, texels, outside);
  span.weights[0] = kOne - fixed.fraction;
  span.weights[1] = fixed.fraction;
}

/// 0 where one of the indices is outside.
std::uint64_t address_of(const Image& image, std::int64_t x, std::int64_t y, std::int64_t slice) {
  if ((x | y | slice) < 0) return 0;
  return image.address + static_cast<std::uint64_t>(slice) * image.slice_bytes +
         static_cast<std::uint64_t>(y) * image.row_bytes +
         static_cast<std::uint64_t>(x) * image.format.bytes();
}

std::int64_t clamped_layer(std::uint32_t layer, std::uint64_t layers) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(layer, layers - 1));
}

/// A direction from a cube's centre as a face, and coordinates from 0 to 1 on it: the table in the guide's
/// section on cubemap textures. Equal magnitudes, which it leaves open, are z before y before x.
struct FacePoint {
  std::int64_t face = 0;
  std::array<float, 2> at{};
};
FacePoint on_face(const std::array<float, 3>& direction) {
  const double x = direction[0], y = direction[1], z = direction[2];
  const double across = std::abs(x), up = std::abs(y), along = std::abs(z);
  std::int64_t face = 0;
  double s = 0, t = 0, m = 0;
  if (along >= across && along >= up) {
    face = z >= 0 ? 4 : 5, m = along, s = z >= 0 ? x : -x, t = -y;
  } else if (up >= across) {
    face = y >= 0 ? 2 : 3, m = up, s = x, t = y >= 0 ? z : -z;
  } else {
    face = x >= 0 ? 0 : 1, m = across, s = x >= 0 ? -z : z, t = -y;
  }
  return {face, {static_cast<float>((s / m + 1) / 2), static_cast<float>((t / m + 1) / 2)}};
}

/// A half as a float, exactly: its exponent has the bias 15, a float's 127; the product also makes subnormal
/// halves normal.
std::uint32_t half_as_float(std::uint16_t bits) {
  constexpr std::uint32_t kSign = 0x8000, kInfinity = 0x7C00;
  const std::uint32_t magnitude = bits & (kSign - 1), sign = (bits & kSign) << 16;
  if (magnitude >= kInfinity) return sign | 0x7F80'0000 | (magnitude & (kInfinity ^ (kSign - 1))) << 13;
  return sign | std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112F);
}

template <class T>
T channel(const std::byte* texel, unsigned index) {
  T value;
  std::memcpy(&value, texel + index * sizeof value, sizeof value);
  return value;
}

/// An integer channel: itself, extended by its sign, or the fraction of the largest that it is, rounded once.
/// The smallest signed one is -1 like the one above it.
template <class T>
std::uint32_t integer_channel(const std::byte* texel, unsigned index, bool as_fraction) {
  const T value = channel<T>(texel, index);
  if (!as_fraction) return static_cast<std::uint32_t>(static_cast<std::int32_t>(value));
  const float fraction = static_cast<float>(value) / static_cast<float>(std::numeric_limits<T>::max());
  return std::bit_cast<std::uint32_t>(std::max(fraction, -1.0F));
}

std::uint32_t channel_bits(const TexelFormat& format, const std::byte* texel, unsigned index,
                           bool as_fraction) {
  if (format.bits == 32) return channel<std::uint32_t>(texel, index);
  const bool is_signed = format.kind == TexelFormat::Kind::signed_integer;
  if (format.bits == 8) {
    return is_signed ? integer_channel<std::int8_t>(texel, index, as_fraction)
                     : integer_channel<std::uint8_t>(texel, index, as_fraction);
  }
  if (format.kind == TexelFormat::Kind::floating) {
    return half_as_float(channel<std::uint16_t>(texel, index));
  }
  return is_signed ? integer_channel<std::int16_t>(texel, index, as_fraction)
                   : integer_channel<std::uint16_t>(texel, index, as_fraction);
}

bool gives_floats(const Image& image, const Sampler& sampler) {
  return image.format.kind == TexelFormat::Kind::floating || sampler.normalised_values != 0;
}

}  // namespace

bool can_fetch(Shape shape, bool by_index, const Image& image) {
  switch (shape) {
    case Shape::line:
      return (image.shape == Shape::buffer && by_index) || image.shape == Shape::line ||
             (image.shape == Shape::plane && image.height == 1);
    case Shape::plane:
      return image.shape == Shape::plane || image.shape == Shape::line;
    default:
      return image.shape == shape;
  }
}

void find_texel(const Image& image, Shape shape, const TexturePoint& point, Footprint& footprint) {
  const std::array<std::uint64_t, 3> extent{image.width, image.height, image.depth};
  std::array<std::int64_t, 3> at{};
  for (unsigned d = 0; d < dimensions_of(shape); ++d)
    at[d] = texel_at(point.index[d], extent[d], Outside::border);
  const std::int64_t slice = has_layer(shape) ? clamped_layer(point.layer, image.depth) : at[2];
  footprint.count = 1;
  footprint.taps[0] = {address_of(image, at[0], at[1], slice), 1};
}

void find_footprint(const Image& image, const Sampler& sampler, Shape shape, const TexturePoint& point,
                    Footprint& footprint) {
  const bool cube = shape == Shape::cube || shape == Shape::cube_layers;
  const FacePoint on_cube = cube ? on_face(point.at) : FacePoint{};
  const float* coordinates = cube ? on_cube.at.data() : point.at.data();
  const unsigned dimensions = cube ? 2 : dimensions_of(shape);
  const bool normalised = cube || sampler.normalised_coordinates != 0;
  std::int64_t slice = 0;
  if (has_layer(shape)) slice = clamped_layer(point.layer, cube ? image.depth / kCubeFaces : image.depth);
  if (cube) slice = slice * static_cast<std::int64_t>(kCubeFaces) + on_cube.face;

  const std::array<std::uint64_t, 3> extent{image.width, image.height, image.depth};
  std::array<TexelPair, 3> spans;
  spans[2].texels[0] = slice;
  for (unsigned d = 0; d < dimensions; ++d) {
    const double place = position(coordinates[d], extent[d], sampler.outside[d], normalised);
    if (sampler.linear != 0) {
      take_neighbours(place, extent[d], sampler.outside[d], spans[d]);
    } else {
      take_nearest(place, extent[d], sampler.outside[d], spans[d]);
    }
  }
  const auto& [across, up, along] = spans;
  footprint.count = 0;
  for (unsigned z = 0; z < along.count; ++z) {
    for (unsigned y = 0; y < up.count; ++y) {
      for (unsigned x = 0; x < across.count; ++x) {
        footprint.taps[footprint.count++] = {
            address_of(image, across.texels[x], up.texels[y], along.texels[z]),
            across.weights[x] * up.weights[y] * along.weights[z]};
      }
    }
  }
}

void find_gathered(const Image& image, const Sampler& sampler, const TexturePoint& point,
                   Footprint& footprint) {
  const std::array<std::uint64_t, 2> extent{image.width, image.height};
  std::array<std::array<std::int64_t, 2>, 2> texels{};
  for (unsigned d = 0; d < 2; ++d) {
    const Outside outside = sampler.outside[d];
    const std::int64_t first =
        fixed_point(position(point.at[d], extent[d], outside, sampler.normalised_coordinates != 0)).first;
    texels[d] = {texel_at(first, extent[d], outside), texel_at(first + 1, extent[d], outside)};
  }
  static constexpr std::array<std::array<unsigned, 2>, 4> kOrder = {{{0, 1}, {1, 1}, {1, 0}, {0, 0}}};
  footprint.count = 0;
  for (const auto& [right, below] : kOrder)
    footprint.taps[footprint.count++] = {address_of(image, texels[0][right], texels[1][below], 0), 1};
}

Texel read_texel(const Image& image, const Sampler& sampler, const std::byte* texel) {
  const std::uint32_t one = gives_floats(image, sampler) ? std::bit_cast<std::uint32_t>(1.0F) : 1;
  Texel result{0, 0, 0, one};
  for (unsigned k = 0; k < image.format.channels; ++k) {
    result[k] = channel_bits(image.format, texel, k, sampler.normalised_values != 0);
  }
  return result;
}

Texel filtered(const Image& image, const Sampler& sampler, const Footprint& footprint, const Texel* texels) {
  if (footprint.count == 1 || !gives_floats(image, sampler)) return texels[0];
  Texel result{};
  constexpr double kUnit = 1.0 / (1U << kWeightBits);
  for (unsigned k = 0; k < result.size(); ++k) {
    double sum = 0;
    for (unsigned t = 0; t < footprint.count; ++t)
      sum += footprint.taps[t].weight * static_cast<double>(std::bit_cast<float>(texels[t][k]));
    result[k] = std::bit_cast<std::uint32_t>(static_cast<float>(sum * kUnit));
  }
  return result;
}

}  // namespace lockstep::emulator::memory
