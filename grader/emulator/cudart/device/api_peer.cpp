// Several devices: access to each other's memory, and copies between them.
//
// All devices share one address space, as with unified addressing on hardware: a copy needs no permission, a
// kernel does.
#include "emulator/cudart/runtime.h"

using lockstep::emulator::cudart::call;
using lockstep::emulator::cudart::current_device;
using lockstep::emulator::cudart::Failure;
using lockstep::emulator::cudart::require;
using lockstep::emulator::cudart::Runtime;

namespace {

cudaError_t check_devices(int one, int other, const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& r) {
        r.device.check_number(one);
        r.device.check_number(other);
      },
      name);
}

}  // namespace

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call([&](Runtime& r) {
    require(can != nullptr);
    r.device.check_number(device);
    r.device.check_number(peer);
    *can = device != peer ? 1 : 0;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return call([&](Runtime& r) {
    require(flags == 0);
    r.device.check_number(peer);
    r.peers.enable(current_device(), peer);
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return call([&](Runtime& r) {
    r.device.check_number(peer);
    r.peers.disable(current_device(), peer);
  });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attribute, int device, int peer) {
  return call([&](Runtime& r) {
    require(value != nullptr);
    r.device.check_number(device);
    r.device.check_number(peer);
    if (device == peer) throw Failure{cudaErrorInvalidDevice};
    switch (attribute) {
      case cudaDevP2PAttrPerformanceRank:
      case cudaDevP2PAttrCudaArrayAccessSupported:
        *value = 0;
        return;
      case cudaDevP2PAttrAccessSupported:
      case cudaDevP2PAttrNativeAtomicSupported:
        *value = 1;
        return;
      default:
        throw Failure{cudaErrorInvalidValue};
    }
  });
}

cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes) {
  const cudaError_t error = check_devices(to_device, from_device);
  return error != cudaSuccess ? error : cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream) {
  const cudaError_t error = check_devices(to_device, from_device);
  return error != cudaSuccess ? error : cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
}
