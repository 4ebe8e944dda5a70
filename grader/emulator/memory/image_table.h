// The texture and surface objects of a device, by their handles.
//
// A description may come from a hostile program: only one whose every texel lies in one allocation becomes an
// object, so that fetches need no check but of the coordinates, and that the memory is still there.
#pragma once

#include <optional>
#include <unordered_map>

#include "emulator/core/image.h"
#include "emulator/memory/memory.h"

namespace lockstep::emulator::memory {

struct ImageObject {
  Image image;
  std::optional<Sampler> sampler;  ///< nothing: a surface
  DeviceAddress allocation = 0;    ///< where the memory's allocation begins
  std::uint64_t bytes = 0;         ///< from the first texel to the end of the last
};

class ImageTable {
 public:
  /// Throws DeviceError: invalid_value for a description that contradicts itself, invalid_address when the
  /// texels do not lie in one allocation, out_of_resources when there are too many objects.
  ImageHandle add(const Image& image, const std::optional<Sampler>& sampler, const GlobalMemory& memory);
  /// Throws DeviceError::invalid_value when there is no such object.
  void remove(ImageHandle handle);
  /// Null when there is none.
  const ImageObject* find(ImageHandle handle) const;
  /// Whether the handle was one of an object that is gone.
  bool is_past(ImageHandle handle) const {
    return handle >= kFirst && handle < next_ && find(handle) == nullptr;
  }

 private:
  static constexpr ImageHandle kFirst = 0x1400'0000'0000;

  std::unordered_map<ImageHandle, ImageObject> objects_;
  ImageHandle next_ = kFirst;
};

}  // namespace lockstep::emulator::memory
