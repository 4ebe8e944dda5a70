// A GPU's figures as a table and as JSON, and the way back from JSON.
#include "report/calibration.h"

#include <gmock/gmock.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "calibration/calibration_json.h"
#include "golden.h"
#include "report/printable.h"

namespace lockstep::test {
namespace {

using namespace calibration;
using namespace report;
using namespace result;

/// Figures such as an H200 has.
Calibration sample() {
  return {{"NVIDIA H200", "GPU-00112233-4455-6677-8899-aabbccddeeff", "580.65.06"},
          "13.0.88",
          "2026-11-21",
          {{Quantity::copied_bytes, {4.255e12, 0.004}},
           {Quantity::fused_multiply_adds, {32.3e12, 0.001}},
           {Quantity::special_functions, {4.16e12, 0.0005}},
           {Quantity::integer_products, {16.7e12, 0.0012}},
           {Quantity::shared_bytes, {33.2e12, 0.002}},
           {Quantity::shared_atomics, {4.7e12, 0.003}},
           {Quantity::random_shared_atomics, {3.15e12, 0.006}},
           {Quantity::gathers, {76e9, 0.012}},
           {Quantity::cached_gathers, {160e9, 0.021}},
           {Quantity::global_atomics, {98.8e9, 0.008}},
           {Quantity::launch, {2.1e-6, 0.113}}}};
}

TEST(CalibrationReport, Text) { expect_golden("calibration.txt", render_calibration(sample(), {})); }
TEST(CalibrationReport, Json) { expect_golden("calibration.json", render_calibration_json(sample())); }

TEST(CalibrationReport, KeepsToThePage) {
  for (const std::string& line : split_lines(render_calibration(sample(), {.width = 60})))
    EXPECT_LE(display_width(line), 60U) << line;
}

TEST(CalibrationReport, ComesBackFromJson) {
  const Calibration found = parse_calibration(render_calibration_json(sample()));
  EXPECT_EQ(found.gpu, sample().gpu);
  EXPECT_EQ(render_calibration_json(found), render_calibration_json(sample()));
}

TEST(CalibrationReport, ARecordNamesItsCommit) {
  const std::string record = render_calibration_json(sample(), "0123abcd");
  EXPECT_EQ(nlohmann::json::parse(record).at("commit"), "0123abcd");
  EXPECT_EQ(render_calibration_json(parse_calibration(record)), render_calibration_json(sample()));
}

TEST(CalibrationReport, ShowsNoEscapeSequenceOfAFile) {
  Calibration hostile = sample();
  hostile.gpu.name = "\x1B[2Jcard";
  EXPECT_THAT(render_calibration(hostile, {}), testing::Not(testing::HasSubstr("\x1B")));
}

TEST(CalibrationReport, EveryQuantityHasTextsOfItsOwn) {
  EXPECT_EQ(all_quantities().size(), sample().figures.size());
  for (const Quantity quantity : all_quantities()) EXPECT_EQ(text_of(quantity).quantity, quantity);
}

TEST(FigureText, HasThreeDigitsAndAPrefix) {
  EXPECT_EQ(figure_text(4.213e12, "B/s"), "4.21 TB/s");
  EXPECT_EQ(figure_text(32.3e12, "/s"), "32.3 T/s");
  EXPECT_EQ(figure_text(160e9, "/s"), "160 G/s");
  EXPECT_EQ(figure_text(2.1e-6, "s"), "2.10 us");
  EXPECT_EQ(figure_text(999, "B/s"), "999 B/s");
  EXPECT_EQ(figure_text(5e15, "B/s"), "5000 TB/s");
  EXPECT_EQ(figure_text(0, "s"), "0.00 ns");
  EXPECT_EQ(figure_text(std::numeric_limits<double>::quiet_NaN(), "s"), "-");
}

}  // namespace
}  // namespace lockstep::test
