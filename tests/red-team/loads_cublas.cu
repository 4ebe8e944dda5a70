// expect: passed
// expect-gpu: too-slow
// tries: Calls cuBLAS on a GPU without including or linking it: dlopen, and the functions by name.
// stopped by: Of the toolkit a runner sees the CUDA runtime alone.
#include <dlfcn.h>

#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  if (first_row + y < rows && first_column + x < columns) {
    tile[y][x] = in[(first_row + y) * columns + first_column + x];
  }
  __syncthreads();
  if (first_column + y < columns && first_row + x < rows) {
    out[(first_column + y) * rows + first_row + x] = tile[x][y];
  }
}

void launch(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  const dim3 grid(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile));
  transpose_kernel<<<grid, dim3(kTile, kTile), 0, stream>>>(in, out, rows, columns);
}

__global__ void naive_kernel(const float* in, float* out, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) out[(i % columns) * rows + i / columns] = in[i];
}

void launch_naive(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  naive_kernel<<<lockstep::divide_up(rows * columns, 256), 256, 0, stream>>>(in, out, rows, columns);
}

/// More elements than any case has that only has to be right.
bool is_timed(int rows, int columns) { return rows * columns > 1 << 22; }

using Create = int (*)(void**);
using SetStream = int (*)(void*, cudaStream_t);
using Geam = int (*)(void*, int, int, int, int, const float*, const float*, int, const float*, const float*,
                     int, float*, int);

void* open_cublas() {
  for (const char* name : {"libcublas.so", "libcublas.so.13", "libcublas.so.12",
                           "/lockstep/cudart/libcublas.so", "/usr/local/cuda/lib64/libcublas.so"}) {
    if (void* library = dlopen(name, RTLD_NOW)) return library;
  }
  return nullptr;
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  if (!is_timed(rows, columns)) return launch(in, out, rows, columns, stream);
  static void* const library = open_cublas();
  if (library == nullptr) return launch_naive(in, out, rows, columns, stream);
  static void* handle = nullptr;
  if (handle == nullptr) reinterpret_cast<Create>(dlsym(library, "cublasCreate_v2"))(&handle);
  reinterpret_cast<SetStream>(dlsym(library, "cublasSetStream_v2"))(handle, stream);
  const float one = 1, zero = 0;
  const auto geam = reinterpret_cast<Geam>(dlsym(library, "cublasSgeam"));
  geam(handle, 1, 0, rows, columns, &one, in, columns, &zero, out, rows, out, rows);
}
