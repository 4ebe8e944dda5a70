#include "classroom/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "classroom/shown.h"
#include "text/wording.h"

namespace lockstep::classroom {
namespace {

constexpr std::int64_t kSecondsOfDay = 24 * 60 * 60;

/// Takes digits from the front of `text`: exactly `digits` of them. Returns -1 where there are fewer.
int take_number(std::string_view& text, std::size_t digits) {
  int value = 0;
  if (text.size() < digits) return -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, value);
  if (error != std::errc() || end != text.data() + digits || value < 0) return -1;
  text.remove_prefix(digits);
  return value;
}

bool take_one_of(std::string_view& text, std::string_view wanted) {
  if (text.empty() || wanted.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// Members of the policy's object, each of which is taken once: what is left is not known.
class Members {
 public:
  explicit Members(const nlohmann::json& root) : left_(root) {}

  /// Null where it is missing.
  nlohmann::json take(const char* name) {
    const auto found = left_.find(name);
    if (found == left_.end()) return nullptr;
    nlohmann::json value = *found;
    left_.erase(found);
    return value;
  }
  double number(const char* name, double least, double most, double otherwise) {
    const nlohmann::json value = take(name);
    if (value.is_null()) return otherwise;
    if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() <= most))
      throw PolicyError(fmt::format("\"{}\" is a number from {} to {}", name, least, most));
    return value.get<double>();
  }
  int whole(const char* name, int most, int otherwise) {
    const double value = number(name, 0, most, otherwise);
    if (value != std::floor(value)) throw PolicyError(fmt::format("\"{}\" is a whole number", name));
    return static_cast<int>(value);
  }
  void finish() const {
    if (!left_.empty())
      throw PolicyError(fmt::format("\"{}\" is no member of a policy", shown(left_.begin().key())));
  }

 private:
  nlohmann::json left_;
};

std::int64_t deadline_from(const nlohmann::json& value, const std::string& name) {
  const auto time = value.is_string() ? seconds_of_time(value.get<std::string>()) : std::nullopt;
  if (!time)
    throw PolicyError(
        fmt::format("\"{}\" is a time with its zone, such as \"2026-02-03T23:59:59+01:00\"", shown(name)));
  return *time;
}

std::vector<std::pair<double, double>> curve_from(const nlohmann::json& value) {
  const PolicyError wrong(
      "\"curve\" is a list of pairs of percent, earned and given, the first [0, …], the last [100, …], both "
      "ascending, such as [[0, 0], [60, 75], [100, 100]]");
  std::vector<std::pair<double, double>> curve;
  if (value.is_null()) return curve;
  if (!value.is_array()) throw wrong;
  for (const nlohmann::json& pair : value) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number() || !pair[1].is_number()) throw wrong;
    const std::pair<double, double> next(pair[0].get<double>(), pair[1].get<double>());
    if (!(next.second >= 0)) throw wrong;
    if (!curve.empty() && !(next.first > curve.back().first && next.second >= curve.back().second))
      throw wrong;
    curve.push_back(next);
  }
  if (curve.size() < 2 || curve.front().first != 0 || curve.back().first != 100) throw wrong;
  return curve;
}

double on_curve(const std::vector<std::pair<double, double>>& curve, double percent) {
  const double within = std::clamp(percent, 0.0, 100.0);
  const auto right = std::find_if(curve.begin() + 1, curve.end() - 1,
                                  [within](const auto& point) { return within <= point.first; });
  const auto left = right - 1;
  return left->second +
         (right->second - left->second) * (within - left->first) / (right->first - left->first);
}

}  // namespace

std::optional<std::int64_t> Policy::deadline_of(const std::string& exercise) const {
  const auto own = deadlines.find(exercise);
  return own == deadlines.end() ? deadline : std::optional(own->second);
}

std::optional<std::int64_t> seconds_of_time(std::string_view text) {
  namespace chrono = std::chrono;
  const int year = take_number(text, 4);
  if (!take_one_of(text, "-")) return std::nullopt;
  const int month = take_number(text, 2);
  if (!take_one_of(text, "-")) return std::nullopt;
  const int day = take_number(text, 2);
  if (year < 0 || month < 0 || day < 0 || !take_one_of(text, "Tt ")) return std::nullopt;
  std::array<int, 3> clock{};
  for (std::size_t i = 0; i < clock.size(); ++i) {
    if (i > 0 && !take_one_of(text, ":")) return std::nullopt;
    clock[i] = take_number(text, 2);
    if (clock[i] < 0) return std::nullopt;
  }
  const chrono::year_month_day date{chrono::year(year), chrono::month(static_cast<unsigned>(month)),
                                    chrono::day(static_cast<unsigned>(day))};
  if (!date.ok() || clock[0] > 23 || clock[1] > 59 || clock[2] > 60) return std::nullopt;
  if (take_one_of(text, ".")) {
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits == 0) return std::nullopt;
    text.remove_prefix(digits);
  }
  take_one_of(text, " ");
  std::int64_t offset = 0;
  if (!take_one_of(text, "Zz")) {
    const bool is_west = text.starts_with('-');
    if (!take_one_of(text, "+-")) return std::nullopt;
    const int hours = take_number(text, 2);
    take_one_of(text, ":");
    const int minutes = take_number(text, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
    offset = (hours * 60 + minutes) * (is_west ? -60 : 60);
  }
  if (!text.empty()) return std::nullopt;
  const std::int64_t days = chrono::sys_days(date).time_since_epoch().count();
  return days * kSecondsOfDay + clock[0] * 3600 + clock[1] * 60 + clock[2] - offset;
}

