#include "device/cuda_driver.h"

#include <dlfcn.h>
#include <link.h>

#define LOCKSTEP_TEXT(name) #name
#define LOCKSTEP_EXPANDED_TEXT(name) LOCKSTEP_TEXT(name)

namespace lockstep::device {

CudaDriver::CudaDriver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw DriverError("there is no NVIDIA driver (libcuda.so.1 cannot be loaded)");
  link_map* link = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &link) == 0) {
    library_ = link->l_name;
  }
#define LOCKSTEP_FIND(function)                                                                           \
  function = reinterpret_cast<decltype(function)>(dlsym(library, LOCKSTEP_EXPANDED_TEXT(function)));      \
  if (function == nullptr) {                                                                              \
    throw DriverError("libcuda.so.1 has no " LOCKSTEP_EXPANDED_TEXT(function) ": the driver is too old"); \
  }
  LOCKSTEP_DRIVER_FUNCTIONS(LOCKSTEP_FIND)
#undef LOCKSTEP_FIND
  if (const CUresult result = cuInit(0); result != CUDA_SUCCESS) {
    throw DriverError("the NVIDIA driver does not start (cuInit returns " + std::to_string(result) + ")");
  }
}

const CudaDriver& CudaDriver::get() {
  static const CudaDriver driver;
  return driver;
}

void CudaDriver::check(CUresult result, const char* call) const {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  const char* message = nullptr;
  cuGetErrorName(result, &name);
  cuGetErrorString(result, &message);
  throw DriverError(std::string(call) + ": " + (message != nullptr ? message : "unknown error") + " (" +
                    (name != nullptr ? name : std::to_string(result).c_str()) + ")");
}

}  // namespace lockstep::device
