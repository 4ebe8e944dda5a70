#include "classroom/rules.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "classroom/shown.h"
#include "result/result.h"
#include "text/printable.h"
#include "text/wording.h"

namespace lockstep::classroom {
namespace {

std::string time_text(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

/// One file of those that may count.
struct Candidate {
  GradingKey key;
  HandIn hand_in;
  std::optional<Grading> grading;
  Effective effective;

  bool is_judged() const { return grading && grading->verdict != result::Verdict::grader_error; }
};

/// The last file first; others count only where they are better.
std::vector<Candidate> candidates_of(const Standing& standing, const Store& store, const Policy& policy,
                                     int free_days) {
  std::vector<Candidate> candidates = {{.key = standing.key, .hand_in = standing.hand_in}};
  if (policy.attempts == Policy::Attempts::best) {
    std::map<std::string, HandIn> hand_ins;
    for (const KeptAttempt& kept : store.kept_attempts(standing.key.student, standing.key.exercise))
      hand_ins[kept.sha256] = kept.hand_in;
    for (const GradingKey& key : standing.earlier)
      candidates.push_back({.key = key, .hand_in = hand_ins[key.sha256]});
  }
  for (Candidate& one : candidates) {
    if (!store.is_marked(one.key)) one.grading = store.newest(one.key);
    if (one.is_judged())
      one.effective = effective_points(policy, one.key.exercise, one.grading->points, one.grading->max_points,
                                       one.hand_in, free_days);
  }
  return candidates;
}

/// The first that has the most points after all rules; the last file where none has any.
const Candidate& best_of(const std::vector<Candidate>& candidates) {
  const Candidate* best = &candidates.front();
  for (const Candidate& one : candidates)
    if (one.is_judged() && (!best->is_judged() || one.effective.points > best->effective.points)) best = &one;
  return *best;
}

void take_grading(Standing& standing, const Store& store, const Policy& policy, std::int64_t first_new,
                  int& free_days) {
  const std::vector<Candidate> candidates = candidates_of(standing, store, policy, free_days);
  const Candidate& counting = best_of(candidates);
  if (!counting.grading) return;
  const bool is_earlier = &counting != &candidates.front();
  standing.kind = Standing::Kind::graded;
  standing.key = counting.key;
  standing.hand_in = counting.hand_in;
  standing.verdict = counting.grading->verdict;
  standing.complaint = counting.grading->complaint;
  standing.max_points = counting.grading->max_points;
  standing.is_judged = counting.is_judged();
  if (auto before = store.before(*counting.grading);
      before && standing.is_judged &&
      (before->points != counting.grading->points || before->verdict != counting.grading->verdict)) {
    standing.before = std::move(before);
    standing.has_moved = counting.grading->id >= first_new;
  }
  if (!standing.is_judged) return;
  standing.earned = counting.grading->points;
  standing.points = counting.effective.points;
  standing.days_late = counting.effective.days_late;
  free_days -= counting.effective.free_days;
  standing.whys = counting.effective.whys;
  if (is_earlier) standing.whys.insert(standing.whys.begin(), "of an earlier file, the best of several");
}

/// The decision about what was handed in last, if there is one.
void find_overrule(Standing& standing, const Store& store, const std::string& student,
                   const std::string& exercise) {
  standing.newest_file = standing.key.sha256;
  standing.overrule = store.overrule(student, exercise);
  standing.is_overrule_void = standing.overrule && standing.overrule->sha256 != standing.newest_file;
}

void take_overrule(Standing& standing) {
  if (!standing.overrule || standing.is_overrule_void) return;
  const std::string who =
      fmt::format("by {} on {}: {}", shown(standing.overrule->who), standing.overrule->time.substr(0, 10),
                  shown(standing.overrule->reason, kMaxOfReason));
  if (standing.overrule->is_accepted) {
    if (standing.is_judged) standing.whys.push_back("accepted " + who);
    return;
  }
  standing.is_judged = true;
  standing.points = standing.overrule->points;
  standing.days_late = 0;
  standing.whys = {"overruled " + who};
}

/// Exercises by their deadline, those without one last: late days that cost nothing are taken in this order.
std::vector<std::string> by_deadline(const ClassTable& table, const Policy& policy) {
  std::vector<std::string> exercises = table.exercises;
  std::stable_sort(exercises.begin(), exercises.end(), [&policy](const auto& a, const auto& b) {
    const auto first = policy.deadline_of(a), second = policy.deadline_of(b);
    return first && (!second || *first < *second);
  });
  return exercises;
}

bool is_time_unknown(const Standing& standing, const Policy& policy, const std::string& exercise) {
  return standing.kind == Standing::Kind::graded && !standing.is_decided() &&
         effective_points(policy, exercise, 0, 0, standing.hand_in, 0).time_is_unknown;
}

/// The parts of a report that have a verdict of their own, by their names in words.
std::map<std::string, std::string> parts_of(const std::string& report) {
  std::map<std::string, std::string> parts;
  const nlohmann::ordered_json root =
      nlohmann::ordered_json::parse(report, nullptr, /*allow_exceptions=*/false);
  try {
    const nlohmann::ordered_json& exercise = root.at("exercises").at(0);
    for (const nlohmann::ordered_json& one : exercise.at("correctness").at("cases"))
      parts["case " + one.at("name").get<std::string>()] = one.at("verdict").get<std::string>();
    for (const nlohmann::ordered_json& gate : exercise.at("technique").at("gates"))
      parts["gate " + gate.at("name").get<std::string>()] = gate.at("verdict").get<std::string>();
    const nlohmann::ordered_json& speed = exercise.at("speed");
    parts["speed"] = speed.at("verdict").get<std::string>();
    if (const nlohmann::ordered_json share = speed.value("points_share", nlohmann::ordered_json());
        share.is_number())
      parts["speed"] += fmt::format(" ({:.0f} % of its points)", 100 * share.get<double>());
  } catch (const nlohmann::ordered_json::exception&) {  // another form, of which only verdict and points are
                                                        // compared
  }
  return parts;
}

}  // namespace

bool take_results(ClassTable& table, const Store& store, const Policy& policy, std::int64_t first_new) {
  bool has_failed = false;
  std::map<std::string, std::size_t> without_time;
  const std::vector<std::string> exercises = by_deadline(table, policy);
  for (StudentRow& row : table.rows) {
    int free_days = policy.free_days;
    for (const std::string& exercise : exercises) {
      const auto found = row.standings.find(exercise);
      if (found == row.standings.end() && !store.overrule(row.id, exercise)) continue;
      Standing& standing = row.standings[exercise];
      // Also of what was not graded: a decision may give it points.
      if (const auto facts = table.facts.find(exercise); facts != table.facts.end())
        standing.max_points = facts->second.max_points;
      find_overrule(standing, store, row.id, exercise);
      if (standing.kind == Standing::Kind::due) {
        // Final points cost no late days.
        const bool is_final =
            standing.overrule && !standing.is_overrule_void && !standing.overrule->is_accepted;
        int none = 0;
        take_grading(standing, store, policy, first_new, is_final ? none : free_days);
      }
      take_overrule(standing);
      if (standing.is_overrule_void)
        table.problems.push_back(fmt::format(
            "{}: {}: what {} decided on {} was about another file, and does not count any more",
            shown(row.id), exercise, shown(standing.overrule->who), standing.overrule->time.substr(0, 10)));
      has_failed = has_failed || (standing.kind == Standing::Kind::graded && !standing.is_judged);
      if (is_time_unknown(standing, policy, exercise)) ++without_time[exercise];
    }
  }
  for (const auto& [exercise, count] : without_time)
    table.problems.push_back(
        fmt::format("{}: {} counted as in time, since nobody says when they were handed in", exercise,
                    text::counted(count, "file")));
  return has_failed;
}

std::string reasons_of(const ClassTable& table, const StudentRow& row) {
  std::vector<std::string> reasons;
  for (const std::string& exercise : table.exercises) {
    const auto found = row.standings.find(exercise);
    if (found == row.standings.end() || found->second.whys.empty()) continue;
    const Standing& standing = found->second;
    reasons.push_back(standing.verdict && *standing.verdict != result::Verdict::grader_error
                          ? fmt::format("{}: {} of {} earned: {}", exercise, points_text(standing.points),
                                        points_text(standing.earned), fmt::join(standing.whys, "; "))
                          : fmt::format("{}: {}: {}", exercise, points_text(standing.points),
                                        fmt::join(standing.whys, "; ")));
  }
  return fmt::format("{}", fmt::join(reasons, "; "));
}

std::string reasons_text(const ClassTable& table) {
  std::string text;
  for (const StudentRow& row : table.rows)
    if (const std::string reasons = reasons_of(table, row); !reasons.empty())
      text += fmt::format("  {}: {}\n", shown(row.id), reasons);
  return text;
}

std::string difference_of(const std::string& before, const std::string& now) {
  const auto old_parts = parts_of(before), new_parts = parts_of(now);
  std::vector<std::string> differences;
  for (const auto& [name, verdict] : new_parts) {
    const auto old = old_parts.find(name);
    if (old == old_parts.end()) {
      differences.push_back(fmt::format("{}: {}, is new", name, verdict));
    } else if (old->second != verdict) {
      differences.push_back(fmt::format("{}: {}, was {}", name, verdict, old->second));
    }
  }
  for (const auto& [name, verdict] : old_parts)
    if (!new_parts.contains(name)) differences.push_back(fmt::format("{}: gone, was {}", name, verdict));
  constexpr std::size_t kMaxShown = 3;
  if (differences.size() > kMaxShown) {
    const std::size_t more = differences.size() - kMaxShown;
    differences.resize(kMaxShown);
    differences.push_back(fmt::format("{} more", more));
  }
  return shown(fmt::format("{}", fmt::join(differences, "; ")), kMaxOfReason);
}

std::string moves_text(const ClassTable& table, const Store& store) {
  std::string text;
  for (const StudentRow& row : table.rows)
    for (const std::string& exercise : table.exercises) {
      const auto found = row.standings.find(exercise);
      if (found == row.standings.end() || !found->second.has_moved) continue;
      const Grading& before = *found->second.before;
      const auto now = store.newest(found->second.key);
      if (!now) continue;
      const std::string why = difference_of(before.report, now->report);
      text += fmt::format("  {}: {}: {} ({}, by {}), was {} ({}, by {}){}{}\n", shown(row.id), exercise,
                          points_text(now->points), result::name_of(now->verdict), now->key.lockstep,
                          points_text(before.points), result::name_of(before.verdict), before.key.lockstep,
                          why.empty() ? "" : ": ", why);
    }
  return text;
}

nlohmann::ordered_json rules_json(const Standing& standing) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  if (standing.hand_in.time) json["handed_in"] = time_text(*standing.hand_in.time);
  if (standing.hand_in.file_time) json["modified"] = time_text(*standing.hand_in.file_time);
  if (standing.hand_in.is_marked_late) json["marked_late"] = true;
  if (!standing.hand_in.commit.empty()) json["commit"] = text::printable(standing.hand_in.commit);
  if (standing.kind == Standing::Kind::graded && standing.verdict != result::Verdict::grader_error)
    json["earned"] = standing.earned;
  if (standing.is_judged && standing.kind != Standing::Kind::graded) json["points"] = standing.points;
  if (standing.days_late > 0) json["days_late"] = standing.days_late;
  if (!standing.whys.empty()) json["reasons"] = standing.whys;
  if (standing.overrule)
    json["overrule"] = {{"decision", standing.overrule->is_accepted ? "accepted" : "overruled"},
                        {"points", standing.overrule->points},
                        {"reason", text::printable(standing.overrule->reason)},
                        {"who", text::printable(standing.overrule->who)},
                        {"time", standing.overrule->time},
                        {"sha256", standing.overrule->sha256},
                        {"void", standing.is_overrule_void}};
  if (standing.before)
    json["before"] = {{"lockstep", standing.before->key.lockstep},
                      {"verdict", result::name_of(standing.before->verdict)},
                      {"points", standing.before->points},
                      {"time", standing.before->time}};
  return json;
}

}  // namespace lockstep::classroom
