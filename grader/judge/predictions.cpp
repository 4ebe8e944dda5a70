#include "judge/predictions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "course/similar_words.h"
#include "text/shortened.h"
#include "text/wording.h"

namespace lockstep::judge {
namespace {

constexpr std::size_t kQuotedBytes = 60;  ///< of what a student wrote

std::string_view without_margins(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string in_quotes(std::string_view text) { return '"' + text::shortened(text, kQuotedBytes) + '"'; }

class PredictionReader {
 public:
  PredictionReader(const std::string& file_name, const std::vector<course::Prediction>& wanted)
      : file_name_(file_name) {
    for (const course::Prediction& one : wanted) names_.push_back(one.name);
  }

  PredictionFile read(std::string_view text) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // some editors begin a file with it
    if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
    while (!text.empty()) {
      line_text_ = text.substr(0, text.find('\n'));
      ++line_;
      if (const std::string_view said = without_margins(line_text_.substr(0, line_text_.find('#')));
          !said.empty())
        take(said);
      text.remove_prefix(std::min(line_text_.size() + 1, text.size()));
    }
    line_ = 0;
    if (unread_lines_ > kMaxUnreadLines) {
      report(fmt::format("{} cannot be read either.",
                         text::counted(unread_lines_ - kMaxUnreadLines, "further line")));
    }
    report_missing();
    return std::move(file_);
  }

 private:
  void take(std::string_view said) {
    const std::size_t equals = said.find('=');
    if (equals == std::string_view::npos)
      return refuse("It has no =: a line is \"name = number\", with ? for what is not predicted yet.");
    const std::string name(without_margins(said.substr(0, equals)));
    const std::string_view value = without_margins(said.substr(equals + 1));
    if (std::ranges::find(names_, name) == names_.end()) return refuse(unknown(name));
    const auto [entry, is_new] = lines_.emplace(name, line_);
    if (!is_new)
      return refuse(fmt::format("{} stands on line {} already, which counts.", name, entry->second));
    if (value != "?") take_number(name, value);
  }

  void take_number(const std::string& name, std::string_view value) {
    double number = 0;
    const char* const end = value.data() + value.size();
    const auto [at, error] = std::from_chars(value.data(), end, number);
    const bool is_number = error != std::errc::invalid_argument && at == end;
    if (!is_number || std::isnan(number))
      return refuse(fmt::format("{} is no number: write digits alone, as in 12 or 0.5.", in_quotes(value)));
    if (error == std::errc::result_out_of_range || !(number >= 0 && number <= kMaxPrediction))
      return refuse(fmt::format("{} is out of range: a count lies between 0 and {:.0f}.", in_quotes(value),
                                kMaxPrediction));
    file_.numbers[name] = number;
  }

  std::string unknown(const std::string& name) const {
    std::vector<std::string> similar;
    // The distance of two names takes the product of their lengths.
    if (name.size() <= kQuotedBytes) similar = course::similar_words(name, names_);
    return similar.empty() ? fmt::format("No prediction is named {}: there are {}.", in_quotes(name),
                                         fmt::join(names_, ", "))
                           : fmt::format("No prediction is named {}; did you mean {}?", in_quotes(name),
                                         fmt::join(similar, " or "));
  }

  void refuse(std::string sentence) {
    if (++unread_lines_ <= kMaxUnreadLines) report(std::move(sentence));
  }

  void report(std::string sentence) {
    const std::string text = line_ == 0 ? "" : text::shortened(line_text_);
    file_.unread.push_back({{.file = file_name_, .line = line_, .text = text}, std::move(sentence)});
  }

  void report_missing() {
    std::vector<std::string> missing;
    for (const std::string& name : names_)
      if (!lines_.contains(name)) missing.push_back(name);
    if (missing.empty()) return;
    report(fmt::format("{} has no line for {}: write one, as \"{} = ?\".", file_name_,
                       fmt::join(missing, ", "), missing.front()));
  }

  const std::string& file_name_;
  std::vector<std::string> names_;
  std::map<std::string, unsigned> lines_;  ///< of the names that have come
  std::string_view line_text_;
  unsigned line_ = 0;  ///< counted from 1; 0 where it is about no line
  std::size_t unread_lines_ = 0;
  PredictionFile file_;
};

/// The line that counts most; null when none counts.
const emulator::LineCounters* line_that_counts(const course::Prediction& one,
                                               const emulator::Observations& observations) {
  const emulator::LineCounters* most = nullptr;
  for (const emulator::LineCounters& line : observations.lines) {
    if (one.counted(line) > (most == nullptr ? 0 : one.counted(*most))) most = &line;
  }
  return most;
}

double measured_count(const course::Prediction& one, const emulator::Observations& observations) {
  double counted = 0, per = 0;
  for (const emulator::LineCounters& line : observations.lines) {
    counted += one.counted(line);
    if (one.per) per += one.per(line);
  }
  return one.per ? counted / per : counted;
}

}  // namespace

PredictionFile read_predictions(const std::string& file_name, const std::string& text,
                                const std::vector<course::Prediction>& wanted) {
  return PredictionReader(file_name, wanted).read(text);
}

result::PredictionResult judge_prediction(const course::Prediction& one, std::optional<double> predicted,
                                          const emulator::Observations& observations,
                                          const SourceText& kernels) {
  const double found = measured_count(one, observations);
  if (!std::isfinite(found)) throw std::runtime_error("nothing was counted for " + one.name);
  result::PredictionResult result;
  result.name = one.name;
  result.question = one.question;
  result.unit = one.unit;
  result.predicted = predicted;
  result.is_withheld = one.is_withheld;
  if (!predicted) return result;
  const bool is_right = *predicted == found;  // counts: whole numbers
  if (is_right || !one.is_withheld) result.measured = found;
  if (is_right) {
    result.verdict = result::Verdict::passed;
    return result;
  }
  if (const emulator::LineCounters* const line = line_that_counts(one, observations))
    result.places = {kernels.place(line->line)};
  result.why = one.why;
  return result;
}

}  // namespace lockstep::judge
