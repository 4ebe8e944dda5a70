// Two devices: each with memory, variables and errors of its own, and access to the other's where it is
// given. The exit status is the number of the first step that went another way.
#include <cstdio>
#include <thread>

__device__ int variable = 1;

__global__ void add_kernel(const int* in, int* out, int term) { *out = *in + term; }
__global__ void step_kernel() { variable += 1; }

#define STEP(number, condition)                       \
  if (!(condition)) {                                 \
    std::printf("step %d: %s\n", number, #condition); \
    return number;                                    \
  }

int main(int count, char**) {
  int devices = 0, device = 9, can = 0;
  STEP(1, cudaGetDeviceCount(&devices) == cudaSuccess && devices == 2);
  STEP(2, cudaGetDevice(&device) == cudaSuccess && device == 0);
  STEP(3, cudaSetDevice(2) == cudaErrorInvalidDevice && cudaSetDevice(-1) == cudaErrorInvalidDevice);
  cudaGetLastError();
  int *first, *second;
  STEP(4, cudaMalloc(&first, sizeof(int)) == cudaSuccess);
  // Another thread's choice is its own.
  std::thread([&] { cudaSetDevice(1); }).join();
  STEP(5, cudaGetDevice(&device) == cudaSuccess && device == 0);
  STEP(6, cudaSetDevice(1) == cudaSuccess);
  STEP(7, cudaMalloc(&second, sizeof(int)) == cudaSuccess && first != second);
  cudaPointerAttributes attributes;
  STEP(8, cudaPointerGetAttributes(&attributes, second) == cudaSuccess && attributes.device == 1);
  STEP(9, cudaPointerGetAttributes(&attributes, first) == cudaSuccess && attributes.device == 0);

  // Variables.
  int value = 0;
  step_kernel<<<1, 1>>>();
  step_kernel<<<1, 1>>>();
  STEP(10, cudaMemcpyFromSymbol(&value, variable, sizeof(int)) == cudaSuccess && value == 3);
  cudaSetDevice(0);
  step_kernel<<<1, 1>>>();
  STEP(11, cudaMemcpyFromSymbol(&value, variable, sizeof(int)) == cudaSuccess && value == 2);

  // Memory of the other device.
  value = 40;
  STEP(12, cudaMemcpy(second, &value, sizeof(int), cudaMemcpyHostToDevice) == cudaSuccess);
  STEP(13, cudaDeviceCanAccessPeer(&can, 0, 1) == cudaSuccess && can == 1);
  STEP(14, cudaDeviceCanAccessPeer(&can, 0, 0) == cudaSuccess && can == 0);
  STEP(15, cudaDeviceDisablePeerAccess(1) == cudaErrorPeerAccessNotEnabled);
  if (count == 1) {
    STEP(16, cudaDeviceEnablePeerAccess(1, 0) == cudaSuccess);
    STEP(17, cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled);
    STEP(18, cudaDeviceEnablePeerAccess(0, 0) == cudaErrorInvalidDevice);
  }
  cudaGetLastError();
  add_kernel<<<1, 1>>>(second, first, 2);
  if (count != 1) {
    std::puts(cudaGetErrorName(cudaDeviceSynchronize()));
    return 0;
  }
  STEP(19, cudaMemcpy(&value, first, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess && value == 42);
  STEP(20, cudaMemcpyPeer(second, 1, first, 0, sizeof(int)) == cudaSuccess);
  STEP(21, cudaMemcpyPeer(second, 2, first, 0, sizeof(int)) == cudaErrorInvalidDevice);
  STEP(22, cudaMemcpyPeerAsync(second, 1, first, 0, sizeof(int)) == cudaSuccess);
  STEP(23, cudaMemcpy(&value, second, sizeof(int), cudaMemcpyDefault) == cudaSuccess && value == 42);

  // Managed and pinned memory is every device's.
  int *managed, *pinned;
  STEP(24, cudaMallocManaged(&managed, sizeof(int)) == cudaSuccess);
  STEP(25, cudaMallocHost(&pinned, sizeof(int)) == cudaSuccess);
  *managed = 1;
  cudaSetDevice(1);
  add_kernel<<<1, 1>>>(managed, pinned, 1);
  cudaDeviceSynchronize();
  cudaSetDevice(0);
  add_kernel<<<1, 1>>>(pinned, managed, 1);
  STEP(26, cudaDeviceSynchronize() == cudaSuccess && *managed == 3 && *pinned == 2);

  // Each has memory of its own, and a reset is of one.
  std::size_t free_bytes = 0, other_free = 0, total = 0;
  void* large = nullptr;
  STEP(27, cudaMemGetInfo(&free_bytes, &total) == cudaSuccess && free_bytes <= total);
  STEP(28, cudaMalloc(&large, std::size_t{64} << 20) == cudaSuccess);
  STEP(29, cudaMemGetInfo(&other_free, &total) == cudaSuccess &&
               other_free + (std::size_t{64} << 20) == free_bytes);
  cudaSetDevice(1);
  STEP(30, cudaMemGetInfo(&other_free, &total) == cudaSuccess && other_free > total - (1 << 20));
  STEP(31, cudaDeviceReset() == cudaSuccess);
  STEP(32, cudaMemcpy(&value, second, sizeof(int), cudaMemcpyDefault) == cudaErrorInvalidValue);
  STEP(33, cudaMemcpy(&value, first, sizeof(int), cudaMemcpyDefault) == cudaSuccess && value == 42);
  step_kernel<<<1, 1>>>();
  STEP(34, cudaMemcpyFromSymbol(&value, variable, sizeof(int)) == cudaSuccess && value == 2);
  cudaSetDevice(0);
  STEP(35, cudaMemcpyFromSymbol(&value, variable, sizeof(int)) == cudaSuccess && value == 2);
  STEP(36, *managed == 3 && cudaFree(managed) == cudaSuccess);
  char bus[32] = {};
  STEP(37, cudaDeviceGetPCIBusId(bus, sizeof(bus), 1) == cudaSuccess);
  STEP(38, cudaDeviceGetByPCIBusId(&device, bus) == cudaSuccess && device == 1);
  STEP(39, cudaDeviceGetByPCIBusId(&device, "7f:00.0") == cudaErrorInvalidValue);
  std::puts("two devices");
  return 0;
}
