// What gradings become: an instructor's policy and decisions are applied to them, and everything that changed
// points is told with its reason.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "classroom/outputs.h"
#include "classroom/policy.h"
#include "classroom/store.h"

namespace lockstep::classroom {

/// Puts the newest gradings into the table, then the policy and the decisions. `first_new` is the id from
/// which on gradings are of this run. Adds to the table's problems what has to be looked at. Returns whether
/// a grading is a `grader-error` that nobody has overruled.
bool take_results(ClassTable& table, const Store& store, const Policy& policy, std::int64_t first_new);

/// "transpose: 8.0 of 10.0 earned: 2 days late, 20 % off; scan: …" of a student; empty where all points are
/// as earned.
std::string reasons_of(const ClassTable& table, const StudentRow& row);
/// A line for each student who has such.
std::string reasons_text(const ClassTable& table);

/// A line for each grading of this run whose points or verdict are others than before, with both versions and
/// what of the report has changed.
std::string moves_text(const ClassTable& table, const Store& store);

/// Members of gradings.json about what the rules made of a grading.
nlohmann::ordered_json rules_json(const Standing& standing);

/// What of two reports (lockstep/result/v1) of the same file differs, in words: "speed: passed, was
/// inconclusive".
std::string difference_of(const std::string& before, const std::string& now);

}  // namespace lockstep::classroom
