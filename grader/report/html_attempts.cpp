#include "report/html_attempts.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/html_cases.h"
#include "report/text_style.h"

namespace lockstep::report {
namespace {

using result::Attempt;

// --- the drawing; lengths in pixels ---

constexpr double kChartWidth = 720, kChartHeight = 180;
constexpr double kLeft = 44, kRight = 16, kTop = 16, kBottom = 28;

std::string pixels(double length) { return fmt::format("{:.1f}", length); }

Markup chart_text(const char* kind, double x, double y, const std::string& text) {
  return Markup::element("text", {{"class", kind}, {"x", pixels(x)}, {"y", pixels(y)}, {"dy", "0.35em"}},
                         text);
}

/// Where attempts stand in the drawing.
class Chart {
 public:
  explicit Chart(const std::vector<Attempt>& attempts) : attempts_(attempts) {
    for (const Attempt& attempt : attempts) most_ = std::max({most_, attempt.points, attempt.max_points});
  }

  double x(std::size_t attempt) const {
    const double steps = std::max<double>(1, static_cast<double>(attempts_.size()) - 1);
    return kLeft + (kChartWidth - kLeft - kRight) * static_cast<double>(attempt) / steps;
  }
  double y(double points) const {
    return kTop + (kChartHeight - kTop - kBottom) * (1 - std::clamp(points / most_, 0.0, 1.0));
  }

  Markup drawing() const {
    Markup body;
    for (const double points : {0.0, most_ / 2, most_}) {
      body += Markup::element("line",
                              {{"class", "grid"},
                               {"x1", pixels(kLeft)},
                               {"x2", pixels(kChartWidth - kRight)},
                               {"y1", pixels(y(points))},
                               {"y2", pixels(y(points))}},
                              Markup());
      body += chart_text("scale", kLeft - 8, y(points), fmt::format("{:.3g}", points));
    }
    std::string way;
    Markup dots;
    for (std::size_t i = 0; i < attempts_.size(); ++i) {
      way += fmt::format("{}{:.1f},{:.1f}", i == 0 ? "" : " ", x(i), y(attempts_[i].points));
      dots += dot(i);
    }
    body += Markup::element("polyline", {{"points", way}}, Markup()) + dots;
    body += chart_text("first", kLeft, kChartHeight - kBottom / 2, name_of_attempt(attempts_.front()));
    body += chart_text("last", kChartWidth - kRight, kChartHeight - kBottom / 2,
                       name_of_attempt(attempts_.back()));
    return Markup::element("svg",
                           {{"xmlns", "http://www.w3.org/2000/svg"},
                            {"class", "attempts"},
                            {"role", "img"},
                            {"aria-label", in_words()},
                            {"viewBox", fmt::format("0 0 {} {}", kChartWidth, kChartHeight)}},
                           body);
  }

 private:
  static std::string name_of_attempt(const Attempt& attempt) {
    return fmt::format("attempt {}", attempt.number);
  }

  Markup dot(std::size_t i) const {
    const Attempt& attempt = attempts_[i];
    const bool passed = attempt.verdict == result::Verdict::passed;
    return Markup::element(
        "circle",
        {{"class", passed ? "passed" : "open"},
         {"cx", pixels(x(i))},
         {"cy", pixels(y(attempt.points))},
         {"r", "4"}},
        Markup::element("title", fmt::format("{}: {}, {:.1f} points", name_of_attempt(attempt),
                                             result::name_of(attempt.verdict), attempt.points)));
  }

  /// What a listener needs of the line: the table has the rest.
  std::string in_words() const {
    const auto by_points = [](const Attempt& a, const Attempt& b) { return a.points < b.points; };
    const Attempt& best = *std::ranges::max_element(attempts_, by_points);
    return fmt::format(
        "Points of {} attempts: {:.1f} in attempt {}, {:.1f} in attempt {}, most {:.1f} in attempt {}",
        attempts_.size(), attempts_.front().points, attempts_.front().number, attempts_.back().points,
        attempts_.back().number, best.points, best.number);
  }

  const std::vector<Attempt>& attempts_;
  double most_ = 1;
};

// --- the table ---

std::string part_of(std::uint64_t some, std::uint64_t all) {
  return all == 0 ? "-" : fmt::format("{} of {}", some, all);
}

/// The share of what the GPU can do, or else the speed beside the reference's; the emulated device has
/// neither.
std::string speed_of(const Attempt& attempt) {
  if (attempt.ceiling_share) return fmt::format("{:.0f} % of what the GPU can", 100 * *attempt.ceiling_share);
  return attempt.ratio ? fmt::format("{} of the reference's", number(*attempt.ratio)) : "-";
}

/// 2026-03-01T12:34:56Z as 2026-03-01 12:34; other texts as they are.
std::string minute_of(const std::string& moment) {
  constexpr std::size_t kDay = 10, kMinute = 16;
  return moment.size() == 20 && moment[kDay] == 'T'
             ? fmt::format("{} {}", moment.substr(0, kDay), moment.substr(kDay + 1, kMinute - kDay - 1))
             : moment;
}

Markup attempt_row(const Attempt& attempt, bool is_last) {
  const std::string cost = attempt.cost ? fmt::format("{} in {}", *attempt.cost, attempt.measured_case) : "-";
  const Markup cells = row_heading(fmt::to_string(attempt.number)) + number_cell(minute_of(attempt.when)) +
                       Markup::element("td", verdict_words(attempt.verdict)) +
                       number_cell(fmt::format("{:.1f} of {:.3g}", attempt.points, attempt.max_points)) +
                       number_cell(part_of(attempt.passed_cases, attempt.cases)) +
                       number_cell(part_of(attempt.passed_gates, attempt.gates)) +
                       Markup::element("td", speed_of(attempt)) + Markup::element("td", cost) +
                       Markup::element("td", attempt.submission) + Markup::element("td", attempt.device);
  return is_last ? Markup::element("tr", {{"class", "own"}, {"aria-current", "true"}}, cells)
                 : Markup::element("tr", cells);
}

Markup attempts_table(const char* caption, const Markup& rows) {
  return scrolling_table(caption,
                         {"attempt", "when (UTC)", "verdict", "points", "cases passed", "gates passed",
                          "speed", "cost of all lines", "file", "device"},
                         rows);
}

}  // namespace

Markup attempts_content(const result::ExerciseResult& result) {
  const std::vector<Attempt>& attempts = result.attempts;
  if (attempts.empty()) return {};
  constexpr std::size_t kFirstShown = 10;
  Markup rows, older;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const std::size_t newest_first = attempts.size() - 1 - i;
    (i < kFirstShown ? rows : older) += attempt_row(attempts[newest_first], i == 0);
  }
  Markup content;
  if (attempts.size() > 1) {
    content += Markup::element("figure", wide_region("Drawing of your points", Chart(attempts).drawing()) +
                                             Markup::element("figcaption", "Points, attempt by attempt."));
  }
  content += attempts_table("Your attempts, the newest first", rows);
  if (!older.empty())
    content += Markup::element("details", Markup::element("summary", "Older attempts") +
                                              attempts_table("Your older attempts", older));
  return content +
         Markup::element(
             "p", {{"class", "faint"}},
             "The cost of all lines is that of the source above, in quarters of a cycle of a "
             "multiprocessor; it compares attempts where the case is the same. Attempts are kept on "
             "this machine alone.");
}

}  // namespace lockstep::report
