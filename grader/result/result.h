// One judgement's result as data. The judge fills it; the renderers in report/ show it as text, JSON or
// JUnit.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "emulator/core/observations.h"
#include "result/kernel_counters.h"

namespace lockstep::result {

/// In the words of the course. `passed` first: the order carries no rank.
enum class Verdict {
  passed,
  wrong_answer,
  race,
  out_of_bounds,
  uninitialised_read,
  bad_sync,
  launch_failed,
  unchecked_error,
  leak,
  crashed,
  time_limit,
  memory_limit,
  compile_error,
  too_many_changes,
  inefficient,
  too_slow,
  inconclusive,
  not_measured,
  review,
  grader_error,
};

/// The word in JSON and on terminals, such as "wrong-answer".
const char* name_of(Verdict verdict);
std::optional<Verdict> verdict_from(const std::string& word);

/// A place in the submission, with the text of the line when the file could be read.
struct Place {
  std::string file;  ///< as the student knows it
  unsigned line = 0;
  std::string text;
  std::string part{};  ///< what happened there, to distinguish it from other places; may be empty
};

struct Mismatch {
  std::string position;  ///< "row 3, column 7" or "[42]"
  std::string expected, found;
};

/// One argument of a call, in words.
struct ShownArgument {
  enum class Kind { scalar, input, output };
  Kind kind = Kind::scalar;
  std::string name, type;           ///< as declared; of a pointer what it points to, such as "float"
  std::uint64_t size = 1;           ///< elements
  std::uint64_t fields = 1;         ///< numbers in an element: of a structure its members
  std::vector<std::string> values;  ///< of the numbers the first, of an output what is expected
  std::vector<std::string> found;   ///< of an output as many; empty where the call left none
};

/// What one call was given and what it left.
struct ShownCall {
  int call = 1, calls = 1;
  std::vector<ShownArgument> arguments;
};

struct CaseResult {
  std::string puzzle{};  ///< of an exercise of puzzles: the name of the one it belongs to
  std::string name;
  std::string purpose;
  Verdict verdict = Verdict::passed;
  std::string message;                 ///< one sentence; empty when passed
  std::vector<Mismatch> mismatches;    ///< the first five
  std::uint64_t wrong = 0, total = 0;  ///< elements, when outputs were compared
  std::string guess;                   ///< the likely cause when a known pattern matches; else empty
  bool cause_is_known = false;         ///< the guess names a mistake, not only what its errors look like
  bool guessed_from_calls = false;     ///< `guess` follows only from the call before, which was right
  std::vector<Place> places;           ///< where it happened; of two accesses the earlier one first
  std::string question;                ///< what to find out there, or to do about the guess
  std::string answer;                  ///< name of the right answer, where several are right
  std::string remark;                  ///< what to know of it
  double elements = 0;                 ///< of the case, as its cost counts them
  int calls = 0;                       ///< that were made
  std::string output;                  ///< what the submission printed meanwhile
  bool output_truncated = false;
  std::optional<ShownCall> shown;  ///< the last call, of judge::Options::only_case
  double seconds = 0;
  /// Of full size, and no answer of it is right for another seed: gates look at it, or it was timed.
  bool measured = false;
};

struct GateResult {
  std::string puzzle{};  ///< as that of a case
  std::string name, description;
  double value = 0, limit = 0;
  bool at_least = false;              ///< the limit must be reached, not kept within
  Verdict verdict = Verdict::passed;  ///< passed, inefficient or not_measured
  std::string case_name;              ///< the measured case that gave the worst value
  std::vector<Place> worst;           ///< the line that contributes most beyond its ideal
  std::string explanation;            ///< such as "32 wavefronts per request, ideal 1"
  std::string advice;
  bool off_device = false;         ///< it failed as something else than kernels may have done the work
  std::optional<double> previous;  ///< value of the student's grading before
};

/// Of a bug hunt: how much of the program with the mistakes was changed.
struct Repair {
  std::uint64_t changed_lines = 0, max_changed_lines = 0;
  Verdict verdict = Verdict::passed;  ///< passed or too_many_changes
};

/// What the GPU can do at most of the one thing that bounds an exercise.
struct Ceiling {
  std::string name;         ///< such as "copied-bytes", as `calibrate` calls it
  std::string description;  ///< such as "what this GPU's memory can copy"
  double rate = 0;
  std::string unit;  ///< "B/s" or "/s"
};

/// A GPU while a speed was measured on it. What the GPU does not report is empty.
struct GpuDuringSpeed {
  std::optional<unsigned> sm_mhz, memory_mhz, temperature_celsius,
      power_milliwatts;                       ///< after the last round
  int repeated_rounds = 0;                    ///< run again because the GPU was slowed down
  int throttled_rounds = 0;                   ///< that count although it was slowed down
  std::vector<std::string> throttle_reasons;  ///< of either, such as "power cap"
};

constexpr const char* kReference = "reference";  ///< the name of the reference among rungs

/// A rung of an exercise's ladder, as it was recorded on a GPU.
struct Rung {
  std::string name;
  double speed = 0;  ///< in shares of the reference's
};

struct Speed {
  bool counts = true;  ///< whether the exercise has sizes to measure it at
  Verdict verdict = Verdict::not_measured;
  std::string baseline = kReference;   ///< or the rung that the submission is compared with
  std::optional<double> ratio;         ///< the baseline's time over the submission's
  std::optional<double> points_share;  ///< of the points for speed, what the ratio earns
  std::optional<std::pair<double, double>> interval;
  std::optional<double> ceiling_share;
  std::optional<Ceiling> ceiling;       ///< that ceiling_share is a share of
  std::optional<double> call_seconds;   ///< one call of the submission, the median of all rounds
  std::string size;                     ///< the case that was timed
  std::vector<std::string> between;     ///< the two rungs that the submission stands between
  std::vector<Rung> ladder;             ///< with the reference, slowest first; empty where none was recorded
  std::optional<double> on_ladder;      ///< the submission's speed, in shares of the reference's
  std::string ladder_gpu, ladder_size;  ///< of the ladder, where it is of another GPU than the grading's
  std::optional<GpuDuringSpeed> gpu;
};

/// The error of the compiler that is fixed first.
struct CompilerError {
  Place place;          ///< in the submission; line 0 where none is known
  std::string message;  ///< the compiler's message
  std::string meaning;  ///< what that means and what to write; empty where the words must do
};

/// What a line of right code does that code would rather not do. It costs no points.
struct SourceRemark {
  Place place;
  std::string sentence;
};

/// Drawn from what the submission left in one case.
struct Picture {
  std::string case_name;
  std::string ending;     ///< "svg" or "ppm"
  std::string contents;   ///< of the file; empty when it could not be drawn
  std::string complaint;  ///< why it could not
};

/// One of several functions that an exercise asks for, which is graded by itself.
struct PuzzleResult {
  std::string name, title;
  Verdict verdict = Verdict::not_measured;
  double points = 0, max_points = 0;
  std::string message;  ///< one sentence when it ended early, as where the function is missing
};

/// A student's prediction beside what the judge measured.
struct PredictionResult {
  std::string name, question, unit;
  Verdict verdict = Verdict::wrong_answer;  ///< or passed
  std::optional<double> predicted;          ///< empty where nothing that counts was predicted
  /// Empty where nothing was predicted, and of a wrong prediction where `is_withheld`.
  std::optional<double> measured;
  bool is_withheld = false;   ///< the measured number is shown only beside a right prediction
  std::vector<Place> places;  ///< of a wrong prediction, the line of the kernels that counts most
  std::string why;            ///< likewise, one sentence
};

/// A grading of an exercise by its student, as it is remembered.
struct Attempt {
  std::uint64_t number = 1;
  std::string when;                ///< in UTC, as YYYY-MM-DDThh:mm:ssZ
  std::string submission, device;  ///< path and name
  Verdict verdict = Verdict::not_measured;
  double points = 0, max_points = 0;
  std::uint64_t passed_cases = 0, cases = 0;
  std::uint64_t passed_gates = 0, gates = 0;   ///< that were measured
  std::optional<double> ratio, ceiling_share;  ///< as Speed has them
  /// Of all lines, in quarters of a multiprocessor's cycle, as the emulated device counts them in one case.
  std::optional<std::uint64_t> cost;
  std::string measured_case{};  ///< that one
};

struct ExerciseResult {
  std::string name, title;
  std::string submission;  ///< path that was graded
  std::string source;      ///< its text, as it was compiled; empty when it could not be read
  Verdict verdict = Verdict::not_measured;
  double points = 0, max_points = 0;
  std::string only_case;  ///< the one case that was run, without points; empty: all were
  /// Shows a case's inputs when the case's name follows; empty where nobody may see them, or they are shown.
  std::string case_command;
  std::string message;  ///< one sentence when the whole exercise ended early (compile error, missing file)
  std::string compiler_output;  ///< with the student's own line numbers
  std::optional<CompilerError> compiler_error;
  std::vector<CompilerError> further_errors;  ///< that have a line, in the compiler's order; without meanings
  std::vector<PuzzleResult> puzzles;          ///< of an exercise of puzzles; empty where nothing was run
  std::vector<PredictionResult> predictions;  ///< in the order of the problem
  std::vector<SourceRemark> unread;  ///< of a file of predictions, what says nothing that could be graded
  std::vector<CaseResult> cases;     ///< of all puzzles
  std::optional<std::uint64_t> previous_passed;  ///< of as many cases, in the student's grading before
  std::optional<Repair> repair;                  ///< of a bug hunt, unless a single case was run
  std::vector<GateResult> gates;                 ///< of all puzzles
  std::vector<SourceRemark> remarks;             ///< where all cases passed
  Speed speed;
  std::string output;  ///< what the submission printed, as much as the sandbox keeps; renderers cut it
  bool output_truncated = false;
  std::string course_version;                 ///< of an exercise that is not the tree's
  std::string seed_digest;                    ///< of the result's own seed, where its text must not be shown
  std::string seed;                           ///< the text of that one, where it may
  std::string next_step;                      ///< what to do now
  double seconds = 0;                         ///< whole judgement
  double compile_seconds = 0;                 ///< 0 when the object came from the cache
  std::string measured_case;                  ///< that lines and traces are of, of each puzzle
  int measured_calls = 0;                     ///< of that case, which are summed up in `lines`
  std::vector<emulator::LineCounters> lines;  ///< for `profile`
  std::vector<emulator::KernelWork> kernels;  ///< likewise
  std::vector<emulator::AccessTrace> traces;  ///< of judge::Options::trace_line
  std::vector<emulator::AccessTrace> shared_accesses, global_accesses;  ///< as Observations has them
  std::vector<CaseCounters> counters;                                   ///< of judge::Options::only_measured
  std::vector<Attempt> attempts;   ///< of the student so far, this one last; empty where none is kept
  std::optional<Picture> picture;  ///< of judge::Options::draw
  std::string complaint;           ///< of the grader, about the kept figures of the GPU; may be empty
};

struct DeviceDescription {
  std::string kind;  ///< "gpu" or "emulated"
  std::string name;
};

struct Report {
  DeviceDescription device;
  std::vector<ExerciseResult> exercises;
  std::vector<std::string> warnings;  ///< such as a missing sandbox
  std::string seed;  ///< that repeats all results; empty: each has its own, which a secret determines
};

/// The failed case that shows best what is wrong: where a cause is known for certain, the first case of the
/// cause that most cases have; else the first with a place in the source, or a likely cause; else the
/// smallest. Null when none failed.
const CaseResult* most_telling_case(const std::vector<CaseResult>& cases);

std::uint64_t passed_cases(const ExerciseResult& result);

/// The first puzzle on which the grader failed, else the first that was not passed; null when there is none.
const PuzzleResult* first_unsolved(const ExerciseResult& result);

/// `result` as far as it is about that puzzle: its verdict, points, message, cases and gates.
ExerciseResult result_of_puzzle(const ExerciseResult& result, const PuzzleResult& puzzle);

/// A gate's name, after that of its puzzle if it has one.
std::string label_of(const GateResult& gate);

/// What the speed is compared with, in words: "the reference" or "the rung c2_128".
std::string baseline_of(const Speed& speed);

/// Whether there are cases and all of them passed, of every puzzle where there are any: technique and speed
/// count only then.
bool is_correct(const ExerciseResult& result);

/// An exercise's verdict: of the first part that did not pass, in the order correctness, repair, technique,
/// speed. Of
/// failed cases the most telling one decides, which is the one that a report shows. Parts that were not
/// measured are passed over.
Verdict overall_verdict(const ExerciseResult& result);

/// 0 when every exercise passed, 3 when the grader failed on one, else 1.
int exit_status(const Report& report);

}  // namespace lockstep::result
