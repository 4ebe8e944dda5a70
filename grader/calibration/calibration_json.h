// A calibration as JSON: the form in which it is stored, and that of the records of measurements/.
#pragma once

#include <string>

#include "result/calibration.h"

namespace lockstep::calibration {

/// One object, schema lockstep/calibration/v1. The version is raised when what is measured changes, so that
/// older figures are not taken for new ones. A record under measurements/ also names the commit.
std::string render_calibration_json(const result::Calibration& calibration, const std::string& commit = {});

/// Throws std::runtime_error with what is wrong, such as "copied-bytes is no positive number".
result::Calibration parse_calibration(const std::string& json);

}  // namespace lockstep::calibration
