// cuBLAS's product of matrices of bfloat16 with sums in float, to compare with. On compute capability 9.0 it
// uses products of warp groups (wgmma), which the course leaves out.
#include <cublas_v2.h>

#include <stdexcept>

#include "tensor_cores.h"

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(cublasGetStatusString(status));
}

cublasHandle_t handle() {
  static const cublasHandle_t made = [] {
    cublasHandle_t handle;
    check(cublasCreate(&handle));
    return handle;
  }();
  return made;
}

void tensor_cores(const std::uint16_t* a, const std::uint16_t* b, float* c, int m, int n, int k,
                  cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const float one = 1, none = 0;
  check(cublasSetStream(handle(), stream));
  // cuBLAS stores by columns: what is stored by rows here is the transposed matrix there, and the transposed
  // C is the transposed B times the transposed A.
  check(cublasGemmEx(handle(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, CUDA_R_16BF, n, a, CUDA_R_16BF, k,
                     &none, c, CUDA_R_32F, n, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
}
