// cuBLAS's sum of two matrices, of which one is transposed and the other counts nothing, to compare with.
#include <cublas_v2.h>

#include <stdexcept>

#include "transpose.h"

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

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const float one = 1, none = 0;
  check(cublasSetStream(handle(), stream));
  // cuBLAS counts by columns: to it, `in` has `columns` rows.
  check(cublasSgeam(handle(), CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, in, columns, &none, out, rows,
                    out, rows));
}
