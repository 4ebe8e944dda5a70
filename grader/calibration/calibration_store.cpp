#include "calibration/calibration_store.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "calibration/calibration_json.h"
#include "course/catalogue.h"
#include "storage/date.h"
#include "storage/files.h"

namespace lockstep::calibration {
namespace {

namespace fs = std::filesystem;
using result::Calibration;
using result::Quantity;

/// Rounds of a GPU that is left alone differ by a few percent; two programs on it halve some of them.
constexpr double kSteadySpread = 0.2;
constexpr int kMaxMeasurements = 3;  // of one figure

fs::path file_of(const fs::path& folder, const result::GpuIdentity& gpu) {
  return folder / (gpu.uuid + ".json");
}

/// The first that is steady, else the steadiest: by a figure that is too low a sound submission would seem
/// faster than its GPU can be.
result::Figure steadiest(device::Calibrator& calibrator, Quantity quantity) {
  result::Figure best = calibrator.measure(quantity);
  for (int i = 1; i < kMaxMeasurements && !(best.spread <= kSteadySpread); ++i) {
    const result::Figure next = calibrator.measure(quantity);
    if (next.spread < best.spread || std::isnan(best.spread)) best = next;
  }
  return best;
}

}  // namespace

fs::path calibration_folder() { return course::state_folder() / "calibration"; }

Calibration measure_gpu(device::Calibrator& calibrator, const std::vector<Quantity>& wanted,
                        const CalibrationProgress& progress) {
  Calibration calibration{calibrator.gpu(), calibrator.toolkit(), storage::today(), {}};
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    progress(fmt::format("measuring this GPU, {} of {}: {}", i + 1, wanted.size(), text_of(wanted[i]).what));
    calibration.figures[wanted[i]] = steadiest(calibrator, wanted[i]);
  }
  return calibration;
}

StoredCalibration load_calibration(const fs::path& folder, const result::GpuIdentity& gpu) {
  StoredCalibration nothing{{.gpu = gpu}, ""};
  const fs::path file = file_of(folder, gpu);
  std::error_code error;
  if (!fs::exists(file, error)) return nothing;
  try {
    Calibration stored = parse_calibration(storage::read_file(file));
    if (!(stored.gpu == gpu)) return nothing;
    return {std::move(stored), ""};
  } catch (const std::runtime_error& reason) {
    nothing.complaint = fmt::format("the GPU's stored figures are unusable, so it is measured again: {}: {}",
                                    file.string(), reason.what());
    return nothing;
  }
}

std::string save_calibration(const fs::path& folder, Calibration calibration) {
  std::string unsteady;
  std::erase_if(calibration.figures, [&unsteady](const auto& entry) {
    const auto& [quantity, figure] = entry;
    if (figure.spread <= kSteadySpread) return false;
    unsteady += (unsteady.empty() ? "" : ", ") + std::string(text_of(quantity).name);
    return true;
  });
  storage::write_file(file_of(folder, calibration.gpu), render_calibration_json(calibration));
  return unsteady.empty()
             ? ""
             : fmt::format("not kept, as their rounds differ, so that something else was running: {}",
                           unsteady);
}

StoredCalibration complete_calibration(const fs::path& folder, device::Calibrator& calibrator,
                                       const std::vector<Quantity>& wanted,
                                       const CalibrationProgress& progress) {
  StoredCalibration known = load_calibration(folder, calibrator.gpu());
  std::vector<Quantity> missing;
  for (const Quantity quantity : wanted) {
    if (!known.calibration.figures.contains(quantity)) missing.push_back(quantity);
  }
  if (missing.empty()) return known;
  Calibration measured = measure_gpu(calibrator, missing, progress);
  measured.figures.merge(known.calibration.figures);
  known.calibration = std::move(measured);
  std::string not_kept;
  try {
    not_kept = save_calibration(folder, known.calibration);
  } catch (const storage::FileError& reason) {
    not_kept = fmt::format("the GPU's figures are not kept: {}", reason.what());
  }
  if (!known.complaint.empty() && !not_kept.empty()) known.complaint += "; ";
  known.complaint += not_kept;
  return known;
}

}  // namespace lockstep::calibration
