// Counts the copies that particles get, and compares them with what they expect.
#include "offspring.h"

#include <array>
#include <cstdio>

#include "21-resampling/resampling.h"
#include "block_sums.h"
#include "lockstep/check_cuda.h"
#include "lockstep/device_bytes.h"
#include "lockstep/divide_up.h"

namespace lockstep::particle_filter {
namespace {

__global__ void count_kernel(const int* ancestors, int n, int* copies) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  // What is no particle is nobody's copy, which shows as a bias.
  if (i < n && ancestors[i] >= 0 && ancestors[i] < n) atomicAdd(&copies[ancestors[i]], 1);
}

/// Adds each particle's difference to those of other runs; squares[block]: their sum of this run.
__global__ void compare_kernel(const int* copies, const double* expected, int n, double* differences,
                               double* squares) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const double difference = i < n ? copies[i] - expected[i] : 0;
  if (i < n) differences[i] += difference;
  double sum[1] = {difference * difference};
  block_sums(sum);
  if (threadIdx.x == 0) squares[blockIdx.x] = sum[0];
}

template <class T>
void copy_to_device(const std::vector<T>& from, const DeviceBytes& to) {
  CHECK_CUDA(cudaMemcpy(to.as<void>(), from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
}

template <class T>
std::vector<T> copy_to_host(const DeviceBytes& from, std::size_t count) {
  std::vector<T> to(count);
  CHECK_CUDA(cudaMemcpy(to.data(), from.as<void>(), count * sizeof(T), cudaMemcpyDeviceToHost));
  return to;
}

/// With one set of weights: the square of the bias, less the noise that a mean over runs has, the error, and
/// the variance of a run's error.
struct SetResult {
  double bias_squared, error, variance;
};

SetResult result_with(const std::vector<float>& weights, Scheme scheme, int steps, std::size_t runs,
                      unsigned long long seed) {
  const auto n = static_cast<int>(weights.size());
  const int blocks = divide_up(n, kThreads);
  const DeviceBytes device_weights(n * sizeof(float)), expected(n * sizeof(double)),
      ancestors(n * sizeof(int)), copies(n * sizeof(int)), differences(n * sizeof(double)),
      squares(runs * blocks * sizeof(double)),
      workspace(std::max<std::size_t>(scheme_workspace_bytes(scheme, n), 1));
  copy_to_device(weights, device_weights);
  copy_to_device(expected_copies(weights), expected);
  CHECK_CUDA(cudaMemset(differences.as<void>(), 0, n * sizeof(double)));
  for (std::size_t run = 0; run < runs; ++run) {
    CHECK_CUDA(cudaMemset(copies.as<void>(), 0, n * sizeof(int)));
    CHECK_CUDA(cudaMemset(ancestors.as<void>(), 0xFF, n * sizeof(int)));
    const Words words = random_words(seed, kOffspringSeedWords, static_cast<unsigned>(run), 0);
    draw_ancestors(scheme, device_weights.as<float>(), n, steps,
                   static_cast<unsigned long long>(words.word[0]) << 32 | words.word[1], ancestors.as<int>(),
                   workspace.as<void>(), nullptr);
    count_kernel<<<blocks, kThreads>>>(ancestors.as<int>(), n, copies.as<int>());
    CHECK_CUDA(cudaGetLastError());
    compare_kernel<<<blocks, kThreads>>>(copies.as<int>(), expected.as<double>(), n, differences.as<double>(),
                                         squares.as<double>() + run * blocks);
    CHECK_CUDA(cudaGetLastError());
  }
  SetResult result{};
  const auto number = static_cast<double>(runs);
  for (const double difference : copy_to_host<double>(differences, weights.size()))
    result.bias_squared += difference / number * (difference / number) / n;
  std::vector<double> errors(runs);
  const std::vector<double> of_blocks = copy_to_host<double>(squares, runs * blocks);
  for (std::size_t i = 0; i < of_blocks.size(); ++i) errors[i / blocks] += of_blocks[i] / n;
  for (const double error : errors) result.error += error / number;
  // The error is bias² and variance, so this is the square of the mean less its variance, without a bias.
  result.bias_squared -= (result.error - result.bias_squared) / (number - 1);
  for (const double error : errors) result.variance += std::pow(error - result.error, 2) / (number - 1);
  return result;
}

}  // namespace

OffspringTable tabulate_offspring(const FilterSettings& settings, std::size_t runs) {
  OffspringTable table{.particles = settings.particles, .runs = runs};
  for (int y = 0; y <= 4; ++y) {
    for (std::size_t k = 0; k < kSchemeNames.size(); ++k) {
      OffspringRow row{.y = y, .scheme = static_cast<Scheme>(k)};
      double variance = 0;
      for (std::size_t set = 0; set < kSets; ++set) {
        SplitMix64 random(settings.seed + set);
        const std::vector<float> weights = likelihoods(settings.particles, y, random);
        const SetResult result =
            result_with(weights, row.scheme, kStepsFor[y], runs, settings.seed + 1000 * (set + 1));
        row.error += result.error / kSets;
        row.bias_squared += result.bias_squared / kSets;
        row.theory += expected_error(row.scheme, expected_copies(weights)) / kSets;
        variance += result.variance / static_cast<double>(runs);
      }
      row.standard_error = std::sqrt(variance) / kSets;
      table.rows.push_back(row);
    }
  }
  return table;
}

void OffspringTable::write_csv(std::ostream& out) const {
  out << "y,scheme,bias_squared,error,standard_error,theory\n";
  for (const OffspringRow& row : rows) {
    char text[160];
    std::snprintf(text, sizeof text, "%d,%s,%.9g,%.9g,%.9g,", row.y, name_of(row.scheme), row.bias_squared,
                  row.error, row.standard_error);
    out << text;
    std::snprintf(text, sizeof text, "%.9g", row.theory);
    out << (std::isnan(row.theory) ? "" : text) << '\n';
  }
}

void OffspringTable::print() const {
  std::printf(
      "copies    of %d particles, %zu sets of weights, %zu runs each. Bias² and error (with one standard\n"
      "          error) per particle; theory: the error that the scheme has with these weights\n\n"
      "   y  scheme         bias²              error   theory\n",
      particles, kSets, runs);
  for (const OffspringRow& row : rows) {
    char theory[32] = "-";
    if (!std::isnan(row.theory)) std::snprintf(theory, sizeof theory, "%.4f", row.theory);
    std::printf("  %2d  %-11s %8.4f  %8.4f ± %.4f %8s\n", row.y, name_of(row.scheme), row.bias_squared,
                row.error, row.standard_error, theory);
  }
  std::printf("\n");
}

}  // namespace lockstep::particle_filter
