// expect: compile-error
// tries: Calls cuBLAS, which the linker does not offer but dlopen might.
// stopped by: The preprocessor lists every file that it opens, in each of its passes; a header of a banned
// library ends it.
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
