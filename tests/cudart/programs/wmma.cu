// Products by the wmma interface: every shape and type, both layouts of each matrix, from global and shared
// memory and through generic addresses, against sums of integers, which all of these types hold exactly.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdio>
#include <type_traits>
#include <vector>

using namespace nvcuda;

// What a fragment's matrix is made of in memory: tf32 lies there as float, four bits and one bit packed.
template <class T>
struct Memory {
  using Type = T;
};
template <>
struct Memory<wmma::precision::tf32> {
  using Type = float;
};

enum class Space { global, shared, generic };

/// Stops the compiler from knowing which space a pointer points into.
template <class T>
__device__ T* generic(T* pointer) {
  asm volatile("" : "+l"(pointer));
  return pointer;
}

template <class Shape, class T, class Sum, class LayoutA, class LayoutB, Space space>
__global__ void multiply_kernel(const typename Memory<T>::Type* a, const typename Memory<T>::Type* b,
                                const Sum* c, Sum* d, unsigned a_stride, unsigned b_stride, unsigned c_stride,
                                wmma::layout_t layout) {
  wmma::fragment<wmma::matrix_a, Shape::m, Shape::n, Shape::k, T, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, Shape::m, Shape::n, Shape::k, T, LayoutB> fb;
  wmma::fragment<wmma::accumulator, Shape::m, Shape::n, Shape::k, Sum> fc;
  if constexpr (space == Space::global) {
    wmma::load_matrix_sync(fa, a, a_stride);
    wmma::load_matrix_sync(fb, b, b_stride);
    wmma::load_matrix_sync(fc, c, c_stride, layout);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(d, fc, c_stride, layout);
  } else {
    using Element = typename Memory<T>::Type;
    constexpr unsigned kMax = sizeof(Sum) == 8 ? 32 * 64 : 64 * 64;  // so that 48 KiB hold all three
    __shared__ alignas(32) Element a_tile[kMax], b_tile[kMax];
    __shared__ alignas(32) Sum c_tile[kMax];
    const unsigned a_lines = std::is_same_v<LayoutA, wmma::row_major> ? Shape::m : Shape::k;
    const unsigned b_lines = std::is_same_v<LayoutB, wmma::row_major> ? Shape::k : Shape::n;
    const unsigned c_lines = layout == wmma::mem_row_major ? Shape::m : Shape::n;
    for (unsigned i = threadIdx.x; i < a_lines * a_stride; i += 32) a_tile[i] = a[i];
    for (unsigned i = threadIdx.x; i < b_lines * b_stride; i += 32) b_tile[i] = b[i];
    for (unsigned i = threadIdx.x; i < c_lines * c_stride; i += 32) c_tile[i] = c[i];
    __syncwarp();
    Element* a_from = space == Space::generic ? generic(a_tile) : a_tile;
    Element* b_from = space == Space::generic ? generic(b_tile) : b_tile;
    Sum* c_from = space == Space::generic ? generic(c_tile) : c_tile;
    wmma::load_matrix_sync(fa, a_from, a_stride);
    wmma::load_matrix_sync(fb, b_from, b_stride);
    wmma::load_matrix_sync(fc, c_from, c_stride, layout);
    wmma::mma_sync(fc, fa, fb, fc);
    __syncwarp();
    wmma::store_matrix_sync(c_from, fc, c_stride, layout);
    __syncwarp();
    for (unsigned i = threadIdx.x; i < c_lines * c_stride; i += 32) d[i] = c_tile[i];
  }
}

template <unsigned rows, unsigned columns, unsigned depth>
struct ShapeOf {
  static constexpr unsigned m = rows, n = columns, k = depth;
};

/// Small numbers that repeat with no short period; 0 to 7 where the type has no sign.
template <class T>
int number(unsigned i) {
  const int value = static_cast<int>(i * 2654435761U >> 13 & 7);
  return std::is_unsigned_v<T> ? value : value - 4;
}

template <class T>
T* upload(const std::vector<T>& values) {
  T* device = nullptr;
  cudaMalloc(&device, values.size() * sizeof(T));
  cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return device;
}

/// A matrix of lines with room between them, and the numbers in it.
template <class T>
struct Stored {
  std::vector<T> memory;
  std::vector<int> values;  ///< [row][column]
  unsigned stride;
  Stored(unsigned rows, unsigned columns, bool by_row, unsigned seed)
      : values(rows * columns), stride((by_row ? columns : rows) + 16) {
    memory.resize((by_row ? rows : columns) * stride);
    for (unsigned i = 0; i < memory.size(); ++i) memory[i] = static_cast<T>(100.0F);
    for (unsigned r = 0; r < rows; ++r) {
      for (unsigned c = 0; c < columns; ++c) {
        const int value = number<T>(seed + r * columns + c);
        values[r * columns + c] = value;
        memory[by_row ? r * stride + c : c * stride + r] = static_cast<T>(static_cast<float>(value));
      }
    }
  }
};

int failures = 0, products = 0;

