// What `lockstep bench` measured of one exercise: figures as data, as text and as JSON. The JSON is the form
// of measurements/, described in its README.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/calibration.h"
#include "report/result.h"
#include "report/text_style.h"

namespace lockstep::report {

/// One solution at one size.
struct BenchRow {
  std::string solution;            ///< such as "03-transpose/rungs/tiled"
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
  Card card;
  std::string toolkit, date, commit, command;
  double copy_bandwidth = 0;          ///< B/s, read and written
  Ceiling ceiling;                    ///< that binds the largest size
  std::vector<BenchRow> rows;         ///< by size, then by solution; solutions in the order of the table
  std::vector<std::string> left_out;  ///< sentences about sizes that were not measured
};

/// Two tables with a row a size and a column a solution: the time of a call, and the share of the ceiling
/// that it reaches.
std::string render_bench(const Bench& bench, const TextStyle& style);

/// One object, schema lockstep/measurement/v1.
std::string render_bench_json(const Bench& bench);

/// Of a text that render_bench_json made: each rung's speed at one size as a share of the reference's, by
/// label; none of another size or card, and none of a text in another form.
std::map<std::string, double> recorded_rungs(const std::string& json, const std::string& card,
                                             const std::string& size);

}  // namespace lockstep::report
