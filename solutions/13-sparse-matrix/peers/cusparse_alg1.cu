// cuSPARSE's product by its algorithm 1 for compressed sparse rows, to compare with. As every call has
// another matrix, none is prepared by cusparseSpMV_preprocess.
#include <cusparse.h>

#include <climits>
#include <stdexcept>

#include "lockstep/check_cuda.h"
#include "sparse_matrix.h"

constexpr cusparseSpMVAlg_t kAlgorithm = CUSPARSE_SPMV_CSR_ALG1;
constexpr float kOne = 1, kNothing = 0;

void check(cusparseStatus_t status) {
  if (status != CUSPARSE_STATUS_SUCCESS) throw std::runtime_error(cusparseGetErrorString(status));
}

cusparseHandle_t handle() {
  static const cusparseHandle_t made = [] {
    cusparseHandle_t handle;
    check(cusparseCreate(&handle));
    return handle;
  }();
  return made;
}

/// y = A x as cuSPARSE knows it.
class Product {
 public:
  Product(const int* row_begins, const int* column_indices, const float* values, const float* x, float* y,
          int rows, int columns, int nonzeros) {
    check(cusparseCreateConstCsr(&matrix_, rows, columns, nonzeros, row_begins, column_indices, values,
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                 CUDA_R_32F));
    check(cusparseCreateConstDnVec(&x_, columns, x, CUDA_R_32F));
    check(cusparseCreateDnVec(&y_, rows, y, CUDA_R_32F));
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  ~Product() {
    cusparseDestroyDnVec(y_);
    cusparseDestroyDnVec(x_);
    cusparseDestroySpMat(matrix_);
  }

  std::size_t workspace_bytes() const {
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, matrix_, x_, &kNothing,
                                  y_, CUDA_R_32F, kAlgorithm, &bytes));
    return bytes;
  }
  void enqueue(void* workspace, cudaStream_t stream) const {
    check(cusparseSetStream(handle(), stream));
    check(cusparseSpMV(handle(), CUSPARSE_OPERATION_NON_TRANSPOSE, &kOne, matrix_, x_, &kNothing, y_,
                       CUDA_R_32F, kAlgorithm, workspace));
  }

 private:
  cusparseConstSpMatDescr_t matrix_;
  cusparseConstDnVecDescr_t x_;
  cusparseDnVecDescr_t y_;
};

std::size_t sparse_matrix_workspace_bytes(int rows, int nonzeros) {
  if (rows == 0) return 0;
  // Descriptions take no null pointers. Nothing is read at these, and any number of columns will do.
  static void* const somewhere = [] {
    void* memory = nullptr;
    CHECK_CUDA(cudaMalloc(&memory, 1));
    return memory;
  }();
  auto* const indices = static_cast<int*>(somewhere);
  auto* const numbers = static_cast<float*>(somewhere);
  return Product(indices, indices, numbers, numbers, numbers, rows, INT_MAX, nonzeros).workspace_bytes();
}

void sparse_matrix(const int* row_begins, const int* column_indices, const float* values, const float* x,
                   float* y, int rows, int columns, int nonzeros, void* workspace, cudaStream_t stream) {
  if (rows == 0) return;
  const Product product(row_begins, column_indices, values, x, y, rows, columns, nonzeros);
  product.enqueue(workspace, stream);
}
