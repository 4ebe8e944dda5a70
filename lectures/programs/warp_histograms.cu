// What lanes that add to one counter at once cost: pairs of points on the sky are counted by distance, in 1,
// 2, 4, … 32 histograms per warp, by adding 1 and by adding a weight. Lecture 18: TPACF.
//
//   warp_histograms [POINTS SETS]    256 points per set and 2 random sets when not given; the source had 2048
//                                    and 10
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "lockstep/check_cuda.h"
#include "lockstep/device_bytes.h"
#include "lockstep/divide_up.h"
#include "lockstep/random.h"

constexpr int kThreads = 128;  // and rows of a block, and points of a tile
constexpr int kWarps = kThreads / 32;
constexpr int kBins = 20;    // five per decade, from one minute of arc on
constexpr int kRounds = 11;  // of which the median counts

using Counts = std::vector<unsigned long long>;  // of each pair of sets, all bins

/// Both sides round alike: host and device then agree on every pair.
__host__ __device__ float square_of_chord(float3 a, float3 b) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return fmaf(x, x, fmaf(y, y, z * z));
}

/// The bin of a pair: −1 below the first, kBins beyond the last.
__host__ __device__ int bin_of(float square, const float* edges) {
  int low = 0, high = kBins + 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (edges[middle] <= square) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low - 1;
}

/// The sets of a pair of sets: the data (set 0) with themselves, then with each random set, then these with
/// themselves.
__host__ __device__ int2 sets_of(int number, int sets) {
  if (number <= sets) return {0, number};
  return {number - sets, number - sets};
}

// Every pair of points, in `kHistograms` histograms for each warp: neighbouring lanes add to different ones.
// `weight` is 1, which the compiler does not know.
template <int kHistograms, bool kWeighted>
__global__ void count_kernel(const float3* points, int n, int sets, const float* edges, unsigned weight,
                             unsigned long long* counts) {
  __shared__ float3 tile[kThreads];
  __shared__ float block_edges[kBins + 1];
  // [histograms]
  __shared__ unsigned counters[kWarps][kBins][kHistograms];
  auto& own = counters[threadIdx.x / 32];
  // [histograms]
  for (int k = threadIdx.x; k <= kBins; k += kThreads) block_edges[k] = edges[k];
  for (int k = threadIdx.x; k < kWarps * kBins * kHistograms; k += kThreads) counters[0][0][k] = 0;
  const int2 pair = sets_of(blockIdx.y, sets);
  const float3 *const rows = points + pair.x * n, *const columns = points + pair.y * n;
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float3 row = rows[min(i, n - 1)];
  for (int first = 0; first < n; first += kThreads) {
    __syncthreads();
    if (first + threadIdx.x < n) tile[threadIdx.x] = columns[first + threadIdx.x];
    __syncthreads();
    for (int j = 0; i < n && j < min(kThreads, n - first); ++j) {
      const int bin = bin_of(square_of_chord(row, tile[j]), block_edges);
      // [add]
      if (bin >= 0 && bin < kBins) atomicAdd(&own[bin][threadIdx.x % kHistograms], kWeighted ? weight : 1);
      // [add]
    }
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < kBins; bin += kThreads) {
    unsigned count = 0;
    for (auto& warp : counters)
      for (const unsigned one : warp[bin]) count += one;
    atomicAdd(&counts[blockIdx.y * kBins + bin], count);
  }
}

std::vector<float3> directions(std::size_t count) {
  lockstep::SplitMix64 random(count);
  const auto share = [&] { return static_cast<double>(random.word()) / 4294967296.0; };
  std::vector<float3> points(count);
  for (float3& point : points) {
    const double z = 2 * share() - 1, turn = 2 * std::numbers::pi * share(), radius = std::sqrt(1 - z * z);
    point = {static_cast<float>(radius * std::cos(turn)), static_cast<float>(radius * std::sin(turn)),
             static_cast<float>(z)};
  }
  return points;
}

std::array<float, kBins + 1> squares_at_edges() {
  std::array<float, kBins + 1> edges;
  for (int k = 0; k <= kBins; ++k) {
    const double half_chord = std::sin(std::numbers::pi / 360 / 60 * std::pow(10.0, k / 5.0));
    edges[k] = static_cast<float>(4 * half_chord * half_chord);
  }
  return edges;
}

