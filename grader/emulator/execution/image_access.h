// Texture and surface instructions as far as no lane's data is concerned: which object a handle names, where
// a surface's bytes lie, and the findings when one of these fails.
#pragma once

#include <array>
#include <cstdint>

#include "emulator/execution/names.h"
#include "emulator/memory/image_table.h"

namespace lockstep::emulator::execution {

using memory::ImageObject;

/// Instruction::detail of texture and surface instructions. Coordinates are rows that follow one another from
/// Instruction::b on, in PTX's order: the layer first.
namespace image_access {
inline constexpr std::uint16_t kCountMask = 7;     ///< rows of data: 1, 2, 4
inline constexpr unsigned kShapeShift = 3;         ///< Image::Shape, three bits
inline constexpr std::uint16_t kByIndex = 1 << 6;  ///< coordinates are indices of texels (textures)
inline constexpr std::uint16_t kGather = 1 << 7;   ///< tld4
inline constexpr unsigned kChannelShift = 8;       ///< of tld4, two bits
inline constexpr unsigned kBoundaryShift = 6;      ///< Boundary, two bits (surfaces)
}  // namespace image_access

/// What a surface access outside the surface does.
enum class Boundary : std::uint8_t { trap, clamp, zero };

/// Instruction::detail of txq and suq.
enum class ImageQuery : std::uint16_t { width, height, depth, array_size, normalised, levels };

inline Image::Shape shape_of(const Instruction& i) {
  return static_cast<Image::Shape>(i.detail >> image_access::kShapeShift & 7);
}
inline Boundary boundary_of(const Instruction& i) {
  return static_cast<Boundary>(i.detail >> image_access::kBoundaryShift & 3);
}

/// The object that a lane's handle names, fit for the instruction and its memory still there; null, with a
/// finding and the launch failed, when it is not. A query fits every object of its kind.
const ImageObject* texture_of(Warp& warp, const Instruction& instruction, unsigned lane, ImageHandle handle);
const ImageObject* surface_of(Warp& warp, const Instruction& instruction, unsigned lane, ImageHandle handle);
const ImageObject* queried_of(Warp& warp, const Instruction& instruction, unsigned lane, ImageHandle handle,
                              bool texture);

/// Address of `width` bytes of a surface at {x in bytes, y, slice}; 0 when they lie outside and the boundary
/// mode does not move them inside.
std::uint64_t surface_address(const Image& image, const std::array<std::int32_t, 3>& at, unsigned width,
                              Boundary boundary);

/// Reports a lane's access outside the surface, or at an x that is no multiple of the width, and fails the
/// launch.
void report_surface_access(Warp& warp, const Instruction& instruction, unsigned lane, const Image& image,
                           const std::array<std::int32_t, 3>& at, bool is_store);

/// Reports the first of a texel's bytes that nothing has written, if there is one.
void check_texel_written(Warp& warp, const Instruction& instruction, unsigned lane, const Image& image,
                         std::uint64_t address, unsigned bytes);

}  // namespace lockstep::emulator::execution
