// Kernels: launches, attributes and occupancy.
#include "emulator/cudart/occupancy.h"
#include "emulator/cudart/properties.h"
#include "emulator/cudart/runtime.h"

using lockstep::cudart::available_dynamic_shared_bytes;
using lockstep::cudart::blocks_per_multiprocessor;
using lockstep::cudart::call;
using lockstep::cudart::Configuration;
using lockstep::cudart::require;
using lockstep::cudart::Runtime;

namespace {

void launch(Runtime& r, const void* function, const Configuration& configuration, void** arguments) {
  r.streams.find(configuration.stream);
  r.launcher.launch(function, configuration, arguments);
}

}  // namespace

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, cudaStream_t stream) {
  return call([&](Runtime& r) {
    launch(r, function, {grid, block, shared_bytes, stream, false}, arguments);
  });
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        size_t shared_bytes, cudaStream_t stream) {
  return call([&](Runtime& r) { launch(r, function, {grid, block, shared_bytes, stream, true}, arguments); });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* configuration, const void* function,
                                void** arguments) {
  return call([&](Runtime& r) {
    require(configuration != nullptr);
    r.streams.find(configuration->stream);
    r.launcher.launch(*configuration, function, arguments);
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return call([&](Runtime& r) {
    r.streams.find(stream);
    r.launcher.synchronise();
    function(data);
  });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return call(
      [&](Runtime& r) { *attributes = kernel_attributes(r.modules.load(function), r.device.properties()); });
}

cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value) {
  return call([&](Runtime& r) {
    set_kernel_attribute(r.modules.load(function), r.device.properties(), attribute, value);
  });
}

cudaError_t cudaFuncSetCacheConfig(const void* function, cudaFuncCache) {
  return call([&](Runtime& r) { r.modules.find(function); });
}

cudaError_t cudaFuncGetName(const char** name, const void* function) {
  return call([&](Runtime& r) { *name = r.modules.find(function).name.c_str(); });
}

cudaError_t cudaFuncGetParamInfo(const void* function, size_t index, size_t* offset, size_t* bytes) {
  return call([&](Runtime& r) {
    const auto& parameters = r.modules.load(function).parameters;
    require(index < parameters.size() && offset != nullptr);
    *offset = parameters[index].offset;
    if (bytes != nullptr) *bytes = parameters[index].bytes;
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* function, int threads,
                                                          size_t dynamic_shared_bytes) {
  return call([&](Runtime& r) {
    require(blocks != nullptr && threads > 0);
    *blocks = blocks_per_multiprocessor(r.modules.load(function).info, r.device.properties(), threads,
                                        dynamic_shared_bytes);
  });
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* function,
                                                                   int threads, size_t dynamic_shared_bytes,
                                                                   unsigned) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, dynamic_shared_bytes);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* bytes, const void* function, int blocks,
                                                      int threads) {
  return call([&](Runtime& r) {
    require(bytes != nullptr && blocks > 0 && threads > 0);
    *bytes = available_dynamic_shared_bytes(r.modules.load(function).info, r.device.properties(), blocks);
  });
}
