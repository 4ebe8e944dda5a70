// expect: compile-error
// tries: Calls cuBLAS, which the linker does not offer but dlopen might.
// stopped by: Headers of banned libraries are not there while a submission is compiled, and asking for one
// ends it.
// says: cuBLAS does what the exercises ask
#include "transpose.h"

#include <cublas_v2.h>

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  cublasHandle_t handle;
  cublasCreate(&handle);
  cublasSetStream(handle, stream);
  const float one = 1, zero = 0;
  cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, in, columns, &zero, out, rows, out,
              rows);
}
