// Kernels: launches, attributes and occupancy.
#include <algorithm>
#include <bit>
#include <cstdint>

#include "emulator/cudart/device/properties.h"
#include "emulator/cudart/kernels/occupancy.h"
#include "emulator/cudart/runtime.h"
#include "emulator/cudart/streams/submission.h"

using lockstep::emulator::cudart::available_dynamic_shared_bytes;
using lockstep::emulator::cudart::blocks_per_multiprocessor;
using lockstep::emulator::cudart::call;
using lockstep::emulator::cudart::Configuration;
using lockstep::emulator::cudart::Failure;
using lockstep::emulator::cudart::Kernel;
using lockstep::emulator::cudart::require;
using lockstep::emulator::cudart::Runtime;
using lockstep::emulator::cudart::submit_host_function;
using lockstep::emulator::cudart::submit_launch;

namespace {

void launch(Runtime& r, const void* function, const Configuration& configuration, void** arguments) {
  r.streams.find(configuration.stream);
  submit_launch(r, configuration.stream, r.launcher.prepare(function, configuration, arguments));
}

/// Blocks of a launch's shape that are resident on the device at once.
int resident_blocks(const Kernel& kernel, const lockstep::emulator::server::HelloReply& device,
                    const cudaLaunchConfig_t& configuration) {
  const dim3& block = configuration.blockDim;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  require(threads > 0 && threads <= static_cast<std::uint64_t>(device.threads_per_block));
  return device.multiprocessors * blocks_per_multiprocessor(kernel.info, device, static_cast<int>(threads),
                                                            configuration.dynamicSmemBytes);
}

/// Blocks of a cluster, as compiled or as the launch asks.
std::uint32_t cluster_blocks(const Kernel& kernel, const cudaLaunchConfig_t& configuration) {
  std::uint64_t blocks = std::uint64_t{kernel.info.cluster_x} * kernel.info.cluster_y * kernel.info.cluster_z;
  for (unsigned i = 0; i < configuration.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = configuration.attrs[i];
    if (attribute.id != cudaLaunchAttributeClusterDimension) continue;
    const auto& cluster = attribute.val.clusterDim;
    blocks = std::uint64_t{cluster.x} * cluster.y * cluster.z;
  }
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(blocks, 1, UINT32_MAX));
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
    submit_launch(r, configuration->stream, r.launcher.prepare(*configuration, function, arguments));
  });
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return call([&](Runtime& r) { submit_host_function(r, stream, {function, data}); });
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* function) {
  return call([&](Runtime& r) {
    *attributes = kernel_attributes(r.modules.load(function), r.modules.described_device());
  });
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

cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* configuration) {
  return call([&](Runtime& r) {
    require(clusters != nullptr && configuration != nullptr);
    const Kernel& kernel = r.modules.load(function);
    const int blocks = resident_blocks(kernel, r.device.properties(), *configuration);
    const std::uint32_t size = cluster_blocks(kernel, *configuration);
    if (size > most_cluster_blocks(kernel)) throw Failure{cudaErrorInvalidClusterSize};
    *clusters = blocks / static_cast<int>(size);
  });
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int* size, const void* function,
                                                 const cudaLaunchConfig_t* configuration) {
  return call([&](Runtime& r) {
    require(size != nullptr && configuration != nullptr);
    const Kernel& kernel = r.modules.load(function);
    const int blocks = resident_blocks(kernel, r.device.properties(), *configuration);
    const auto most = static_cast<int>(most_cluster_blocks(kernel));
    // Sizes are powers of two.
    *size = static_cast<int>(std::bit_floor(static_cast<unsigned>(std::min(blocks, most))));
  });
}
