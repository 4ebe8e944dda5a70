// Where the figures of `bench` lie, one file for a GPU and an exercise: measurements/GPU/TOPIC.json of the
// course. Those of the project's own GPUs come with it; `bench --output` adds a student's.
#pragma once

#include <map>
#include <string>

#include "course/problem.h"
#include "result/result.h"

namespace lockstep::cli {

/// Speeds of the rungs at a size in shares of the reference's; none when there is no record.
std::map<std::string, double> recorded_rungs(const std::string& gpu, const std::string& topic,
                                             const std::string& size);

/// Gives a speed the ladder that the course's own GPU recorded at the largest size that is graded, without a
/// place on it. Where there is none, nothing changes.
void add_recorded_ladder(result::Speed& speed, const course::Problem& problem);

}  // namespace lockstep::cli
