#include "report/read_json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace lockstep::report {
namespace {

using result::CaseResult;
using result::ExerciseResult;
using result::GateResult;
using result::Place;
using result::ShownArgument;
using result::SourceRemark;
using result::Speed;
using result::Verdict;
using Parsed = nlohmann::json;

std::string text_at(const Parsed& object, const char* name) { return object.at(name).get<std::string>(); }

/// Empty where there is no such member.
std::string optional_text(const Parsed& object, const char* name) { return object.value(name, ""); }

/// Null, which is "not measured", as NaN.
double number_of(const Parsed& value) {
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

template <class Number>
std::optional<Number> optional_number(const Parsed& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::nullopt;
  return found->get<Number>();
}

Verdict verdict_at(const Parsed& object) {
  const std::string word = text_at(object, "verdict");
  if (const auto verdict = result::verdict_from(word)) return *verdict;
  throw JsonError("\"" + word + "\" is no verdict");
}

std::vector<Place> places_at(const Parsed& object, const char* name) {
  std::vector<Place> places;
  for (const Parsed& one : object.at(name))
    places.push_back({text_at(one, "file"), one.at("line").get<unsigned>(), text_at(one, "text"),
                      optional_text(one, "part")});
  return places;
}

/// A list that may be missing.
std::vector<SourceRemark> remarks_at(const Parsed& object, const char* name) {
  std::vector<SourceRemark> remarks;
  for (const Parsed& one : object.value(name, Parsed::array()))
    remarks.push_back({{text_at(one, "file"), one.at("line").get<unsigned>(), text_at(one, "text")},
                       text_at(one, "remark")});
  return remarks;
}

ShownArgument argument_from(const Parsed& json) {
  const std::string kind = text_at(json, "kind");
  ShownArgument argument{.kind = kind == "scalar"  ? ShownArgument::Kind::scalar
                                 : kind == "input" ? ShownArgument::Kind::input
                                                   : ShownArgument::Kind::output,
                         .name = text_at(json, "name"),
                         .type = text_at(json, "type")};
  json.at("size").get_to(argument.size);
  json.at("fields").get_to(argument.fields);
  json.at("values").get_to(argument.values);
  if (json.contains("found")) json.at("found").get_to(argument.found);
  return argument;
}

CaseResult case_from(const Parsed& json) {
  CaseResult one{.puzzle = optional_text(json, "puzzle"),
                 .name = text_at(json, "name"),
                 .purpose = text_at(json, "purpose"),
                 .verdict = verdict_at(json),
                 .message = text_at(json, "message"),
                 .wrong = json.at("wrong").get<std::uint64_t>(),
                 .total = json.at("total").get<std::uint64_t>(),
                 .guess = text_at(json, "guess"),
                 .places = places_at(json, "places"),
                 .question = text_at(json, "question"),
                 .answer = optional_text(json, "answer"),
                 .remark = text_at(json, "remark"),
                 .output = optional_text(json, "output"),
                 .seconds = number_of(json.at("seconds"))};
  for (const Parsed& mismatch : json.at("mismatches"))
    one.mismatches.push_back(
        {text_at(mismatch, "position"), text_at(mismatch, "expected"), text_at(mismatch, "found")});
  if (const auto call = json.find("call"); call != json.end()) {
    one.shown.emplace(
        result::ShownCall{.call = call->at("call").get<int>(), .calls = call->at("calls").get<int>()});
    for (const Parsed& argument : call->at("arguments"))
      one.shown->arguments.push_back(argument_from(argument));
  }
  return one;
}

GateResult gate_from(const Parsed& json) {
  GateResult gate{.puzzle = optional_text(json, "puzzle"),
                  .name = text_at(json, "name"),
                  .description = text_at(json, "description"),
                  .value = number_of(json.at("value")),
                  .limit = number_of(json.at("limit")),
                  .at_least = json.at("at_least").get<bool>(),
                  .verdict = verdict_at(json),
                  .case_name = text_at(json, "case"),
                  .worst = places_at(json, "worst"),
                  .explanation = text_at(json, "explanation"),
                  .advice = text_at(json, "advice")};
  gate.previous = optional_number<double>(json, "previous");
  return gate;
}

result::GpuDuringSpeed gpu_from(const Parsed& json) {
  result::GpuDuringSpeed gpu{.sm_mhz = optional_number<unsigned>(json, "sm_mhz"),
                             .memory_mhz = optional_number<unsigned>(json, "memory_mhz"),
                             .temperature_celsius = optional_number<unsigned>(json, "temperature_celsius"),
                             .repeated_rounds = json.at("repeated_rounds").get<int>(),
                             .throttled_rounds = json.at("throttled_rounds").get<int>()};
  if (const auto watts = optional_number<double>(json, "power_watts"))
    gpu.power_milliwatts = static_cast<unsigned>(std::lround(*watts * 1000));
  json.at("throttle_reasons").get_to(gpu.throttle_reasons);
  return gpu;
}

Speed speed_from(const Parsed& json) {
  Speed speed{.counts = json.at("counts").get<bool>(),
              .verdict = verdict_at(json),
              .baseline = text_at(json, "baseline"),
              .ratio = optional_number<double>(json, "ratio"),
              .points_share = optional_number<double>(json, "points_share"),
              .ceiling_share = optional_number<double>(json, "ceiling_share"),
              .call_seconds = optional_number<double>(json, "call_seconds")};
  if (const Parsed& interval = json.at("interval"); !interval.is_null())
    speed.interval = {number_of(interval.at(0)), number_of(interval.at(1))};
  if (const Parsed& ceiling = json.at("ceiling"); !ceiling.is_null())
    speed.ceiling = {text_at(ceiling, "name"), text_at(ceiling, "description"), number_of(ceiling.at("rate")),
                     text_at(ceiling, "unit")};
  if (const Parsed& size = json.at("size"); !size.is_null()) size.get_to(speed.size);
  if (const Parsed& between = json.at("between"); !between.is_null()) between.get_to(speed.between);
  for (const Parsed& rung : json.value("ladder", Parsed::array()))
    speed.ladder.push_back({text_at(rung, "name"), number_of(rung.at("speed"))});
  speed.on_ladder = optional_number<double>(json, "on_ladder");
  speed.ladder_gpu = json.value("ladder_card", "");
  speed.ladder_size = json.value("ladder_size", "");
  if (const Parsed& gpu = json.at("card"); !gpu.is_null()) speed.gpu = gpu_from(gpu);
  return speed;
}

result::PredictionResult prediction_from(const Parsed& json) {
  return {.name = text_at(json, "name"),
          .question = text_at(json, "question"),
          .unit = text_at(json, "unit"),
          .verdict = verdict_at(json),
          .predicted = optional_number<double>(json, "predicted"),
          .measured = optional_number<double>(json, "measured"),
          .places = places_at(json, "places"),
          .why = text_at(json, "why")};
}

result::CompilerError compiler_error_from(const Parsed& json) {
  return {.place = {text_at(json, "file"), optional_number<unsigned>(json, "line").value_or(0),
                    text_at(json, "text")},
          .message = text_at(json, "message"),
          .meaning = text_at(json, "meaning")};
}

ExerciseResult exercise_from(const Parsed& json) {
  ExerciseResult result{.name = text_at(json, "name"),
                        .title = text_at(json, "title"),
                        .submission = text_at(json, "submission"),
                        .verdict = verdict_at(json),
                        .points = number_of(json.at("points")),
                        .max_points = number_of(json.at("max_points")),
                        .only_case = optional_text(json, "only_case"),
                        .message = text_at(json, "message"),
                        .compiler_output = text_at(json, "compiler_output"),
                        .unread = remarks_at(json, "unread"),
                        .remarks = remarks_at(json, "remarks"),
                        .speed = speed_from(json.at("speed")),
                        .output = text_at(json, "output"),
                        .output_truncated = json.at("output_truncated").get<bool>(),
                        .course_version = optional_text(json, "course_version"),
                        .seed_digest = optional_text(json, "seed_digest"),
                        .seed = optional_text(json, "seed"),
                        .next_step = text_at(json, "next_step"),
                        .seconds = number_of(json.at("seconds")),
                        .compile_seconds = number_of(json.at("compile_seconds"))};
  const Parsed& correctness = json.at("correctness");
  for (const Parsed& one : correctness.at("cases")) result.cases.push_back(case_from(one));
  result.previous_passed = optional_number<std::uint64_t>(correctness, "previous_passed");
  for (const Parsed& gate : json.at("technique").at("gates")) result.gates.push_back(gate_from(gate));
  if (const Parsed& error = json.at("compiler_error"); !error.is_null())
    result.compiler_error = compiler_error_from(error);
  for (const Parsed& one : json.value("puzzles", Parsed::array()))
    result.puzzles.push_back({text_at(one, "name"), text_at(one, "title"), verdict_at(one),
                              number_of(one.at("points")), number_of(one.at("max_points")),
                              text_at(one, "message")});
  for (const Parsed& one : json.value("predictions", Parsed::array()))
    result.predictions.push_back(prediction_from(one));
  if (const auto repair = json.find("repair"); repair != json.end())
    result.repair = result::Repair{repair->at("changed_lines").get<std::uint64_t>(),
                                   repair->at("max_changed_lines").get<std::uint64_t>(), verdict_at(*repair)};
  return result;
}

}  // namespace

result::Report read_json(std::string_view json) {
  try {
    const Parsed root = Parsed::parse(json);
    if (text_at(root, "schema") != "lockstep/result/v1") throw JsonError("it has another schema");
    result::Report report;
    report.device = {text_at(root.at("device"), "kind"), text_at(root.at("device"), "name")};
    for (const Parsed& one : root.at("exercises")) report.exercises.push_back(exercise_from(one));
    root.at("warnings").get_to(report.warnings);
    if (const Parsed& seed = root.at("seed"); !seed.is_null())
      report.seed = seed.is_string() ? seed.get<std::string>() : std::to_string(seed.get<std::uint64_t>());
    return report;
  } catch (const Parsed::exception& error) {
    throw JsonError(error.what());
  }
}

}  // namespace lockstep::report