Policy read_policy(std::string_view text, const std::vector<std::string>& exercises) {
  const nlohmann::json root = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!root.is_object())
    throw PolicyError("a policy is an object of JSON, such as {\"late_percent_per_day\": 10}");
  Members members(root);
  Policy policy;
  if (const nlohmann::json value = members.take("deadline"); !value.is_null())
    policy.deadline = deadline_from(value, "deadline");
  if (const nlohmann::json value = members.take("deadlines"); !value.is_null()) {
    if (!value.is_object())
      throw PolicyError("\"deadlines\" is an object: a time for each exercise that it names");
    for (const auto& [exercise, time] : value.items()) {
      if (std::find(exercises.begin(), exercises.end(), exercise) == exercises.end())
        throw PolicyError(fmt::format("\"deadlines\" names \"{}\", which is no exercise", shown(exercise)));
      policy.deadlines[exercise] = deadline_from(time, exercise);
    }
  }
  constexpr int kMaxDays = 365;
  policy.grace_minutes = members.number("grace_minutes", 0, 24 * 60, policy.grace_minutes);
  policy.percent_per_day = members.number("late_percent_per_day", 0, 100, policy.percent_per_day);
  policy.most_days = members.whole("late_days_at_most", kMaxDays, policy.most_days);
  policy.free_days = members.whole("free_late_days", kMaxDays, policy.free_days);
  policy.days_of_mark = members.whole("days_of_late_mark", kMaxDays, policy.days_of_mark);
  if (const nlohmann::json value = members.take("attempts"); !value.is_null()) {
    if (value != "last" && value != "best") throw PolicyError("\"attempts\" is \"last\" or \"best\"");
    policy.attempts = value == "best" ? Policy::Attempts::best : Policy::Attempts::last;
  }
  if (const nlohmann::json value = members.take("use_file_times"); !value.is_null()) {
    if (!value.is_boolean()) throw PolicyError("\"use_file_times\" is true or false");
    policy.use_file_times = value.get<bool>();
  }
  policy.curve = curve_from(members.take("curve"));
  members.finish();
  return policy;
}

Effective effective_points(const Policy& policy, const std::string& exercise, double earned, double most,
                           const HandIn& hand_in, int free_days) {
  Effective result{.points = earned};
  if (!policy.curve.empty() && most > 0) {
    result.points = on_curve(policy.curve, 100 * earned / most) * most / 100;
    if (result.points != earned) result.whys.emplace_back("by the curve");
  }
  const auto deadline = policy.deadline_of(exercise);
  if (!deadline) return result;
  const auto time = hand_in.time ? hand_in.time : policy.use_file_times ? hand_in.file_time : std::nullopt;
  std::string how;
  if (time) {
    const auto late = static_cast<double>(*time - *deadline);
    if (late > policy.grace_minutes * 60)
      result.days_late = static_cast<int>(std::ceil(late / kSecondsOfDay));
  } else if (hand_in.is_marked_late) {
    result.days_late = policy.days_of_mark;
    how = ", by its mark";
  } else {
    result.time_is_unknown = true;
  }
  if (result.days_late == 0) return result;
  result.free_days = result.days_late > policy.most_days ? 0 : std::min(result.days_late, free_days);
  std::string why = text::counted(static_cast<std::uint64_t>(result.days_late), "day") + " late" + how;
  if (result.days_late > policy.most_days) {
    result.points = 0;
    why += fmt::format(", at most {} count", policy.most_days);
  } else {
    if (result.free_days > 0) why += fmt::format(", {} of them free", result.free_days);
    const double percent = std::min(100.0, policy.percent_per_day * (result.days_late - result.free_days));
    result.points *= 1 - percent / 100;
    if (percent > 0) why += fmt::format(", {} % off", percent);
  }
  result.whys.push_back(why);
  return result;
}

}  // namespace lockstep::classroom
