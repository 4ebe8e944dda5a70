#include "attempts/attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "report/html_source.h"
#include "storage/date.h"
#include "storage/files.h"
#include "text/shortened.h"
#include "text/wording.h"

namespace lockstep::attempts {
namespace {

using nlohmann::json;
using result::Attempt;
using result::Verdict;

/// Many times what kMaxKept attempts take: a larger file is none that was written here.
constexpr std::uintmax_t kMaxBytes = 4U << 20;

template <class T>
std::optional<T> number_in(const json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end()) return std::nullopt;
  const bool is_one = std::is_integral_v<T> ? found->is_number_unsigned() : found->is_number();
  return is_one ? std::optional(found->get<T>()) : std::nullopt;
}

std::string text_in(const json& entry, const char* key) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? text::shortened(found->get<std::string>()) : "";
}

/// Nothing where the line is damaged.
std::optional<Attempt> parse(std::string_view line) {
  const json entry = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!entry.is_object()) return std::nullopt;
  const auto verdict = result::verdict_from(text_in(entry, "verdict"));
  const auto number = number_in<std::uint64_t>(entry, "attempt");
  const auto points = number_in<double>(entry, "points"), most = number_in<double>(entry, "max_points");
  if (!verdict || !number || !points || !most) return std::nullopt;
  const auto count = [&entry](const char* key) { return number_in<std::uint64_t>(entry, key).value_or(0); };
  return Attempt{.number = *number,
                 .when = text_in(entry, "when"),
                 .submission = text_in(entry, "submission"),
                 .device = text_in(entry, "device"),
                 .verdict = *verdict,
                 .points = *points,
                 .max_points = *most,
                 .passed_cases = count("passed_cases"),
                 .cases = count("cases"),
                 .passed_gates = count("passed_gates"),
                 .gates = count("gates"),
                 .ratio = number_in<double>(entry, "ratio"),
                 .ceiling_share = number_in<double>(entry, "ceiling_share"),
                 .cost = number_in<std::uint64_t>(entry, "cost"),
                 .measured_case = text_in(entry, "measured_case")};
}

std::string line_of(const Attempt& attempt) {
  nlohmann::ordered_json entry = {{"attempt", attempt.number},
                                  {"when", attempt.when},
                                  {"submission", attempt.submission},
                                  {"device", attempt.device},
                                  {"verdict", result::name_of(attempt.verdict)},
                                  {"points", attempt.points},
                                  {"max_points", attempt.max_points},
                                  {"passed_cases", attempt.passed_cases},
                                  {"cases", attempt.cases},
                                  {"passed_gates", attempt.passed_gates},
                                  {"gates", attempt.gates}};
  if (attempt.ratio) entry["ratio"] = *attempt.ratio;
  if (attempt.ceiling_share) entry["ceiling_share"] = *attempt.ceiling_share;
  if (attempt.cost) entry["cost"] = *attempt.cost;
  if (!attempt.measured_case.empty()) entry["measured_case"] = attempt.measured_case;
  // A path may hold bytes that are no UTF-8.
  return entry.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

Attempt attempt_of(const result::ExerciseResult& result, const result::DeviceDescription& device) {
  const auto gates_with = [&result](auto condition) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(result.gates, condition, &result::GateResult::verdict));
  };
  Attempt attempt{.when = storage::now_in_utc(),
                  .submission = text::shortened(text::shown_path(result.submission)),
                  .device = text::shortened(device.name),
                  .verdict = result.verdict,
                  .points = result.points,
                  .max_points = result.max_points,
                  .passed_cases = result::passed_cases(result),
                  .cases = result.cases.size(),
                  .passed_gates = gates_with([](Verdict verdict) { return verdict == Verdict::passed; }),
                  .gates = gates_with([](Verdict verdict) { return verdict != Verdict::not_measured; }),
                  .ratio = result.speed.ratio,
                  .ceiling_share = result.speed.ceiling_share};
  if (!result::is_correct(result)) return attempt;  // of less than the whole work
  const std::uint64_t cost = report::total_cost(report::counted_lines(result));
  if (cost == 0) return attempt;
  attempt.cost = cost;
  attempt.measured_case = text::shortened(result.measured_case);
  return attempt;
}

/// Those that the file holds, and how many of its lines are damaged. Throws storage::FileError.
std::pair<std::vector<Attempt>, std::size_t> read(const std::filesystem::path& file) {
  std::pair<std::vector<Attempt>, std::size_t> read;
  std::error_code error;
  if (!std::filesystem::exists(file, error)) return read;
  if (std::filesystem::file_size(file, error) > kMaxBytes && !error) return {{}, 1};
  const std::string contents = storage::read_file(file);
  for (std::string_view rest = contents; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    if (auto attempt = parse(rest.substr(0, end))) {
      read.first.push_back(std::move(*attempt));
    } else {
      ++read.second;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return read;
}

}  // namespace

bool are_kept() {
  const char* const variable = std::getenv("LOCKSTEP_NO_HISTORY");
  return variable == nullptr || std::string_view(variable) != "1";
}

History add_attempt(const std::filesystem::path& folder, const result::ExerciseResult& result,
                    const result::DeviceDescription& device) {
  const std::filesystem::path file = folder / (result.name + ".jsonl");
  History history;
  const auto add = [&] {
    Attempt attempt = attempt_of(result, device);
    attempt.number = history.attempts.empty() ? 1 : history.attempts.back().number + 1;
    history.attempts.push_back(std::move(attempt));
    if (history.attempts.size() > kMaxKept)
      history.attempts.erase(history.attempts.begin(), history.attempts.end() - kMaxKept);
  };
  bool is_added = false;
  try {
    const sandbox::FileDescriptor lock = storage::lock_for_a_while(folder / "lock");
    std::size_t damaged = 0;
    std::tie(history.attempts, damaged) = read(file);
    if (damaged > 0) {
      history.complaint = fmt::format("{} of your attempts in {} cannot be read and left out",
                                      text::counted(damaged, "line"), text::shown_path(file.string()));
    }
    add();
    is_added = true;
    std::string contents;
    for (const Attempt& attempt : history.attempts) contents += line_of(attempt);
    storage::write_file(file, contents);
  } catch (const storage::FileError& error) {
    history.complaint = fmt::format("this attempt is not kept: {}", error.what());
    if (!is_added) add();
  }
  return history;
}

std::string last_in_words(const std::vector<Attempt>& attempts) {
  if (attempts.empty()) return "";
  const Attempt& last = attempts.back();
  std::string words = fmt::format("attempt {}: {:.1f} points", last.number, last.points);
  if (attempts.size() > 1) words += fmt::format(", before {:.1f}", attempts[attempts.size() - 2].points);
  return words;
}

}  // namespace lockstep::attempts
