// Managed memory: the program and kernels take turns on it. The exit status is the number of the first step
// that went another way.
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include <unistd.h>

__managed__ int counter = 7;
__managed__ float table[3] = {0.5F, 1.5F, 2.5F};

__global__ void scale_kernel(int* values, int n, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
}
__global__ void count_kernel() {
  if (threadIdx.x < 3) table[threadIdx.x] += 1;
  if (threadIdx.x == 0) counter += 1;
}
struct Node {
  int value;
  Node* next;
};
__global__ void sum_kernel(const Node* node, int* sum) {
  *sum = 0;
  for (; node != nullptr; node = node->next) *sum += node->value;
}

#define STEP(number, condition)                       \
  if (!(condition)) {                                 \
    std::printf("step %d: %s\n", number, #condition); \
    return number;                                    \
  }

int main() {
  // Managed variables, before and after a kernel.
  STEP(1, counter == 7 && table[2] == 2.5F);
  counter = 40;
  count_kernel<<<1, 32>>>();
  STEP(2, cudaDeviceSynchronize() == cudaSuccess && counter == 41 && table[0] == 1.5F && table[2] == 3.5F);
  void* symbol = nullptr;
  STEP(3, cudaGetSymbolAddress(&symbol, counter) == cudaSuccess && symbol == &counter);

  // Several pages, in turns: what one side changes the other sees, and what it left is unchanged.
  constexpr int n = 100'003;
  int* values = nullptr;
  STEP(4, cudaMallocManaged(&values, n * sizeof(int)) == cudaSuccess);
  for (int i = 0; i < n; ++i) values[i] = i;
  for (int turn = 0; turn < 3; ++turn) {
    scale_kernel<<<(n + 255) / 256, 256>>>(values, n, 3);
    STEP(5, cudaDeviceSynchronize() == cudaSuccess);
    for (int i = 0; i < n; i += 1000) values[i] += 1;
  }
  for (int i = 0; i < n; ++i) {
    const int expected = i % 1000 == 0 ? ((i * 3 + 1) * 3 + 1) * 3 + 1 : i * 27;
    STEP(6, values[i] == expected);
  }

  // Copies and fills take the program's part into account, in every direction.
  int* other = nullptr;
  int* device = nullptr;
  std::vector<int> host(n);
  STEP(7, cudaMallocManaged(&other, n * sizeof(int), cudaMemAttachHost) == cudaSuccess);
  STEP(8, cudaMalloc(&device, n * sizeof(int)) == cudaSuccess);
  values[5] = -5;
  STEP(9, cudaMemcpy(device, values, n * sizeof(int), cudaMemcpyHostToDevice) == cudaSuccess);
  STEP(10, cudaMemcpy(other, device, n * sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess);
  STEP(11, other[5] == -5 && other[n - 1] == (n - 1) * 27);
  other[6] = -6;
  STEP(12, cudaMemcpy(host.data(), other, n * sizeof(int), cudaMemcpyDefault) == cudaSuccess);
  STEP(13, host[5] == -5 && host[6] == -6 && host[7] == 7 * 27);
  STEP(14, cudaMemset(other + 1, 0, 4 * sizeof(int)) == cudaSuccess);
  STEP(15, other[0] == host[0] && other[1] == 0 && other[4] == 0 && other[5] == -5);
  STEP(16, cudaMemcpy(values, other, 4096, cudaMemcpyHostToHost) == cudaSuccess && values[1] == 0);
  std::memcpy(values, host.data(), n * sizeof(int));
  STEP(17, std::memcmp(values, host.data(), n * sizeof(int)) == 0);

  // Pointers within managed memory.
  Node* list = nullptr;
  for (int i = 1; i <= 10; ++i) {
    Node* node = nullptr;
    STEP(18, cudaMallocManaged(&node, sizeof(Node)) == cudaSuccess);
    *node = {i, list};
    list = node;
  }
  sum_kernel<<<1, 1>>>(list, values);
  STEP(19, cudaDeviceSynchronize() == cudaSuccess && values[0] == 55 && list->value == 10);

  // Threads that touch the pages of one allocation at once.
  scale_kernel<<<(n + 255) / 256, 256>>>(other, n, 1);
  STEP(20, cudaDeviceSynchronize() == cudaSuccess);
  long sums[4] = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t; i < n; i += 4) sums[t] += other[i];
    });
  }
  for (std::thread& thread : threads) thread.join();
  long expected = 0;
  for (int i = 0; i < n; ++i) expected += i == 0 || i > 4 ? host[i] : 0;
  STEP(21, sums[0] + sums[1] + sums[2] + sums[3] == expected);

  // System calls: into memory that nobody has used, and out of small memory after a synchronisation.
  char* text = nullptr;
  int pipes[2];
  STEP(22, cudaMallocManaged(&text, 64) == cudaSuccess && pipe(pipes) == 0);
  STEP(23, write(pipes[1], "from a pipe", 12) == 12 && read(pipes[0], text, 12) == 12);
  STEP(24, std::strcmp(text, "from a pipe") == 0);
  scale_kernel<<<1, 32>>>(reinterpret_cast<int*>(text), 3, 1);
  STEP(25, cudaDeviceSynchronize() == cudaSuccess);
  STEP(26, write(pipes[1], text, 12) == 12 && read(pipes[0], text, 12) == 12);
  // Larger memory needs a prefetch first.
  scale_kernel<<<(n + 255) / 256, 256>>>(other, n, 1);
  cudaMemLocation location{cudaMemLocationTypeHost, 0};
  STEP(27, cudaMemPrefetchAsync(other, n * sizeof(int), location, 0, nullptr) == cudaSuccess);
  STEP(28, cudaDeviceSynchronize() == cudaSuccess && write(pipes[1], other, 4096) == 4096);

  // What was said of it can be asked for.
  cudaMemLocation first_device{cudaMemLocationTypeDevice, 0}, no_device{cudaMemLocationTypeDevice, 99};
  int place = 77;
  int places[3] = {};
  STEP(29, cudaMemPrefetchAsync(values, n * sizeof(int), first_device, 0, nullptr) == cudaSuccess);
  STEP(30, cudaMemRangeGetAttribute(&place, sizeof(int), cudaMemRangeAttributeLastPrefetchLocation, values,
                                    n * sizeof(int)) == cudaSuccess &&
               place == 0);
  STEP(31, cudaMemAdvise(values, 4096, cudaMemAdviseSetReadMostly, first_device) == cudaSuccess);
  STEP(32, cudaMemRangeGetAttribute(&place, sizeof(int), cudaMemRangeAttributeReadMostly, values, 4096) ==
                   cudaSuccess &&
               place == 1);
  STEP(33, cudaMemRangeGetAttribute(&place, sizeof(int), cudaMemRangeAttributeReadMostly, values, 4097) ==
                   cudaSuccess &&
               place == 0);
  STEP(34, cudaMemAdvise(values, 8192, cudaMemAdviseSetAccessedBy, location) == cudaSuccess);
  STEP(35, cudaMemRangeGetAttribute(places, sizeof(places), cudaMemRangeAttributeAccessedBy, values, 8192) ==
                   cudaSuccess &&
               places[0] == cudaCpuDeviceId && places[1] == cudaInvalidDeviceId);
  STEP(36, cudaMemPrefetchAsync(values, n * sizeof(int), no_device, 0, nullptr) == cudaErrorInvalidDevice);
  STEP(37, cudaMemPrefetchAsync(device, 4, first_device, 0, nullptr) == cudaErrorInvalidValue);
  cudaPointerAttributes attributes;
  STEP(38, cudaPointerGetAttributes(&attributes, values + 1) == cudaSuccess);
  STEP(39, attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == values + 1);
  STEP(40, cudaStreamAttachMemAsync(nullptr, values) == cudaSuccess);
  STEP(41, cudaFree(values) == cudaSuccess && cudaFree(values) == cudaErrorInvalidValue);
  STEP(42, cudaMallocManaged(&values, 0) == cudaErrorInvalidValue);
  std::puts("turns taken");
  return 0;
}
