// The kernels of the filter. All sums are formed in an order that depends on the number of particles alone,
// so that a seed gives the same estimates again.
#include "filter.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "21-resampling/resampling.h"
#include "block_sums.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

namespace lockstep::particle_filter {
namespace {

constexpr int kMaxBlocks = 1024;
/// Below this, 1400 standard deviations away, floats lose what tells one logarithm of a weight from another.
constexpr float kMinLog = -1e6F;
constexpr int kProducts = kComponents * (kComponents + 1) / 2;
constexpr int kMoments = kComponents + kProducts;

/// What the host reads after a measurement.
struct Summary {
  float largest;  ///< logarithm of a weight
  int wrong_ancestors;
  double sums[2];  ///< of weights and of their squares, the largest being 1
  double mean[kComponents];
  double products[kProducts];  ///< the covariance's lower half, row by row
};

/// Box and Muller, from four words.
__device__ Normals normals(const Words& words) {
  constexpr float kTurn = 6.2831853F;
  Normals normals;
  for (int k = 0; k < 4; k += 2) {
    const float length = sqrtf(-2 * logf(uniform_of(words.word[k])));
    float sine, cosine;
    sincosf(kTurn * uniform_of(words.word[k + 1]), &sine, &cosine);
    normals.of[k] = length * cosine;
    normals.of[k + 1] = length * sine;
  }
  return normals;
}

/// The largest value of a block, which thread 0 gets.
__device__ float block_max(float value) {
  __shared__ float of_warps[kWarps];
  for (int offset = kLanes / 2; offset > 0; offset /= 2)
    value = fmaxf(value, __shfl_down_sync(kAllLanes, value, offset));
  if (threadIdx.x % kLanes == 0) of_warps[threadIdx.x / kLanes] = value;
  __syncthreads();  // the largest of all warps
  for (int other = 0; other < kWarps; ++other) value = fmaxf(value, of_warps[other]);
  return value;
}

/// Moves each particle, or draws it, and multiplies its weight. largest[block]: the largest logarithm.
__global__ void move_kernel(const Model model, const Measurement seen, float interval, unsigned measured,
                            unsigned long long seed, int n, State* states, float* log_weights,
                            float* largest) {
  float most = -INFINITY;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
    const bool is_first = measured == 0;
    const Normals noise = normals(random_words(seed, is_first ? kStartWords : kMoveWords, i, measured));
    const State state = is_first ? initial(model, seen, noise) : moved(model, states[i], interval, noise);
    const bool is_start = is_first && !model.has_start;
    const float log_weight =
        (is_first ? 0 : log_weights[i]) + log_likelihood(model, state, is_start ? without_start(seen) : seen);
    states[i] = state;
    log_weights[i] = log_weight;
    most = fmaxf(most, log_weight);
  }
  most = block_max(most);
  if (threadIdx.x == 0) largest[blockIdx.x] = most;
}

__global__ void largest_kernel(const float* of_blocks, int blocks, Summary* summary) {
  float most = -INFINITY;
  for (int block = threadIdx.x; block < blocks; block += kThreads) most = fmaxf(most, of_blocks[block]);
  most = block_max(most);
  if (threadIdx.x == 0) summary->largest = most;
}

/// From logarithms to weights, of which the largest is 1. partial[block]: the sums of weights and squares.
__global__ void weights_kernel(float* log_weights, int n, const Summary* summary, float* weights,
                               double* partial) {
  double sums[2] = {};
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
    const float scaled = log_weights[i] - summary->largest, weight = expf(scaled);
    log_weights[i] = scaled;  // so that they stay small, however long nobody resamples
    weights[i] = weight;
    sums[0] += weight;
    sums[1] += double{weight} * weight;
  }
  block_sums(sums);
  if (threadIdx.x == 0)
    for (int k = 0; k < 2; ++k) partial[2 * blockIdx.x + k] = sums[k];
}

