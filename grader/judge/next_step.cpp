#include "judge/next_step.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "judge/technique.h"
#include "text/wording.h"

namespace lockstep::judge {
namespace {

using result::CaseResult;
using result::ExerciseResult;
using result::GateResult;
using result::Place;
using result::Verdict;

std::string place_text(const std::vector<Place>& places) {
  return places.empty() ? "" : fmt::format("{}:{}", places.front().file, places.front().line);
}

std::string hint_command(const ExerciseResult& result) { return "`./lockstep hint " + result.name + "`"; }

std::string capitalised(std::string sentence) {
  sentence.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence.front())));
  return sentence;
}

/// What to find out where no place is known.
const char* question_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::crashed:
      return "what ends the program";
    case Verdict::time_limit:
      return "what takes so long";
    case Verdict::memory_limit:
      return "what needs so much memory";
    default:
      return "what goes wrong";
  }
}

/// So few elements can be followed with pencil and paper.
constexpr double kByHand = 64;

std::string after_wrong_answer(const ExerciseResult& result, const CaseResult& failed) {
  if (!failed.question.empty())
    return fmt::format("{} {} helps.", capitalised(failed.question), hint_command(result));
  const result::Mismatch& first = failed.mismatches.front();
  if (static_cast<double>(failed.total) <= kByHand && failed.elements <= kByHand) {
    return fmt::format("Work out case \"{}\" by hand for {}; {} helps.", failed.name, first.position,
                       hint_command(result));
  }
  return fmt::format("Follow in case \"{}\" what your code does for {}, where {} belongs; {} helps.",
                     failed.name, first.position, first.expected, hint_command(result));
}

std::string after_failed_case(const ExerciseResult& result, const CaseResult& failed) {
  const std::string place = place_text(failed.places);
  // A place without a part is where the cause has led to.
  const bool is_of_the_cause = !failed.places.empty() && !failed.places.front().part.empty();
  if (!failed.question.empty() && failed.cause_is_known && !is_of_the_cause)
    return capitalised(failed.question);
  switch (failed.verdict) {
    case Verdict::grader_error:
      return "This is a fault of the grader or a limit of this device, not of your code: run `./lockstep "
             "doctor`.";
    case Verdict::wrong_answer:
      if (failed.mismatches.empty() || !failed.places.empty()) break;
      return after_wrong_answer(result, failed);
    default:
      break;
  }
  if (!place.empty()) return fmt::format("Look at {}: {}", place, failed.question);
  if (!failed.question.empty()) return capitalised(failed.question);
  return fmt::format("Find out {} in case \"{}\"; {} helps.", question_of(failed.verdict), failed.name,
                     hint_command(result));
}

/// "transpose.cu:9", "transpose.cu:9 and 12"
std::string places_text(const std::vector<Place>& places) {
  std::string text = place_text(places);
  for (std::size_t i = 1; i < places.size(); ++i)
    text += fmt::format("{}{}", i + 1 == places.size() ? " and " : ", ", places[i].line);
  return text;
}

std::string first_sentence(const std::string& text) {
  return text.substr(0, std::min(text.find(". "), text.find_last_not_of('.') + 1));
}

/// What the gate advises, and where; then what shows more of it.
std::string after_failed_gate(const ExerciseResult& result, const GateResult& gate,
                              const std::string& submission) {
  const std::string where = places_text(gate.worst);
  std::string step;
  if (!gate.advice.empty()) {
    step = first_sentence(gate.advice) + (where.empty() ? ". " : fmt::format(" ({}). ", where));
  } else if (!where.empty()) {
    step = fmt::format("Look at {}. ", where);
  }
  // Copies have no line in a profile.
  if (gate.name == kHostCopies) return step.substr(0, step.find_last_not_of(' ') + 1);
  return fmt::format("{}`./lockstep profile {}{}` shows what every line costs.", step, result.name,
                     submission.empty() ? "" : " --submission " + text::shell_word(submission));
}

std::string after_passing(const ExerciseResult& result, const std::string& following) {
  const std::string speed = result.speed.counts && result.speed.verdict == Verdict::not_measured
                                ? "Speed was not measured, so the points are those of the other parts. "
                                : "";
  if (following.empty()) return speed + "With that every exercise is passed.";
  return fmt::format("{}Go on with {}.", speed, following);
}

std::string after_too_many_changes(const ExerciseResult& result) {
  return fmt::format(
      "You know now what is wrong: begin again with the program as it was (`./lockstep reset {}` keeps your "
      "file as a backup), and change only that.",
      result.name);
}

std::string after_compile_error(const ExerciseResult& result, const std::string& submission) {
  const std::string& output = result.compiler_output;
  if (output.starts_with("ptxas")) {
    return "Look at your asm statements: they hold what the assembler names, and nvcc passes it on unread.";
  }
  if (result.compiler_error && result.compiler_error->place.line != 0) {
    return fmt::format("Fix {}; errors after it often follow from it.",
                       place_text({result.compiler_error->place}));
  }
  // What was compiled, and lacks the function, may have warnings.
  if (output.find("error") != std::string::npos)
    return "Fix the first error that the compiler names; those after it often follow from it.";
  if (!submission.empty()) return "Fix that first.";
  return fmt::format("Fix that first; `./lockstep reset {}` brings the starter back.", result.name);
}

