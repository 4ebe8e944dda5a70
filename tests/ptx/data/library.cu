// What the toolkit's own headers turn into PTX, curand's tables among it.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <curand_kernel.h>
#include <mma.h>

#include <cub/block/block_scan.cuh>

__global__ void random_kernel(float* out) {
  curandState_t state;
  curand_init(1, threadIdx.x, 0, &state);
  curandStateMRG32k3a_t other;
  curand_init(1, threadIdx.x, 0, &other);
  out[threadIdx.x] = curand_uniform(&state) + curand_normal(&state) + curand_uniform(&other);
}

__global__ void groups_kernel(int* values) {
  namespace cg = cooperative_groups;
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  values[threadIdx.x] = cg::reduce(warp, values[threadIdx.x], cg::plus<int>());
  cg::this_grid().sync();
}

__global__ void scan_kernel(int* values) {
  using Scan = cub::BlockScan<int, 128>;
  __shared__ typename Scan::TempStorage storage;
  Scan(storage).ExclusiveSum(values[threadIdx.x], values[threadIdx.x]);
}

__global__ void half_kernel(__half* a, __nv_bfloat16* b) {
  a[1] = a[0] * a[2];
  b[1] = b[0] + b[2];
}

__global__ void matrix_kernel(const half* a, const half* b, float* c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> left;
  fragment<matrix_b, 16, 16, 16, half, col_major> right;
  fragment<accumulator, 16, 16, 16, float> sum;
  fill_fragment(sum, 0.0f);
  load_matrix_sync(left, a, 16);
  load_matrix_sync(right, b, 16);
  mma_sync(sum, left, right, sum);
  store_matrix_sync(c, sum, 16, mem_row_major);
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) cluster_kernel(int* values) {
  auto cluster = cooperative_groups::this_cluster();
  __shared__ int shared;
  shared = static_cast<int>(threadIdx.x);
  cluster.sync();
  values[0] = *cluster.map_shared_rank(&shared, 1);
}
#endif
