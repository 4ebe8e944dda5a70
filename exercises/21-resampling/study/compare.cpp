// Simulates tracks, and has filters follow them.
#include "compare.h"

#include <cstdio>
#include <string>

#include "lockstep/random.h"
#include "offspring.h"

namespace lockstep::particle_filter {
namespace {

constexpr int kRows = 40;

struct Simulated {
  std::vector<State> truth;
  std::vector<Measurement> seen;
};

Normals normals(Random& random) {
  Normals normals;
  for (float& number : normals.of) number = static_cast<float>(normal(random));
  return normals;
}

/// A track whose start is drawn as the particles' is, seen by a sensor at the origin.
Simulated simulate(const Model& model, Random& random) {
  Simulated track;
  State state = initial(model, {}, normals(random));
  for (int row = 0; row < kRows; ++row) {
    if (row != 0) state = moved(model, state, 1, normals(random));
    const Normals noise = normals(random);
    track.truth.push_back(state);
    track.seen.push_back({std::hypot(state.x, state.y) + model.range_noise * noise.of[0],
                          std::atan2(state.y, state.x) + model.bearing_noise * noise.of[1], NAN, NAN, 0, 0});
  }
  return track;
}

/// The mean of squared distances. Throws NoWeights, which names the row, from 1.
double error_of(ParticleFilter& filter, const Simulated& track, double below) {
  double sum = 0;
  for (std::size_t row = 0; row < track.seen.size(); ++row) {
    Estimate estimate;
    try {
      estimate = filter.observe(track.seen[row], row == 0 ? 0.0F : 1.0F);
    } catch (const NoWeights& error) {
      throw NoWeights("row " + std::to_string(row + 1) + ": " + error.what());
    }
    sum += std::pow(estimate.mean[0] - track.truth[row].x, 2) +
           std::pow(estimate.mean[1] - track.truth[row].y, 2);
    if (below >= 1 || estimate.effective < below) filter.resample();
  }
  return sum / static_cast<double>(track.seen.size());
}

/// A number with its standard error; hyphens where there is none.
std::string words_of(const Uncertain& number, int width, int digits) {
  const auto part = [digits](double value, int wide) {
    char text[64];
    if (std::isfinite(value)) {
      std::snprintf(text, sizeof text, "%*.*f", wide, digits, value);
    } else {
      std::snprintf(text, sizeof text, "%*s", wide, "-");
    }
    return std::string(text);
  };
  return part(number.value, width) + " ± " + part(number.standard_error, digits + 2);
}

}  // namespace

Comparison compare(FilterSettings settings, const std::vector<int>& sizes, std::size_t runs,
                   double resample_below) {
  if (!settings.model.has_start) {
    settings.model.has_start = true;
    settings.model.start = {600, 400, 8, -6};
  }
  Comparison comparison{.runs = runs};
  for (const int size : sizes) {
    ComparedSize compared{.particles = size};
    for (std::size_t scheme = 0; scheme < kSchemes; ++scheme) {
      for (std::size_t run = 0; run < runs; ++run) {
        SplitMix64 random(settings.seed + run);
        FilterSettings of_run = settings;
        of_run.particles = size;
        of_run.scheme = static_cast<Scheme>(scheme);
        of_run.seed = settings.seed + 1'000'003 * (run + 1);
        ParticleFilter filter(of_run);
        const double below = resample_below >= 1 ? 1 : resample_below * size;
        try {
          compared.squared[scheme].push_back(error_of(filter, simulate(settings.model, random), below));
        } catch (const NoWeights& error) {
          throw NoWeights("--compare: track " + std::to_string(run + 1) + ", " + error.what());
        }
        if (of_run.scheme != Scheme::exercise) continue;
        for (std::size_t stage = 0; stage < compared.milliseconds.size(); ++stage)
          compared.milliseconds[stage] += filter.milliseconds()[stage];
      }
    }
    comparison.sizes.push_back(compared);
  }
  return comparison;
}

void Comparison::write_csv(std::ostream& out) const {
  out << "particles,scheme,track,mean_squared_error\n";
  for (const ComparedSize& size : sizes) {
    for (std::size_t scheme = 0; scheme < kSchemes; ++scheme) {
      for (std::size_t run = 0; run < runs; ++run) {
        char text[96];
        std::snprintf(text, sizeof text, "%d,%s,%zu,%.9g\n", size.particles, kSchemeNames[scheme], run + 1,
                      size.squared[scheme][run]);
        out << text;
      }
    }
  }
}

void Comparison::print(const std::string& length_unit, bool is_timed) const {
  std::printf(
      "compared  %zu simulated tracks of %d rows: RMSE of the position with one standard error, and the\n"
      "          ratio of the RMSE of each other scheme to that of the exercise's function\n\n"
      "  particles  exercise (%s)",
      runs, kRows, length_unit.c_str());
  for (std::size_t scheme = 1; scheme < kSchemes; ++scheme) std::printf("  %-15s", kSchemeNames[scheme]);
  std::printf("\n");
  for (const ComparedSize& size : sizes) {
    const Uncertain error = root_mean(size.squared[0]);
    std::printf("  %9d %s", size.particles, words_of(error, 7, 3).c_str());
    for (std::size_t scheme = 1; scheme < kSchemes; ++scheme) {
      const Uncertain ratio = root_ratio(size.squared[scheme], size.squared[0]);
      std::printf("  %s", words_of(ratio, 6, 4).c_str());
    }
    std::printf("\n");
  }
  std::printf("\n");
  if (!is_timed) return;
  std::printf("Shares of the device's time, with the exercise's function, in percent:\n\n  particles");
  for (const char* name : ParticleFilter::kStageNames) std::printf("  %14s", name);
  std::printf("\n");
  for (const ComparedSize& size : sizes) {
    double total = 0;
    for (const double one : size.milliseconds) total += one;
    std::printf("  %9d", size.particles);
    for (const double one : size.milliseconds) std::printf("  %14.1f", 100 * one / total);
    std::printf("\n");
  }
  std::printf("\n");
}

}  // namespace lockstep::particle_filter
