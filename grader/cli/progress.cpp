#include "cli/progress.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>

#include "course/catalogue.h"
#include "sandbox/file_descriptor.h"
#include "storage/files.h"

namespace lockstep::cli {
namespace {

constexpr const char* kSchema = "lockstep/progress/v1";

std::filesystem::path progress_file() { return course::state_folder() / "progress.json"; }

}  // namespace

Progress Progress::load() {
  Progress progress;
  std::error_code unreadable;
  if (!std::filesystem::is_regular_file(progress_file(), unreadable)) return progress;
  std::ifstream file(progress_file());
  const auto root = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object() || root.value("schema", nlohmann::json()) != kSchema) return progress;
  const auto exercises = root.find("exercises");
  if (exercises == root.end() || !exercises->is_object()) return progress;
  for (const auto& [name, entry] : exercises->items()) {
    if (!entry.is_object()) continue;
    ExerciseProgress& one = progress.exercises_[name];
    const auto field = [&entry = entry](const char* key) { return entry.value(key, nlohmann::json()); };
    if (field("verdict").is_string()) one.best = result::verdict_from(field("verdict").get<std::string>());
    if (field("points").is_number()) one.points = field("points").get<double>();
    if (field("hints").is_number_unsigned()) one.hints = field("hints").get<std::size_t>();
    if (field("passed_cases").is_number_unsigned())
      one.passed_cases = field("passed_cases").get<std::uint64_t>();
    if (field("cases").is_number_unsigned()) one.cases = field("cases").get<std::uint64_t>();
    const nlohmann::json gates = field("gates");
    for (const auto& [gate, value] : gates.items())
      if (gates.is_object() && value.is_number()) one.gates[gate] = value.get<double>();
  }
  return progress;
}

std::set<std::string> Progress::passed() const {
  std::set<std::string> topics;
  for (const auto& [name, one] : exercises_)
    if (one.best == result::Verdict::passed) topics.insert(name);
  return topics;
}

void Progress::compare(result::ExerciseResult& result) const {
  const auto before = exercises_.find(result.name);
  if (before == exercises_.end()) return;
  const ExerciseProgress& one = before->second;
  if (one.cases > 0 && one.cases == result.cases.size()) result.previous_passed = one.passed_cases;
  for (result::GateResult& gate : result.gates) {
    if (const auto value = one.gates.find(label_of(gate)); value != one.gates.end())
      gate.previous = value->second;
  }
}

void Progress::record(const result::ExerciseResult& result) {
  if (result.verdict == result::Verdict::grader_error) return;
  ExerciseProgress& one = exercises_[result.name];
  if (!result.cases.empty()) {
    one.cases = result.cases.size();
    one.passed_cases = result::passed_cases(result);
  }
  for (const result::GateResult& gate : result.gates)
    if (gate.verdict != result::Verdict::not_measured) one.gates[label_of(gate)] = gate.value;
  const auto rank = [](result::Verdict verdict, double points) {
    return std::tuple(verdict == result::Verdict::passed, points);
  };
  if (one.best && rank(*one.best, one.points) > rank(result.verdict, result.points)) return;
  one.best = result.verdict;
  one.points = result.points;
}

void Progress::update(const std::function<void(Progress&)>& change) {
  const sandbox::FileDescriptor lock = storage::lock_for_a_while(course::state_folder() / "progress.lock");
  Progress progress = load();
  change(progress);
  progress.save();
}

void Progress::save() const {
  nlohmann::ordered_json exercises = nlohmann::ordered_json::object();
  for (const auto& [name, one] : exercises_) {
    exercises[name] = {{"verdict", one.best ? nlohmann::ordered_json(result::name_of(*one.best)) : nullptr},
                       {"points", one.points},
                       {"hints", one.hints},
                       {"passed_cases", one.passed_cases},
                       {"cases", one.cases},
                       {"gates", one.gates}};
  }
  const nlohmann::ordered_json root = {{"schema", kSchema}, {"exercises", std::move(exercises)}};
  storage::write_file(progress_file(), root.dump(2) + '\n');
}

}  // namespace lockstep::cli
