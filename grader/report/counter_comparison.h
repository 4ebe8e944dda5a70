// Tables and JSON of what the emulated device and a GPU counted for the same launches.
#pragma once

#include <cstdint>
#include <string>

#include "report/text_style.h"
#include "result/result.h"

namespace lockstep::report {

/// Tables of `result.counters`; counters that are zero on both devices are left out.
std::string render_counters(const result::ExerciseResult& result, const std::string& gpu,
                            const TextStyle& style);
/// The same as JSON (lockstep/counters/v1), whole.
std::string render_counters_json(const result::ExerciseResult& result, const std::string& gpu,
                                 int multiprocessors, std::uint64_t seed);

}  // namespace lockstep::report
