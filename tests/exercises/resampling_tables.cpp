// Prints the tables of the source of the exercise "resampling" beside what comes out here: transactions a
// request, bias and error of each procedure, and a tracked target. Everything runs on the host's processors,
// from the procedures as the task states them; `resampling_tables full` takes the source's numbers of runs.
//
// Source: Dülger, "Parallel Computing on GPUs with CUDA", EuroCC@Turkey, 27 April 2022, after Dülger,
// Oğuztüzün and Demirekler, 2018.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "resampling_procedures.h"

namespace lockstep::test {
namespace {

struct Amount {
  std::size_t particles, sets, runs;    ///< of the table of errors
  std::size_t tracks;                   ///< of the filter
  std::vector<std::size_t> tracked_by;  ///< its numbers of particles
};
const Amount kQuick = {2048, 2, 16, 4, {1024}};
const Amount kFull = {16384, 16, 256, 100, {1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18}};

/// compute(i) for all i below `count`, on all processors.
template <class T, class Compute>
std::vector<T> in_parallel(std::size_t count, Compute compute) {
  std::vector<T> results(count);
  std::atomic<std::size_t> next = 0;
  std::vector<std::jthread> threads;
  for (unsigned k = 0; k < std::max(std::thread::hardware_concurrency(), 1U); ++k) {
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < count; i = next++) results[i] = compute(i);
    });
  }
  threads.clear();  // waits
  return results;
}

// --- transactions per request ---

constexpr std::size_t kWeightsOfALine = 128 / sizeof(float);

/// Lines of 128 bytes that a warp's lanes touch at a step, the mean over all warps and steps and the most.
struct Transactions {
  double mean = 0;
  std::size_t most = 0;

  void add(const std::set<std::size_t>& lines) {
    ++requests_;
    sum_ += static_cast<double>(lines.size());
    mean = sum_ / requests_;
    most = std::max(most, lines.size());
  }

 private:
  double requests_ = 0, sum_ = 0;
};

/// Of the source's kernels, which read both weights of a ratio at every step.
std::pair<Transactions, Transactions> transactions_of(const Procedure& procedure,
                                                      const std::vector<float>& weights, int steps) {
  Transactions of_proposed, of_own;
  const auto n = static_cast<unsigned>(weights.size());
  for (unsigned warp = 0; warp < n / 32; ++warp) {
    std::array<unsigned, 32> at;
    for (unsigned lane = 0; lane < 32; ++lane) at[lane] = warp * 32 + lane;
    for (unsigned step = 0; step < static_cast<unsigned>(steps); ++step) {
      std::set<std::size_t> proposed_lines, own_lines;
      for (unsigned lane = 0; lane < 32; ++lane) {
        const Proposed next = proposed_by(procedure, n, 1, warp * 32 + lane, step);
        proposed_lines.insert(next.particle / kWeightsOfALine);
        own_lines.insert(at[lane] / kWeightsOfALine);
        if (uniform_of(next.word) * weights[at[lane]] <= weights[next.particle]) at[lane] = next.particle;
      }
      of_proposed.add(proposed_lines);
      of_own.add(own_lines);
    }
  }
  return {of_proposed, of_own};
}

void print_transactions() {
  fmt::print(
      "Transactions a request: lines of 128 bytes that a warp touches, of the proposed weight and of its "
      "own.\n"
      "Same definition as gld_transactions_per_request; the source's table has the most that there can be.\n"
      "y = 4, 2^11 particles, 354 steps.\n\n"
      "  procedure     source       here, most    here, mean\n");
  SplitMix64 random(1);
  const std::vector<float> weights = likelihoods(std::size_t{1} << 11, 4, random);
  const std::array<const char*, 6> source = {"-", "1 / 2", "1 / 32", "16 / 17", "16 / 32", "-"};
  const std::vector<Procedure> all = procedures();
  for (std::size_t k = 0; k < source.size(); ++k) {
    const auto [proposed, own] = transactions_of(all[k], weights, published_steps(4));
    fmt::print("  {:<12}  {:<11}  {:>4} / {:<6} {:>7.2f} / {:.2f}\n", all[k].name, source[k], proposed.most,
               own.most, proposed.mean, own.mean);
  }
}

// --- bias and error ---

struct Quality {
  double bias_squared = 0, error = 0;  ///< a particle
};

/// With one set of weights: the mean over runs, against e = n w / Σw.
Quality quality_with(const Procedure& procedure, double y, const Amount& amount, std::size_t set) {
  SplitMix64 random(100 + set);
  const std::vector<float> weights = likelihoods(amount.particles, y, random);
  double sum = 0;
  for (const float weight : weights) sum += weight;
  std::vector<double> mean(weights.size());
  double error = 0;
  for (std::size_t run = 0; run < amount.runs; ++run) {
    std::vector<int> offspring(weights.size());
    for (const int ancestor : ancestors_by(procedure, weights, published_steps(y), random.bits()))
      ++offspring[static_cast<std::size_t>(ancestor)];
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const double difference = offspring[j] - static_cast<double>(weights.size()) * weights[j] / sum;
      error += difference * difference;
      mean[j] += difference / static_cast<double>(amount.runs);
    }
  }
  const auto n = static_cast<double>(weights.size());
  Quality quality{.error = error / static_cast<double>(amount.runs) / n};
  for (const double difference : mean) quality.bias_squared += difference * difference / n;
  return quality;
}

