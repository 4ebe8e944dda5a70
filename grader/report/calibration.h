// What one card can do at most, as `lockstep calibrate` measured it: figures as data, as text and as JSON.
// The JSON is also how they are stored.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/text_style.h"

namespace lockstep::report {

/// In the order of the table. Each is a rate, a second's worth, but for the cost of a launch.
enum class Quantity {
  copied_bytes,
  fused_multiply_adds,
  special_functions,
  integer_products,
  shared_bytes,
  shared_atomics,
  random_shared_atomics,
  gathers,
  cached_gathers,
  global_atomics,
  launch,
};

struct QuantityText {
  Quantity quantity;
  const char* name;  ///< in JSON, such as "copied-bytes"
  const char* what;  ///< in the table, such as "memory copied, read and written"
  const char* unit;  ///< "B/s", "/s" or "s"
};

const QuantityText& text_of(Quantity quantity);
std::vector<Quantity> all_quantities();

struct Figure {
  double value = 0;   ///< median of the rounds, in QuantityText::unit
  double spread = 0;  ///< greatest round less the smallest, as a share of the median
};

using Figures = std::map<Quantity, Figure>;

struct Card {
  std::string name, uuid;
  std::string driver;  ///< such as "580.65.06"
  bool operator==(const Card&) const = default;
};

struct Calibration {
  Card card;
  std::string toolkit;  ///< that compiled the kernels, such as "13.0.88"
  std::string date;     ///< of the newest figure, YYYY-MM-DD
  Figures figures;
};

/// Three digits with the unit's prefix: "4.21 TB/s", "32.3 T/s", "2.10 us".
std::string figure_text(double value, const std::string& unit);

/// A table: quantity, figure with unit, spread.
std::string render_calibration(const Calibration& calibration, const TextStyle& style);

/// One object, schema lockstep/calibration/v1. The version is raised when what is measured changes, so that
/// older figures are not taken for new ones. A record under measurements/ also names the commit.
std::string render_calibration_json(const Calibration& calibration, const std::string& commit = {});

/// Throws std::runtime_error with what is wrong, such as "copied-bytes is no positive number".
Calibration parse_calibration(const std::string& json);

}  // namespace lockstep::report
