// What one GPU can do at most, as text.
#pragma once

#include <string>

#include "report/text_style.h"
#include "result/calibration.h"

namespace lockstep::report {

/// Three digits with the unit's prefix: "4.21 TB/s", "32.3 T/s", "2.10 us".
std::string figure_text(double value, const std::string& unit);

/// A table: quantity, figure with unit, spread.
std::string render_calibration(const result::Calibration& calibration, const TextStyle& style);

}  // namespace lockstep::report