/// After the source: the mean over sets of weights.
Quality quality_of(const Procedure& procedure, double y, const Amount& amount) {
  Quality quality;
  for (const Quality& one : in_parallel<Quality>(
           amount.sets, [&](std::size_t set) { return quality_with(procedure, y, amount, set); })) {
    quality.error += one.error / static_cast<double>(amount.sets);
    quality.bias_squared += one.bias_squared / static_cast<double>(amount.sets);
  }
  return quality;
}

void print_quality(const Amount& amount) {
  fmt::print(
      "\nBias² and mean squared error, a particle: {} particles, {} sets of weights, {} runs each (the "
      "source: 16\n"
      "sets, 256 runs; it prints plots without numbers). The noise of a mean of runs adds error / runs to "
      "bias².\n\n"
      "  procedure    y = 1: bias²   error    y = 2: bias²   error    y = 3: bias²   error    y = 4: bias²   "
      "error\n",
      amount.particles, amount.sets, amount.runs);
  for (const Procedure& procedure : procedures()) {
    fmt::print("  {:<12}", procedure.name);
    for (const double y : {1.0, 2.0, 3.0, 4.0}) {
      const Quality quality = quality_of(procedure, y, amount);
      fmt::print(" {:>12.4f}  {:>6.2f} ", quality.bias_squared, quality.error);
    }
    fmt::print("\n");
  }
}

// --- tracking ---

struct State {
  double x, y, speed_x, speed_y;
};

/// The source states the model and not its numbers: these are chosen here.
constexpr double kInterval = 1, kProcessNoise = 0.5, kRangeNoise = 20, kBearingNoise = 0.02;
constexpr int kObservations = 40, kStepsOfAChain = 32;

/// Nearly constant velocity.
State moved(const State& from, Random& random) {
  const double push_x = kProcessNoise * normal(random), push_y = kProcessNoise * normal(random);
  return {from.x + kInterval * from.speed_x + kInterval * kInterval / 2 * push_x,
          from.y + kInterval * from.speed_y + kInterval * kInterval / 2 * push_y,
          from.speed_x + kInterval * push_x, from.speed_y + kInterval * push_y};
}

struct Filtered {
  double squared_error = 0;         ///< the sum of squared distances
  std::array<double, 4> seconds{};  ///< move and weigh, normalise, estimate, resample
};

/// Along one track, which is the same for each procedure and number of particles.
Filtered filter_track(const Procedure& procedure, std::size_t n, std::size_t track) {
  using Clock = std::chrono::steady_clock;
  Filtered result;
  SplitMix64 truth(200 + track), random(300 + track);
  State target{600, 400, 8, -6};
  std::vector<State> particles;
  for (std::size_t i = 0; i < n; ++i) {
    particles.push_back({target.x + 30 * normal(random), target.y + 30 * normal(random),
                         target.speed_x + 2 * normal(random), target.speed_y + 2 * normal(random)});
  }
  for (int k = 0; k < kObservations; ++k) {
    target = moved(target, truth);
    const double range = std::hypot(target.x, target.y) + kRangeNoise * normal(truth);
    const double bearing = std::atan2(target.y, target.x) + kBearingNoise * normal(truth);
    std::array<Clock::time_point, 5> time;
    time[0] = Clock::now();
    std::vector<float> weights;
    for (State& particle : particles) {
      particle = moved(particle, random);
      const double of_range = (std::hypot(particle.x, particle.y) - range) / kRangeNoise;
      const double of_bearing = (std::atan2(particle.y, particle.x) - bearing) / kBearingNoise;
      weights.push_back(static_cast<float>(std::exp(-(of_range * of_range + of_bearing * of_bearing) / 2)));
    }
    time[1] = Clock::now();
    double sum = 0;
    for (const float weight : weights) sum += weight;
    time[2] = Clock::now();
    double x = 0, y = 0;
    for (std::size_t i = 0; i < particles.size(); ++i) {
      x += weights[i] / sum * particles[i].x;
      y += weights[i] / sum * particles[i].y;
    }
    time[3] = Clock::now();
    std::vector<State> copies;
    for (const int ancestor : ancestors_by(procedure, weights, kStepsOfAChain, random.bits()))
      copies.push_back(particles[static_cast<std::size_t>(ancestor)]);
    particles = copies;
    time[4] = Clock::now();
    result.squared_error += std::pow(std::hypot(x - target.x, y - target.y), 2);
    for (std::size_t s = 0; s < 4; ++s)
      result.seconds[s] += std::chrono::duration<double>(time[s + 1] - time[s]).count();
  }
  return result;
}

