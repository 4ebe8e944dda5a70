// The reference of "resampling" as a library: weights of every scale. Counted from the first on, the copies
// of particles may be one more or less than what weights promise, and what README.md says that is cut off.
#include "resampling.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "lockstep/check_cuda.h"
#include "lockstep/device_bytes.h"

using Weights = std::vector<float>;

std::vector<int> ancestors_of(const Weights& weights) {
  const int n = static_cast<int>(weights.size());
  const lockstep::DeviceBytes on_device(n * sizeof(float)), ancestors(n * sizeof(int)),
      workspace(resampling_workspace_bytes(n));
  CHECK_CUDA(cudaMemcpy(on_device.as<void>(), weights.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  resampling(on_device.as<float>(), n, 0, 20261124, ancestors.as<int>(), workspace.as<void>(), nullptr);
  std::vector<int> found(n);
  CHECK_CUDA(cudaMemcpy(found.data(), ancestors.as<void>(), n * sizeof(int), cudaMemcpyDeviceToHost));
  return found;
}

void expect_in_proportion(const char* name, const Weights& weights) {
  const auto n = static_cast<long double>(weights.size());
  long double sum = 0, before = 0;
  for (const float weight : weights) sum += weight;
  std::vector<int> copies(weights.size());
  for (const int ancestor : ancestors_of(weights)) ++copies.at(ancestor);
  const long double most = 1 + n * n * n / 0x1p60L;
  long double drawn = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    before += weights[j];
    drawn += copies[j];
    if (!(std::abs(drawn - n * before / sum) <= most)) {
      throw std::runtime_error(std::string(name) + ": " + std::to_string(drawn) + " copies up to particle " +
                               std::to_string(j) + ", which should have " + std::to_string(n * before / sum));
    }
    if (weights[j] == 0 && copies[j] != 0)
      throw std::runtime_error(std::string(name) + ": a copy of a particle without weight");
  }
}

/// Likelihoods of an observation two standard deviations off.
Weights likelihoods(int n) {
  std::mt19937 generator(16);
  std::normal_distribution<double> particle;
  Weights weights;
  for (int i = 0; i < n; ++i) {
    const double distance = particle(generator) - 2;
    weights.push_back(static_cast<float>(std::exp(-distance * distance / 2)));
  }
  return weights;
}

Weights scaled(Weights weights, double factor) {
  for (float& weight : weights) weight = static_cast<float>(weight * factor);
  return weights;
}

int main() {
  constexpr int kSome = 10'007, kMany = 1 << 20;
  try {
    const Weights some = likelihoods(kSome), many = likelihoods(kMany);
    double sum = 0;
    for (const float weight : many) sum += weight;
    expect_in_proportion("a million weights of sum 1", scaled(many, 1 / sum));
    for (const int exponent : {-140, -100, -31, -24, -20, -12, 0, 1, 100})
      expect_in_proportion(("2^" + std::to_string(exponent)).c_str(), scaled(some, std::exp2(exponent)));
    Weights huge = scaled(some, std::numeric_limits<float>::max());
    huge[4321] = std::numeric_limits<float>::max();
    expect_in_proportion("up to the largest float", huge);
    for (const float weight : {0x1p-149F, 0x1p-140F, 0x1p-12F, 1.0F, std::numeric_limits<float>::max()}) {
      Weights one(kSome);
      one[1234] = weight;
      expect_in_proportion("one particle has all the weight", one);
    }
    Weights heavy = scaled(some, 1e-6);
    heavy[77] = 1;
    expect_in_proportion("one particle has nearly all the weight", heavy);
    const std::vector<int> left = ancestors_of(Weights(kSome));
    for (int i = 0; i < kSome; ++i) {
      if (left[i] != i) throw std::runtime_error("without weights a particle has moved");
    }
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  std::printf("copies are in proportion to weights\n");
}
