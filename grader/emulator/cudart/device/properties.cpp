#include "emulator/cudart/device/properties.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <iterator>

#include "emulator/cudart/arrays/texture_limits.h"
#include "emulator/cudart/errors/failure.h"
#include "emulator/cudart/kernels/occupancy.h"

namespace lockstep::emulator::cudart {

namespace {

constexpr int kMaxBlockXy = 1024, kMaxBlockZ = 64;
constexpr int kMaxGridX = INT_MAX, kMaxGridYz = 65535;
constexpr int kMaxPitch = INT_MAX;

int whole(std::uint64_t value) { return static_cast<int>(std::min<std::uint64_t>(value, INT_MAX)); }

template <std::size_t n>
void assign(int (&to)[n], const std::size_t (&from)[n]) {
  std::transform(std::begin(from), std::end(from), std::begin(to), whole);
}

/// Surfaces have the limits of the arrays that they show.
void set_texture_limits(cudaDeviceProp& properties) {
  properties.maxTexture1D = properties.maxSurface1D = whole(kMaxTexels1D);
  properties.maxTextureCubemap = properties.maxSurfaceCubemap = whole(kMaxTexelsCubemap);
  for (auto* limits : {&properties.maxTexture2D, &properties.maxSurface2D}) assign(*limits, kMaxTexels2D);
  for (auto* limits : {&properties.maxTexture3D, &properties.maxSurface3D}) assign(*limits, kMaxTexels3D);
  for (auto* limits : {&properties.maxTexture1DLayered, &properties.maxSurface1DLayered})
    assign(*limits, kMaxTexels1DLayered);
  for (auto* limits : {&properties.maxTexture2DLayered, &properties.maxSurface2DLayered})
    assign(*limits, kMaxTexels2DLayered);
  for (auto* limits : {&properties.maxTextureCubemapLayered, &properties.maxSurfaceCubemapLayered})
    assign(*limits, kMaxTexelsCubemapLayered);
  assign(properties.maxTexture2DGather, kMaxTexelsGather);
  assign(properties.maxTexture2DLinear, kMaxTexels2DLinear);
}

}  // namespace

cudaDeviceProp device_properties(const server::HelloReply& device, const std::string& name) {
  cudaDeviceProp properties{};
  std::strncpy(properties.name, name.c_str(), sizeof(properties.name) - 1);
  properties.totalGlobalMem = device.global_bytes;
  properties.sharedMemPerBlock = device.shared_bytes_per_block;
  properties.sharedMemPerBlockOptin = device.shared_bytes_per_block_optin;
  properties.sharedMemPerMultiprocessor = device.shared_bytes_per_multiprocessor;
  properties.reservedSharedMemPerBlock = kReservedSharedBytes;
  properties.regsPerBlock = whole(device.registers_per_block);
  properties.regsPerMultiprocessor = whole(device.registers_per_block);
  properties.warpSize = device.warp_lanes;
  properties.memPitch = kMaxPitch;
  properties.maxThreadsPerBlock = device.threads_per_block;
  properties.maxThreadsPerMultiProcessor = device.threads_per_multiprocessor;
  properties.maxBlocksPerMultiProcessor = kBlocksPerMultiprocessor;
  properties.maxThreadsDim[0] = properties.maxThreadsDim[1] = kMaxBlockXy;
  properties.maxThreadsDim[2] = kMaxBlockZ;
  properties.maxGridSize[0] = kMaxGridX;
  properties.maxGridSize[1] = properties.maxGridSize[2] = kMaxGridYz;
  properties.totalConstMem = device.constant_bytes;
  properties.major = device.compute_major;
  properties.minor = device.compute_minor;
  properties.textureAlignment = kTextureAlignment;
  properties.texturePitchAlignment = kTexturePitchAlignment;
  set_texture_limits(properties);
  properties.multiProcessorCount = device.multiprocessors;
  properties.unifiedAddressing = 1;
  properties.l2CacheSize = whole(device.l2_bytes);
  properties.streamPrioritiesSupported = 1;
  properties.globalL1CacheSupported = 1;
  properties.localL1CacheSupported = 1;
  properties.cooperativeLaunch = 1;
  properties.clusterLaunch = 1;
  properties.hostRegisterSupported = 1;
  properties.canMapHostMemory = 1;
  properties.managedMemory = 1;
  properties.concurrentManagedAccess = 1;
  properties.memoryPoolsSupported = 1;
  return properties;
}

int device_attribute(const server::HelloReply& device, cudaDeviceAttr attribute) {
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      return device.threads_per_block;
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
      return kMaxBlockXy;
    case cudaDevAttrMaxBlockDimZ:
      return kMaxBlockZ;
    case cudaDevAttrMaxGridDimX:
      return kMaxGridX;
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return kMaxGridYz;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return whole(device.shared_bytes_per_block);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return whole(device.shared_bytes_per_block_optin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return whole(device.shared_bytes_per_multiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return static_cast<int>(kReservedSharedBytes);
    case cudaDevAttrTotalConstantMemory:
      return whole(device.constant_bytes);
    case cudaDevAttrWarpSize:
      return device.warp_lanes;
    case cudaDevAttrMaxPitch:
      return kMaxPitch;
    case cudaDevAttrMaxRegistersPerBlock:
    case cudaDevAttrMaxRegistersPerMultiprocessor:
      return whole(device.registers_per_block);
    case cudaDevAttrTextureAlignment:
      return kTextureAlignment;
    case cudaDevAttrTexturePitchAlignment:
      return kTexturePitchAlignment;
    case cudaDevAttrMultiProcessorCount:
      return device.multiprocessors;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return device.threads_per_multiprocessor;
    case cudaDevAttrMaxBlocksPerMultiprocessor:
      return kBlocksPerMultiprocessor;
    case cudaDevAttrComputeCapabilityMajor:
      return device.compute_major;
    case cudaDevAttrComputeCapabilityMinor:
      return device.compute_minor;
    case cudaDevAttrL2CacheSize:
      return whole(device.l2_bytes);
    case cudaDevAttrUnifiedAddressing:
    case cudaDevAttrStreamPrioritiesSupported:
    case cudaDevAttrGlobalL1CacheSupported:
    case cudaDevAttrLocalL1CacheSupported:
    case cudaDevAttrHostRegisterSupported:
    case cudaDevAttrCanMapHostMemory:
    case cudaDevAttrManagedMemory:
    case cudaDevAttrConcurrentManagedAccess:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrClusterLaunch:
    case cudaDevAttrMemoryPoolsSupported:
      return 1;
    default:
      require(attribute > 0 && attribute < cudaDevAttrMax);
      return 0;
  }
}

cudaFuncAttributes kernel_attributes(const Kernel& kernel, const server::HelloReply& device) {
  cudaFuncAttributes attributes{};
  const int capability = device.compute_major * 10 + device.compute_minor;
  attributes.sharedSizeBytes = kernel.info.static_shared_bytes;
  attributes.localSizeBytes = kernel.info.local_bytes;
  attributes.maxThreadsPerBlock = whole(kernel.info.max_threads);
  attributes.numRegs = whole(kernel.info.registers);
  // Libraries take the tuning of the architecture that their kernels were compiled for by this.
  attributes.ptxVersion = whole(kernel.architecture);
  attributes.binaryVersion = capability;
  attributes.maxDynamicSharedSizeBytes = whole(dynamic_shared_limit(kernel, device));
  attributes.preferredShmemCarveout = cudaSharedmemCarveoutDefault;
  attributes.requiredClusterWidth = whole(kernel.info.cluster_x);
  attributes.requiredClusterHeight = whole(kernel.info.cluster_y);
  attributes.requiredClusterDepth = whole(kernel.info.cluster_z);
  attributes.nonPortableClusterSizeAllowed = kernel.large_clusters ? 1 : 0;
  return attributes;
}

void set_kernel_attribute(Kernel& kernel, const server::HelloReply& device, cudaFuncAttribute attribute,
                          int value) {
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout ||
      attribute == cudaFuncAttributeClusterSchedulingPolicyPreference) {
    return;  // hints
  }
  if (attribute == cudaFuncAttributeNonPortableClusterSizeAllowed) {
    require(value == 0 || value == 1);
    kernel.large_clusters = value == 1;
    return;
  }
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) throw Failure{cudaErrorNotSupported};
  require(value >= 0 && kernel.info.static_shared_bytes + static_cast<std::uint64_t>(value) <=
                            device.shared_bytes_per_block_optin);
  kernel.dynamic_shared_limit = static_cast<std::uint64_t>(value);
}

}  // namespace lockstep::emulator::cudart
