// What is stored of a GPU is used for this GPU and driver alone, and never when it is damaged.
#include "calibration/calibration_store.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>

#include "shell.h"

namespace lockstep::calibration {
namespace {

using result::Quantity;
using testing::HasSubstr;
using testing::IsEmpty;

const result::GpuIdentity kGpu{"NVIDIA H200", "GPU-00112233-4455-6677-8899-aabbccddeeff", "580.65.06"};

/// Counts what it is asked for, and gives every figure the same value, but the unsteady one the spreads of
/// `spreads` in turn, the last of them for ever, and a value that falls with the spread.
class FakeCalibrator final : public device::Calibrator {
 public:
  result::GpuIdentity gpu() const override { return gpu_; }
  std::string toolkit() const override { return "13.0.88"; }
  result::Figure measure(Quantity quantity) override {
    asked.push_back(quantity);
    if (quantity != unsteady) return {4.25e12, 0.01};
    const double spread = spreads[std::min(next_++, spreads.size() - 1)];
    return {4.25e12 * (1 - spread), spread};
  }
  std::vector<Quantity> asked;
  std::optional<Quantity> unsteady;
  std::vector<double> spreads = {0.4};
  result::GpuIdentity gpu_ = kGpu;

 private:
  std::size_t next_ = 0;
};

class CalibrationStore : public testing::Test {
 protected:
  std::filesystem::path file() const { return folder() / (kGpu.uuid + ".json"); }
  std::filesystem::path folder() const { return temporary_.path() / "calibration"; }
  StoredCalibration complete(const std::vector<Quantity>& wanted) {
    calibrator_.asked.clear();
    return complete_calibration(folder(), calibrator_, wanted, [](const std::string&) {});
  }
  std::string stored_text() const {
    std::ifstream stream(file());
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void damage(const std::string& what, const std::string& replacement) {
    std::string text = stored_text();
    const std::size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    temporary_.write("calibration/" + kGpu.uuid + ".json", text.replace(at, what.size(), replacement));
  }
  test::TemporaryFolder temporary_;
  FakeCalibrator calibrator_;
};

TEST_F(CalibrationStore, GivesBackWhatWasKept) {
  const result::Calibration made =
      measure_gpu(calibrator_, result::all_quantities(), [](const std::string&) {});
  EXPECT_EQ(made.figures.size(), 11U);
  save_calibration(folder(), made);
  const StoredCalibration found = load_calibration(folder(), kGpu);
  EXPECT_EQ(found.complaint, "");
  EXPECT_EQ(found.calibration.gpu, kGpu);
  EXPECT_EQ(found.calibration.toolkit, "13.0.88");
  EXPECT_EQ(found.calibration.date, made.date);
  ASSERT_EQ(found.calibration.figures.size(), made.figures.size());
  for (const auto& [quantity, figure] : found.calibration.figures) {
    EXPECT_EQ(figure.value, 4.25e12);
    EXPECT_EQ(figure.spread, 0.01);
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder())) EXPECT_EQ(entry.path(), file());
}

TEST_F(CalibrationStore, NothingStoredIsNoComplaint) {
  const StoredCalibration found = load_calibration(folder(), kGpu);
  EXPECT_THAT(found.calibration.figures, IsEmpty());
  EXPECT_EQ(found.complaint, "");
}

TEST_F(CalibrationStore, MeasuresWhatIsMissingAndNothingElse) {
  EXPECT_EQ(complete({Quantity::copied_bytes}).calibration.figures.size(), 1U);
  EXPECT_THAT(calibrator_.asked, testing::ElementsAre(Quantity::copied_bytes));
  EXPECT_EQ(complete({Quantity::copied_bytes, Quantity::gathers}).calibration.figures.size(), 2U);
  EXPECT_THAT(calibrator_.asked, testing::ElementsAre(Quantity::gathers));
  EXPECT_EQ(complete({Quantity::copied_bytes}).calibration.figures.size(), 2U);
  EXPECT_THAT(calibrator_.asked, IsEmpty());
}

TEST_F(CalibrationStore, RefusesFiguresOfAnotherDriver) {
  complete({Quantity::copied_bytes});
  calibrator_.gpu_.driver = "600.1";
  EXPECT_THAT(load_calibration(folder(), calibrator_.gpu_).calibration.figures, IsEmpty());
  complete({Quantity::copied_bytes});
  EXPECT_THAT(calibrator_.asked, testing::ElementsAre(Quantity::copied_bytes));
  EXPECT_EQ(load_calibration(folder(), calibrator_.gpu_).calibration.figures.size(), 1U);
}

TEST_F(CalibrationStore, RefusesFiguresOfAnotherGpu) {
  complete({Quantity::copied_bytes});
  result::GpuIdentity other = kGpu;
  other.uuid = "GPU-ffeeddcc-0000-0000-0000-000000000000";
  EXPECT_THAT(load_calibration(folder(), other).calibration.figures, IsEmpty());
  // Not even when the file was copied to the other GPU's name.
  std::filesystem::copy_file(file(), folder() / (other.uuid + ".json"));
  EXPECT_THAT(load_calibration(folder(), other).calibration.figures, IsEmpty());
  other = kGpu;
  other.name = "NVIDIA H100";
  EXPECT_THAT(load_calibration(folder(), other).calibration.figures, IsEmpty());
}

TEST_F(CalibrationStore, ADamagedFileIsToldOnceAndMeasuredAgain) {
  struct Damage {
    const char *what, *replacement, *complaint;
  };
  for (const Damage& damage_done : {Damage{"{\n", "[\n", "no JSON"},
                                    {"calibration/v1", "calibration/v0", "lockstep/calibration/v1"},
                                    {"\"driver\"", "\"drover\"", "driver is missing"},
                                    {"4250000000000.0", "0", "no positive number"},
                                    {"4250000000000.0", "-4.25e12", "no positive number"},
                                    {"4250000000000.0", "null", "no positive number"},
                                    {"4250000000000.0", "1e999", ""},
                                    {"0.01", "\"little\"", "no spread"},
                                    {"B/s", "kB/s", "not in B/s"},
                                    {"copied-bytes", "copied-bites", "unknown"},
                                    {"\"figures\"", "\"figure\"", "figures are missing"}}) {
    std::filesystem::remove(file());
    complete({Quantity::copied_bytes});
    damage(damage_done.what, damage_done.replacement);
    const StoredCalibration found = complete({Quantity::copied_bytes});
    EXPECT_THAT(found.complaint, HasSubstr("measured again")) << damage_done.replacement;
    EXPECT_THAT(found.complaint, HasSubstr(file().string()));
    EXPECT_THAT(found.complaint, HasSubstr(damage_done.complaint));
    EXPECT_EQ(calibrator_.asked.size(), 1U) << damage_done.replacement;
    EXPECT_EQ(found.calibration.figures.at(Quantity::copied_bytes).value, 4.25e12);
    EXPECT_EQ(complete({Quantity::copied_bytes}).complaint, "");
    EXPECT_THAT(calibrator_.asked, IsEmpty());
  }
}

TEST_F(CalibrationStore, ACutFileIsDamagedWhereverItEnds) {
  complete(result::all_quantities());
  const std::string whole = stored_text();
  for (std::size_t bytes = 0; bytes + 2 < whole.size(); bytes += 7) {
    temporary_.write("calibration/" + kGpu.uuid + ".json", whole.substr(0, bytes));
    EXPECT_THAT(load_calibration(folder(), kGpu).calibration.figures, IsEmpty()) << bytes;
    EXPECT_NE(load_calibration(folder(), kGpu).complaint, "") << bytes;
  }
}

TEST_F(CalibrationStore, FiguresOfABusyGpuServeOnceAndAreNotKept) {
  calibrator_.unsteady = Quantity::gathers;
  const StoredCalibration found = complete({Quantity::copied_bytes, Quantity::gathers});
  EXPECT_EQ(found.calibration.figures.size(), 2U);
  EXPECT_THAT(found.complaint, HasSubstr("something else was running: gathers"));
  EXPECT_THAT(calibrator_.asked, testing::ElementsAre(Quantity::copied_bytes, Quantity::gathers,
                                                      Quantity::gathers, Quantity::gathers));
  calibrator_.unsteady.reset();
  EXPECT_EQ(complete({Quantity::copied_bytes, Quantity::gathers}).complaint, "");
  EXPECT_THAT(calibrator_.asked, testing::ElementsAre(Quantity::gathers));
}

TEST_F(CalibrationStore, AFigureThatWasDisturbedIsMeasuredAgain) {
  calibrator_.unsteady = Quantity::copied_bytes;
  calibrator_.spreads = {0.5, 0.02};
  const StoredCalibration found = complete({Quantity::copied_bytes});
  EXPECT_EQ(found.complaint, "");
  EXPECT_EQ(found.calibration.figures.at(Quantity::copied_bytes).spread, 0.02);
  EXPECT_EQ(calibrator_.asked.size(), 2U);
}

TEST_F(CalibrationStore, OfDisturbedFiguresTheSteadiestCounts) {
  calibrator_.unsteady = Quantity::copied_bytes;
  for (const std::vector<double>& spreads :
       {std::vector<double>{0.5, 0.3, 0.4}, {0.3, std::nan(""), 0.4}, {std::nan(""), 0.4, 0.3}}) {
    FakeCalibrator calibrator = calibrator_;
    calibrator.spreads = spreads;
    const result::Calibration made =
        measure_gpu(calibrator, {Quantity::copied_bytes}, [](const std::string&) {});
    EXPECT_EQ(made.figures.at(Quantity::copied_bytes).spread, 0.3);
  }
}

TEST_F(CalibrationStore, AFolderThatCannotBeWrittenCostsTheFileOnly) {
  temporary_.write("calibration", "a file where the folder should be");
  const StoredCalibration found = complete({Quantity::copied_bytes});
  EXPECT_EQ(found.calibration.figures.size(), 1U);
  EXPECT_THAT(found.complaint, HasSubstr("not kept"));
  EXPECT_THAT(found.complaint, HasSubstr(file().string()));
}

}  // namespace
}  // namespace lockstep::calibration
