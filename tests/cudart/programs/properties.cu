// What the device says of itself.
#include <cstdio>

int main() {
  int count = 0, device = -1, lanes = 0, runtime = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count != 1) return 1;
  if (cudaGetDevice(&device) != cudaSuccess || device != 0) return 2;
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) return 3;
  if (properties.warpSize != 32 || properties.major != 9 || properties.maxThreadsPerBlock != 1024) return 4;
  if (cudaDeviceGetAttribute(&lanes, cudaDevAttrWarpSize, 0) != cudaSuccess || lanes != 32) return 5;
  if (cudaDeviceGetAttribute(&lanes, static_cast<cudaDeviceAttr>(100'000), 0) != cudaErrorInvalidValue)
    return 6;
  if (cudaRuntimeGetVersion(&runtime) != cudaSuccess || runtime != CUDART_VERSION) return 7;

  std::size_t free_bytes = 0, total = 0, after = 0;
  cudaMemGetInfo(&free_bytes, &total);
  void* memory = nullptr;
  if (cudaMalloc(&memory, 1 << 20) != cudaSuccess) return 8;
  cudaMemGetInfo(&after, &total);
  if (!(after + (1 << 20) <= free_bytes)) return 9;
  cudaPointerAttributes attributes;
  if (cudaPointerGetAttributes(&attributes, static_cast<char*>(memory) + 5) != cudaSuccess) return 10;
  if (attributes.type != cudaMemoryTypeDevice) return 11;
  if (cudaPointerGetAttributes(&attributes, &count) != cudaSuccess) return 12;
  if (attributes.type != cudaMemoryTypeUnregistered) return 13;
  cudaIpcMemHandle_t shared;
  if (cudaIpcGetMemHandle(&shared, memory) != cudaErrorNotSupported) return 14;
  if (cudaIpcGetMemHandle(&shared, memory) != cudaErrorNotSupported) return 15;
  if (cudaDeviceReset() != cudaSuccess || cudaMemset(memory, 0, 1) == cudaSuccess) return 16;
  std::puts(properties.name);
  return 0;
}
