// Texture and surface objects.
//
// An object is destroyed after all work that was given to a stream before: nothing asks a program to wait for
// the kernels that use it.
#include "emulator/cudart/errors/unsupported.h"
#include "emulator/cudart/runtime.h"

using lockstep::emulator::cudart::call;
using lockstep::emulator::cudart::refuse;
using lockstep::emulator::cudart::require;
using lockstep::emulator::cudart::Runtime;

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* texture, const cudaResourceDesc* resource,
                                    const cudaTextureDesc* sampling, const cudaResourceViewDesc* view) {
  return call([&](Runtime& r) {
    require(texture != nullptr && resource != nullptr && sampling != nullptr);
    if (view != nullptr) refuse("resource views of textures");
    *texture = r.images.create_texture(*resource, *sampling);
  });
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  return call([&](Runtime& r) {
    r.queues.run_all();
    r.images.destroy_texture(texture);
  });
}

cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t texture) {
  return call([&](Runtime& r) {
    require(resource != nullptr);
    *resource = r.images.texture(texture).resource;
  });
}

cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* sampling, cudaTextureObject_t texture) {
  return call([&](Runtime& r) {
    require(sampling != nullptr);
    *sampling = r.images.texture(texture).sampling;
  });
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* surface, const cudaResourceDesc* resource) {
  return call([&](Runtime& r) {
    require(surface != nullptr && resource != nullptr);
    *surface = r.images.create_surface(*resource);
  });
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  return call([&](Runtime& r) {
    r.queues.run_all();
    r.images.destroy_surface(surface);
  });
}

cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t surface) {
  return call([&](Runtime& r) {
    require(resource != nullptr);
    *resource = r.images.surface(surface);
  });
}
