// The exercise resampling beside Megopolis, whose authors have each procedure, with grids as in their own
// benchmark. Their plain Megopolis, which is timed here, shifts by any distance; ours keeps to aligned
// groups. Theirs copies particles: these are their own numbers, so the copies are ancestors, 4 bytes each as
// ours. Random words of theirs come from XORWOW, whose states in memory were seeded before, and for distances
// from the host.
#include <vector>

#include "src/resampling/megopolis.cuh"
#include "src/resampling/metropolis.cuh"
#include "src/resampling/metropolis_c1.cuh"
#include "src/resampling/metropolis_c2.cuh"
#include "src/resampling/systematic.cuh"

// Their namespace has the name of our function.
#define resampling lockstep_reference
#define resampling_workspace_bytes lockstep_reference_workspace_bytes
#include "resampling.h"
#undef resampling
#undef resampling_workspace_bytes

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>

#include "lockstep/device_bytes.h"
#include "lockstep/random.h"
#include "race.h"

using Resampling = decltype(lockstep_reference);
using WorkspaceBytes = decltype(lockstep_reference_workspace_bytes);
Resampling lockstep_metropolis, lockstep_megopolis, lockstep_c1_128, lockstep_c2_128, lockstep_systematic;
WorkspaceBytes lockstep_metropolis_workspace_bytes, lockstep_megopolis_workspace_bytes,
    lockstep_c1_128_workspace_bytes, lockstep_c2_128_workspace_bytes, lockstep_systematic_workspace_bytes;

namespace {

constexpr int kParticles = 1 << 22;  // float tells them apart
constexpr int kY = 4, kSteps = 354;  // as many as the exercise takes for this y
constexpr int kSegment = 32;         // weights, which are 128 bytes
constexpr int kBlocks = 512, kThreads = 256;
constexpr int kSeed = 16;

struct Solution {
  const char* name;
  Resampling* resample;
  WorkspaceBytes* workspace_bytes;
};

constexpr Solution kOurs[] = {
    {"21-resampling/rungs/metropolis", lockstep_metropolis, lockstep_metropolis_workspace_bytes},
    {"21-resampling/rungs/megopolis", lockstep_megopolis, lockstep_megopolis_workspace_bytes},
    {"21-resampling/rungs/c1_128", lockstep_c1_128, lockstep_c1_128_workspace_bytes},
    {"21-resampling/rungs/c2_128", lockstep_c2_128, lockstep_c2_128_workspace_bytes},
    {"21-resampling/rungs/systematic", lockstep_systematic, lockstep_systematic_workspace_bytes},
    {"21-resampling/resampling", lockstep_reference, lockstep_reference_workspace_bytes},
};

/// Likelihoods of y by particles from a normal distribution, as the exercise has them.
std::vector<float> likelihoods() {
  lockstep::SplitMix64 random(kSeed);
  std::vector<float> weights;
  const auto add = [&](double x) {
    weights.push_back(
        static_cast<float>(std::exp(-0.5 * (x - kY) * (x - kY)) / std::sqrt(2 * std::numbers::pi)));
  };
  static_assert(kParticles % 2 == 0);
  for (int i = 0; i < kParticles; i += 2) {  // two normal numbers at a time, after Box and Muller
    const double radius = std::sqrt(-2 * std::log(1 - static_cast<double>(random.uniform())));
    const double angle = 2 * std::numbers::pi * static_cast<double>(random.uniform());
    add(radius * std::cos(angle));
    add(radius * std::sin(angle));
  }
  return weights;
}

/// Of the ancestors that stand in `drawn` as `Number`s. Throws where one of them is no particle's.
template <class Number>
double mean_weight(const std::vector<float>& weights, const lockstep::DeviceBytes& drawn) {
  std::vector<Number> ancestors(kParticles);
  CHECK_CUDA(
      cudaMemcpy(ancestors.data(), drawn.as<Number>(), kParticles * sizeof(Number), cudaMemcpyDefault));
  double sum = 0;
  for (const Number ancestor : ancestors) {
    if (!(ancestor >= 0 && ancestor < kParticles))
      throw std::runtime_error("there is no particle " + std::to_string(ancestor));
    sum += weights[static_cast<std::size_t>(ancestor)];
  }
  return sum / kParticles;
}

struct Contender {
  std::string name;
  std::function<void()> call;
  decltype(mean_weight<int>)* mean_weight;
};

}  // namespace

