// What `lockstep bench` measured of one exercise.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "result/calibration.h"
#include "result/result.h"

namespace lockstep::result {

/// One solution at one size.
struct BenchRow {
  std::string solution;            ///< such as "05-transpose/rungs/tiled"
  std::string label;               ///< for tables, such as "tiled"
  std::string size;                ///< the case, such as "8192 x 8192"
  bool is_variation = false;       ///< of other inputs, not one more size
  double elements = 0, bytes = 0;  ///< the least that the case needs, of one call
  double work = 0;                 ///< likewise, of what Bench::ceiling is the rate of
  int rounds = 0;
  double seconds = 0;                  ///< median of one call
  std::pair<double, double> interval;  ///< that holds the median
  double ratio = 0;                    ///< the reference's time over this one's, median of the rounds
};

struct Bench {
  std::string exercise;  ///< topic
  GpuIdentity gpu;
  std::string toolkit, date, commit, command;
  double copy_bandwidth = 0;          ///< B/s, read and written
  Ceiling ceiling;                    ///< that binds the largest size
  std::vector<BenchRow> rows;         ///< by size, then by solution; solutions in the order of the table
  std::vector<std::string> left_out;  ///< sentences about sizes that were not measured
};

}  // namespace lockstep::result