/// One block adds what others left.
template <int kValues>
__device__ void sums_of_blocks(const double* partial, int blocks, double (&sums)[kValues]) {
  for (double& sum : sums) sum = 0;
  for (int block = threadIdx.x; block < blocks; block += kThreads)
    for (int k = 0; k < kValues; ++k) sums[k] += partial[kValues * block + k];
  block_sums(sums);
}

__global__ void add_weights_kernel(const double* partial, int blocks, Summary* summary) {
  double sums[2];
  sums_of_blocks(partial, blocks, sums);
  if (threadIdx.x == 0)
    for (int k = 0; k < 2; ++k) summary->sums[k] = sums[k];
}

/// Weighted sums of states and of their products, relative to particle 0, so that little cancels.
__global__ void moments_kernel(const State* states, const float* weights, int n, double* partial) {
  double moments[kMoments] = {};
  const State origin = states[0];
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) {
    const double weight = weights[i];
    double offset[kComponents];
    int product = kComponents;
#pragma unroll
    for (int k = 0; k < kComponents; ++k) {
      offset[k] = double{component(states[i], k)} - double{component(origin, k)};
      moments[k] += weight * offset[k];
      for (int l = 0; l <= k; ++l) moments[product++] += weight * offset[k] * offset[l];
    }
  }
  block_sums(moments);
  if (threadIdx.x == 0)
    for (int k = 0; k < kMoments; ++k) partial[kMoments * blockIdx.x + k] = moments[k];
}

__global__ void estimate_kernel(const State* states, const double* partial, int blocks, Summary* summary) {
  double moments[kMoments];
  sums_of_blocks(partial, blocks, moments);
  if (threadIdx.x != 0) return;
  const double sum = summary->sums[0];
  int product = 0;
  for (int k = 0; k < kComponents; ++k) {
    summary->mean[k] = component(states[0], k) + moments[k] / sum;
    for (int l = 0; l <= k; ++l, ++product)
      summary->products[product] =
          moments[kComponents + product] / sum - moments[k] / sum * (moments[l] / sum);
  }
}

/// Copies each particle's ancestor. Numbers that are no particles are counted, and nobody is read by them.
__global__ void copy_kernel(const State* from, const int* ancestors, int n, State* to, float* log_weights,
                            Summary* summary) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  int ancestor = ancestors[i];
  if (ancestor < 0 || ancestor >= n) {
    atomicAdd(&summary->wrong_ancestors, 1);
    ancestor = i;
  }
  to[i] = from[ancestor];
  log_weights[i] = 0;
}

/// Of kernels that leave something for each block.
int blocks_for(int n) { return std::min(divide_up(n, kThreads), kMaxBlocks); }

}  // namespace

ParticleFilter::ParticleFilter(const FilterSettings& settings)
    : settings_(settings),
      n_(settings.particles),
      states_(n_ * sizeof(State)),
      copies_(n_ * sizeof(State)),
      log_weights_(n_ * sizeof(float)),
      weights_(n_ * sizeof(float)),
      ancestors_(n_ * sizeof(int)),
      workspace_(std::max<std::size_t>(scheme_workspace_bytes(settings.scheme, n_), 1)),
      partial_(kMaxBlocks * kMoments * sizeof(double)),
      summary_(sizeof(Summary)),
      current_(states_.as<State>()),
      other_(copies_.as<State>()) {
  CHECK_CUDA(cudaMemset(summary_.as<void>(), 0, sizeof(Summary)));
}

void ParticleFilter::begin() {
  timed_.clear();
  begin_.record();
}

void ParticleFilter::end(Stage stage) {
  CHECK_CUDA(cudaGetLastError());
  end_[stage].record();
  timed_.push_back(stage);
}

void ParticleFilter::read_times() {
  end_[timed_.back()].wait();
  const study::Event* before = &begin_;
  for (const Stage stage : timed_) {
    milliseconds_[stage] += double{end_[stage].since(*before)};
    before = &end_[stage];
  }
}

