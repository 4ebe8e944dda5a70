#include "device/driver.h"

#include <dlfcn.h>

namespace lockstep::device {
namespace {

/// A function of the driver. CUresult is an int; 0 is success.
template <class Function>
Function* driver_function(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

DriverState state_of_loaded(void* library) {
  DriverState state{.library = true};
  auto* initialise = driver_function<int(unsigned)>(library, "cuInit");
  auto* count_devices = driver_function<int(int*)>(library, "cuDeviceGetCount");
  if (initialise == nullptr || count_devices == nullptr) {
    state.fault = "libcuda.so.1 is not the NVIDIA driver's library";
  } else if (const int error = initialise(0); error != 0) {
    state.fault = "the NVIDIA driver does not start (cuInit returns " + std::to_string(error) + ")";
  } else if (const int count_error = count_devices(&state.devices); count_error != 0 || state.devices == 0) {
    state.devices = 0;
    state.fault = "the NVIDIA driver finds no GPU";
  }
  return state;
}

}  // namespace

DriverState probe_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return {.fault = "there is no NVIDIA driver (libcuda.so.1 cannot be loaded)"};
  DriverState state = state_of_loaded(library);
  dlclose(library);
  return state;
}

}  // namespace lockstep::device
