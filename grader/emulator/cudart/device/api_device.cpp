// The devices themselves, versions, limits, and errors.
#include <cstdio>
#include <functional>
#include <set>
#include <string>

#include "emulator/cudart/device/properties.h"
#include "emulator/cudart/runtime.h"
#include "emulator/cudart/streams/submission.h"

using lockstep::emulator::cudart::call;
using lockstep::emulator::cudart::current_device;
using lockstep::emulator::cudart::device_attribute;
using lockstep::emulator::cudart::device_properties;
using lockstep::emulator::cudart::Failure;
using lockstep::emulator::cudart::last_failure;
using lockstep::emulator::cudart::require;
using lockstep::emulator::cudart::Runtime;
using lockstep::emulator::cudart::wait_for_device;

namespace {

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

/// The emulated device stands in for the runtime, and there is no driver below it.
void find_no_entry_point(const char* symbol, void** function, cudaDriverEntryPointQueryResult* result) {
  require(symbol != nullptr && function != nullptr);
  static std::set<std::string, std::less<>> told;
  constexpr std::size_t kMaxTold = 100;
  if (told.size() < kMaxTold && told.emplace(symbol).second) {
    std::fprintf(stderr, "lockstep: the emulated device has no driver, so it has no %s\n", symbol);
  }
  *function = nullptr;
  if (result == nullptr) throw Failure{cudaErrorSymbolNotFound};
  *result = cudaDriverEntryPointSymbolNotFound;
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  return call([&](Runtime& r) {
    *count = 0;
    *count = r.device.device_count();
  });
}

cudaError_t cudaGetDevice(int* number) {
  return call([&](Runtime& r) {
    r.device.properties();
    *number = current_device();
  });
}

cudaError_t cudaSetDevice(int number) {
  return call([&](Runtime& r) {
    r.device.check_number(number);
    current_device() = number;
  });
}

cudaError_t cudaInitDevice(int number, unsigned, unsigned) { return cudaSetDevice(number); }

/// All are alike: the first fits best.
cudaError_t cudaChooseDevice(int* number, const cudaDeviceProp*) {
  return call([&](Runtime& r) {
    r.device.properties();
    *number = 0;
  });
}

cudaError_t cudaSetValidDevices(int* numbers, int count) {
  return call([&](Runtime& r) {
    for (int i = 0; i < count; ++i) r.device.check_number(numbers[i]);
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
    r.device.check_number(number);
    *properties = device_properties(r.modules.described_device(), r.device.name());
    properties->pciBusID = number + 1;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
  return call([&](Runtime& r) {
    r.device.check_number(number);
    *value = attribute == cudaDevAttrPciBusId ? number + 1
                                              : device_attribute(r.modules.described_device(), attribute);
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int bytes, int number) {
  return call([&](Runtime& r) {
    require(text != nullptr && bytes > 0);
    r.device.check_number(number);
    std::snprintf(text, static_cast<std::size_t>(bytes), "0000:%02x:00.0", static_cast<unsigned>(number + 1));
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* number, const char* text) {
  return call([&](Runtime& r) {
    require(number != nullptr && text != nullptr);
    unsigned domain = 0, bus = 0, slot = 0;
    // The domain may be left out.
    if (std::sscanf(text, "%x:%x:%x", &domain, &bus, &slot) != 3) {
      domain = 0;
      require(std::sscanf(text, "%x:%x", &bus, &slot) == 2);
    }
    require(domain == 0 && slot == 0 && bus >= 1 && bus <= static_cast<unsigned>(r.device.device_count()));
    *number = static_cast<int>(bus) - 1;
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
    if (limit == cudaLimitMallocHeapSize) r.launcher.set_heap_bytes(value);
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
  return call([](Runtime& r) {
    r.captures.check_unsafe_call();
    wait_for_device(r);
  });
}

cudaError_t cudaDeviceReset() {
  return call([](Runtime& r) {
    wait_for_device(r);
    r.device.request(lockstep::emulator::server::RequestKind::reset, {});
    r.modules.forget_loaded();
    r.memory.forget_allocations();
    r.pools.forget_allocations(current_device());
    r.peers.forget(current_device());
    r.launcher.forget_heap();
    // With several devices this memory belongs to all of them.
    if (r.device.device_count() > 1) return;
    r.unified.managed.clear();
    r.unified.pinned.clear();
    r.arrays.forget_all();
    r.images.forget_all();
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

cudaError_t cudaGetDriverEntryPoint(const char* symbol, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* result) {
  return call([&](Runtime&) { find_no_entry_point(symbol, function, result); });
}

#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char* symbol, void** function, unsigned,
                                             unsigned long long, cudaDriverEntryPointQueryResult* result) {
  return call([&](Runtime&) { find_no_entry_point(symbol, function, result); });
}
#endif

cudaError_t cudaGetLastError() { return standing_error(true); }

cudaError_t cudaPeekAtLastError() { return standing_error(false); }

const char* cudaGetErrorName(cudaError_t error) { return lockstep::emulator::cudart::name_of(error); }

const char* cudaGetErrorString(cudaError_t error) { return lockstep::emulator::cudart::sentence_of(error); }
