// The functions of the NVIDIA driver that judge and runner call, found at run time: most machines that grade
// have no driver to link against.
#pragma once

#include <cuda.h>

#include <filesystem>
#include <stdexcept>
#include <string>

// The name that every driver has: newer headers make it cuEventElapsedTime_v2, unknown to drivers
// before 12.8.
#undef cuEventElapsedTime
// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" CUresult CUDAAPI cuEventElapsedTime(float* milliseconds, CUevent begin, CUevent end);

namespace lockstep::device {

/// A call of the driver failed; what() names the call and the driver's error message.
class DriverError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// cuda.h gives some functions versioned names by macros; the list is expanded after them.
#define LOCKSTEP_DRIVER_FUNCTIONS(DECLARE)             \
  DECLARE(cuInit)                                      \
  DECLARE(cuDriverGetVersion)                          \
  DECLARE(cuGetErrorName)                              \
  DECLARE(cuGetErrorString)                            \
  DECLARE(cuDeviceGetCount)                            \
  DECLARE(cuDeviceGet)                                 \
  DECLARE(cuDeviceGetName)                             \
  DECLARE(cuDeviceGetUuid)                             \
  DECLARE(cuDeviceGetAttribute)                        \
  DECLARE(cuDeviceGetPCIBusId)                         \
  DECLARE(cuDevicePrimaryCtxRetain)                    \
  DECLARE(cuCtxGetCurrent)                             \
  DECLARE(cuCtxSetCurrent)                             \
  DECLARE(cuCtxSynchronize)                            \
  DECLARE(cuMemGetInfo)                                \
  DECLARE(cuMemGetAllocationGranularity)               \
  DECLARE(cuMemCreate)                                 \
  DECLARE(cuMemRelease)                                \
  DECLARE(cuMemAddressReserve)                         \
  DECLARE(cuMemAddressFree)                            \
  DECLARE(cuMemMap)                                    \
  DECLARE(cuMemUnmap)                                  \
  DECLARE(cuMemSetAccess)                              \
  DECLARE(cuMemExportToShareableHandle)                \
  DECLARE(cuMemImportFromShareableHandle)              \
  DECLARE(cuMemAllocHost)                              \
  DECLARE(cuMemFreeHost)                               \
  DECLARE(cuMemcpyHtoD)                                \
  DECLARE(cuMemcpyHtoDAsync)                           \
  DECLARE(cuMemcpyDtoH)                                \
  DECLARE(cuMemcpyDtoD)                                \
  DECLARE(cuMemsetD8)                                  \
  DECLARE(cuModuleLoadData)                            \
  DECLARE(cuModuleUnload)                              \
  DECLARE(cuModuleGetFunction)                         \
  DECLARE(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  DECLARE(cuLaunchKernel)                              \
  DECLARE(cuStreamCreate)                              \
  DECLARE(cuStreamDestroy)                             \
  DECLARE(cuStreamSynchronize)                         \
  DECLARE(cuEventCreate)                               \
  DECLARE(cuEventDestroy)                              \
  DECLARE(cuEventRecord)                               \
  DECLARE(cuEventSynchronize)                          \
  DECLARE(cuEventElapsedTime)

class CudaDriver {
 public:
  /// Loads libcuda.so.1 and calls cuInit, once. Throws DriverError with a sentence when there is no driver,
  /// or none that works.
  static const CudaDriver& get();

#define LOCKSTEP_DECLARE(name) decltype(&::name) name = nullptr;
  LOCKSTEP_DRIVER_FUNCTIONS(LOCKSTEP_DECLARE)
#undef LOCKSTEP_DECLARE

  /// Throws DriverError unless `result` is success; `call` is what was called, for the message.
  void check(CUresult result, const char* call) const;
  /// The file that libcuda.so.1 was loaded from, by that name.
  const std::filesystem::path& library() const { return library_; }

 private:
  CudaDriver();

  std::filesystem::path library_;
};

}  // namespace lockstep::device
