// The sums and states that the judge of "multi-tau" expects, compared with sums by hand, against the plain
// definition, and against a correlator that takes one instant after the other; and both conventions of
// correlation on molecules whose time in the focus is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "17-multi-tau/correlation.h"
#include "17-multi-tau/diffusion.h"
#include "problem_access.h"

namespace lockstep::test::multi_tau_test {
namespace {

constexpr int kPositions = 32, kStateWords = 34;
using Sums = std::vector<std::uint64_t>;
using State = std::vector<std::uint32_t>;

/// A prepared call with the words and counts of one sensor at a time.
class Prepared {
 public:
  explicit Prepared(const course::Case& one) : name(one.name) {
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    sensors = scalar(call, "sensors");
    instants = scalar(call, "instants");
    groups = scalar(call, "groups");
    elapsed = static_cast<std::int64_t>(argument(call, "elapsed").scalar_bits);
    counts_ = numbers<std::uint8_t>(argument(call, "counts").input);
    state_before_ = numbers<std::uint32_t>(argument(call, "state_before").input);
    sums_before_ = numbers<std::uint64_t>(argument(call, "sums_before").input);
    state_ = numbers<std::uint32_t>(argument(call, "state").output.expected);
    sums_ = numbers<std::uint64_t>(argument(call, "sums").output.expected);
  }

  std::vector<std::uint8_t> counts(int sensor) const {
    std::vector<std::uint8_t> own;
    for (int i = 0; i < instants; ++i)
      own.push_back(counts_.at(static_cast<std::size_t>(i) * static_cast<std::size_t>(sensors) +
                               static_cast<std::size_t>(sensor)));
    return own;
  }
  State state_before(int sensor) const { return part(state_before_, sensor, kStateWords); }
  State state(int sensor) const { return part(state_, sensor, kStateWords); }
  /// What the packet adds.
  Sums added(int sensor) const {
    Sums sums = part(sums_, sensor, kPositions);
    const Sums before = part(sums_before_, sensor, kPositions);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] -= before[i];
    return sums;
  }

  std::string name;
  int sensors = 0, instants = 0, groups = 0;
  std::int64_t elapsed = 0;

 private:
  template <class T>
  std::vector<T> part(const std::vector<T>& all, int sensor, int words) const {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(sensor) * groups * words;
    return {begin, begin + static_cast<std::ptrdiff_t>(groups) * words};
  }

  std::vector<std::uint8_t> counts_;
  State state_before_, state_;
  Sums sums_before_, sums_;
};

/// Takes instant after instant: bins move from position to position, two that leave a group make one of the
/// next, and registers gather what is newest.
class Correlator {
 public:
  Correlator(const State& state, std::int64_t elapsed)
      : elapsed_(elapsed), sums_(state.size() / kStateWords * kPositions) {
    for (std::size_t at = 0; at < state.size(); at += kStateWords) {
      const auto begin = state.begin() + static_cast<std::ptrdiff_t>(at);
      groups_.push_back({{begin, begin + kPositions + 1}, begin[kPositions + 1]});
    }
  }

  void take(std::uint8_t count) {
    ++elapsed_;
    for (Group& group : groups_) group.zero_delay += count;
    std::uint32_t arriving = count;
    for (std::size_t g = 0; g < groups_.size() && elapsed_ % (1LL << g) == 0; ++g) {
      Group& group = groups_[g];
      const std::uint32_t left_before = group.bins.back();
      group.bins.pop_back();
      group.bins.push_front(arriving);
      for (std::size_t p = 0; p < kPositions; ++p)
        sums_[g * kPositions + p] += std::uint64_t{group.zero_delay} * group.bins[p];
      group.zero_delay = 0;
      arriving = left_before + group.bins.back();
    }
  }

  State state() const {
    State words;
    for (const Group& group : groups_) {
      words.insert(words.end(), group.bins.begin(), group.bins.end());
      words.push_back(group.zero_delay);
    }
    return words;
  }
  const Sums& sums() const { return sums_; }

