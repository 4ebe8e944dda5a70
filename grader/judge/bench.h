// Times the rungs, the reference and the vendor's libraries of an exercise side by side.
//
// One process per solution and round, in alternating order, times all sizes one after the other. All of them
// are trusted: inputs are used again, and outputs compared in the first round alone.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "course/catalogue.h"
#include "device/device.h"
#include "result/bench.h"
#include "result/calibration.h"

namespace lockstep::judge {

struct BenchOptions {
  int rounds = 9;  ///< at least 5
  std::uint64_t seed = 0;
  result::Figures figures;  ///< of the GPU: what quantities_of names
  std::function<void(const std::string& what)> progress;
};

/// Who is timed in a round, in this order. After 2 n rounds of n contenders each has been at every position,
/// and after every other, equally often. Source: Williams, 1949.
std::vector<std::size_t> order_of_round(std::size_t contenders, std::size_t round);

/// The reference's time over a solution's, the median of the rounds that both have; 0 where that is no
/// positive number, as of calls that are shorter than the noise of two batches. Both in seconds, by round.
double ratio_of_rounds(std::span<const double> seconds, std::span<const double> of_reference);

/// What the ceilings of an exercise's sizes are stated in.
std::set<result::Quantity> quantities_of(const course::SpeedTask& task);

/// Fills in copy_bandwidth, ceiling, rows and left_out; needs Problem::speed. Throws
/// std::runtime_error when a solution does not compile, fails or is wrong.
result::Bench measure_bench(const course::Exercise& exercise, device::TimingDevice& device,
                            const BenchOptions& options);

}  // namespace lockstep::judge