template <class Shape, class T, class Sum, class LayoutA, class LayoutB, Space space>
void check(bool c_by_row) {
  constexpr unsigned m = Shape::m, n = Shape::n, k = Shape::k;
  using Element = typename Memory<T>::Type;
  const Stored<Element> a(m, k, std::is_same_v<LayoutA, wmma::row_major>, 1);
  const Stored<Element> b(k, n, std::is_same_v<LayoutB, wmma::row_major>, 1000);
  const Stored<Sum> c(m, n, c_by_row, 5000);
  Element *device_a = upload(a.memory), *device_b = upload(b.memory);
  Sum *device_c = upload(c.memory), *device_d = upload(c.memory);
  multiply_kernel<Shape, T, Sum, LayoutA, LayoutB, space>
      <<<1, 32>>>(device_a, device_b, device_c, device_d, a.stride, b.stride, c.stride,
                  c_by_row ? wmma::mem_row_major : wmma::mem_col_major);
  std::vector<Sum> d(c.memory.size());
  const cudaError_t status = cudaMemcpy(d.data(), device_d, d.size() * sizeof(Sum), cudaMemcpyDeviceToHost);
  ++products;
  bool right = status == cudaSuccess;
  for (unsigned r = 0; r < m; ++r) {
    for (unsigned column = 0; column < n; ++column) {
      int expected = c.values[r * n + column];
      for (unsigned i = 0; i < k; ++i) expected += a.values[r * k + i] * b.values[i * n + column];
      const Sum found = d[c_by_row ? r * c.stride + column : column * c.stride + r];
      right &= static_cast<double>(static_cast<float>(found)) == expected;
    }
  }
  if (!right) {
    ++failures;
    std::printf("m%un%uk%u, %s and %s, C by %s, space %d: %s\n", m, n, k,
                std::is_same_v<LayoutA, wmma::row_major> ? "row" : "column",
                std::is_same_v<LayoutB, wmma::row_major> ? "row" : "column", c_by_row ? "row" : "column",
                static_cast<int>(space), cudaGetErrorString(status));
  }
  for (void* memory : {static_cast<void*>(device_a), static_cast<void*>(device_b),
                       static_cast<void*>(device_c), static_cast<void*>(device_d)}) {
    cudaFree(memory);
  }
}

template <class Shape, class T, class Sum>
void check_layouts() {
  using wmma::col_major, wmma::row_major;
  for (const bool c_by_row : {true, false}) {
    check<Shape, T, Sum, row_major, row_major, Space::global>(c_by_row);
    check<Shape, T, Sum, row_major, col_major, Space::shared>(c_by_row);
    check<Shape, T, Sum, col_major, row_major, Space::shared>(c_by_row);
    check<Shape, T, Sum, col_major, col_major, Space::generic>(c_by_row);
  }
}
template <class T, class Sum>
void check_shapes() {
  check_layouts<ShapeOf<16, 16, 16>, T, Sum>();
  check_layouts<ShapeOf<32, 8, 16>, T, Sum>();
  check_layouts<ShapeOf<8, 32, 16>, T, Sum>();
}

// --- four bits and one bit: packed, of one layout ---

template <class T, unsigned k>
__global__ void packed_kernel(const unsigned* a, const unsigned* b, int* d) {
  namespace experimental = wmma::experimental;
  wmma::fragment<wmma::matrix_a, 8, 8, k, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 8, 8, k, T, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 8, 8, k, int> fd;
  wmma::fill_fragment(fd, 0);
  wmma::load_matrix_sync(fa, a, k);
  wmma::load_matrix_sync(fb, b, k);
  if constexpr (std::is_same_v<T, experimental::precision::b1>) {
    wmma::bmma_sync(fd, fa, fb, fd, experimental::bmmaBitOpAND);
    wmma::bmma_sync(fd, fa, fb, fd, experimental::bmmaBitOpXOR);
  } else {
    wmma::mma_sync(fd, fa, fb, fd);
  }
  wmma::store_matrix_sync(d, fd, 8, wmma::mem_row_major);
}

/// `term` gives an element's contribution.
template <class T, unsigned k, class Term>
void check_packed(Term term) {
  constexpr unsigned bits = 128 / k, words = 8 * k * bits / 32;
  std::vector<unsigned> a(words), b(words);
  for (unsigned i = 0; i < words; ++i) {
    a[i] = i * 2654435761U ^ 0x5A17;
    b[i] = (i + 77) * 2246822519U;
  }
  unsigned *device_a = upload(a), *device_b = upload(b);
  int* device_d = upload(std::vector<int>(64));
  packed_kernel<T, k><<<1, 32>>>(device_a, device_b, device_d);
  int d[64] = {};
  bool right = cudaMemcpy(d, device_d, sizeof(d), cudaMemcpyDeviceToHost) == cudaSuccess;
  const auto element = [](const std::vector<unsigned>& matrix, unsigned line, unsigned i) {
    const unsigned bit = (line * k + i) * bits;
    return matrix[bit / 32] >> (bit % 32) & ((1U << bits) - 1);
  };
  for (unsigned r = 0; r < 8; ++r) {
    for (unsigned column = 0; column < 8; ++column) {
      int expected = 0;
      for (unsigned i = 0; i < k; ++i) expected += term(element(a, r, i), element(b, column, i));
      right &= d[8 * r + column] == expected;
    }
  }
  ++products;
  if (!right) {
    ++failures;
    std::printf("elements of %u bits\n", bits);
  }
}

int main() {
  check_shapes<half, float>();
  check_shapes<half, half>();
  check_shapes<__nv_bfloat16, float>();
  check_shapes<signed char, int>();
  check_shapes<unsigned char, int>();
  check_layouts<ShapeOf<16, 16, 8>, wmma::precision::tf32, float>();
  check_layouts<ShapeOf<8, 8, 4>, double, double>();
  namespace precision = wmma::experimental::precision;
  const auto sign = [](unsigned value) { return static_cast<int>(value ^ 8U) - 8; };
  check_packed<precision::s4, 32>([&](unsigned x, unsigned y) { return sign(x) * sign(y); });
  check_packed<precision::u4, 32>([](unsigned x, unsigned y) { return static_cast<int>(x * y); });
  check_packed<precision::b1, 128>(
      [](unsigned x, unsigned y) { return static_cast<int>((x & y) + (x ^ y)); });
  std::printf("%d of %d products wrong\n", failures, products);
  return failures == 0 ? 0 : 1;
}