/// The first thing to mend: what cannot be read, then what is wrong, then what is open.
std::string after_predictions(const ExerciseResult& result) {
  const auto line = std::ranges::find_if(result.unread,
                                         [](const result::SourceRemark& one) { return one.place.line != 0; });
  if (line != result.unread.end())
    return fmt::format("Correct {}: it could not be read.", place_text({line->place}));
  const auto wrong = std::ranges::find_if(result.predictions, [](const result::PredictionResult& one) {
    return one.predicted && one.verdict != Verdict::passed;
  });
  if (wrong != result.predictions.end()) {
    const std::string where = place_text(wrong->places);
    return fmt::format("Predict {} anew{}; {} helps.", wrong->name, where.empty() ? "" : " from " + where,
                       hint_command(result));
  }
  const auto open = std::ranges::find_if(result.predictions,
                                         [](const result::PredictionResult& one) { return !one.predicted; });
  return fmt::format("Answer {}: {} Write the number in place of its ?.", open->name, open->question);
}

template <class Part>
bool has_failed(const Part& part) {
  return part.verdict != Verdict::passed && part.verdict != Verdict::not_measured;
}

template <class Parts>
auto first_failed(const Parts& parts) {
  return std::find_if(parts.begin(), parts.end(), has_failed<typename Parts::value_type>);
}

/// The first that failed. Where something else than kernels did the work, that is the copies, if they have a
/// line.
auto gate_to_fix(const std::vector<GateResult>& gates) {
  const auto first = first_failed(gates);
  if (first == gates.end() || !first->off_device) return first;
  const auto copies = std::ranges::find_if(gates, [](const GateResult& gate) {
    return gate.name == kHostCopies && has_failed(gate) && !gate.worst.empty();
  });
  return copies != gates.end() ? copies : first;
}

}  // namespace

std::string next_step(const ExerciseResult& result, const std::string& following,
                      const std::string& submission) {
  if (const result::PuzzleResult* const puzzle = result::first_unsolved(result)) {
    if (puzzle->verdict == Verdict::compile_error)
      return fmt::format("Define {} as the header declares it.", puzzle->name);
    return next_step(result_of_puzzle(result, *puzzle), following, submission);
  }
  if (result.verdict == Verdict::passed && !result.only_case.empty()) {
    return fmt::format("`./lockstep grade {}{}` runs every case.", result.name,
                       submission.empty() ? "" : " --submission " + text::shell_word(submission));
  }
  if (result.verdict == Verdict::passed) return after_passing(result, following);
  if (result.verdict == Verdict::compile_error) return after_compile_error(result, submission);
  if (result.verdict == Verdict::wrong_answer && !result.predictions.empty())
    return after_predictions(result);
  if (const CaseResult* failed = result::most_telling_case(result.cases))
    return after_failed_case(result, *failed);
  if (result.repair && has_failed(*result.repair)) return after_too_many_changes(result);
  if (const auto gate = gate_to_fix(result.gates); gate != result.gates.end()) {
    return after_failed_gate(result, *gate, submission);
  }
  if (result.speed.verdict == Verdict::too_slow && result.speed.ratio.value_or(0) == 0) {
    return fmt::format(
        "It is right, but its calls did not end in time where those of {} did: the lecture's rungs say what "
        "comes next.",
        result::baseline_of(result.speed));
  }
  if (result.speed.verdict == Verdict::too_slow) {
    return fmt::format("It is right and {:.2g} times as fast as {}: the lecture's rungs say what comes next.",
                       result.speed.ratio.value_or(0), result::baseline_of(result.speed));
  }
  if (result.speed.verdict == Verdict::review) {
    return result.speed.ceiling_share
               ? "It is faster than this GPU can be, as it was measured: grade it again after `./lockstep "
                 "calibrate`. If that changes nothing, somebody has to look at how it comes about; the "
                 "points for speed wait for that."
               : "Nothing shows whether this GPU can be so fast: somebody has to look at how it was "
                 "measured, and the points for speed wait for that.";
  }
  if (result.verdict == Verdict::grader_error) {
    return "This is a fault of the grader or of the machine: run `./lockstep doctor`.";
  }
  return "Nothing was called yet: look at what runs before, such as constructors of global objects.";
}

const course::Exercise* following_exercise(const course::Exercise& exercise,
                                           const std::set<std::string>& passed) {
  const course::Exercise* next = nullptr;
  for (const course::Exercise& other : course::catalogue()) {
    if (passed.contains(other.problem.name)) continue;
    const bool is_after = other.folder_name > exercise.folder_name;
    if (next == nullptr || is_after) next = &other;
    if (is_after) break;
  }
  return next;
}

}  // namespace lockstep::judge