/// By track.
std::vector<Filtered> filter(const Procedure& procedure, const Amount& amount, std::size_t n) {
  return in_parallel<Filtered>(amount.tracks,
                               [&](std::size_t track) { return filter_track(procedure, n, track); });
}

/// The root of the mean squared error over that of Metropolis, and how far off it may be: one standard error,
/// from the tracks' differences, as both follow the same tracks.
std::pair<double, double> relative_error(const std::vector<Filtered>& tracks,
                                         const std::vector<Filtered>& of_metropolis) {
  double own = 0, other = 0;
  for (std::size_t k = 0; k < tracks.size(); ++k) {
    own += tracks[k].squared_error;
    other += of_metropolis[k].squared_error;
  }
  const double ratio = own / other, n = static_cast<double>(tracks.size());
  double squares = 0;  // of what each track adds to own - ratio * other, whose mean is 0
  for (std::size_t k = 0; k < tracks.size(); ++k)
    squares += std::pow(tracks[k].squared_error - ratio * of_metropolis[k].squared_error, 2);
  const double off = std::sqrt(squares / (n - 1) / n) / (other / n);
  return {std::sqrt(ratio), off / (2 * std::sqrt(ratio))};
}

/// The source's, for 2^14, 2^16 and 2^18 particles, and shares of the stages for 2^14.
struct Source {
  std::array<double, 3> errors;
  const char* shares;
};
constexpr std::array<Source, 5> kSource = {{{{7.62567, 7.60410, 7.60047}, "9.5  4.5 15.0 71.0"},
                                            {{7.76200, 7.74972, 7.74671}, "15.1  6.8 23.0 55.2"},
                                            {{7.62645, 7.60640, 7.60141}, "13.4  6.0 20.3 60.3"},
                                            {{7.62207, 7.60041, 7.59731}, "12.8  5.8 19.5 62.0"},
                                            {{7.62468, 7.60559, 7.60067}, "11.2  5.0 16.9 66.9"}}};

/// In shares of Metropolis's, where the source has such a row and number of particles.
std::string source_error(std::size_t procedure, std::size_t n) {
  if (procedure >= kSource.size()) return "-";
  for (std::size_t k = 0; k < 3; ++k) {
    if (n == std::size_t{1} << (14 + 2 * k))
      return fmt::format("{:.4f}", kSource[procedure].errors[k] / kSource[0].errors[k]);
  }
  return "-";
}

void print_tracking(const Amount& amount) {
  fmt::print(
      "\nTracking by range and bearing: {} tracks of {} observations, {} steps a chain. The source does not "
      "give its\n"
      "noise, start or steps, so only errors relative to Metropolis can be compared, here with one standard "
      "error; its\n"
      "times are of a Tesla K40 with 2^14 particles, these of threads of a processor.\n",
      amount.tracks, kObservations, kStepsOfAChain);
  const std::vector<Procedure> all = procedures();
  for (const std::size_t n : amount.tracked_by) {
    fmt::print(
        "\n  {} particles\n"
        "  procedure    here: RMSE  relative            source: relative   shares of stages 1 to 4\n",
        n);
    std::vector<Filtered> of_metropolis;
    for (std::size_t k = 0; k < all.size(); ++k) {
      const std::vector<Filtered> tracks = filter(all[k], amount, n);
      if (k == 0) of_metropolis = tracks;
      Filtered sum;
      double total = 0;
      for (const Filtered& one : tracks) {
        sum.squared_error += one.squared_error;
        for (std::size_t s = 0; s < 4; ++s) sum.seconds[s] += one.seconds[s];
        for (const double seconds : one.seconds) total += seconds;
      }
      const auto [relative, off] = relative_error(tracks, of_metropolis);
      fmt::print("  {:<12} {:>10.3f}  {:>8.4f} +- {:.4f} {:>18}  ", all[k].name,
                 std::sqrt(sum.squared_error / static_cast<double>(amount.tracks * kObservations)), relative,
                 off, source_error(k, n));
      for (const double seconds : sum.seconds) fmt::print(" {:>5.1f}", 100 * seconds / total);
      if (n == std::size_t{1} << 14 && k < kSource.size()) fmt::print("   source: {}", kSource[k].shares);
      fmt::print("\n");
    }
  }
}

}  // namespace
}  // namespace lockstep::test

int main(int count, char** arguments) {
  const bool is_full = count > 1 && std::string(arguments[1]) == "full";
  const lockstep::test::Amount& amount = is_full ? lockstep::test::kFull : lockstep::test::kQuick;
  lockstep::test::print_transactions();
  lockstep::test::print_quality(amount);
  lockstep::test::print_tracking(amount);
}
