// What `lockstep bench` measured of one exercise, as text and as JSON. The JSON is the form of measurements/,
// described in its README.
#pragma once

#include <map>
#include <string>

#include "report/text_style.h"
#include "result/bench.h"

namespace lockstep::report {

/// Two tables with a row per size and a column per solution: the time of a call, and the share of the ceiling
/// that it reaches.
std::string render_bench(const result::Bench& bench, const TextStyle& style);

/// One object, schema lockstep/measurement/v1.
std::string render_bench_json(const result::Bench& bench);

/// Of a text that render_bench_json made: each rung's speed at one size as a share of the reference's, by
/// label; none of another size or GPU, and none of a text in another form.
std::map<std::string, double> recorded_rungs(const std::string& json, const std::string& gpu,
                                             const std::string& size);

}  // namespace lockstep::report
