// Times the rungs, the reference and the vendor's libraries of an exercise side by side.
//
// One process a solution and round, in turning order, times all sizes one after the other. All of them are
// trusted: inputs are used again, and what is compared is only whether the outputs are right.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "course/catalogue.h"
#include "device/device.h"
#include "report/bench.h"

namespace lockstep::judge {

struct BenchOptions {
  int rounds = 9;  ///< at least 5
  std::uint64_t seed = 0;
  double copy_bandwidth = 0;  ///< of the card, B/s
  std::function<void(const std::string& what)> progress;
};

/// Fills in rows and left_out; needs Problem::speed and a device that measures speed. Throws
/// std::runtime_error when a solution does not compile, fails or is wrong.
report::Bench measure_bench(const course::Exercise& exercise, device::Device& device,
                            const BenchOptions& options);

}  // namespace lockstep::judge
