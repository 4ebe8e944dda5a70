// malloc, free, new and delete in kernels; the exit status is the number of the first step that went another
// way.
#include <cstdio>

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  __device__ explicit Square(int side) : side(side) {}
  __device__ int area() const override { return side * side; }
  int side;
};

__global__ void make_kernel(Shape** shapes, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) shapes[i] = new Square(i);
}
__global__ void use_kernel(Shape** shapes, int* areas, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  areas[i] = shapes[i]->area();
  delete shapes[i];
}
/// Takes and frees more than the heap holds in all, block by block.
__global__ void churn_kernel(int* failures, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    int* block = static_cast<int*>(malloc(1000));
    if (block == nullptr) {
      atomicAdd(failures, 1);
      continue;
    }
    for (int i = 0; i < 250; i += 50) block[i] = round + i;
    for (int i = 0; i < 250; i += 50) {
      if (block[i] != round + i) atomicAdd(failures, 1);
    }
    free(block);
  }
}
/// Takes blocks until there are no more.
__global__ void exhaust_kernel(int* taken, int bytes) {
  void* last = nullptr;
  for (*taken = 0;; ++*taken) {
    void** block = static_cast<void**>(malloc(bytes));
    if (block == nullptr) break;
    *block = last;
    last = block;
  }
  while (last != nullptr) {
    void* next = *static_cast<void**>(last);
    free(last);
    last = next;
  }
  free(nullptr);
}

__device__ int* mail;
__device__ int stage;
__device__ void await_stage(int wanted) {
  while (atomicAdd(&stage, 0) != wanted) {
  }
  __threadfence();
}
__device__ void begin_stage(int next) {
  __threadfence();
  atomicExch(&stage, next);
}
/// Block 0 leaves volatile stores that no fence follows in memory that it gives back. Block 1 gets it, stores
/// the same value plainly and signals to block 2, which looks at it for the first time.
__global__ void reuse_kernel(int* wrong, int rounds) {
  constexpr int kBytes = 1 << 16;
  if (blockIdx.x == 0) {
    for (int round = 0; round < rounds; ++round) {
      int* block = static_cast<int*>(malloc(kBytes));
      *static_cast<volatile int*>(block) = 7;
      free(block);
    }
    atomicExch(&stage, 1);
    return;
  }
  for (int look = 0; look < 8; ++look) {
    if (blockIdx.x == 1) {
      await_stage(2 * look + 1);
      mail = static_cast<int*>(malloc(kBytes));
      *mail = 7;
      begin_stage(2 * look + 2);
    } else {
      await_stage(2 * look + 2);
      if (*static_cast<volatile int*>(mail) != 7) ++*wrong;
      begin_stage(2 * look + 3);
    }
  }
}

#define STEP(number, condition)                       \
  if (!(condition)) {                                 \
    std::printf("step %d: %s\n", number, #condition); \
    return number;                                    \
  }

int main() {
  std::size_t limit = 0;
  STEP(1, cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize) == cudaSuccess && limit == 8 << 20);
  STEP(2, cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20) == cudaSuccess);
  constexpr int n = 1000;
  Shape** shapes;
  int* areas;
  cudaMalloc(&shapes, n * sizeof(Shape*));
  cudaMallocManaged(&areas, n * sizeof(int));
  make_kernel<<<8, 128>>>(shapes, n);
  use_kernel<<<8, 128>>>(shapes, areas, n);
  STEP(3, cudaDeviceSynchronize() == cudaSuccess);
  for (int i = 0; i < n; ++i) STEP(4, areas[i] == i * i);
  STEP(5, cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 << 20) == cudaErrorInvalidValue);

  areas[0] = 0;
  churn_kernel<<<4, 64>>>(areas, 20);
  STEP(6, cudaDeviceSynchronize() == cudaSuccess && areas[0] == 0);
  exhaust_kernel<<<1, 1>>>(areas, 1 << 16);
  STEP(7, cudaDeviceSynchronize() == cudaSuccess && areas[0] >= 14 && areas[0] <= 16);
  exhaust_kernel<<<1, 1>>>(areas, 16);
  STEP(8, cudaDeviceSynchronize() == cudaSuccess && areas[0] == (1 << 20) / 32);

  // The host may not touch what a kernel took.
  make_kernel<<<1, 1>>>(shapes, 1);
  void* block = nullptr;
  STEP(9, cudaMemcpy(&block, shapes, sizeof(block), cudaMemcpyDeviceToHost) == cudaSuccess);
  char copy[4];
  STEP(10, cudaMemcpy(copy, block, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);
  STEP(11, cudaFree(block) == cudaErrorInvalidValue);

  areas[0] = 0;
  reuse_kernel<<<3, 1>>>(areas, 3000);
  STEP(12, cudaDeviceSynchronize() == cudaSuccess && areas[0] == 0);
  std::puts("taken and given back");
  return 0;
}