 private:
  struct Group {
    std::deque<std::uint32_t> bins;  ///< positions 0 … 32; the last has left
    std::uint32_t zero_delay;
  };

  std::int64_t elapsed_;
  std::vector<Group> groups_;
  Sums sums_;
};

TEST(MultiTau, TwoPeriodsOfOneToSevenByHand) {
  const Prepared made(problem("multi-tau").cases.front());
  ASSERT_EQ(made.elapsed, 7);
  ASSERT_EQ(made.instants, 14);
  for (int sensor = 0; sensor < made.sensors; ++sensor) {
    const Sums sums = made.added(sensor);
    EXPECT_EQ(sums[0], 280U);   // 2 (1 + 4 + 9 + 16 + 25 + 36 + 49)
    EXPECT_EQ(sums[1], 238U);   // 2 (1·2 + 2·3 + 3·4 + 4·5 + 5·6 + 6·7 + 7·1)
    EXPECT_EQ(sums[7], 280U);   // a whole period back
    EXPECT_EQ(sums[14], 140U);  // only the second period has anything so far back
    EXPECT_EQ(sums[21], 0U);    // y(t) = 0 for t ≤ 0
    EXPECT_EQ(std::accumulate(sums.begin() + kPositions, sums.end(), std::uint64_t{0}), 0U);
    const std::vector<std::uint8_t> counts = made.counts(sensor);
    const State state = made.state(sensor);
    EXPECT_EQ(state[0], counts[13]);  // y(21)
    EXPECT_EQ(state[20], state[6]) << "y(1) and y(15) are alike";
    EXPECT_EQ(state[21], 0U) << "before the first instant";
    EXPECT_EQ(state[2 * kStateWords - 1], counts[13]) << "group 1 has begun a bin with y(21)";
    EXPECT_EQ(state[3 * kStateWords - 1], counts[13]) << "and group 2";
  }
}

TEST(MultiTau, FourInstantsOfTheTask) {
  Correlator correlator(State(2 * kStateWords), 0);
  for (const std::uint8_t count : std::array<std::uint8_t, 4>{1, 2, 3, 4}) correlator.take(count);
  EXPECT_THAT(std::vector(correlator.sums().begin(), correlator.sums().begin() + 5),
              testing::ElementsAre(30, 20, 11, 4, 0));
  EXPECT_THAT(std::vector(correlator.sums().begin() + kPositions, correlator.sums().end()), testing::Each(0));
  const State state = correlator.state();
  EXPECT_THAT(std::vector(state.begin(), state.begin() + 5), testing::ElementsAre(4, 3, 2, 1, 0));
  EXPECT_THAT(std::vector(state.begin() + kStateWords, state.end()), testing::Each(0));
}

/// Where all that ever was counted lies in the positions of group 0: every sum by its definition.
TEST(MultiTau, SumsAreThoseOfTheDefinition) {
  int checked = 0;
  for (const course::Case& one : problem("multi-tau").cases) {
    const Prepared made(one);
    if (made.elapsed > kPositions) continue;
    ++checked;
    for (int sensor = 0; sensor < made.sensors; ++sensor) {
      const std::vector<std::uint8_t> counts = made.counts(sensor);
      const State before = made.state_before(sensor);
      const auto y = [&](std::int64_t t) -> std::uint64_t {
        if (t <= 0) return 0;
        return t > made.elapsed ? counts.at(static_cast<std::size_t>(t - made.elapsed - 1))
                                : before.at(static_cast<std::size_t>(made.elapsed - t));
      };
      const auto bin = [&](int group, std::int64_t end) {
        std::uint64_t sum = 0;
        for (std::int64_t i = 0; i < std::int64_t{1} << group; ++i) sum += y(end - i);
        return sum;
      };
      const Sums sums = made.added(sensor);
      for (int group = 0; group < made.groups; ++group) {
        const std::int64_t length = std::int64_t{1} << group;
        for (std::int64_t position = 0; position < kPositions; ++position) {
          std::uint64_t sum = 0;
          for (std::int64_t t = made.elapsed + 1; t <= made.elapsed + made.instants; ++t) {
            if (t % length == 0)
              sum += bin(group, t) * bin(group, t - kPositions * (length - 1) - position * length);
          }
          ASSERT_EQ(
              sums.at(static_cast<std::size_t>(group) * kPositions + static_cast<std::size_t>(position)), sum)
              << one.name << ", sensor " << sensor << ", group " << group << ", position " << position;
        }
      }
    }
  }
  EXPECT_GE(checked, 3);
}

TEST(MultiTau, SumsAndStatesAreThoseOfOneInstantAfterTheOther) {
  for (const course::Case& one : problem("multi-tau").cases) {
    const Prepared made(one);
    for (int sensor = 0; sensor < made.sensors; sensor += 5) {
      Correlator correlator(made.state_before(sensor), made.elapsed);
      for (const std::uint8_t count : made.counts(sensor)) correlator.take(count);
      ASSERT_EQ(correlator.state(), made.state(sensor)) << one.name << ", sensor " << sensor;
      ASSERT_EQ(correlator.sums(), made.added(sensor)) << one.name << ", sensor " << sensor;
    }
  }
}

/// The words of the state are all that has to be kept between packets.
TEST(MultiTau, AnySplitGivesTheSame) {
  SplitMix64 random(11);
  for (const course::Case& one : problem("multi-tau").cases) {
    const Prepared made(one);
    const std::vector<std::uint8_t> counts = made.counts(0);
    Sums sums(made.added(0).size());
    State state = made.state_before(0);
    for (std::size_t at = 0; at < counts.size();) {
      const std::size_t end = std::min(counts.size(), at + static_cast<std::size_t>(random.integer(1, 100)));
      Correlator correlator(state, made.elapsed + static_cast<std::int64_t>(at));
      for (; at < end; ++at) correlator.take(counts[at]);
      state = correlator.state();
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += correlator.sums()[i];
    }
    EXPECT_EQ(state, made.state(0)) << one.name;
    EXPECT_EQ(sums, made.added(0)) << one.name;
  }
}

TEST(MultiTau, CoversTheEdgeCases) {
  std::set<int> instants, groups;
  std::set<std::int64_t> phases;
  bool past_an_int = false, past_16_bits = false, past_32_bits = false;
  for (const course::Case& one : problem("multi-tau").cases) {
    const Prepared made(one);
    instants.insert(made.instants);
    groups.insert(made.groups);
    phases.insert(made.elapsed % 512);
    past_an_int = past_an_int || made.elapsed > std::int64_t{1} << 32;
    for (const std::uint32_t word : made.state(0)) past_16_bits = past_16_bits || word == 65536;
    const State state = made.state(0);
    for (const std::uint32_t word : state) past_32_bits = past_32_bits || word > 65536;
    EXPECT_EQ(one.cost.elements, static_cast<double>(made.instants) * made.sensors) << one.name;
  }
  for (const int n : {0, 1, 31, 32, 33, 1023, 1024, 1025}) EXPECT_TRUE(instants.contains(n)) << n;
  for (const int n : {1, 2, 6, 10}) EXPECT_TRUE(groups.contains(n)) << n;
  EXPECT_GT(phases.size(), 8U);
  EXPECT_TRUE(past_an_int);
  EXPECT_TRUE(past_16_bits) << "no bin of 512 counts of 128";
  EXPECT_TRUE(past_32_bits) << "no product of bins needs more than 32 bits";
}

TEST(AveragedCorrelation, TwoPeriodsOfOneToSevenByHand) {
  const std::vector<std::uint8_t> counts = {1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7};
  const std::vector<CorrelationPoint> points = averaged_correlation(counts, 8);
  ASSERT_EQ(points.size(), 9U);             // of the 7 averages no delay of 5 … 8 makes a level
  EXPECT_DOUBLE_EQ(points[0].value, 0.25);  // variance 4 over mean² 16
  EXPECT_DOUBLE_EQ(points[7].value, 0.25);  // a whole period back
  EXPECT_DOUBLE_EQ(points[7].delay, 7);
  EXPECT_DOUBLE_EQ(points[1].value, 23.0 / 208);  // 2 (6 + 2 + 0 + 0 + 2 + 6) - 9 over 13 products
}

TEST(AveragedCorrelation, IsThatOfItsDefinition) {
  constexpr std::size_t kChannels = 6, kInstants = 203;
  SplitMix64 random(3);
  std::vector<std::uint8_t> counts(kInstants);
  for (std::uint8_t& count : counts) count = static_cast<std::uint8_t>(random.integer(0, 9));
  const double mean = std::accumulate(counts.begin(), counts.end(), 0.0) / kInstants;
  std::size_t at = 0;
  const std::vector<CorrelationPoint> points = averaged_correlation(counts, kChannels);
  for (std::size_t width = 1; kInstants / width > kChannels; width *= 2) {
    const std::size_t bins = kInstants / width;
    const auto average = [&](std::size_t i) {
      double sum = 0;
      for (std::size_t j = i * width; j < (i + 1) * width; ++j) sum += counts[j] - mean;
      return sum / static_cast<double>(width);
    };
    for (std::size_t delay = width == 1 ? 0 : kChannels / 2 + 1; delay <= kChannels; ++delay, ++at) {
      double sum = 0;
      for (std::size_t i = 0; i + delay < bins; ++i) sum += average(i) * average(i + delay);
      ASSERT_LT(at, points.size());
      EXPECT_EQ(points[at].delay, static_cast<double>(delay * width));
      EXPECT_NEAR(points[at].value, sum / (mean * mean * static_cast<double>(bins - delay)), 1e-12);
    }
  }
  EXPECT_EQ(at, points.size());
}

TEST(DiffusionFit, GivesBackTheCurve) {
  const DiffusionCurve curve{.amplitude = 3, .diffusion_time = 17, .offset = -0.02, .shape = Focus::kShape};
  std::vector<CorrelationPoint> points = {{0, 99}};  // the photons' own noise does not count
  for (double delay = 1; delay < 1e5; delay *= 1.3) points.push_back({delay, curve.at(delay)});
  const DiffusionCurve fit = fit_diffusion(points, Focus::kShape);
  EXPECT_NEAR(fit.diffusion_time, 17, 1e-4);
  EXPECT_NEAR(fit.amplitude, 3, 1e-5);
  EXPECT_NEAR(fit.offset, -0.02, 1e-6);
}

constexpr double kTolerance = 0.03 * Focus::kDiffusionTime;

TEST(DiffusionFit, FindsTheSimulatedTimeByTheAveragedConvention) {
  SplitMix64 random(1);
  constexpr std::size_t kInstants = std::size_t{1} << 21, kChannels = 16;
  const std::vector<std::uint8_t> counts = diffusing_counts(kInstants, random);
  const auto fit = fit_diffusion(averaged_correlation(counts, kChannels), Focus::kShape);
  EXPECT_NEAR(fit.diffusion_time, Focus::kDiffusionTime, kTolerance);
}

TEST(DiffusionFit, FindsTheSimulatedTimeInThePictureOfTheExercise) {
  const course::Problem& exercise = problem("multi-tau");
  ASSERT_TRUE(exercise.picture);
  for (const course::Case& one : exercise.cases) {
    if (one.name != exercise.picture->case_name) continue;
    SplitMix64 random(1);
    const course::Call call = one.prepare(random);
    const std::string picture = exercise.picture->draw(
        {call, {argument(call, "state").output.expected, argument(call, "sums").output.expected}});
    const std::size_t at = picture.find("fit: ");
    ASSERT_NE(at, std::string::npos);
    EXPECT_NEAR(std::stod(picture.substr(at + 5)), Focus::kDiffusionTime, kTolerance);
  }
}

}  // namespace
}  // namespace lockstep::test::multi_tau_test
