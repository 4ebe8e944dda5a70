#include "report/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "report/result_words.h"
#include "report/text_style.h"
#include "text/words.h"

namespace lockstep::report {
namespace {

using result::CaseResult;
using result::ExerciseResult;
using result::GateResult;
using result::Place;
using result::PredictionResult;
using result::PuzzleResult;
using result::SourceRemark;
using result::Verdict;

bool counts(Verdict verdict) { return verdict != Verdict::passed && verdict != Verdict::not_measured; }

std::vector<Place> known(const Place& place) {
  return place.line == 0 ? std::vector<Place>() : std::vector{place};
}

void add_errors(std::vector<Note>& notes, const ExerciseResult& result) {
  const auto add = [&](const result::CompilerError& error) {
    const std::string meaning = error.meaning.empty() ? "" : ". " + error.meaning;
    notes.push_back({.verdict = Verdict::compile_error,
                     .label = name_of(Verdict::compile_error),
                     .sentence = "The compiler says: " + error.message + meaning,
                     .places = known(error.place)});
  };
  if (result.compiler_error) add(*result.compiler_error);
  for (const result::CompilerError& error : result.further_errors) add(error);
}

/// What ended early has one sentence: the exercise, or a puzzle of it. The compiler's own errors say more.
void add_early_ends(std::vector<Note>& notes, const ExerciseResult& result) {
  if (!result.message.empty() && counts(result.verdict) && !result.compiler_error)
    notes.push_back(
        {.verdict = result.verdict, .label = name_of(result.verdict), .sentence = result.message});
  for (const PuzzleResult& puzzle : result.puzzles)
    if (!puzzle.message.empty() && counts(puzzle.verdict))
      notes.push_back(
          {.verdict = puzzle.verdict, .label = name_of(puzzle.verdict), .sentence = puzzle.message});
}

bool are_same_lines(const std::vector<Place>& a, const std::vector<Place>& b) {
  return std::ranges::equal(a, b, [](const Place& one, const Place& other) {
    return one.file == other.file && one.line == other.line && one.part == other.part;
  });
}

/// A note for each verdict and lines: what else fails there most often is the same mistake.
void add_findings(std::vector<Note>& notes, const ExerciseResult& result) {
  std::vector<const CaseResult*> cases;
  const CaseResult* const telling = result::most_telling_case(result.cases);
  if (telling != nullptr) cases.push_back(telling);
  for (const CaseResult& one : result.cases)
    if (&one != telling) cases.push_back(&one);
  const auto first = static_cast<std::ptrdiff_t>(notes.size());
  for (const CaseResult* one : cases) {
    if (!counts(one->verdict)) continue;
    const auto same = std::find_if(notes.begin() + first, notes.end(), [one](const Note& note) {
      return note.verdict == one->verdict && are_same_lines(note.places, one->places);
    });
    if (same != notes.end()) {
      ++same->more_cases;
      continue;
    }
    notes.push_back({.verdict = one->verdict,
                     .label = name_of(one->verdict),
                     .sentence = one->message,
                     .guess = one->guess,
                     .places = one->places,
                     .case_name = one->name});
  }
}

void add_gates(std::vector<Note>& notes, const ExerciseResult& result) {
  if (result.repair && counts(result.repair->verdict))
    notes.push_back({.verdict = result.repair->verdict,
                     .label = "changed-lines",
                     .sentence = changes_of(*result.repair) + ". " + kAboutRepair});
  for (const GateResult& gate : result.gates) {
    if (gate.verdict != Verdict::inefficient) continue;
    std::string sentence = gate.explanation;
    if (sentence.empty())
      sentence =
          fmt::format("{}, {} {}", number_beside(gate.value, gate.limit), bound_of(gate), number(gate.limit));
    notes.push_back({.verdict = gate.verdict,
                     .label = label_of(gate),
                     .sentence = sentence + (gate.advice.empty() ? "" : ". " + gate.advice),
                     .places = gate.worst});
  }
  if (result.speed.counts && counts(result.speed.verdict))
    notes.push_back(
        {.verdict = result.speed.verdict, .label = "speed", .sentence = speed_words(result.speed)});
}

/// The line of a file of predictions that begins with the name.
std::vector<Place> line_of(const ExerciseResult& result, const PredictionResult& prediction) {
  const std::string name = std::filesystem::path(result.submission).filename().string();
  unsigned number = 0;
  for (std::size_t begin = 0; begin < result.source.size();) {
    const std::size_t end = std::min(result.source.find('\n', begin), result.source.size());
    const std::string line = result.source.substr(begin, end - begin);
    ++number;
    if (text::find_word(line, prediction.name) == line.find_first_not_of(" \t") && !line.empty())
      return {{name, number, line}};
    begin = end + 1;
  }
  return {};
}

void add_predictions(std::vector<Note>& notes, const ExerciseResult& result) {
  for (const PredictionResult& one : result.predictions) {
    if (!counts(one.verdict)) continue;
    std::string sentence = one.question;
    sentence += one.predicted ? fmt::format(" Predicted: {}", *one.predicted) : " Not predicted";
    if (one.measured) sentence += fmt::format(", measured: {}", *one.measured);
    sentence += '.';
    if (!one.why.empty()) sentence += ' ' + one.why;
    for (const Place& place : one.places) sentence += fmt::format(" ({}:{})", place.file, place.line);
    notes.push_back(
        {.verdict = one.verdict, .label = one.name, .sentence = sentence, .places = line_of(result, one)});
  }
}

}  // namespace

std::vector<Note> notes_on(const ExerciseResult& result) {
  std::vector<Note> notes;
  add_errors(notes, result);
  add_early_ends(notes, result);
  add_findings(notes, result);
  add_predictions(notes, result);
  add_gates(notes, result);
  for (const SourceRemark& one : result.remarks)
    notes.push_back({.kind = Note::Kind::remark,
                     .label = "worth knowing",
                     .sentence = one.sentence,
                     .places = known(one.place)});
  for (const SourceRemark& one : result.unread)
    notes.push_back({.kind = Note::Kind::unread,
                     .label = "could not be read",
                     .sentence = one.sentence,
                     .places = known(one.place)});
  return notes;
}

Note::Level level_of(const Note& note) {
  if (note.kind == Note::Kind::remark) return Note::Level::note;
  if (note.kind == Note::Kind::unread) return Note::Level::warning;
  switch (note.verdict) {
    case Verdict::too_many_changes:
    case Verdict::inefficient:
    case Verdict::too_slow:
    case Verdict::inconclusive:
    case Verdict::review:
      return Note::Level::warning;
    default:
      return Note::Level::error;
  }
}

const char* name_of(Note::Level level) {
  switch (level) {
    case Note::Level::error:
      return "error";
    case Note::Level::warning:
      return "warning";
    case Note::Level::note:
      break;
  }
  return "note";
}

const char* rule_of(const Note& note) {
  switch (note.kind) {
    case Note::Kind::remark:
      return "remark";
    case Note::Kind::unread:
      return "unread-line";
    case Note::Kind::verdict:
      break;
  }
  return result::name_of(note.verdict);
}

std::string message_of(const Note& note, const std::string& part) {
  std::string message = note.label + (part.empty() ? "" : ", " + part) + ": " + note.sentence;
  if (!note.guess.empty())
    message += std::string(message.ends_with('.') ? " " : ". ") + "Likely cause: " + note.guess;
  return message + cases_of(note);
}

std::string cases_of(const Note& note) {
  if (note.case_name.empty()) return "";
  return fmt::format(" (case {}{})", note.case_name,
                     note.more_cases == 0 ? "" : fmt::format(" and {} more", note.more_cases));
}

std::vector<Place> places_in_submission(const ExerciseResult& result, const Note& note) {
  std::vector<Place> places;
  std::ranges::copy_if(note.places, std::back_inserter(places),
                       [&result](const Place& place) { return is_of_submission(result, place); });
  return places;
}

bool is_of_submission(const ExerciseResult& result, const Place& place) {
  using std::filesystem::path;
  return place.line != 0 && path(place.file).filename() == path(result.submission).filename();
}

}  // namespace lockstep::report
