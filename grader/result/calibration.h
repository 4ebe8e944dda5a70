// What one GPU can do at most, as `lockstep calibrate` measured it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::result {

/// In the order of the table. Each is a rate, a second's worth, except for the cost of a launch.
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
std::optional<Quantity> quantity_from(const std::string& name);

struct Figure {
  double value = 0;   ///< median of the rounds, in QuantityText::unit
  double spread = 0;  ///< greatest round less the smallest, as a share of the median
};

using Figures = std::map<Quantity, Figure>;

struct GpuIdentity {
  std::string name, uuid;
  std::string driver;  ///< such as "580.65.06"
  bool operator==(const GpuIdentity&) const = default;
};

struct Calibration {
  GpuIdentity gpu;
  std::string toolkit;  ///< that compiled the kernels, such as "13.0.88"
  std::string date;     ///< of the newest figure, YYYY-MM-DD
  Figures figures;
};

}  // namespace lockstep::result
