// How many operations per second tensor cores do by mma.sync: alone, and when each step's fragments are
// loaded from shared memory as in a matrix product. Lecture 16: tensor cores.
//
//   mma_rate [STEPS]    of 16 elements along k (1 when not given); a GPU needs 16384 for steady figures, and
//                       with more the sums are not exact
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <vector>

#include "lockstep/check_cuda.h"
#include "lockstep/device_bytes.h"
#include "lockstep/random.h"

constexpr int kSide = 64;    // of the part of C that a warp computes
constexpr int kStep = 16;    // elements along k of one mma
constexpr int kRounds = 11;  // of which the median counts
constexpr int kDown = kSide / 16, kAcross = kSide / 8;

__device__ unsigned shared_address(const std::uint16_t* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

/// A warp's part of C, `steps` times the same product of kSide x kStep elements of A and kStep x kSide of B.
/// Both lie in shared memory as 8 x 8 matrices, one behind the other, so that no bank conflict costs
/// anything.
template <bool kLoadsEachStep>
__global__ void __launch_bounds__(384) products_kernel(const std::uint16_t* in, int steps, double* out) {
  __shared__ alignas(128) std::uint16_t parts[2 * kSide * kStep];
  for (int i = threadIdx.x; i < 2 * kSide * kStep; i += blockDim.x) parts[i] = in[i];
  __syncthreads();
  const std::uint16_t* const a = parts + 8 * (threadIdx.x % 32);
  const std::uint16_t* const b = a + kSide * kStep;
  unsigned of_a[kDown][4], of_b[kAcross / 2][4];
  float sums[kDown][kAcross][4] = {};
  const auto load = [](unsigned(&to)[4], const std::uint16_t* row) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(shared_address(row)));
  };
  for (int step = 0; step < steps; ++step) {
    if (kLoadsEachStep || step == 0) {
      for (int p = 0; p < kDown; ++p) load(of_a[p], a + p * 16 * kStep);
      for (int q = 0; q < kAcross / 2; ++q) load(of_b[q], b + q * 16 * kStep);
    }
    for (int q = 0; q < kAcross; ++q) {
      for (int p = 0; p < kDown; ++p) {
        float(&sum)[4] = sums[p][q];
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
            "{%8, %9}, {%0, %1, %2, %3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(of_a[p][0]), "r"(of_a[p][1]), "r"(of_a[p][2]), "r"(of_a[p][3]), "r"(of_b[q / 2][q % 2 * 2]),
              "r"(of_b[q / 2][q % 2 * 2 + 1]));
      }
    }
  }
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  double total = 0;
  for (const auto& row : sums) {
    for (const auto& four : row) {
      for (const float sum : four) total += sum;
    }
  }
  out[thread] = total;
}

/// Of all elements of a warp's product of one step: the sum over k of A's column times B's row.
double sum_of_products(const std::vector<std::uint16_t>& parts) {
  const auto value = [&](int i) { return std::bit_cast<float>(std::uint32_t{parts[i]} << 16); };
  double sums_of_a[kStep] = {}, sums_of_b[kStep] = {}, sum = 0;
  for (int i = 0; i < kSide * kStep; ++i) {
    const int matrix = i / 64, column = i % 8;
    sums_of_a[matrix / 2 % 2 * 8 + column] += value(i);
    sums_of_b[matrix % 2 * 8 + column] += value(kSide * kStep + i);
  }
  for (int k = 0; k < kStep; ++k) sum += sums_of_a[k] * sums_of_b[k];
  return sum;
}

/// Operations per second of one block of so many warps per SM: the median of kRounds.
template <bool kLoadsEachStep>
double rate_of(int sms, int warps, int steps) {
  std::vector<std::uint16_t> parts(2 * kSide * kStep);
  lockstep::SplitMix64 random(warps);
  for (auto& part : parts) {
    const float value = static_cast<float>(random.word() % 17) - 8;
    part = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
  }
  std::vector<double> totals(std::size_t{32} * warps * sms);
  const std::size_t bytes = parts.size() * sizeof parts[0], out_bytes = totals.size() * sizeof totals[0];
  const lockstep::DeviceBytes in(bytes), out(out_bytes);
  CHECK_CUDA(cudaMemcpy(in.as<void>(), parts.data(), bytes, cudaMemcpyHostToDevice));
  cudaEvent_t begin, end;
  CHECK_CUDA(cudaEventCreate(&begin));
  CHECK_CUDA(cudaEventCreate(&end));
  std::vector<float> milliseconds(kRounds);
  for (float& each : milliseconds) {
    CHECK_CUDA(cudaEventRecord(begin));
    products_kernel<kLoadsEachStep><<<sms, 32 * warps>>>(in.as<std::uint16_t>(), steps, out.as<double>());
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(end));
    CHECK_CUDA(cudaEventSynchronize(end));
    CHECK_CUDA(cudaEventElapsedTime(&each, begin, end));
  }
  CHECK_CUDA(cudaEventDestroy(begin));
  CHECK_CUDA(cudaEventDestroy(end));
  CHECK_CUDA(cudaMemcpy(totals.data(), out.as<void>(), out_bytes, cudaMemcpyDeviceToHost));
  double total = 0;
  for (const double each : totals) total += each;
  if (total != sum_of_products(parts) * steps * warps * sms) throw std::runtime_error("a sum is wrong");
  std::sort(milliseconds.begin(), milliseconds.end());
  const double operations = 2.0 * kSide * kSide * kStep * steps * warps * sms;
  return operations / (milliseconds[kRounds / 2] / 1e3);
}

int main(int count, char** arguments) try {
  const int steps = count > 1 ? std::atoi(arguments[1]) : 1;
  if (steps < 1 || steps > 16384) throw std::runtime_error("STEPS is a whole number from 1 to 16384");
  int sms = 0;
  CHECK_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  std::printf("warps per SM   operations per second   with fragments loaded each step\n");
  for (const int warps : {4, 8, 12}) {
    std::printf("%12d %23.3e %33.3e\n", warps, rate_of<false>(sms, warps, steps),
                rate_of<true>(sms, warps, steps));
  }
  return 0;
} catch (const std::exception& error) {
  std::printf("mma_rate: %s\n", error.what());
  return 1;
}
