// The figures of the GPUs that were measured, each in a file of its own (.lockstep/calibration/UUID.json).
//
// They lie beside the student's progress and the cache of compiled code: grading needs to write there in any
// case, in a clone as in an unpacked package, and no build removes it. A home folder may be shared by
// machines with different GPUs, which is why the GPU names the file.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "device/calibrator.h"
#include "result/calibration.h"

namespace lockstep::calibration {

std::filesystem::path calibration_folder();

using CalibrationProgress = std::function<void(const std::string& what)>;

/// Measures `wanted` now; again, twice at most, what something else seems to have disturbed.
result::Calibration measure_gpu(device::Calibrator& calibrator, const std::vector<result::Quantity>& wanted,
                                const CalibrationProgress& progress);

struct StoredCalibration {
  result::Calibration calibration;  ///< without figures when there is no file for this GPU and driver
  std::string complaint;            ///< a sentence when there is a file and it is damaged
};
StoredCalibration load_calibration(const std::filesystem::path& folder, const result::GpuIdentity& gpu);

/// Whole or not at all, without the figures whose rounds differ so much that something else was running:
/// returns a sentence about them, empty when there are none. Throws storage::FileError.
std::string save_calibration(const std::filesystem::path& folder, result::Calibration calibration);

/// The stored calibration with the figures of `wanted` that it lacks, which are measured now and stored. The
/// complaint is also about what is not stored: that only costs time again.
StoredCalibration complete_calibration(const std::filesystem::path& folder, device::Calibrator& calibrator,
                                       const std::vector<result::Quantity>& wanted,
                                       const CalibrationProgress& progress);

}  // namespace lockstep::calibration
