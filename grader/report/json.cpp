#include "report/json.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <system_error>

#include "report/printable.h"

namespace lockstep::report {
namespace {

using result::CaseResult;
using result::CompilerError;
using result::ExerciseResult;
using result::GateResult;
using result::GpuDuringSpeed;
using result::Mismatch;
using result::Place;
using result::PredictionResult;
using result::PuzzleResult;
using result::Repair;
using result::Report;
using result::ShownArgument;
using result::ShownCall;
using result::SourceRemark;
using result::Speed;
using result::Verdict;

using Json = nlohmann::ordered_json;

/// A number that was measured; null otherwise, which is also what JSON has for infinities and NaN.
Json measured(double value, bool is_measured = true) {
  return is_measured && std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json places(const std::vector<Place>& list) {
  Json result = Json::array();
  for (const Place& place : list) {
    result.push_back(
        {{"file", printable(place.file)}, {"line", place.line}, {"text", printable(place.text)}});
    if (!place.part.empty()) result.back()["part"] = printable(place.part);
  }
  return result;
}

const char* name_of(ShownArgument::Kind kind) {
  switch (kind) {
    case ShownArgument::Kind::scalar:
      return "scalar";
    case ShownArgument::Kind::input:
      return "input";
    case ShownArgument::Kind::output:
      return "output";
  }
  return "";
}

/// Values as text, as those of mismatches: a number of JSON holds neither NaN nor 64 bits.
Json of_call(const ShownCall& shown) {
  Json arguments = Json::array();
  for (const ShownArgument& one : shown.arguments) {
    Json argument = {{"kind", name_of(one.kind)}, {"name", printable(one.name)}, {"type", one.type},
                     {"size", one.size},          {"fields", one.fields},        {"values", one.values}};
    if (one.kind == ShownArgument::Kind::output) argument["found"] = one.found;
    arguments.push_back(std::move(argument));
  }
  return {{"call", shown.call}, {"calls", shown.calls}, {"arguments", std::move(arguments)}};
}

Json of_case(const CaseResult& one) {
  Json mismatches = Json::array();
  for (const Mismatch& mismatch : one.mismatches) {
    mismatches.push_back({{"position", printable(mismatch.position)},
                          {"expected", printable(mismatch.expected)},
                          {"found", printable(mismatch.found)}});
  }
  Json json = {{"name", printable(one.name)},
               {"verdict", name_of(one.verdict)},
               {"message", printable(one.message)},
               {"purpose", printable(one.purpose)},
               {"wrong", one.wrong},
               {"total", one.total},
               {"mismatches", std::move(mismatches)},
               {"guess", printable(one.guess)},
               {"question", printable(one.question)},
               {"places", places(one.places)},
               {"remark", printable(one.remark)},
               {"seconds", measured(one.seconds)}};
  if (!one.puzzle.empty()) json["puzzle"] = printable(one.puzzle);
  if (!one.answer.empty()) json["answer"] = printable(one.answer);
  if (!one.output.empty()) json["output"] = printable_lines(one.output);
  if (one.shown) json["call"] = of_call(*one.shown);
  return json;
}

Json remarks(const std::vector<SourceRemark>& list) {
  Json result = Json::array();
  for (const SourceRemark& remark : list) {
    result.push_back({{"file", printable(remark.place.file)},
                      {"line", remark.place.line},
                      {"text", printable(remark.place.text)},
                      {"remark", printable(remark.sentence)}});
  }
  return result;
}

Json of_gate(const GateResult& gate) {
  Json json = {{"name", printable(gate.name)},
               {"value", measured(gate.value, gate.verdict != Verdict::not_measured)},
               {"limit", measured(gate.limit)},
               {"at_least", gate.at_least},
               {"verdict", name_of(gate.verdict)},
               {"description", printable(gate.description)},
               {"case", printable(gate.case_name)},
               {"worst", places(gate.worst)},
               {"explanation", printable(gate.explanation)},
               {"advice", printable(gate.advice)}};
  if (!gate.puzzle.empty()) json["puzzle"] = printable(gate.puzzle);
  if (gate.previous) json["previous"] = measured(*gate.previous);
  return json;
}

Json of_gpu(const GpuDuringSpeed& gpu) {
  const auto or_null = [](const std::optional<unsigned>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  return {{"sm_mhz", or_null(gpu.sm_mhz)},
          {"memory_mhz", or_null(gpu.memory_mhz)},
          {"temperature_celsius", or_null(gpu.temperature_celsius)},
          {"power_watts", gpu.power_milliwatts ? measured(*gpu.power_milliwatts / 1000.0) : Json(nullptr)},
          {"repeated_rounds", gpu.repeated_rounds},
          {"throttled_rounds", gpu.throttled_rounds},
          {"throttle_reasons", gpu.throttle_reasons}};
}

Json of_speed(const Speed& speed) {
  Json result = {{"verdict", name_of(speed.verdict)}, {"counts", speed.counts}};
  result["baseline"] = printable(speed.baseline);
  result["ratio"] = speed.ratio ? measured(*speed.ratio) : Json(nullptr);
  result["points_share"] = speed.points_share ? measured(*speed.points_share) : Json(nullptr);
  result["interval"] = speed.interval
                           ? Json::array({measured(speed.interval->first), measured(speed.interval->second)})
                           : Json(nullptr);
  result["ceiling_share"] = speed.ceiling_share ? measured(*speed.ceiling_share) : Json(nullptr);
  if (speed.ceiling) {
    result["ceiling"] = {{"name", printable(speed.ceiling->name)},
                         {"description", printable(speed.ceiling->description)},
                         {"rate", measured(speed.ceiling->rate)},
                         {"unit", printable(speed.ceiling->unit)}};
  } else {
    result["ceiling"] = nullptr;
  }
  result["size"] = speed.size.empty() ? Json(nullptr) : Json(speed.size);
  result["between"] = speed.between.empty() ? Json(nullptr) : Json(speed.between);
  for (const result::Rung& rung : speed.ladder)
    result["ladder"].push_back({{"name", printable(rung.name)}, {"speed", measured(rung.speed)}});
  if (speed.on_ladder) result["on_ladder"] = measured(*speed.on_ladder);
  if (!speed.ladder_gpu.empty()) {
    result["ladder_card"] = printable(speed.ladder_gpu);
    result["ladder_size"] = printable(speed.ladder_size);
  }
  result["call_seconds"] = speed.call_seconds ? measured(*speed.call_seconds) : Json(nullptr);
  result["card"] = speed.gpu ? of_gpu(*speed.gpu) : Json(nullptr);
  return result;
}

Json of_puzzle(const PuzzleResult& puzzle) {
  return {{"name", printable(puzzle.name)},
          {"title", printable(puzzle.title)},
          {"verdict", name_of(puzzle.verdict)},
          {"points", measured(puzzle.points)},
          {"max_points", measured(puzzle.max_points)},
          {"message", printable(puzzle.message)}};
}

Json of_repair(const Repair& repair) {
  return {{"changed_lines", repair.changed_lines},
          {"max_changed_lines", repair.max_changed_lines},
          {"verdict", name_of(repair.verdict)}};
}

Json of_prediction(const PredictionResult& one) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? measured(*value) : Json(nullptr);
  };
  return {{"name", printable(one.name)},         {"question", printable(one.question)},
          {"unit", printable(one.unit)},         {"verdict", name_of(one.verdict)},
          {"predicted", or_null(one.predicted)}, {"measured", or_null(one.measured)},
          {"why", printable(one.why)},           {"places", places(one.places)}};
}

Json of_compiler_error(const CompilerError& error) {
  return {{"file", printable(error.place.file)},
          {"line", error.place.line == 0 ? Json(nullptr) : Json(error.place.line)},
          {"text", printable(error.place.text)},
          {"message", printable(error.message)},
          {"meaning", printable(error.meaning)}};
}

Json of_exercise(const ExerciseResult& result) {
  Json cases = Json::array(), gates = Json::array();
  for (const CaseResult& one : result.cases) cases.push_back(of_case(one));
  for (const GateResult& gate : result.gates) gates.push_back(of_gate(gate));
  Json json = {
      {"name", printable(result.name)},
      {"verdict", name_of(result.verdict)},
      {"points", measured(result.points)},
      {"max_points", measured(result.max_points)},
      {"correctness", {{"cases", std::move(cases)}}},
      {"technique", {{"gates", std::move(gates)}}},
      {"speed", of_speed(result.speed)},
      {"remarks", remarks(result.remarks)},
      {"title", printable(result.title)},
      {"submission", printable(result.submission)},
      {"message", printable(result.message)},
      {"compiler_output", printable_lines(result.compiler_output)},
      {"compiler_error", result.compiler_error ? of_compiler_error(*result.compiler_error) : Json(nullptr)},
      {"output", printable_lines(result.output)},
      {"output_truncated", result.output_truncated},
      {"next_step", printable(result.next_step)},
      {"seconds", measured(result.seconds)},
      {"compile_seconds", measured(result.compile_seconds)}};
  if (result.repair) json["repair"] = of_repair(*result.repair);
  for (const PuzzleResult& puzzle : result.puzzles) json["puzzles"].push_back(of_puzzle(puzzle));
  for (const PredictionResult& one : result.predictions) json["predictions"].push_back(of_prediction(one));
  if (!result.predictions.empty()) json["unread"] = remarks(result.unread);
  if (!result.only_case.empty()) json["only_case"] = printable(result.only_case);
  if (result.previous_passed) json["correctness"]["previous_passed"] = *result.previous_passed;
  if (!result.course_version.empty()) json["course_version"] = result.course_version;
  if (!result.seed_digest.empty()) json["seed_digest"] = result.seed_digest;
  if (!result.seed.empty()) json["seed"] = result.seed;
  return json;
}

/// A number where a whole number was chosen; no number holds one that was drawn.
Json of_seed(const std::string& seed) {
  if (seed.empty()) return nullptr;
  std::uint64_t number = 0;
  const char* const end = seed.data() + seed.size();
  const auto [at, error] = std::from_chars(seed.data(), end, number);
  return error == std::errc() && at == end ? Json(number) : Json(seed);
}

}  // namespace

std::string render_json(const Report& report) {
  Json exercises = Json::array(), warnings = Json::array();
  for (const ExerciseResult& result : report.exercises) exercises.push_back(of_exercise(result));
  for (const std::string& warning : report.warnings) warnings.push_back(printable(warning));
  const Json root = {
      {"schema", "lockstep/result/v1"},
      {"device", {{"kind", printable(report.device.kind)}, {"name", printable(report.device.name)}}},
      {"exercises", std::move(exercises)},
      {"warnings", std::move(warnings)},
      {"seed", of_seed(report.seed)}};
  return root.dump(2) + '\n';
}

}  // namespace lockstep::report
