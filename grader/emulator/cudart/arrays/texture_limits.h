// How large textures and arrays may be, and how memory that a texture shows must be aligned.
//
// Source: CUDA C++ Programming Guide, "Compute Capabilities", technical specifications of 9.0.
#pragma once

#include <cstddef>

namespace lockstep::emulator::cudart {

inline constexpr int kTextureAlignment = 512;
inline constexpr int kTexturePitchAlignment = 32;

inline constexpr std::size_t kMaxTexels1D = 131072;
inline constexpr std::size_t kMaxTexels2D[2] = {131072, 65536};
inline constexpr std::size_t kMaxTexels3D[3] = {16384, 16384, 16384};
inline constexpr std::size_t kMaxTexels1DLayered[2] = {32768, 2048};
inline constexpr std::size_t kMaxTexels2DLayered[3] = {32768, 32768, 2048};
inline constexpr std::size_t kMaxTexelsCubemap = 32768;
inline constexpr std::size_t kMaxTexelsCubemapLayered[2] = {32768, 2046};
inline constexpr std::size_t kMaxTexelsGather[2] = {32768, 32768};
inline constexpr std::size_t kMaxTexelsLinear = std::size_t{1} << 28;
inline constexpr std::size_t kMaxTexels2DLinear[3] = {131072, 65000, 2097120};  ///< width, height, pitch

}  // namespace lockstep::emulator::cudart