class Sky {
 public:
  Sky(int n, int sets)
      : n_(n),
        sets_(sets),
        points_(directions(std::size_t(n) * (sets + 1))),
        device_points_(points_.size() * sizeof points_[0]),
        device_edges_(sizeof edges_),
        device_counts_(pairs_of_sets() * kBins * sizeof(Counts::value_type)) {
    CHECK_CUDA(cudaMemcpy(device_points_.as<void>(), points_.data(), points_.size() * sizeof points_[0],
                          cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(device_edges_.as<void>(), edges_.data(), sizeof edges_, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaEventCreate(&begin_));
    CHECK_CUDA(cudaEventCreate(&end_));
  }
  ~Sky() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  Sky(const Sky&) = delete;
  Sky& operator=(const Sky&) = delete;

  /// Prints both times, and checks what was counted.
  template <int kHistograms>
  void count() const {
    const float counting = milliseconds(count_kernel<kHistograms, false>);
    const float weighing = milliseconds(count_kernel<kHistograms, true>);
    std::printf("%2d per warp: counts %.3f ms, sums of weights %.3f ms\n", kHistograms, counting, weighing);
  }

 private:
  using Kernel = void(const float3*, int, int, const float*, unsigned, unsigned long long*);

  float milliseconds(Kernel* kernel) const {
    Counts counts(pairs_of_sets() * kBins);
    const std::size_t bytes = counts.size() * sizeof counts[0];
    std::array<float, kRounds> times;
    for (float& one : times) {
      CHECK_CUDA(cudaMemset(device_counts_.as<void>(), 0, bytes));
      CHECK_CUDA(cudaEventRecord(begin_));
      kernel<<<dim3(lockstep::divide_up(n_, kThreads), pairs_of_sets()), kThreads>>>(
          device_points_.as<float3>(), n_, sets_, device_edges_.as<float>(), 1,
          device_counts_.as<unsigned long long>());
      CHECK_CUDA(cudaGetLastError());
      CHECK_CUDA(cudaEventRecord(end_));
      CHECK_CUDA(cudaEventSynchronize(end_));
      CHECK_CUDA(cudaEventElapsedTime(&one, begin_, end_));
    }
    CHECK_CUDA(cudaMemcpy(counts.data(), device_counts_.as<void>(), bytes, cudaMemcpyDeviceToHost));
    check(counts);
    std::sort(times.begin(), times.end());
    return times[kRounds / 2];
  }

  /// Of two pairs of sets, the first and the last, for which the host has time.
  void check(const Counts& counts) const {
    for (std::size_t k = 0; k < kBins; ++k) {
      if (counts[k] != first_expected_[k] || counts[counts.size() - kBins + k] != last_expected_[k])
        throw std::runtime_error("the count of bin " + std::to_string(k) + " is wrong");
    }
  }

  using Histogram = std::array<unsigned long long, kBins>;
  Histogram count_on_host(int number) const {
    Histogram histogram{};
    const int2 pair = sets_of(number, sets_);
    for (int i = 0; i < n_; ++i) {
      for (int j = 0; j < n_; ++j) {
        const float square = square_of_chord(points_[pair.x * n_ + i], points_[pair.y * n_ + j]);
        const int bin = bin_of(square, edges_.data());
        if (bin >= 0 && bin < kBins) ++histogram[bin];
      }
    }
    return histogram;
  }

  int pairs_of_sets() const { return 2 * sets_ + 1; }

  int n_, sets_;
  std::vector<float3> points_;
  std::array<float, kBins + 1> edges_ = squares_at_edges();
  Histogram first_expected_ = count_on_host(0), last_expected_ = count_on_host(2 * sets_);
  lockstep::DeviceBytes device_points_, device_edges_, device_counts_;
  cudaEvent_t begin_{}, end_{};
};

int main(int count, char** arguments) try {
  const int n = count > 2 ? std::atoi(arguments[1]) : 256, sets = count > 2 ? std::atoi(arguments[2]) : 2;
  if (n < 1 || sets < 1) throw std::runtime_error("POINTS and SETS are whole numbers from 1 on");
  const Sky sky(n, sets);
  std::printf("%d points, %d random sets; histograms\n", n, sets);
  sky.count<1>();
  sky.count<2>();
  sky.count<4>();
  sky.count<8>();
  sky.count<16>();
  sky.count<32>();
  return 0;
} catch (const std::exception& error) {
  std::printf("warp_histograms: %s\n", error.what());
  return 1;
}
