// Texture and surface objects: from the descriptions of the CUDA runtime to those of the device.
#pragma once

#include <map>

#include "emulator/cudart/arrays/arrays.h"
#include "emulator/cudart/device/device_connection.h"

namespace lockstep::emulator::cudart {

class ImageObjects {
 public:
  struct Texture {
    cudaResourceDesc resource{};
    cudaTextureDesc sampling{};
  };

  ImageObjects(DeviceConnection& device, const Arrays& arrays) : device_(device), arrays_(arrays) {}

  cudaTextureObject_t create_texture(const cudaResourceDesc& resource, const cudaTextureDesc& sampling);
  cudaSurfaceObject_t create_surface(const cudaResourceDesc& resource);
  void destroy_texture(cudaTextureObject_t texture);
  void destroy_surface(cudaSurfaceObject_t surface);
  const Texture& texture(cudaTextureObject_t texture) const;
  const cudaResourceDesc& surface(cudaSurfaceObject_t surface) const;
  /// After the device was reset.
  void forget_all();

 private:
  Image image_of(const cudaResourceDesc& resource) const;

  DeviceConnection& device_;
  const Arrays& arrays_;
  std::map<cudaTextureObject_t, Texture> textures_;
  std::map<cudaSurfaceObject_t, cudaResourceDesc> surfaces_;
};

}  // namespace lockstep::emulator::cudart
