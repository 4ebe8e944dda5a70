// The parts of the study of multi-tau: counts from files, the stream, sums of a measurement, the curve with
// its errors, and the picture.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "17-multi-tau/correlation.h"
#include "17-multi-tau/study/counts.h"
#include "17-multi-tau/study/curve.h"
#include "17-multi-tau/study/measurement.h"
#include "17-multi-tau/study/picture.h"
#include "17-multi-tau/study/stream.h"
#include "17-multi-tau/study/thresholds.h"
#include "lockstep/random.h"
#include "study_files.h"

namespace lockstep::test::multi_tau_study_test {
namespace {

using multi_tau_study::accepted_stream;
using multi_tau_study::answer_of;
using multi_tau_study::bytes_of;
using multi_tau_study::compare_thresholds;
using multi_tau_study::connected;
using multi_tau_study::CountsReader;
using multi_tau_study::Curve;
using multi_tau_study::curve_of;
using multi_tau_study::delay_of;
using multi_tau_study::DelayedValue;
using multi_tau_study::error_of_bins;
using multi_tau_study::Errors;
using multi_tau_study::groups_for;
using multi_tau_study::host_and_port;
using multi_tau_study::kMaxPacketInstants;
using multi_tau_study::kMaxSensors;
using multi_tau_study::kThresholds;
using multi_tau_study::last_bin_left_out;
using multi_tau_study::Listener;
using multi_tau_study::Measurement;
using multi_tau_study::most_instants;
using multi_tau_study::multi_tau_correlation;
using multi_tau_study::must_hold;
using multi_tau_study::Packet;
using multi_tau_study::packet_header;
using multi_tau_study::PacketHeader;
using multi_tau_study::PacketQueue;
using multi_tau_study::Picture;
using multi_tau_study::place_of;
using multi_tau_study::plain_correlation;
using multi_tau_study::Point;
using multi_tau_study::products_per_count;
using multi_tau_study::receive_packets;
using multi_tau_study::Sender;
using multi_tau_study::Socket;
using multi_tau_study::Stream;
using multi_tau_study::stream_header;
using multi_tau_study::StreamHeader;
using multi_tau_study::ThresholdRow;
using multi_tau_study::time_of;
using multi_tau_study::Traces;
using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Not;

// --- files ---

class MultiTauCounts : public StudyFiles {
 protected:
  static std::vector<unsigned char> all_of(const std::string& file, std::optional<std::size_t> sensors = {},
                                           std::size_t at_once = 3) {
    CountsReader reader(file, sensors);
    std::vector<unsigned char> counts;
    while (true) {
      const std::vector<unsigned char> more = reader.read(at_once);
      if (more.empty()) return counts;
      EXPECT_EQ(more.size() % reader.sensors(), 0U);
      EXPECT_LE(more.size(), at_once * reader.sensors());
      counts.insert(counts.end(), more.begin(), more.end());
    }
  }
  std::string error_in(const std::string& name, const std::string& contents,
                       std::optional<std::size_t> sensors = {}) const {
    const std::string file = write(name, contents);
    const std::string error = error_of([&] { all_of(file, sensors); });
    // All name the file, in a line.
    EXPECT_TRUE(error.starts_with(file) || error == "no error") << error;
    EXPECT_TRUE(std::all_of(error.begin(), error.end(), [](char c) {
      return c >= ' ' || static_cast<signed char>(c) < 0;
    })) << error;
    return error.substr(std::min(error.size(), error.starts_with(file) ? file.size() : 0));
  }
};

TEST_F(MultiTauCounts, AreBytesFrameByFrame) {
  const std::string file = write("a.bin", std::string("\0\1\2\377\4\5\6\7", 8));
  EXPECT_THAT(all_of(file, 2), ElementsAre(0, 1, 2, 255, 4, 5, 6, 7));
  EXPECT_THAT(all_of(file, 8, 1), ElementsAre(0, 1, 2, 255, 4, 5, 6, 7));
  EXPECT_EQ(CountsReader(file, 4).sensors(), 4U);
}

TEST_F(MultiTauCounts, AreTextWithARowForEachInstant) {
  for (const char* text :
       {"1,2\n3,4\n0,255\n", "1, 2\r\n3 ,4\r\n\r\n0,\t255", "# two sensors\na,b\n1 2\n3\t4\n0  255  \n",
        "\"one\";\"two\"\n1;2\n#\n3.0;4e0\n0.000000e+00;2.55e2\n"}) {
    EXPECT_THAT(all_of(write("a.csv", text)), ElementsAre(1, 2, 3, 4, 0, 255)) << text;
  }
  EXPECT_THAT(all_of(write("one.txt", "7\n8\n9\n10\n")), ElementsAre(7, 8, 9, 10));
  EXPECT_THAT(all_of(write("LARGE.CSV", "7,8\n")), ElementsAre(7, 8));
}

TEST_F(MultiTauCounts, LoseNoInstantToAByteOrderMark) {
  EXPECT_THAT(all_of(write("a.csv",
                           "\xef\xbb\xbf"
                           "1,2\r\n3,4\r\n")),
              ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(all_of(write("b.csv", "\xef\xbb\xbf\"a\",b\n3,4\n")), ElementsAre(3, 4));
}

TEST_F(MultiTauCounts, HaveNamesInAFirstRowOfNothingElse) {
  for (const char* names : {"sensor 1,sensor 2", "a\tb 2", "one two", "\"x, y\"", "Zähler;b", "n,"})
    EXPECT_THAT(all_of(write("a.csv", std::string(names) + "\n3,4\n")), ElementsAre(3, 4)) << names;
  for (const char* row : {"\"1\",\"2\"", "nan,2", "2,nan", "NaN", "inf,inf", "a,2", "1e999999", "405nm,b",
                          "-,-", "\"\"", "'3','4'"})
    EXPECT_THAT(error_in("a.csv", std::string(row) + "\n3,4\n"), HasSubstr(":1: \"")) << row;
}

TEST_F(MultiTauCounts, ThatCannotBeReadAreReportedWithTheirPlace) {
  EXPECT_EQ(error_in("a.csv", "1,2\n3,300\n"),
            ":2: \"300\" is no count, which is a whole number from 0 to 255");
  for (const char* word : {"-1", "1.5", "nan", "inf", "1e9", "x", "256", "0x1", "--1", "1e999999"})
    EXPECT_THAT(error_in("a.csv", "1\n" + std::string(word) + "\n"), HasSubstr(":2: \"")) << word;
  EXPECT_EQ(error_in("a.csv", "1,2\n3\n"), ":2: the number of counts is 1, in rows before it is 2");
  EXPECT_EQ(error_in("a.csv", "1,,2\n"), ":1: count 2 is missing");
  EXPECT_EQ(error_in("a.csv", "1,2,\n"), ":1: count 3 is missing");
  EXPECT_EQ(error_in("a.csv", "a\nb\n1\n"), ":2: \"b\" is no count, which is a whole number from 0 to 255");
  EXPECT_EQ(error_in("a.csv", "1,2\n", 3), ":1: a row of 2 counts, and --sensors 3");
  EXPECT_EQ(error_in("a.csv", "# none\n"), " holds no counts");
  EXPECT_EQ(error_in("a.csv", ""), " is empty");
  EXPECT_EQ(error_in("a.bin", "", 2), " is empty");
  EXPECT_EQ(error_in("a.bin", "12345", 2),
            ": byte 4: the last frame has 1 byte, a frame of all sensors has 2");
  EXPECT_THAT(error_in("a.bin", "1234"), HasSubstr("--sensors S does"));
  EXPECT_THAT(error_in("a.bin", "\x93NUMPY\1", 1), HasSubstr("tofile"));
  EXPECT_THAT(error_in("a.csv", "\x1f\x8b\x08"), HasSubstr("gunzip"));
  EXPECT_THAT(error_of([] { CountsReader("/dev/null", 1); }), HasSubstr("/dev/null is no regular file"));
  EXPECT_THAT(error_of([] { CountsReader("/none.bin", 1); }), HasSubstr("/none.bin cannot be opened"));
  std::string row = "1";
  for (std::size_t i = 0; i < kMaxSensors; ++i) row += " 1";
  EXPECT_EQ(error_in("a.dat", row + "\n"), ":1: 4097 counts are more than 4096 sensors");
}

TEST_F(MultiTauCounts, OfAHostileFileAMessageShowsALittle) {
  EXPECT_EQ(error_in("a.csv", "1\n\x1b[2J" + std::string(100'000, 'x') + "\n"),
            ":2: \"?[2J" + std::string(56, 'x') + "…\" is no count, which is a whole number from 0 to 255");
}

// --- sums ---

/// What multi_tau is to leave, from its definition in multi_tau.h: no bin is made of others.
class Definition {
 public:
  Definition(std::vector<unsigned char> frames, std::size_t width, int groups)
      : frames_(std::move(frames)), width_(width), groups_(groups) {}

  std::uint64_t count(std::size_t sensor, long long t) const {
    if (t <= 0) return 0;
    return frames_[static_cast<std::size_t>(t - 1) * width_ + sensor];
  }
  std::uint64_t bin(std::size_t sensor, int group, long long end) const {
    std::uint64_t sum = 0;
    for (long long t = std::max(0LL, end - (1LL << group)); t < end; ++t) sum += count(sensor, t + 1);
    return sum;
  }
  std::uint64_t delayed(std::size_t sensor, int group, long long now, int position) const {
    return bin(sensor, group, now - 32 * ((1LL << group) - 1) - (static_cast<long long>(position) << group));
  }

  void leave(long long elapsed, std::vector<unsigned long long>& sums, std::vector<unsigned>& state) {
    for (std::size_t s = 0; s < width_; ++s) {
      for (int g = 0; g < groups_; ++g) {
        const std::size_t at = s * static_cast<std::size_t>(groups_) + static_cast<std::size_t>(g);
        const long long length = 1LL << g, last = elapsed / length * length;
        for (long long now = done_ / length * length + length; now <= last; now += length)
          for (int p = 0; p < 32; ++p)
            sums[at * 32 + static_cast<std::size_t>(p)] += bin(s, g, now) * delayed(s, g, now, p);
        for (int p = 0; p <= 32; ++p)
          state[at * 34 + static_cast<std::size_t>(p)] = static_cast<unsigned>(delayed(s, g, last, p));
        unsigned begun = 0;
        for (long long t = last + 1; t <= elapsed; ++t) begun += static_cast<unsigned>(count(s, t));
        state[at * 34 + 33] = begun;
      }
    }
    done_ = elapsed;
  }

 private:
  std::vector<unsigned char> frames_;
  std::size_t width_;
  int groups_;
  long long done_ = 0;
};

constexpr std::size_t kWidth = 32;

/// Frames of kWidth sensors, of which the first `sensors` count: more slowly varying light, the later.
std::vector<unsigned char> some_counts(std::size_t sensors, std::size_t instants) {
  SplitMix64 random(17);
  std::vector<unsigned char> frames(instants * kWidth, 0);
  std::vector<float> light(sensors, 4);
  for (std::size_t i = 0; i < instants; ++i)
    for (std::size_t s = 0; s < sensors; ++s) {
      light[s] += (random.uniform() - 0.5F) * (i % 64 == 0 ? 8 : 1) - (light[s] - 4) / 50;
      frames[i * kWidth + s] =
          static_cast<unsigned char>(std::clamp(light[s], 0.0F, 9.0F) + 3 * random.uniform());
    }
  return frames;
}

/// Measured in packets of these lengths, again and again.
Measurement measured(const std::vector<unsigned char>& frames, std::size_t sensors, int groups,
                     const std::vector<std::size_t>& packets) {
  Measurement measurement(sensors, kWidth, groups);
  Definition definition(frames, kWidth, groups);
  const std::size_t instants = frames.size() / kWidth;
  std::size_t packet = 0;
  for (std::size_t done = 0; done < instants; ++packet) {
    std::size_t left = std::min(packets[packet % packets.size()], instants - done);
    while (left > 0) {
      const std::size_t piece = measurement.until_block_ends(left), stop = done + piece;
      const auto end = static_cast<long long>(stop);
      measurement.add(&frames[done * kWidth], piece,
                      [&](auto& sums, auto& state) { definition.leave(end, sums, state); });
      done += piece, left -= piece;
    }
  }
  return measurement;
}

/// G of a sensor from its counts, of bins that end after `from` and up to `to`.
std::optional<double> plain(const std::vector<unsigned char>& frames, std::size_t sensor, int group,
                            int position, long long from, long long to) {
  const Definition counts(frames, kWidth, group + 1);
  const long long length = 1LL << group, delay = 32 * (length - 1) + position * length;
  long double products = 0, undelayed = 0, delayed = 0, n = 0;
  for (long long now = from / length * length + length; now <= to; now += length) {
    if (now - delay - length < 0) continue;  // it begins before the measurement
    const auto a = static_cast<long double>(counts.bin(sensor, group, now)),
               b = static_cast<long double>(counts.bin(sensor, group, now - delay));
    products += a * b, undelayed += a, delayed += b, n += 1;
  }
  if (undelayed == 0 || delayed == 0) return std::nullopt;
  return static_cast<double>((products / n) / ((undelayed / n) * (delayed / n)) - 1);
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double standard_error(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::pow(value - mean(values), 2);
  const auto n = static_cast<double>(values.size());
  return std::sqrt(sum / (n - 1)) / std::sqrt(n);
}

TEST(MultiTauCurve, IsTheRatioOfMeansOverTheSameInstants) {
  // Groups 0 to 7: in 6 and 7 a delayed bin begins before the measurement, and is left out.
  constexpr std::size_t kInstants = 12'000, kSensors = 8;
  const std::vector<unsigned char> frames = some_counts(kSensors, kInstants);
  const Measurement measurement = measured(frames, kSensors, 8, {1000});
  const Curve curve = curve_of(measurement);
  EXPECT_EQ(curve.errors, Errors::sensors);
  EXPECT_EQ(curve.parts, kSensors);
  ASSERT_EQ(curve.points.back().group, 7);
  EXPECT_EQ(curve.points.front().delay, 0);
  std::size_t checked = 0;
  for (const Point& point : curve.points) {
    EXPECT_GE(point.products, 32);
    if (point.position % 7 != 0 && point.group < 6) continue;
    std::vector<double> values;
    for (std::size_t s = 0; s < kSensors; ++s)
      values.push_back(*plain(frames, s, point.group, point.position, 0, kInstants));
    EXPECT_NEAR(point.value, mean(values), 1e-12) << point.delay;
    EXPECT_NEAR(point.error, standard_error(values), 1e-12) << point.delay;
    EXPECT_EQ(point.sensors, kSensors);
    ++checked;
  }
  EXPECT_GT(checked, 40U);
}

TEST(MultiTauCurve, ErrorsOfTimeComeFromBlocks) {
  constexpr std::size_t kInstants = 6000;
  const std::vector<unsigned char> frames = some_counts(2, kInstants);
  const Measurement measurement = measured(frames, 2, 4, {4096});
  ASSERT_EQ(measurement.block_instants(), 512);
  ASSERT_EQ(measurement.blocks().size(), 12U);
  const Curve curve = curve_of(measurement);
  EXPECT_EQ(curve.errors, Errors::time);
  EXPECT_EQ(curve.parts, 11U);
  for (const Point& point : curve.points) {
    if (point.position % 5 != 0) continue;
    std::vector<double> blocks;
    for (long long block = 0; block < 11; ++block) {
      std::vector<double> sensors;
      // The first block has no products of long delays, or few.
      if (block == 0 && (512 >> point.group) < 2 * last_bin_left_out(point.group, point.position)) continue;
      for (std::size_t s = 0; s < 2; ++s)
        sensors.push_back(*plain(frames, s, point.group, point.position, block * 512, (block + 1) * 512));
      blocks.push_back(mean(sensors));
    }
    EXPECT_NEAR(point.error, standard_error(blocks), 1e-12) << point.delay;
  }
  const Curve second = curve_of(measurement, 1, Errors::sensors);
  EXPECT_EQ(second.parts, 1U);
  EXPECT_NEAR(second.points[40].value,
              *plain(frames, 1, second.points[40].group, second.points[40].position, 0, kInstants), 1e-12);
  EXPECT_TRUE(std::isnan(second.points[40].error));
}

TEST(MultiTauCurve, DoesNotDependOnPackets) {
  const std::vector<unsigned char> frames = some_counts(3, 3000);
  const Curve whole = curve_of(measured(frames, 3, 5, {3000}));
  for (const std::vector<std::size_t>& packets :
       {std::vector<std::size_t>{1}, {255, 256, 257}, {31, 1000, 2}, {700}}) {
    const Curve cut = curve_of(measured(frames, 3, 5, packets));
    ASSERT_EQ(cut.points.size(), whole.points.size());
    for (std::size_t i = 0; i < cut.points.size(); ++i) {
      EXPECT_EQ(cut.points[i].value, whole.points[i].value);
      EXPECT_EQ(cut.points[i].error, whole.points[i].error);
    }
  }
}

TEST(MultiTauCurve, OfConstantLightIsZeroAtAllDelays) {
  // Whatever a count is, also the largest, and with more rows than sums of 16 bits hold.
  std::vector<unsigned char> frames(40'000 * kWidth, 255);
  const Measurement measurement = measured(frames, 8, 1, {40'000});
  EXPECT_EQ(measurement.latest().totals, std::vector<std::uint64_t>(kWidth, 40'000 * 255));
  for (const Point& point : curve_of(measurement).points) EXPECT_EQ(point.value, 0) << point.delay;
  std::fill(frames.begin(), frames.end(), 0);
  frames.resize(1000 * kWidth);
  EXPECT_THAT(curve_of(measured(frames, 8, 2, {1000})).points, IsEmpty());
}

TEST(MultiTauCurve, ASensorWithoutCountsIsLeftOut) {
  std::vector<unsigned char> frames = some_counts(4, 1000);
  for (std::size_t i = 0; i < 1000; ++i) frames[i * kWidth + 2] = 0;
  const Curve curve = curve_of(measured(frames, 4, 2, {1000}));
  for (const Point& point : curve.points) {
    EXPECT_EQ(point.sensors, 3U);
    EXPECT_TRUE(std::isfinite(point.value));
  }
}

TEST(MultiTauCurve, ErrorsComeFromSensorsWhereEnoughOfThemHaveCounts) {
  std::vector<unsigned char> frames = some_counts(9, 3000);
  const auto curve = [&frames] { return curve_of(measured(frames, 9, 2, {3000})); };
  for (std::size_t dark = 0; dark < 3; ++dark) {
    const Curve found = curve();
    EXPECT_EQ(found.sensors, 9 - dark);
    EXPECT_EQ(found.errors, dark == 2 ? Errors::time : Errors::sensors);
    EXPECT_EQ(found.parts, dark == 2 ? 11 : 9 - dark);
    for (std::size_t i = 0; i < 3000; ++i) frames[i * kWidth + 3 * dark] = 0;
  }
}

TEST(MultiTauMeasurement, RefusesMoreInstantsThanItsSumsHold) {
  for (int groups = 1; groups <= 10; ++groups) {
    const long long most = most_instants(groups);
    // Bins of the last group hold 255 2^(groups - 1), and there is a product for each.
    const long double bin = std::ldexp(255.0L, groups - 1),
                      bins = std::ldexp(static_cast<long double>(most), 1 - groups);
    EXPECT_LE(bin * bin * bins, std::ldexp(1.0L, 64));
    EXPECT_GT(bin * bin * (bins + 1), std::ldexp(1.0L, 64));
    must_hold(most - 100, 100, groups);
    EXPECT_THAT(error_of([&] { must_hold(most - 100, 101, groups); }), HasSubstr(std::to_string(most)));
  }
}

TEST(MultiTauMeasurement, HasEightToFifteenBlocksHoweverLongItIs) {
  const std::vector<unsigned char> frames = some_counts(1, 256);
  Measurement measurement(1, kWidth, 1);
  for (int i = 1; i <= 300; ++i) {
    for (std::size_t done = 0; done < 256;) {
      const std::size_t piece = measurement.until_block_ends(256 - done);
      measurement.add(&frames[done * kWidth], piece, [&](auto& /*sums*/, auto& state) {
        for (std::size_t s = 0; s < kWidth; ++s)
          for (std::size_t p = 0; p < std::min<std::size_t>(piece, 33); ++p)
            state[s * 34 + p] = frames[(done + piece - 1 - p) * kWidth + s];
      });
      done += piece;
    }
    const long long whole = measurement.latest().elapsed / measurement.block_instants();
    ASSERT_EQ(static_cast<long long>(measurement.blocks().size()) - 1, whole);
    ASSERT_LE(whole, 15);
    if (i >= 8) {
      ASSERT_GE(whole, 8);
    }
    for (std::size_t b = 0; b < measurement.blocks().size(); ++b)
      ASSERT_EQ(measurement.blocks()[b].elapsed, static_cast<long long>(b) * measurement.block_instants());
  }
}

TEST(MultiTauMeasurement, RefusesAStateWithoutTheNewestCounts) {
  const std::vector<unsigned char> frames = some_counts(8, 64);
  Measurement measurement(8, kWidth, 2);
  EXPECT_THAT(error_of([&] { measurement.add(frames.data(), 64, [](auto&, auto&) {}); }),
              HasSubstr("see ./lockstep grade multi-tau"));
}

TEST(MultiTauCurve, RefusesSumsThatNoCountsHave) {
  const std::vector<unsigned char> frames = some_counts(8, 200);
  Measurement measurement(8, kWidth, 1);
  Definition definition(frames, kWidth, 1);
  measurement.add(frames.data(), 200, [&](auto& sums, auto& state) {
    definition.leave(200, sums, state);
    sums[0] = std::numeric_limits<unsigned long long>::max();
  });
  EXPECT_EQ(error_of([&] { curve_of(measurement); }),
            "multi_tau left sums that no counts have: see ./lockstep grade multi-tau");
}

// --- the fit ---

TEST(MultiTauFit, HasNoTimeWhereItsSearchEnds) {
  for (const double shape : {0.0, 0.04})
    for (const double time : {0.01, 0.1, 0.45, 0.55, 3.0, 99'000.0, 101'000.0, 1e6, 1e8}) {
      std::vector<CorrelationPoint> points;
      for (double delay = 1; delay < 1e6; delay = std::ceil(delay * 1.1))
        points.push_back({delay, DiffusionCurve{0.5, time, 0.01, shape}.at(delay)});
      const double found = fit_diffusion(points, shape).diffusion_time;
      EXPECT_EQ(was_searched(found), time >= 0.5 && time <= 1e5) << time << " gives " << found;
      if (was_searched(time)) {
        EXPECT_NEAR(found, time, time * 1e-3);
      }
    }
}

// --- delays per group ---

Traces traces_of(const std::vector<unsigned char>& frames, std::size_t sensors) {
  Traces traces(sensors);
  for (std::size_t i = 0; i < frames.size(); ++i)
    if (i % kWidth < sensors) traces[i % kWidth].push_back(frames[i]);
  return traces;
}

TEST(MultiTauThresholds, With32DelaysTheCurveIsThatOfTheExercise) {
  const std::vector<unsigned char> frames = some_counts(2, 9001);
  const Curve curve = curve_of(measured(frames, 2, 7, {4096}));
  const std::size_t reach = 3000;
  const std::vector<DelayedValue> values = multi_tau_correlation(traces_of(frames, 2), 32, reach);
  ASSERT_GT(values.size(), 200U);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(static_cast<long long>(values[i].delay), curve.points[i].delay);
    ASSERT_LE(values[i].delay, reach);
    EXPECT_NEAR(values[i].value, curve.points[i].value, 1e-12) << values[i].delay;
  }
}

TEST(MultiTauThresholds, ASensorWithoutCountsIsLeftOut) {
  const std::vector<unsigned char> frames = some_counts(2, 2000);
  const Traces traces = traces_of(frames, 2), with_dark = traces_of(frames, 4);
  EXPECT_EQ(plain_correlation(with_dark, 300), plain_correlation(traces, 300));
  const std::vector<DelayedValue> values = multi_tau_correlation(with_dark, 16, 300);
  for (std::size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(values[i].value, multi_tau_correlation(traces, 16, 300)[i].value);
}

TEST(MultiTauThresholds, ProductsAreThoseOfDelaysUpToTheReach) {
  EXPECT_EQ(products_per_count(4, 3), 4);
  EXPECT_EQ(products_per_count(4, 1), 2);
  EXPECT_EQ(products_per_count(4, 4), 4.5);  // 4 in bins of two
  EXPECT_EQ(products_per_count(4, 9), 5.5);  // 4, 6, 8
  EXPECT_EQ(products_per_count(64, 2000), 64 + 32 + 16 + 8 + 4 + 1 / 32.0);
}

TEST(MultiTauThresholds, PlainCorrelationHasEveryDelay) {
  const std::vector<unsigned char> frames = some_counts(3, 700);
  const Traces traces = traces_of(frames, 3);
  const std::vector<double> values = plain_correlation(traces, 127);
  ASSERT_EQ(values.size(), 128U);
  for (int delay = 0; delay < 128; delay += 9) {
    long double expected = 0;
    for (std::size_t s = 0; s < 3; ++s) {
      long double products = 0, newest = 0, past = 0;
      for (int t = delay; t < 700; ++t) {
        const long double a = traces[s][static_cast<std::size_t>(t)],
                          b = traces[s][static_cast<std::size_t>(t - delay)];
        products += a * b, newest += a, past += b;
      }
      expected += (products * (700 - delay) / (newest * past) - 1) / 3;
    }
    EXPECT_NEAR(values[static_cast<std::size_t>(delay)], static_cast<double>(expected), 1e-12);
  }
  // One group of as many delays is plain correlation; groups of fewer are not.
  const std::vector<ThresholdRow> rows = compare_thresholds(traces, 127, std::nullopt);
  ASSERT_EQ(rows.size(), kThresholds.size() + 1);
  EXPECT_EQ(rows[5].delays, 128);
  EXPECT_EQ(rows[5].groups, 1);
  EXPECT_NEAR(rows[5].difference, 0, 1e-12);
  EXPECT_GT(rows[0].difference, rows[3].difference);
  EXPECT_GT(rows[3].difference, 0);
  for (const ThresholdRow& row : rows) EXPECT_GT(row.seconds, 0);
}

// The lecture's table of the same, which figures/tabulate_delays_per_group computes.
TEST(MultiTauThresholds, WorkAndErrorAreThoseOfTheLecture) {
  const DiffusionCurve curve{.amplitude = 1, .diffusion_time = 100, .offset = 0, .shape = 0.04};
  const int groups[] = {13, 12, 11, 10, 10, 9};
  const double products[] = {8, 16, 32, 64, 128, 256};
  const double errors[] = {0.018, 0.0045, 0.0011, 0.00028, 0.000073, 0.000018};
  for (std::size_t i = 0; i < kThresholds.size(); ++i) {
    // Its groups reach back 32 735 instants, with the last bin's own length; here delays begin before that.
    EXPECT_EQ(groups_for(kThresholds[i], 32734), groups[i]);
    const auto all_delays = static_cast<std::size_t>(kThresholds[i]) * ((1U << groups[i]) - 1) - 1;
    EXPECT_NEAR(products_per_count(kThresholds[i], all_delays), products[i], 0.5);
    EXPECT_NEAR(error_of_bins(curve, kThresholds[i], 32734), errors[i], errors[i] * 0.05);
  }
}

// --- the stream ---

/// Both ends of a connection.
struct Pair {
  Pair() {
    int descriptors[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, descriptors), 0);
    server.emplace(descriptors[0]), client.emplace(descriptors[1]);
  }
  std::optional<Socket> server, client;
};

std::string a_packet(std::uint64_t elapsed, const std::string& counts, std::size_t sensors) {
  return bytes_of(PacketHeader{counts.size() / sensors, elapsed}) + counts;
}

struct Received {
  std::string counts, error;
  std::size_t packets = 0;
};

Received received(const std::string& bytes, std::size_t sensors) {
  Pair pair;
  Sender(*pair.client).send(bytes);
  pair.client.reset();
  PacketQueue queue(1);
  Received result;
  std::thread thread([&] { receive_packets(*pair.server, sensors, queue); });
  while (const std::optional<Packet> packet = queue.pop()) {
    result.counts.append(packet->counts.begin(), packet->counts.end());
    ++result.packets;
  }
  thread.join();
  result.error = queue.error();
  return result;
}

TEST(MultiTauStream, HeadersAreAsDocumented) {
  EXPECT_EQ(bytes_of(StreamHeader{258, 0.5}),
            std::string("LSCOUNTS\1\0\0\0\2\1\0\0\0\0\0\0\0\0\xe0\x3f", 24));
  EXPECT_EQ(bytes_of(PacketHeader{3, 0x0102030405}), std::string("PACK\3\0\0\0\5\4\3\2\1\0\0\0", 16));
  EXPECT_EQ(answer_of(258), std::string("DONE\0\0\0\0\2\1\0\0\0\0\0\0", 16));
  const StreamHeader header = stream_header(bytes_of(StreamHeader{4096, 1.6e-6}));
  EXPECT_EQ(header.sensors, 4096U);
  EXPECT_EQ(header.interval, 1.6e-6);
}

TEST(MultiTauStream, WhatIsNoHeaderIsRefused) {
  const auto says = [](std::string bytes, std::size_t at, const std::string& other) {
    bytes.replace(at, other.size(), other);
    return error_of([&] { stream_header(bytes); });
  };
  const std::string good = bytes_of(StreamHeader{8, 1});
  EXPECT_EQ(says(good, 0, ""), "no error");
  EXPECT_EQ(says(good, 0, "GET /\r\n "), "what the sender begins with, \"GET /?? \", is not LSCOUNTS");
  EXPECT_EQ(says(good, 8, "\2"), "the stream has version 2, and this program knows 1");
  EXPECT_EQ(says(good, 12, std::string(1, '\0')), "the stream has 0 sensors, which is not from 1 to 4096");
  EXPECT_EQ(says(good, 14, "\1"), "the stream has 65544 sensors, which is not from 1 to 4096");
  for (const double interval :
       {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), 1e7})
    EXPECT_THAT(error_of([&] {
                  stream_header(bytes_of(StreamHeader{8, interval}));
                }),
                HasSubstr("length of an instant"));
}

TEST(MultiTauStream, WhatIsNoStreamIsRefusedAndTheNextIsTaken) {
  const std::string good = bytes_of(StreamHeader{8, 0.5});
  std::optional<Listener> listener;
  listener.emplace("127.0.0.1", 0);
  const std::string port = std::to_string(listener->port());
  std::vector<std::string> refused;
  std::optional<Stream> stream;
  std::thread server([&] {
    stream.emplace(accepted_stream(*listener, std::chrono::seconds(2),
                                   [&](const std::string& why) { refused.push_back(why); }));
    listener.reset();
  });
  std::optional<Socket> other;
  {
    std::vector<Socket> strays;
    for (const std::string& begin :
         {std::string("GET / HTTP/1.1\r\nHost: localhost\r\n"), std::string(), good.substr(0, 23)}) {
      strays.push_back(connected("127.0.0.1", port));
      Sender(strays.back()).send(begin);
      EXPECT_EQ(strays.back().receive(1), "") << "closed by the server";
    }
    other.emplace(connected("127.0.0.1", port));
    Sender(*other).send(good.substr(0, 10));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    Sender(*other).send(good.substr(10));
    server.join();
  }
  EXPECT_THAT(refused, ElementsAre(HasSubstr("is not LSCOUNTS"), HasSubstr("after 0 of the 24 bytes"),
                                   HasSubstr("after 23 of the 24 bytes")));
  EXPECT_EQ(stream->header.sensors, 8U);
  EXPECT_THAT(error_of([&] { connected("127.0.0.1", port); }),
              HasSubstr("no server answers at 127.0.0.1:" + port));
}

TEST(MultiTauStream, AnAddressWithColonsHasBrackets) {
  EXPECT_EQ(host_and_port("127.0.0.1", "5000"), "127.0.0.1:5000");
  EXPECT_EQ(host_and_port("::1", "5000"), "[::1]:5000");
}

TEST(MultiTauStream, AShareOfLatenciesIsAtMostTheOneAtItsPlace) {
  EXPECT_EQ(place_of(0.99, 1), 0U);
  EXPECT_EQ(place_of(0.99, 79), 78U);
  EXPECT_EQ(place_of(0.99, 100), 98U);
  EXPECT_EQ(place_of(0.99, 101), 99U);
  EXPECT_EQ(place_of(0.5, 3), 1U);
  EXPECT_EQ(place_of(1, 5), 4U);
  for (std::size_t count = 1; count < 500; ++count) {
    const std::size_t place = place_of(0.99, count);
    EXPECT_GE(100 * (place + 1), 99 * count);
    EXPECT_LT(100 * place, 99 * count);
  }
}

TEST(MultiTauStream, PacketsArriveWholeAndInOrder) {
  const std::string end = bytes_of(PacketHeader{0, 3});
  const Received all = received(a_packet(0, "abcd", 2) + a_packet(2, "ef", 2) + end, 2);
  EXPECT_EQ(all.counts, "abcdef");
  EXPECT_EQ(all.packets, 2U);
  EXPECT_EQ(all.error, "");
}

// Wherever the sender dies, the whole packets before are counted, and a line says where it was.
TEST(MultiTauStream, ASenderThatDiesLosesWhatHasNotArrived) {
  const std::string bytes = a_packet(0, "abcd", 2) + a_packet(2, "ef", 2) + bytes_of(PacketHeader{0, 3});
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const Received part = received(bytes.substr(0, length), 2);
    EXPECT_EQ(part.counts, length < 20 ? "" : length < 38 ? "abcd" : "abcdef") << length;
    EXPECT_THAT(part.error, HasSubstr("the sender ended")) << length;
  }
  EXPECT_EQ(received(bytes.substr(0, 38), 2).error,
            "the sender ended after 2 packets, without the packet that says so");
  EXPECT_EQ(received(bytes.substr(0, 37), 2).error,
            "the sender ended within packet 2, after 1 of the 2 bytes of its counts");
}

TEST(MultiTauStream, WhatIsNoPacketEndsIt) {
  const std::string first = a_packet(0, "abcd", 2);
  const auto after = [&first](const std::string& bytes) {
    const Received part = received(first + bytes, 2);
    EXPECT_EQ(part.counts, "abcd");
    return part.error;
  };
  EXPECT_EQ(after("\x1b[2Jmore than a header"), "a packet begins with \"?[2J\", not PACK");
  EXPECT_EQ(after(a_packet(3, "ef", 2)), "a packet follows on 3 instants, and 2 have come");
  EXPECT_THAT(after(bytes_of(PacketHeader{kMaxPacketInstants + 1, 2})), HasSubstr("too long"));
  EXPECT_THAT(error_of([] {
                packet_header(bytes_of(PacketHeader{8192, 0}), 4096, 0);
              }),
              HasSubstr("a packet of 8192 instants of 4096 sensors is too long"));
}

TEST(MultiTauStream, AFullQueueHoldsTheSenderBackAndLosesNothing) {
  Pair pair;
  constexpr std::size_t kPackets = 40, kBytes = 1 << 16;
  std::string sent;
  double held = 0;
  std::thread client([&] {
    Sender sender(*pair.client);
    for (std::size_t i = 0; i < kPackets; ++i) {
      const std::string counts(kBytes, static_cast<char>('A' + i));
      sender.send(a_packet(i * kBytes, counts, 1));
      sent += counts;
    }
    sender.send(bytes_of(PacketHeader{0, kPackets * kBytes}));
    held = sender.held_seconds();
    EXPECT_LE(sender.longest_seconds(), held);
  });
  PacketQueue queue(2);
  std::thread server([&] { receive_packets(*pair.server, 1, queue); });
  std::string counts;
  std::size_t waited = 0;
  while (const std::optional<Packet> packet = queue.pop()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    counts.append(packet->counts.begin(), packet->counts.end());
    waited += packet->has_waited ? 1U : 0U;
  }
  client.join(), server.join();
  EXPECT_EQ(counts, sent);
  EXPECT_GT(held, 0);
  EXPECT_GT(waited, 0U);
}

TEST(MultiTauStream, AReaderThatGivesUpEndsBothSides) {
  Pair pair;
  PacketQueue queue(1);
  std::thread server([&] { receive_packets(*pair.server, 1, queue); });
  std::string error;
  std::thread client([&] {
    error = error_of([&] {
      Sender sender(*pair.client);
      for (std::uint64_t i = 0;; ++i) sender.send(a_packet(i * 65536, std::string(65536, 'x'), 1));
    });
  });
  ASSERT_TRUE(queue.pop().has_value());
  queue.cancel();
  pair.server->end();
  server.join(), client.join();
  EXPECT_THAT(error, HasSubstr("the server has closed the connection"));
}

// --- the picture ---

Curve a_curve(bool has_errors) {
  Curve curve{.errors = Errors::time, .parts = 9, .points = {}};
  for (int g = 0; g < 4; ++g)
    for (int p = 0; p < 32; ++p) {
      const auto delay = static_cast<double>(delay_of(g, p));
      curve.points.push_back({g, p, delay_of(g, p), 100, 1, 2 / (1 + delay / 20),
                              has_errors ? 0.01 : std::numeric_limits<double>::quiet_NaN()});
    }
  return curve;
}

TEST(MultiTauPicture, HasAxesALegendAndWhatIsLeftOfTheFit) {
  const Curve curve = a_curve(true);
  const std::optional<DiffusionCurve> fit{{.amplitude = 2, .diffusion_time = 20, .offset = 0, .shape = 0}};
  const std::string svg = Picture{"<a>", "b", 1e-6, curve, fit, 200}.svg();
  for (const char* text :
       {">&lt;a&gt;<", ">lag time τ<", ">1 µs<", ">100 µs<", ">correlation G(τ)<",
        ">mean, standard error of 9 blocks of time<", ">fit of free diffusion, τ_D = 20 µs<",
        ">(G − fit) / error<", ">beyond a tenth of the measurement<"})
    EXPECT_THAT(svg, HasSubstr(text));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
}

TEST(MultiTauPicture, WithoutErrorsFitAndIntervalHasInstants) {
  const Curve curve = a_curve(false);
  const std::string svg = Picture{"a", "b", 0, curve, std::nullopt, 1000}.svg();
  for (const char* text : {">lag time τ (instants)<", ">10<", ">measured<"})
    EXPECT_THAT(svg, HasSubstr(text));
  for (const char* text : {"fit", "error", "nan", "beyond"}) EXPECT_THAT(svg, Not(HasSubstr(text)));
}

TEST(MultiTauPicture, OfOneSensorHasNoMean) {
  Curve curve = a_curve(true);
  curve.sensors = 1;
  const std::string svg = Picture{"a", "b", 0, curve, std::nullopt, 1000}.svg();
  EXPECT_THAT(svg, HasSubstr(">measured, standard error of 9 blocks of time<"));
}

TEST(MultiTauPicture, HasNoErrorsWhereTheyAreTooSmall) {
  const Curve curve = a_curve(true);
  const std::optional<DiffusionCurve> fit{{.amplitude = 2, .diffusion_time = 20, .offset = 0, .shape = 0}};
  for (const long long longest : {1, 10, 50}) {
    const std::string svg = Picture{"a", "b", 0, curve, fit, 200, longest}.svg();
    const std::string path = "<path fill=\"none\" stroke-opacity=\"0.55\"";
    const std::size_t at = svg.find(path);
    ASSERT_NE(at, std::string::npos);
    const std::size_t end = svg.find("/>", at);
    // 1 to 10; 1 to 31, and 32 to 50 in steps of 2.
    EXPECT_EQ(std::count(svg.begin() + static_cast<long>(at), svg.begin() + static_cast<long>(end), 'V'),
              longest == 50 ? 41 : longest);
  }
}

TEST(MultiTauPicture, AllPointsLieWithinItsAxes) {
  const Curve curve = a_curve(true);
  for (const double interval : {0.0, 1.0, 1e-6, 3e-4}) {
    const std::string svg = Picture{"a", "b", interval, curve, std::nullopt, 1000}.svg();
    int circles = 0;
    for (std::size_t at = svg.find("<circle cx="); at != std::string::npos;
         at = svg.find("<circle cx=", at + 1)) {
      const std::size_t x = at + std::string("<circle cx=\"").size(), y = svg.find("cy=\"", at) + 4;
      EXPECT_THAT(std::stod(svg.substr(x, 8)), AllOf(Ge(92), Le(792)));
      EXPECT_THAT(std::stod(svg.substr(y, 8)), AllOf(Ge(76), Le(476)));
      ++circles;
    }
    EXPECT_EQ(circles, 128) << "all but delay 0, and that of the legend";
  }
}

TEST(MultiTauPicture, TimesHaveUnits) {
  EXPECT_EQ(time_of(3, 1e-3), "3 ms");
  EXPECT_EQ(time_of(1000, 1e-6), "1 ms");
  EXPECT_EQ(time_of(1.5, 1e-9), "1.5 ns");
  EXPECT_EQ(time_of(1, 1e-11), "0.01 ns");
  EXPECT_EQ(time_of(0, 1), "0 s");
  EXPECT_EQ(time_of(999.7e-6, 1), "1000 µs");
  EXPECT_EQ(time_of(999.4e-6, 1), "999 µs");
  EXPECT_EQ(time_of(999.7, 0), "1000 instants");
  EXPECT_EQ(time_of(7200, 1), "7200 s");
  EXPECT_EQ(time_of(1, 0), "1 instant");
  EXPECT_EQ(time_of(32224, 0), "32224 instants");
}

}  // namespace
}  // namespace lockstep::test::multi_tau_study_test
