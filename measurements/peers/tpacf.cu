// The exercise tpacf beside Parboil's TPACF, which asks for the same: 20 bins, 5 a factor of ten, from one
// minute of arc, of 10391 points and 100 random sets. Theirs counts in float from Cartesian coordinates that
// the host has made, so pairs near an edge may fall on its other side, and its call leaves out the
// coordinates and the two estimators. A block of theirs waits for none of its warps before the next points
// overwrite those that they read.
#include "benchmarks/tpacf/src/cuda/tpacf_kernel.cu"

/// Theirs asks for it to time its own phases.
void pb_SwitchToTimer(pb_TimerSet*, pb_TimerID) {}

#define tpacf lockstep_tpacf
#define tpacf_workspace_bytes lockstep_tpacf_workspace_bytes
#include "tpacf.h"

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "lockstep/device_bytes.h"
#include "lockstep/random.h"
#include "race.h"

namespace {

constexpr int kPoints = 10391, kSets = 100, kBins = 20, kPerDecade = 5;
static_assert(kBins == NUM_BINS && kPerDecade == bins_per_dec);
constexpr double kFirst = 1.0 / 60;  // degrees

struct Sky {
  std::vector<double> degrees;  ///< α and δ of each point, as the exercise has them
  std::vector<float> x, y, z;   ///< as Parboil has them
};

/// Points all over the sphere: data first, then the random sets.
Sky sky() {
  lockstep::SplitMix64 random(13);
  constexpr double kDegree = std::numbers::pi / 180;
  Sky made;
  for (int i = 0; i < kPoints * (kSets + 1); ++i) {
    const double alpha = 360.0 * random.uniform();
    const double delta = std::asin(2.0 * random.uniform() - 1) / kDegree;
    made.degrees.push_back(alpha);
    made.degrees.push_back(delta);
    made.x.push_back(static_cast<float>(std::cos(delta * kDegree) * std::cos(alpha * kDegree)));
    made.y.push_back(static_cast<float>(std::cos(delta * kDegree) * std::sin(alpha * kDegree)));
    made.z.push_back(static_cast<float>(std::sin(delta * kDegree)));
  }
  return made;
}

template <class T>
std::vector<T> read(const lockstep::DeviceBytes& bytes, std::size_t n) {
  std::vector<T> values(n);
  CHECK_CUDA(cudaMemcpy(values.data(), bytes.as<T>(), n * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

}  // namespace

int main() {
  const Sky points = sky();
  const std::size_t n = points.x.size();
  const lockstep::DeviceBytes degrees(2 * n * sizeof(double)), counts(3 * kBins * sizeof(unsigned long long)),
      correlation(2 * kBins * sizeof(double)),
      workspace(lockstep_tpacf_workspace_bytes(kPoints, kPoints, kSets, kBins));
  CHECK_CUDA(
      cudaMemcpy(degrees.as<double>(), points.degrees.data(), 2 * n * sizeof(double), cudaMemcpyDefault));
  const auto ours = [&] {
    lockstep_tpacf(degrees.as<double>(), degrees.as<double>() + 2 * kPoints, kPoints, kPoints, kSets, kFirst,
                   kPerDecade, kBins, counts.as<unsigned long long>(), correlation.as<double>(),
                   workspace.as<void>(), nullptr);
  };

  NUM_SETS = kSets;
  NUM_ELEMENTS = kPoints;
  initBinB(nullptr);
  const lockstep::DeviceBytes coordinates(3 * n * sizeof(float)),
      histograms((2 * kSets + 1) * kBins * sizeof(hist_t));
  float* const x = coordinates.as<float>();
  for (const auto& [to, from] : {std::pair{x, &points.x}, {x + n, &points.y}, {x + 2 * n, &points.z}})
    CHECK_CUDA(cudaMemcpy(to, from->data(), n * sizeof(float), cudaMemcpyDefault));
  const auto theirs = [&] {
    TPACF(histograms.as<hist_t>(), x, x + n, x + 2 * n);
    CHECK_CUDA(cudaGetLastError());
  };

  peers::Race race("n = 10391, m = 10391, sets = 100");
  race.add("18-tpacf/tpacf", ours);
  race.add("18-tpacf/peers/parboil", theirs);
  race.run();

  // Theirs are in the order DD, RR of each set, DR of each set.
  const auto exact = read<unsigned long long>(counts, 3 * kBins);
  const auto each = read<hist_t>(histograms, (2 * kSets + 1) * kBins);
  constexpr double kMany = 10'000;  // so many that float's rounding near the edges hides in them
  double of_any = 0, of_many = 0;
  for (int kind = 0; kind < 3; ++kind) {
    for (int bin = 0; bin < kBins; ++bin) {
      double sum = 0;
      const int first = kind == 0 ? 0 : kind == 1 ? kSets + 1 : 1, last = kind == 0 ? 0 : first + kSets - 1;
      for (int set = first; set <= last; ++set) sum += static_cast<double>(each[set * kBins + bin]);
      const auto expected = static_cast<double>(exact[kind * kBins + bin]);
      const double difference = std::abs(sum - expected) / std::fmax(expected, 1);
      of_any = std::fmax(of_any, difference);
      if (expected >= kMany) of_many = std::fmax(of_many, difference);
    }
  }
  const std::string name = "18-tpacf/peers/parboil";
  race.tell_difference(name, "largest relative difference of a count", of_any);
  race.tell_difference(name, "largest relative difference of a count above 10000", of_many);
}