int main() {
  const std::vector<float> weights = likelihoods();
  std::vector<float> numbers(kParticles);
  std::iota(numbers.begin(), numbers.end(), 0.0F);
  constexpr std::size_t kBytes = kParticles * sizeof(float);
  const lockstep::DeviceBytes given(kBytes), scanned(kBytes), particles(kBytes), drawn(kBytes);
  CHECK_CUDA(cudaMemcpy(given.as<float>(), weights.data(), kBytes, cudaMemcpyDefault));
  CHECK_CUDA(cudaMemcpy(particles.as<float>(), numbers.data(), kBytes, cudaMemcpyDefault));
  std::vector<Contender> contenders;

  std::size_t most_bytes = 0;
  for (const Solution& solution : kOurs)
    most_bytes = std::max(most_bytes, solution.workspace_bytes(kParticles));
  const lockstep::DeviceBytes workspace(most_bytes);
  for (const Solution& solution : kOurs) {
    const auto call = [&, resample = solution.resample] {
      resample(given.as<float>(), kParticles, kSteps, kSeed, drawn.as<int>(), workspace.as<void>(), nullptr);
    };
    contenders.push_back({solution.name, call, mean_weight<int>});
  }

  auto states = resampling::generate_curand_states<kBlocks, kThreads>(kSeed);
  constexpr int kOtherSeed = kSeed + kBlocks * kThreads;  // those before belong to the threads' own states
  xorshift random;
  resampling::MetropolisResampler<kBlocks, kThreads, float> metropolis;
  resampling::MegopolisResampler<kBlocks, kThreads, float> megopolis;
  resampling::MetropolisC1Resampler<kBlocks, kThreads, float> c1(kOtherSeed);
  resampling::MetropolisC2Resampler<kBlocks, kThreads, float> c2(kOtherSeed);
  resampling::SystematicResampler<kBlocks, kThreads, float> systematic;
  metropolis.set_iters(kSteps);
  megopolis.set_iters(kSteps);
  c1.set_iters(kSteps);
  c1.set_segment_size(kSegment);
  c2.set_iters(kSteps);
  c2.set_segment_size(kSegment);
  const auto resample = [&](auto& resampler, const lockstep::DeviceBytes& weights_of_call) {
    resampler.resample(drawn.as<float>(), particles.as<float>(), weights_of_call.as<float>(), kParticles,
                       kParticles, states.get_raw(), random);
    CHECK_CUDA(cudaGetLastError());
  };
  const auto add_theirs = [&](const std::string& name, std::function<void()> call) {
    contenders.push_back({"21-resampling/peers/megopolis_" + name, std::move(call), mean_weight<float>});
  };
  add_theirs("metropolis", [&] { resample(metropolis, given); });
  add_theirs("megopolis", [&] { resample(megopolis, given); });
  add_theirs("c1_128", [&] { resample(c1, given); });
  add_theirs("c2_128", [&] { resample(c2, given); });
  add_theirs("systematic", [&] {
    // It scans the weights in place, so who wants to call it again has to keep them.
    CHECK_CUDA(
        cudaMemcpyAsync(scanned.as<float>(), given.as<float>(), kBytes, cudaMemcpyDeviceToDevice, nullptr));
    resample(systematic, scanned);
  });

  peers::Race race("n = " + std::to_string(kParticles) + ", y = " + std::to_string(kY) + ", " +
                   std::to_string(kSteps) + " steps");
  for (const Contender& contender : contenders) race.add(contender.name, contender.call);
  race.run();

  double sum = 0, squares = 0;
  for (const double weight : weights) {
    sum += weight;
    squares += weight * weight;
  }
  for (const Contender& contender : contenders) {
    CHECK_CUDA(cudaMemset(drawn.as<void>(), 0xff, kBytes));  // as int or as float nobody's number
    contender.call();
    const double mean = contender.mean_weight(weights, drawn);
    race.tell_difference(contender.name, "relative error of the mean ancestor weight",
                         mean * sum / squares - 1);
  }
}
