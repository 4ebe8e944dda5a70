// Texture and surface objects of the program under test: it destroys only those that it created.
#include "emulator/server/session.h"

namespace lockstep::emulator::server {

Bytes ClientSession::create_texture(const TextureRequest& request) {
  return own_image(served_.device.create_texture(request.image, request.sampler));
}

Bytes ClientSession::create_surface(const SurfaceRequest& request) {
  return own_image(served_.device.create_surface(request.image));
}

Bytes ClientSession::own_image(ImageHandle handle) {
  images_.insert(handle);
  Bytes payload;
  append(payload, bytes_of(IdReply{handle}));
  return payload;
}

void ClientSession::destroy_image(ImageHandle handle) {
  if (images_.erase(handle) == 0) {
    throw DeviceError(DeviceError::Code::invalid_value, "no texture or surface object of the program's");
  }
  served_.device.destroy_image(handle);
}

void ClientSession::destroy_images() {
  for (const ImageHandle image : images_) served_.device.destroy_image(image);
  images_.clear();
}

}  // namespace lockstep::emulator::server
