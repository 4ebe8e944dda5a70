// expect: inefficient
// tries: Lets every thread fetch its one element down a column by a bulk copy, which is no load.
// stopped by: The ends of bulk copies in global memory are counted, each as a request of its own.
// says: ✗ global-sectors
#include <cstdint>

#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kRows = 32, kColumns = 8, kThreads = kRows * kColumns;
constexpr int kTogether = 4;  // floats that the shortest bulk copy has

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ alignas(16) float fetched[kThreads][kTogether];
  __shared__ alignas(8) std::uint64_t arrived;
  const int row = blockIdx.x * kRows + threadIdx.x, column = blockIdx.y * kColumns + threadIdx.y;
  const int thread = threadIdx.y * kRows + threadIdx.x;
  const bool is_inside = row < rows && column < columns;
  const int element = row * columns + column, first = element / kTogether * kTogether;
  const bool is_fetched = is_inside && first + kTogether <= rows * columns;
  const auto barrier = static_cast<unsigned>(__cvta_generic_to_shared(&arrived));
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(&fetched[thread]));
  if (thread == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "n"(kThreads) : "memory");
  __syncthreads();
  if (is_fetched) {
    asm volatile(
        "{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], 16;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%1], [%2], 16, [%0]; }" ::"r"(
            barrier),
        "r"(to), "l"(in + first)
        : "memory");
  } else {
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(barrier) : "memory");
  }
  asm volatile(
      "{ .reg .pred done; WAIT: mbarrier.try_wait.parity.shared.b64 done, [%0], 0; @!done bra WAIT; }" ::"r"(
          barrier)
      : "memory");
  if (!is_inside) return;
  float value = 0;
  if (is_fetched) {
    float whole[kTogether];  // in one read, without conflicts
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(whole[0]), "=f"(whole[1]), "=f"(whole[2]), "=f"(whole[3])
                 : "r"(to)
                 : "memory");
    for (int k = 0; k < kTogether; ++k) value = element % kTogether == k ? whole[k] : value;
  } else {
    value = in[element];
  }
  out[column * rows + row] = value;
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const dim3 blocks(lockstep::divide_up(rows, kRows), lockstep::divide_up(columns, kColumns));
  transpose_kernel<<<blocks, dim3(kRows, kColumns), 0, stream>>>(in, out, rows, columns);
}