Estimate ParticleFilter::observe(const Measurement& seen, float interval) {
  const int blocks = blocks_for(n_);
  const auto summary = summary_.as<Summary>();
  const auto partial = partial_.as<double>();
  const auto weights = weights_.as<float>(), log_weights = log_weights_.as<float>();
  begin();
  move_kernel<<<blocks, kThreads>>>(settings_.model, seen, interval, measured_, settings_.seed, n_, current_,
                                    log_weights, partial_.as<float>());
  end(kMove);
  largest_kernel<<<1, kThreads>>>(partial_.as<float>(), blocks, summary);
  CHECK_CUDA(cudaGetLastError());
  weights_kernel<<<blocks, kThreads>>>(log_weights, n_, summary, weights, partial);
  CHECK_CUDA(cudaGetLastError());
  add_weights_kernel<<<1, kThreads>>>(partial, blocks, summary);
  end(kNormalise);
  moments_kernel<<<blocks, kThreads>>>(current_, weights, n_, partial);
  CHECK_CUDA(cudaGetLastError());
  estimate_kernel<<<1, kThreads>>>(current_, partial, blocks, summary);
  end(kEstimate);
  ++measured_;

  Summary host;
  CHECK_CUDA(cudaMemcpy(&host, summary, sizeof host, cudaMemcpyDeviceToHost));
  read_times();
  if (!(host.largest > kMinLog))
    throw NoWeights("it is more than 1000 standard deviations away from every particle");
  if (!(host.sums[0] >= 1 && host.sums[0] <= n_))  // the largest weight is 1; also where one is NaN
    throw NoWeights("the model gives no number for its likelihood: a distance beyond what float holds");
  Estimate estimate{.effective = host.sums[0] * host.sums[0] / host.sums[1]};
  int product = 0;
  for (int k = 0; k < kComponents; ++k) {
    estimate.mean[k] = host.mean[k];
    for (int l = 0; l <= k; ++l, ++product)
      estimate.covariance[k][l] = estimate.covariance[l][k] =
          k == l ? std::max(host.products[product], 0.0) : host.products[product];
  }
  return estimate;
}

void ParticleFilter::resample() {
  const auto ancestors = ancestors_.as<int>();
  const auto summary = summary_.as<Summary>();
  // Ancestors that the function does not write are −1, which is no particle.
  CHECK_CUDA(cudaMemset(ancestors, 0xFF, n_ * sizeof(int)));
  const Words words = random_words(settings_.seed, kFilterSeedWords, measured_, 0);
  const unsigned long long seed = static_cast<unsigned long long>(words.word[0]) << 32 | words.word[1];
  begin();
  draw_ancestors(settings_.scheme, weights_.as<float>(), n_, settings_.chain_steps, seed, ancestors,
                 workspace_.as<void>(), nullptr);
  end(kResample);
  copy_kernel<<<divide_up(n_, kThreads), kThreads>>>(current_, ancestors, n_, other_,
                                                     log_weights_.as<float>(), summary);
  end(kCopy);
  std::swap(current_, other_);
  int wrong = 0;
  CHECK_CUDA(cudaMemcpy(&wrong, &summary->wrong_ancestors, sizeof wrong, cudaMemcpyDeviceToHost));
  read_times();
  if (wrong != 0)
    throw std::runtime_error("resampling left " + std::to_string(wrong) +
                             " ancestors that are no particles: see ./lockstep grade resampling");
}

std::vector<ParticleFilter::Weighed> ParticleFilter::particles() const {
  std::vector<State> states(n_);
  std::vector<float> weights(n_);
  CHECK_CUDA(cudaMemcpy(states.data(), current_, n_ * sizeof(State), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(weights.data(), weights_.as<float>(), n_ * sizeof(float), cudaMemcpyDeviceToHost));
  std::vector<Weighed> particles;
  particles.reserve(states.size());
  for (std::size_t i = 0; i < states.size(); ++i) particles.push_back({states[i], weights[i]});
  return particles;
}

}  // namespace lockstep::particle_filter
