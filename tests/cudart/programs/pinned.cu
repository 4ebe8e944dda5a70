// Pinned memory: kernels read and write it where it is. The exit status is the number of the first step that
// went another way.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <unistd.h>

__global__ void add_kernel(const float* a, const float* b, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}
struct Job {
  const float* in;
  float* out;
};
__global__ void job_kernel(Job job) { job.out[threadIdx.x] = job.in[threadIdx.x] + 1; }

#define STEP(number, condition)                       \
  if (!(condition)) {                                 \
    std::printf("step %d: %s\n", number, #condition); \
    return number;                                    \
  }

int main() {
  constexpr int n = 300'007;
  constexpr int kBytes = n * sizeof(float);
  float *a = nullptr, *b = nullptr, *sum = nullptr;
  STEP(1, cudaHostAlloc(&a, kBytes, cudaHostAllocMapped) == cudaSuccess);
  STEP(2, cudaHostAlloc(&b, kBytes, cudaHostAllocPortable | cudaHostAllocWriteCombined) == cudaSuccess);
  STEP(3, cudaMallocHost(&sum, kBytes) == cudaSuccess);
  STEP(4, cudaHostAlloc(&a, 4, 0x80) == cudaErrorInvalidValue);
  for (int i = 0; i < n; ++i) {
    a[i] = i;
    b[i] = 0.5F;
    sum[i] = -1;
  }
  // The address is the same on both sides.
  float* device_a = nullptr;
  STEP(5, cudaHostGetDevicePointer(&device_a, a, 0) == cudaSuccess && device_a == a);
  const int blocks = (n + 255) / 256;
  add_kernel<<<blocks, 256>>>(device_a, b, sum, n - 1);
  STEP(6, cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < n - 1; ++i) STEP(7, sum[i] == i + 0.5F);
  STEP(8, sum[n - 1] == -1);
  // What the program changes between launches counts, and also what a copy or a system call changes.
  a[10] = 100;
  int pipes[2];
  const float thousand = 1000;
  STEP(9, pipe(pipes) == 0 && write(pipes[1], &thousand, sizeof(float)) == sizeof(float));
  STEP(10, read(pipes[0], a + 11, sizeof(float)) == sizeof(float));
  STEP(11, cudaMemset(b, 0, 12 * sizeof(float)) == cudaSuccess && b[11] == 0 && b[12] == 0.5F);
  add_kernel<<<blocks, 256>>>(a, b, sum, n);
  STEP(12, cudaDeviceSynchronize() == cudaSuccess);
  STEP(13, sum[10] == 100 && sum[11] == 1000 && sum[12] == 12.5F && sum[n - 1] == n - 0.5F);

  // Copies.
  float* device = nullptr;
  STEP(14, cudaMalloc(&device, kBytes) == cudaSuccess);
  STEP(15, cudaMemcpyAsync(device, a, kBytes, cudaMemcpyHostToDevice) == cudaSuccess);
  STEP(16, cudaMemcpy(sum, device, kBytes, cudaMemcpyDefault) == cudaSuccess && sum[10] == 100);
  STEP(17, cudaMemcpy(device, a, kBytes, cudaMemcpyDeviceToDevice) == cudaErrorInvalidValue);

  // A structure of pointers as an argument.
  job_kernel<<<1, 32>>>(Job{a, sum});
  STEP(18, cudaDeviceSynchronize() == cudaSuccess && sum[10] == 101);

  // Registered memory has an address of its own on the device.
  float* plain = static_cast<float*>(std::malloc(kBytes));
  for (int i = 0; i < n; ++i) plain[i] = i;
  STEP(19, cudaHostRegister(plain + 1, kBytes - 4, cudaHostRegisterMapped) == cudaSuccess);
  STEP(20, cudaHostRegister(plain, kBytes, 0) == cudaErrorHostMemoryAlreadyRegistered);
  STEP(21, cudaHostRegister(plain + 9, 4, 0) == cudaErrorHostMemoryAlreadyRegistered);
  float* device_plain = nullptr;
  STEP(22, cudaHostGetDevicePointer(&device_plain, plain + 3, 0) == cudaSuccess);
  add_kernel<<<blocks, 256>>>(device_plain, device_plain, device_plain, n - 3);
  STEP(23, cudaStreamSynchronize(nullptr) == cudaSuccess);
  for (int i = 0; i < n; ++i) STEP(24, plain[i] == (i < 3 ? i : 2 * i));
  unsigned flags = 0;
  STEP(25, cudaHostGetFlags(&flags, b) == cudaSuccess);
  STEP(26, flags == (cudaHostAllocPortable | cudaHostAllocWriteCombined));
  cudaPointerAttributes attributes;
  STEP(27, cudaPointerGetAttributes(&attributes, b + 5) == cudaSuccess);
  STEP(28, attributes.type == cudaMemoryTypeHost && attributes.devicePointer == b + 5);
  STEP(29, cudaPointerGetAttributes(&attributes, plain + 4) == cudaSuccess);
  STEP(30, attributes.type == cudaMemoryTypeHost && attributes.devicePointer == device_plain + 1);
  STEP(31, cudaHostUnregister(plain + 1) == cudaSuccess);
  STEP(32, cudaHostUnregister(plain + 1) == cudaErrorHostMemoryNotRegistered);
  STEP(33, cudaHostGetDevicePointer(&device_plain, plain + 3, 0) == cudaErrorInvalidValue);
  STEP(34, cudaFree(a) == cudaErrorInvalidValue && cudaFreeHost(a) == cudaSuccess);
  STEP(35, cudaFreeHost(a) == cudaErrorInvalidValue);
  std::puts("read in place");
  return 0;
}
