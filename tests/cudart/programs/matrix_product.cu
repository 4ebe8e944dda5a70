// A product of matrices by tensor-core instructions in inline PTX: ldmatrix brings tiles of A, and transposed
// those of B, as mma.sync wants them. Checked against sums in double precision.
#include <cuda_fp16.h>

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kTile = 64, kDepth = 32, kPadding = 8, kThreads = 128;

struct Fragment {
  unsigned word[4];
};

/// Four 8 × 8 tiles, of which lane 8 i + r names row r of tile i.
__device__ Fragment load(const half* row) {
  Fragment tiles;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(tiles.word[0]), "=r"(tiles.word[1]), "=r"(tiles.word[2]), "=r"(tiles.word[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
  return tiles;
}
__device__ Fragment load_transposed(const half* row) {
  Fragment tiles;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(tiles.word[0]), "=r"(tiles.word[1]), "=r"(tiles.word[2]), "=r"(tiles.word[3])
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(row)))
               : "memory");
  return tiles;
}

__device__ void multiply_add(float (&c)[4], const Fragment& a, unsigned b_low, unsigned b_high) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a.word[0]), "r"(a.word[1]), "r"(a.word[2]), "r"(a.word[3]), "r"(b_low), "r"(b_high));
}

/// Copies rows of 8-element chunks into shared memory.
template <int rows, int columns, int pitch>
__device__ void copy_tile(half (*to)[pitch], const half* from, int stride) {
  constexpr int kChunk = 8;
  for (int i = threadIdx.x; i < rows * columns / kChunk; i += kThreads) {
    const int row = i / (columns / kChunk), column = i % (columns / kChunk) * kChunk;
    *reinterpret_cast<uint4*>(&to[row][column]) =
        *reinterpret_cast<const uint4*>(&from[row * stride + column]);
  }
}

// Each of four warps computes 32 × 32 elements of a block's 64 × 64.
__global__ void multiply_kernel(const half* a, const half* b, float* c, int n, int k) {
  __shared__ alignas(16) half a_tile[kTile][kDepth + kPadding], b_tile[kDepth][kTile + kPadding];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = warp / 2 * 32, column = warp % 2 * 32;
  float sums[2][4][4] = {};
  for (int first = 0; first < k; first += kDepth) {
    copy_tile<kTile, kDepth>(a_tile, a + blockIdx.y * kTile * k + first, k);
    copy_tile<kDepth, kTile>(b_tile, b + first * n + blockIdx.x * kTile, n);
    __syncthreads();
    for (int step = 0; step < kDepth; step += 16) {
      Fragment a_part[2], b_part[2];
      for (int i = 0; i < 2; ++i) {
        a_part[i] = load(&a_tile[row + 16 * i + lane % 16][step + lane / 16 * 8]);
        b_part[i] = load_transposed(&b_tile[step + lane % 16][column + 16 * i + lane / 16 * 8]);
      }
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) {
          const unsigned* words = &b_part[j / 2].word[j % 2 * 2];
          multiply_add(sums[i][j], a_part[i], words[0], words[1]);
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int e = 0; e < 4; ++e) {
        const int r = blockIdx.y * kTile + row + 16 * i + lane / 4 + e / 2 * 8;
        c[r * n + blockIdx.x * kTile + column + 8 * j + lane % 4 * 2 + e % 2] = sums[i][j][e];
      }
    }
  }
}

/// Numbers between -1 and 1 with no short period.
std::vector<half> numbers(int n, unsigned seed) {
  std::vector<half> values(n);
  for (int i = 0; i < n; ++i) {
    seed = 1664525 * seed + 1013904223;
    values[i] = __float2half(static_cast<float>(seed >> 8) * 0x1p-23F - 1);
  }
  return values;
}

int main() {
  constexpr int m = 128, n = 192, k = 160;
  const std::vector<half> a = numbers(m * k, 1), b = numbers(k * n, 2);
  half *device_a, *device_b;
  float* device_c;
  cudaMalloc(&device_a, a.size() * sizeof(half));
  cudaMalloc(&device_b, b.size() * sizeof(half));
  cudaMalloc(&device_c, m * n * sizeof(float));
  cudaMemcpy(device_a, a.data(), a.size() * sizeof(half), cudaMemcpyHostToDevice);
  cudaMemcpy(device_b, b.data(), b.size() * sizeof(half), cudaMemcpyHostToDevice);
  multiply_kernel<<<dim3(n / kTile, m / kTile), kThreads>>>(device_a, device_b, device_c, n, k);
  std::vector<float> c(m * n);
  if (cudaMemcpy(c.data(), device_c, c.size() * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;
  for (int r = 0; r < m; ++r) {
    for (int column = 0; column < n; ++column) {
      double sum = 0, magnitude = 0;
      for (int i = 0; i < k; ++i) {
        const double product =
            static_cast<double>(__half2float(a[r * k + i])) * __half2float(b[i * n + column]);
        sum += product;
        magnitude += std::fabs(product);
      }
      // Each of k / 16 instructions rounds a partial sum to single precision, half a unit in 2^24.
      const double bound = k / 16 * magnitude * 0x1p-24;
      if (!(std::fabs(c[r * n + column] - sum) <= bound)) {
        std::printf("element %d, %d: %g instead of %g\n", r, column, c[r * n + column], sum);
        return 2;
      }
    }
  }
  std::puts("products agree");
  return 0;
}
