// The judge of "resampling" against procedures written a second time, the generator against its published
// vectors, and the procedures against what they promise: exact expectations, and the variance.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "problem_access.h"
#include "resampling_procedures.h"

namespace lockstep::test::resampling_test {
namespace {

using Kind = Procedure::Kind;

TEST(Resampling, GeneratorIsPhiloxWithSevenRounds) {
  // Random123's known answers for philox4x32 with 7 rounds; the fourth word of the counter is always 0 here.
  const Words words = random_words(0, Use::chain, 0, 0);
  EXPECT_THAT(words.word, testing::ElementsAre(0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48));
}

TEST(Resampling, WordsBecomeNumbersOfTheirRanges) {
  EXPECT_EQ(uniform_of(0), 0x1p-23F);
  EXPECT_EQ(uniform_of(0xFFFFFFFF), 1.0F);
  EXPECT_EQ(index_of(0xFFFFFFFF, 7), 6U);
  EXPECT_EQ(index_of(0, 7), 0U);
  EXPECT_EQ(place_of(511, 512), 511U);
  EXPECT_EQ(place_of(0xFFFFFFFF, 1), 0U);
  EXPECT_EQ(place_of(0xFFFFFE00, 512), 0U) << "the upper bits are for u";
}

TEST(Resampling, PlacesKeepTheSumBelowTwoToThe63) {
  constexpr int kMax = std::numeric_limits<int>::max();
  constexpr float kLargest = std::numeric_limits<float>::max(), kSmallest = 0x1p-149F;
  for (const int n : {1, 2, 3, 4, 5, 1 << 20, (1 << 20) + 1, kMax}) {
    for (const float weight : {kLargest, 1.5F, 1.0F, 0.75F, 0x1p-126F, kSmallest}) {
      const long double units = std::ldexp(static_cast<long double>(weight), places_of(weight, n));
      EXPECT_LT(units * n, 0x1p63L) << n << " of " << weight;
      EXPECT_GE(units, 0x1p61L / n) << n << " of " << weight << ": what the promise of README.md rests on";
      EXPECT_GE(units, n) << n << " of " << weight << ": a point a particle";
    }
  }
  EXPECT_EQ(places_of(kLargest, kMax), -96);
  EXPECT_EQ(places_of(kSmallest, 1), 210);
  EXPECT_EQ(places_of(0, 7), 0);
}

/// What the judge expects of somebody who found this.
course::Answer nearest(const course::Call& call, const std::vector<int>& found) {
  const course::Bytes bytes = course::bytes_of(found);
  return argument(call, "ancestors").output.nearest_answer(bytes);
}

TEST(Resampling, EveryProcedureIsRight) {
  for (const course::Case& one : problem("resampling").cases) {
    SplitMix64 random(11);
    const course::Call call = one.prepare(random);
    const auto weights = numbers<float>(argument(call, "weights").input);
    for (const Procedure& procedure : procedures()) {
      const std::vector<int> found =
          ancestors_by(procedure, weights, scalar(call, "steps"), argument(call, "seed").scalar_bits);
      EXPECT_EQ(numbers<int>(nearest(call, found).bytes), found) << one.name << ", " << procedure.name;
    }
  }
}

TEST(Resampling, TheSpeedOfEachChainIsComparedWithAChain) {
  const course::SpeedTask& speed = *problem("resampling").speed;
  const course::Case& one = problem("resampling").cases.back();
  ASSERT_TRUE(one.measured);
  SplitMix64 random(14);
  const course::Call call = one.prepare(random);
  const auto weights = numbers<float>(argument(call, "weights").input);
  for (const Procedure& procedure : procedures()) {
    const std::vector<int> found =
        ancestors_by(procedure, weights, scalar(call, "steps"), argument(call, "seed").scalar_bits);
    EXPECT_EQ(speed.baseline_of(nearest(call, found).name).rung,
              procedure.name == "systematic" ? "" : "c2_128")
        << procedure.name;
  }
  EXPECT_EQ(speed.baseline_of("").rung, "");
}

const course::Case& case_of(const std::string& purpose) {
  for (const course::Case& one : problem("resampling").cases) {
    if (one.purpose.find(purpose) != std::string::npos) return one;
  }
  throw std::runtime_error("no case is of " + purpose);
}

TEST(Resampling, EveryPointMayLieWhereAStretchEnds) {
  for (const std::uint64_t seed : {11U, 12U, 13U}) {
    SplitMix64 random(seed);
    const course::Call call = case_of("points that lie where").prepare(random);
    const auto weights = numbers<float>(argument(call, "weights").input);
    const std::vector<int> right = systematic_ancestors(weights, argument(call, "seed").scalar_bits);
    // Whoever gives a point to the particle whose stretch ends there has hardly one of them right: the five
    // of twice the weight have another within their stretch.
    std::vector<int> wrong;
    for (const int ancestor : right) {
      int owner = ancestor;
      if (wrong.empty() || ancestor != right.at(wrong.size() - 1)) {
        do --owner;
        while (weights.at(static_cast<std::size_t>(owner)) == 0);
      }
      wrong.push_back(owner);
    }
    const auto known = argument(call, "ancestors").output.known_mistakes();
    EXPECT_TRUE(std::any_of(known.begin(), known.end(), [&wrong](const course::KnownMistake& mistake) {
      return mistake.output() == course::bytes_of(wrong);
    }));
  }
}

TEST(Resampling, WeightsCountByTheirRatios) {
  SplitMix64 random(19);
  const std::vector<float> weights = likelihoods(5000, 2, random);
  for (const int exponent : {-90, -31, -12, 1, 120}) {
    std::vector<float> scaled = weights;
    for (float& weight : scaled) weight = std::ldexp(weight, exponent);
    EXPECT_EQ(systematic_ancestors(scaled, 20), systematic_ancestors(weights, 20)) << exponent;
  }
}

TEST(Resampling, AMixtureOfProceduresIsWrong) {
  const course::Case& one = problem("resampling").cases.back();
  SplitMix64 random(12);
  const course::Call call = one.prepare(random);
  const auto weights = numbers<float>(argument(call, "weights").input);
  const std::uint64_t seed = argument(call, "seed").scalar_bits;
  const std::vector<Procedure> all = procedures();
  std::vector<int> found = ancestors_by(all[0], weights, scalar(call, "steps"), seed);
  const std::vector<int> other = ancestors_by(all[2], weights, scalar(call, "steps"), seed);
  ASSERT_NE(found.back(), other.back()) << "chosen so that they differ";
  found.back() = other.back();
  EXPECT_NE(numbers<int>(nearest(call, found).bytes), found);
  EXPECT_EQ(nearest(call, found).name, "Metropolis");
}

TEST(Resampling, OfManyStepsSomeParticlesAreComparedWithTheChain) {
  const course::Case& one = problem("resampling").speed->sizes.front();
  SplitMix64 random(13);
  const course::Call call = one.prepare(random);
  const auto weights = numbers<float>(argument(call, "weights").input);
  std::vector<int> found =
      ancestors_by(procedures()[0], weights, scalar(call, "steps"), argument(call, "seed").scalar_bits);
  EXPECT_EQ(numbers<int>(nearest(call, found).bytes), found);
  std::vector<int> beyond = found;
  beyond[1] = static_cast<int>(weights.size());
  EXPECT_NE(numbers<int>(nearest(call, beyond).bytes), beyond) << "nobody has this number";
  for (std::size_t i = 0; i < found.size(); i += 50) found[i] = static_cast<int>(i);
  EXPECT_NE(numbers<int>(nearest(call, found).bytes), found) << "one chain in 50 was left out";
}

TEST(Resampling, StepsAreThePublishedOnes) {
  EXPECT_THAT((std::vector<int>{published_steps(0), published_steps(1), published_steps(2),
                                published_steps(3), published_steps(4)}),
              testing::ElementsAre(4, 6, 16, 60, 354));
}

/// 1ᵀ Pᴮ: the offspring that chains of Metropolis have on average, in double, by the matrix of one step.
std::vector<double> expected_offspring(const std::vector<float>& weights, int steps) {
  const std::size_t n = weights.size();
  std::vector<double> offspring(n, 1.0);
  for (int step = 0; step < steps; ++step) {
    std::vector<double> next(n, 0.0);
    for (std::size_t from = 0; from < n; ++from) {
      double leaving = 0;
      for (std::size_t to = 0; to < n; ++to) {
        if (to == from) continue;
        const double moves =
            std::min(1.0, static_cast<double>(weights[to]) / weights[from]) / static_cast<double>(n);
        next[to] += offspring[from] * moves;
        leaving += moves;
      }
      next[from] += offspring[from] * (1 - leaving);
    }
    offspring = next;
  }
  return offspring;
}

/// Squared distance of mean offspring from what is expected, over what their own variance makes it: 1 on
/// average where the expectation is right.
double distance_over_noise(const Procedure& procedure, const std::vector<float>& weights, int steps,
                           const std::vector<double>& expected) {
  constexpr int kRuns = 1500;
  const std::size_t n = weights.size();
  std::vector<double> sum(n), squares(n);
  SplitMix64 seeds(14);
  for (int run = 0; run < kRuns; ++run) {
    std::vector<int> offspring(n);
    for (const int ancestor : ancestors_by(procedure, weights, steps, seeds.bits()))
      ++offspring[static_cast<std::size_t>(ancestor)];
    for (std::size_t j = 0; j < n; ++j) {
      sum[j] += offspring[j];
      squares[j] += offspring[j] * offspring[j];
    }
  }
  double distance = 0, noise = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const double mean = sum[j] / kRuns;
    distance += (mean - expected[j]) * (mean - expected[j]);
    noise += (squares[j] / kRuns - mean * mean) / kRuns;
  }
  return distance / noise;
}

TEST(Resampling, OffspringHaveTheirExactExpectation) {
  constexpr int kSteps = 6;
  SplitMix64 random(15);
  const std::vector<float> weights = likelihoods(128, 1, random);
  const std::vector<double> expected = expected_offspring(weights, kSteps);
  EXPECT_NEAR(std::accumulate(expected.begin(), expected.end(), 0.0), 128, 1e-9);
  for (const Procedure& procedure : procedures()) {
    if (procedure.kind == Kind::systematic) continue;  // has no chain; its own test follows
    const double score = distance_over_noise(procedure, weights, kSteps, expected);
    // 128 squares, of which the larger count more, have a mean with a standard deviation of some 0.15.
    if (procedure.kind == Kind::metropolis || procedure.kind == Kind::c2 ||
        procedure.kind == Kind::megopolis || procedure.segment > weights.size()) {
      EXPECT_GT(score, 0.53) << procedure.name;
      EXPECT_LT(score, 1.5) << procedure.name;
    } else {
      EXPECT_GT(score, 1.5) << procedure.name << " has another expectation, and this test must see it";
    }
  }
}

TEST(Resampling, SystematicOffspringAreWithinOneOfTheExpected) {
  SplitMix64 random(18);
  const std::vector<float> weights = likelihoods(3000, 3, random);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<int> offspring(weights.size());
    for (const int ancestor : systematic_ancestors(weights, seed))
      ++offspring.at(static_cast<std::size_t>(ancestor));
    for (std::size_t j = 0; j < weights.size(); ++j)
      ASSERT_LT(std::abs(offspring[j] - 3000 * weights[j] / sum), 1.001) << j;
  }
}

