#include "report/lines.h"

#include <fmt/format.h>

#include "report/notes.h"
#include "report/printable.h"
#include "text/wording.h"

namespace lockstep::report {
namespace {

using result::ExerciseResult;
using result::Place;
using result::Report;

std::string at(const ExerciseResult& result, unsigned line, Note::Level level, const std::string& message) {
  return fmt::format("{}:{}: {}: {}\n", printable(text::shown_path(result.submission)), line, name_of(level),
                     printable(message));
}

std::string lines_of(const ExerciseResult& result, const Note& note) {
  const std::vector<Place> places = places_in_submission(result, note);
  const std::string rule = fmt::format(" [{}]", rule_of(note));
  if (places.empty()) return at(result, 1, level_of(note), message_of(note) + rule);
  std::string lines =
      at(result, places.front().line, level_of(note), message_of(note, places.front().part) + rule);
  for (std::size_t i = 1; i < places.size(); ++i) {
    const std::string& part = places[i].part;
    lines += at(result, places[i].line, Note::Level::note,
                note.label + ", " + (part.empty() ? "here too" : part) + rule);
  }
  return lines;
}

}  // namespace

std::string render_lines(const Report& report) {
  std::string lines;
  for (const std::string& warning : report.warnings) lines += "lockstep: " + printable(warning) + '\n';
  for (const ExerciseResult& result : report.exercises) {
    for (const Note& note : notes_on(result)) lines += lines_of(result, note);
    lines += fmt::format("{}: {}, {:.1f} of {} points\n", printable(result.name), name_of(result.verdict),
                         result.points, result.max_points);
    if (!result.next_step.empty()) lines += "Next: " + printable(result.next_step) + '\n';
  }
  return lines;
}

}  // namespace lockstep::report
