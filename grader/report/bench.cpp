#include "report/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/calibration.h"
#include "report/printable.h"

namespace lockstep::report {
namespace {

using result::Bench;
using result::BenchRow;

using Json = nlohmann::ordered_json;

constexpr const char* kMeasurementSchema = "lockstep/measurement/v1";

/// Solutions in the order of the rows.
std::vector<std::string> labels_of(const Bench& bench) {
  std::vector<std::string> labels;
  for (const BenchRow& row : bench.rows) {
    if (std::find(labels.begin(), labels.end(), row.label) == labels.end()) labels.push_back(row.label);
  }
  return labels;
}

/// A row per size and a column per solution, with what `cell` makes of each; a dash where a solution was left
/// out.
template <class Cell>
std::string table(const Bench& bench, const std::vector<std::string>& labels, const Cell& cell) {
  std::vector<std::string> sizes;
  std::size_t names = 0;
  for (const BenchRow& row : bench.rows) {
    names = std::max(names, row.size.size());
    if (sizes.empty() || sizes.back() != row.size) sizes.push_back(row.size);
  }
  const auto width = [](const std::string& label) { return std::max<std::size_t>(label.size(), 9) + 2; };
  std::string text = std::string(names, ' ');
  for (const std::string& label : labels) text += fmt::format("{:>{}}", printable(label), width(label));
  for (const std::string& size : sizes) {
    text += fmt::format("\n{:<{}}", printable(size), names);
    for (const std::string& label : labels) {
      const auto row = std::find_if(bench.rows.begin(), bench.rows.end(), [&](const BenchRow& one) {
        return one.size == size && one.label == label;
      });
      text += fmt::format("{:>{}}", row == bench.rows.end() ? "–" : cell(*row), width(label));
    }
  }
  return text + '\n';
}

}  // namespace

std::string render_bench(const Bench& bench, const TextStyle& style) {
  const std::vector<std::string> labels = labels_of(bench);
  std::string text = paint(style, Colour::strong,
                           fmt::format("{} on {}, driver {}, {}", bench.exercise, printable(bench.gpu.name),
                                       printable(bench.gpu.driver), bench.date)) +
                     "\n\nTime of a call\n";
  text += table(bench, labels, [](const BenchRow& row) { return figure_text(row.seconds, "s"); });
  text += fmt::format("\nShare of {} ({})\n", bench.ceiling.description,
                      figure_text(bench.ceiling.rate, bench.ceiling.unit));
  text += table(bench, labels, [&](const BenchRow& row) {
    return fmt::format("{:.0f} %", 100 * row.work / row.seconds / bench.ceiling.rate);
  });
  for (const std::string& sentence : bench.left_out) text += printable(sentence) + ".\n";
  return text;
}

std::string render_bench_json(const Bench& bench) {
  Json json = {{"schema", kMeasurementSchema},
               {"exercise", bench.exercise},
               {"card", printable(bench.gpu.name)},
               {"driver", printable(bench.gpu.driver)},
               {"toolkit", printable(bench.toolkit)},
               {"date", bench.date},
               {"commit", printable(bench.commit)},
               {"command", printable(bench.command)},
               {"copy_bandwidth", bench.copy_bandwidth},
               {"ceiling",
                {{"name", bench.ceiling.name},
                 {"description", bench.ceiling.description},
                 {"rate", bench.ceiling.rate},
                 {"unit", bench.ceiling.unit}}}};
  Json rows = Json::array();
  for (const BenchRow& row : bench.rows) {
    rows.push_back({{"name", row.solution},
                    {"label", row.label},
                    {"size", row.size},
                    {"variation", row.is_variation},
                    {"elements", row.elements},
                    {"bytes", row.bytes},
                    {"work", row.work},
                    {"rounds", row.rounds},
                    {"seconds", row.seconds},
                    {"interval", {row.interval.first, row.interval.second}},
                    {"ratio", row.ratio}});
  }
  json["results"] = std::move(rows);
  return json.dump(2) + '\n';
}

std::map<std::string, double> recorded_rungs(const std::string& json, const std::string& gpu,
                                             const std::string& size) {
  std::map<std::string, double> rungs;
  const Json record = Json::parse(json, nullptr, false);
  if (!record.is_object() || record.value("schema", Json()) != kMeasurementSchema ||
      record.value("card", Json()) != gpu)
    return rungs;
  for (const Json& row : record.value("results", Json::array())) {
    if (!row.is_object() || row.value("size", Json()) != size) continue;
    const Json name = row.value("name", Json()), label = row.value("label", Json());
    const Json ratio = row.value("ratio", Json());
    const bool is_rung = name.is_string() && name.get<std::string>().find("/rungs/") != std::string::npos;
    if (is_rung && label.is_string() && ratio.is_number())
      rungs[label.get<std::string>()] = ratio.get<double>();
  }
  return rungs;
}

}  // namespace lockstep::report
