// cuBLAS's product of matrices of floats in its default mode, which uses no tensor cores for them, to compare
// with.
#include <cublas_v2.h>

#include <stdexcept>

#include "matrix_product.h"

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

void matrix_product(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream) {
  if (m == 0 || n == 0) return;
  const float one = 1, none = 0;
  check(cublasSetStream(handle(), stream));
  // cuBLAS stores by columns: what is stored by rows here is the transposed matrix there, and the transposed
  // C is the transposed B times the transposed A.
  check(cublasSgemm(handle(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &one, b, n, a, k, &none, c, n));
}