/// Mean of Σ (O - e)² / n over runs, e = n w / Σw.
double error_of(const Procedure& procedure, const std::vector<float>& weights, int steps, int runs) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const auto n = static_cast<double>(weights.size());
  SplitMix64 seeds(16);
  double error = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<int> offspring(weights.size());
    for (const int ancestor : ancestors_by(procedure, weights, steps, seeds.bits()))
      ++offspring[static_cast<std::size_t>(ancestor)];
    for (std::size_t j = 0; j < weights.size(); ++j) {
      const double difference = offspring[j] - n * weights[j] / sum;
      error += difference * difference;
    }
  }
  return error / n / runs;
}

TEST(Resampling, ErrorsAreThoseOfTheLecture) {
  SplitMix64 random(17);
  const std::vector<float> weights = likelihoods(4096, 2, random);
  const std::vector<double> known = {1.00, 3.26, 1.47, 1.14, 1.03, 0.52, 0.14};  // of 16 384 particles
  const std::vector<Procedure> all = procedures();
  for (std::size_t k = 0; k < all.size(); ++k)
    EXPECT_NEAR(error_of(all[k], weights, published_steps(2), 48) / known[k], 1, 0.08) << all[k].name;
}

TEST(Resampling, StatesAnElementForEachParticle) { expect_elements_are_words_of_output("resampling"); }

}  // namespace
}  // namespace lockstep::test::resampling_test
