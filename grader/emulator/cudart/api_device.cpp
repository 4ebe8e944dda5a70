// The device itself, versions, limits, and errors. There is one device, number 0.
#include "emulator/cudart/properties.h"
#include "emulator/cudart/runtime.h"

using lockstep::cudart::call;
using lockstep::cudart::device_attribute;
using lockstep::cudart::device_properties;
using lockstep::cudart::Failure;
using lockstep::cudart::last_failure;
using lockstep::cudart::require;
using lockstep::cudart::Runtime;

namespace {

/// Fails unless there is a device and `number` is its number.
void check_device(Runtime& r, int number) {
  r.device.properties();
  if (number != 0) throw Failure{cudaErrorInvalidDevice};
}

/// The thread's last error. That of a failed kernel stays as long as the device's owner does not clear it,
/// and is gone when the owner has.
cudaError_t standing_error(bool reset) {
  Failure& last = last_failure();
  const cudaError_t error = last.code;
  if (!last.of_kernel) {
    if (reset) last = {};
    return error;
  }
  bool failed = true;
  call([&](Runtime& r) { failed = r.device.failed(); });
  if (failed) return error;
  last = {};
  return cudaSuccess;
}

void find_no_entry_point(void** function, cudaDriverEntryPointQueryResult* result) {
  *function = nullptr;
  if (result == nullptr) throw Failure{cudaErrorSymbolNotFound};
  *result = cudaDriverEntryPointSymbolNotFound;
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return call([&](Runtime& r) {
    *count = 0;
    r.device.properties();
    *count = 1;
  });
}

cudaError_t cudaGetDevice(int* number) {
  return call([&](Runtime& r) {
    r.device.properties();
    *number = 0;
  });
}

cudaError_t cudaSetDevice(int number) {
  return call([&](Runtime& r) { check_device(r, number); });
}

cudaError_t cudaInitDevice(int number, unsigned, unsigned) { return cudaSetDevice(number); }

cudaError_t cudaChooseDevice(int* number, const cudaDeviceProp*) { return cudaGetDevice(number); }

cudaError_t cudaSetValidDevices(int* numbers, int count) {
  return call([&](Runtime& r) {
    for (int i = 0; i < count; ++i) check_device(r, numbers[i]);
  });
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return call([&](Runtime& r) { r.device_flags = flags; });
}

cudaError_t cudaGetDeviceFlags(unsigned* flags) {
  return call([&](Runtime& r) { *flags = r.device_flags; });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int number) {
  return call([&](Runtime& r) {
    check_device(r, number);
    *properties = device_properties(r.device.properties(), r.device.name());
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
  return call([&](Runtime& r) {
    check_device(r, number);
    *value = device_attribute(r.device.properties(), attribute);
  });
}

cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit) {
  return call([&](Runtime& r) {
    const auto found = r.limits.find(limit);
    if (found == r.limits.end()) throw Failure{cudaErrorUnsupportedLimit};
    *value = found->second;
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return call([&](Runtime& r) {
    const auto found = r.limits.find(limit);
    if (found == r.limits.end()) throw Failure{cudaErrorUnsupportedLimit};
    found->second = value;
  });
}

cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* preference) {
  return call([&](Runtime&) { *preference = cudaFuncCachePreferNone; });
}

cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) {
  return call([](Runtime&) {});
}

cudaError_t cudaDeviceSynchronize() {
  return call([](Runtime& r) { r.launcher.synchronise(); });
}

cudaError_t cudaDeviceReset() {
  return call([](Runtime& r) {
    r.launcher.synchronise();
    r.device.request(lockstep::emulator::Operation::reset, {});
    r.modules.forget_loaded();
    r.unified.managed.clear();
    r.unified.pinned.clear();
  });
}

cudaError_t cudaProfilerStart() {
  return call([](Runtime&) {});
}

cudaError_t cudaProfilerStop() {
  return call([](Runtime&) {});
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return call([&](Runtime&) {
    require(version != nullptr);
    *version = CUDART_VERSION;
  });
}

cudaError_t cudaDriverGetVersion(int* version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaGetDriverEntryPoint(const char*, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* result) {
  return call([&](Runtime&) { find_no_entry_point(function, result); });
}

cudaError_t cudaGetLastError() { return standing_error(true); }

cudaError_t cudaPeekAtLastError() { return standing_error(false); }

const char* cudaGetErrorName(cudaError_t error) { return lockstep::cudart::name_of(error); }

const char* cudaGetErrorString(cudaError_t error) { return lockstep::cudart::sentence_of(error); }
