#include "judge/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <stdexcept>
#include <variant>

#include "build/content_hash.h"
#include "build/submission_compiler.h"
#include "judge/case_series.h"
#include "judge/changed_lines.h"
#include "judge/host_memory.h"
#include "judge/limits.h"
#include "judge/next_step.h"
#include "judge/points.h"
#include "judge/predictions.h"
#include "judge/seeds.h"
#include "judge/source_remarks.h"
#include "judge/speed.h"
#include "judge/standing.h"
#include "judge/technique.h"
#include "judge/turn.h"
#include "storage/files.h"
#include "text/wording.h"

namespace lockstep::judge {
namespace {

using build::CompiledSubmission;
using result::ExerciseResult;
using result::Verdict;
using Clock = std::chrono::steady_clock;
using OutcomeKind = runner::Outcome::Kind;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// "transpose.cu defines transpose(const float*, float*); the exercise wants void transpose(…)".
std::string missing_function_message(const course::Problem& problem, const std::filesystem::path& object,
                                     const std::string& file_name) {
  for (const course::Signature& function : problem.functions()) {
    std::string defined;
    bool found = false;
    for (const std::string& other : build::functions_named(object, function.name)) {
      const std::string text = course::readable(other);
      found = found || function.declaration.ends_with(" " + text);
      // A name without parameters is one with C linkage, which carries no types, or one left mangled.
      const bool has_c_linkage = text.find('(') == std::string::npos && !text.starts_with("_Z");
      defined += (defined.empty() ? "" : " and ") + (has_c_linkage ? "extern \"C\" " + text : text);
    }
    if (found) continue;
    return defined.empty() ? fmt::format("{} does not define {}; the exercise wants {}", file_name,
                                         function.name, function.declaration)
                           : fmt::format("{} defines {}; the exercise wants {}", file_name, defined,
                                         function.declaration);
  }
  return fmt::format("{} defines its functions where the linker cannot see them; are they static?",
                     file_name);
}

/// What to go on with after passing, the end of a sentence. Empty when every exercise is passed.
std::string following(const course::Exercise& exercise, const std::set<std::string>& passed) {
  const course::Exercise* const next = following_exercise(exercise, passed);
  if (next == nullptr) return "";
  return fmt::format("{}: read {}, edit {}, and check it with `./lockstep grade {}`", next->problem.name,
                     course::path_to_type(next->lecture), course::path_to_type(next->starter),
                     next->problem.name);
}

class Judgement {
 public:
  /// `problem` is the exercise's, or that of one of its puzzles.
  Judgement(const course::Exercise& exercise, const course::Problem& problem,
            const build::SubmissionFile& submission, device::Device& device, const Options& options)
      : exercise_(exercise),
        problem_(problem),
        file_(submission),
        submission_(submission.path()),
        device_(device),
        gpu_(device.timing()),
        options_(options) {
    result_.name = problem_.name;
    result_.course_version = exercise.course_version;
    result_.title = problem_.title;
    result_.submission = submission_.string();
    result_.only_case = options.only_case;
    result_.max_points = is_whole() ? problem_.points : 0;
    result_.speed.counts = problem_.speed.has_value();
  }

  ExerciseResult run() {
    const Clock::time_point start = Clock::now();
    try {
      if (problem_.predictions.empty()) {
        judge_source();
      } else {
        judge_predictions();
      }
    } catch (const std::exception& error) {
      end_early(Verdict::grader_error, error.what());
    }
    std::error_code error;
    const bool is_own = submission_ == exercise_.starter ||
                        std::filesystem::equivalent(submission_, exercise_.starter, error);
    const std::string other = is_own ? "" : text::shown_path(submission_.string());
    if (result_.next_step.empty())
      result_.next_step = next_step(result_, following(exercise_, options_.passed), other);
    if (options_.secret.empty() && is_whole() && problem_.predictions.empty())
      result_.case_command = case_command(other);
    result_.seconds = seconds_since(start);
    return std::move(result_);
  }

 private:
  bool is_whole() const { return options_.only_case.empty(); }

  /// With the seed, since another makes other inputs.
  std::string case_command(const std::string& other_file) const {
    return fmt::format("./lockstep grade {}{} --seed {} --case", problem_.name,
                       other_file.empty() ? "" : " --submission " + text::shell_word(other_file),
                       seed_text(options_.seed));
  }

  void end_early(Verdict verdict, std::string message) {
    result_.verdict = verdict;
    result_.message = std::move(message);
    result_.points = 0;
  }

  /// Compute capability that code is compiled for; nothing where PTX is what runs.
  std::optional<int> native_code() const {
    return gpu_ != nullptr ? std::optional(gpu_->compute_capability()) : std::nullopt;
  }

  CompiledSubmission compile() {
    if (options_.progress) {
      const int total = static_cast<int>(problem_.cases.size());
      options_.progress("compiling " + submission_.filename().string(), 0, total);
    }
    CompiledSubmission compiled = build::compile_submission(exercise_, file_, native_code());
    if (!compiled.from_cache) {
      result_.compile_seconds = std::chrono::duration<double>(compiled.time).count();
    }
    switch (compiled.status) {
      case CompiledSubmission::Status::compiled:
        result_.compiler_output = compiled.diagnostics;
        break;
      case CompiledSubmission::Status::rejected:
        end_early(Verdict::compile_error, submission_.filename().string() + " does not compile");
        result_.compiler_output = compiled.diagnostics;
        keep_errors(compiled);
        break;
      case CompiledSubmission::Status::missing:
        explain_missing_file();
        break;
      case CompiledSubmission::Status::unreadable:
      case CompiledSubmission::Status::banned:
        end_early(Verdict::compile_error, compiled.diagnostics);
        break;
    }
    return compiled;
  }

  void keep_errors(const CompiledSubmission& compiled) {
    const SourceText source(submission_.filename().string(), compiled.source);
    const auto placed = [&source](const build::CompilerError& error) {
      return result::CompilerError{source.place({source.file_name(), error.line}), error.message,
                                   error.meaning};
    };
    if (compiled.first_error) result_.compiler_error = placed(*compiled.first_error);
    for (const build::CompilerError& error : compiled.further_errors)
      result_.further_errors.push_back(placed(error));
  }

  void explain_missing_file() {
    const std::string file = submission_.filename().string();
    const std::string folder =
        text::shown_path(std::filesystem::absolute(submission_).parent_path().string());
    std::error_code none;
    end_early(Verdict::compile_error,
              std::filesystem::is_directory(submission_.parent_path(), none)
                  ? fmt::format("the folder {} has no file {}", folder, file)
                  : fmt::format("there is no folder {}, which should hold {}", folder, file));
    result_.next_step =
        fmt::format("Put {} there, or name your file itself: `--submission PATH/{}`.", file, file);
  }

  void judge_source() {
    const CompiledSubmission compiled = compile();
    result_.source = compiled.source;
    if (compiled.status != CompiledSubmission::Status::compiled) return;
    const Seed seed = derived_seed(choose_seed(compiled.source_digest), problem_.name);
    if (problem_.puzzles.empty()) {
      judge_object(compiled.object, seed);
    } else {
      judge_each_puzzle(compiled.object, seed);
    }
  }

  /// The file's numbers beside what the emulated device counts of kernels.cu, on every machine.
  void judge_predictions() {
    auto text = build::read_source(file_);
    if (const auto* const unreadable = std::get_if<build::Unreadable>(&text)) {
      if (unreadable->is_missing) return explain_missing_file();
      return end_early(Verdict::compile_error, unreadable->sentence);
    }
    result_.source = std::get<std::string>(std::move(text));
    build::ContentHash digest;
    digest.add(result_.source);
    const Seed seed = derived_seed(choose_seed(digest.digest()), problem_.name);
    PredictionFile file =
        read_predictions(submission_.filename().string(), result_.source, problem_.predictions);
    result_.unread = std::move(file.unread);

    const CompiledSubmission kernels = build::compile_submission(exercise_, exercise_.kernels);
    const std::string name = exercise_.kernels.filename().string();
    if (kernels.status != CompiledSubmission::Status::compiled)
      throw std::runtime_error(kernels_fault("it does not compile: " + kernels.diagnostics));
    const SourceText source(name, kernels.source);
    const std::map<std::string, emulator::Observations> measured =
        measure_kernels(kernels.object, seed, source);
    std::size_t right = 0;
    for (const course::Prediction& one : problem_.predictions) {
      const auto number = file.numbers.find(one.name);
      result_.predictions.push_back(
          judge_prediction(one, number == file.numbers.end() ? std::nullopt : std::optional(number->second),
                           measured.at(one.case_name), source));
      right += result_.predictions.back().verdict == Verdict::passed ? 1 : 0;
    }
    const std::size_t all = problem_.predictions.size();
    result_.verdict = right == all ? Verdict::passed : Verdict::wrong_answer;
    result_.points = result_.max_points * static_cast<double>(right) / static_cast<double>(all);
  }

  /// What each case of kernels.cu counts. Throws where one does not pass: then these are not our kernels.
  std::map<std::string, emulator::Observations> measure_kernels(const std::filesystem::path& object,
                                                                const Seed& seed, const SourceText& source) {
    const std::unique_ptr<device::Device> counting = gpu_ == nullptr ? nullptr : counting_device();
    SeriesOptions series_options{.seed = derived_seed(seed, "inputs"), .progress = options_.progress};
    series_options.total_time /= static_cast<int>(problem_.puzzles.size());
    std::map<std::string, emulator::Observations> measured;
    for (const course::Puzzle& puzzle : problem_.puzzles) {
      const course::Problem problem = problem_.of(puzzle);
      CaseSeries series = run_cases(problem, opener(object, seed, source, counting ? *counting : device_),
                                    source, series_options);
      if (series.load.kind != OutcomeKind::done)
        throw std::runtime_error(kernels_fault(puzzle.name + " could not be loaded"));
      for (const result::CaseResult& one : series.cases) {
        if (one.verdict == Verdict::grader_error) throw std::runtime_error(one.message);
        if (one.verdict != Verdict::passed)
          throw std::runtime_error(kernels_fault(
              fmt::format("case {} ends with {}: {}", one.name, name_of(one.verdict), one.message)));
      }
      for (MeasuredCase& one : series.measured) measured[one.one->name] = std::move(one.observations);
    }
    return measured;
  }

  /// What is wrong with the exercise's own kernels, and how they come back.
  std::string kernels_fault(const std::string& what) {
    const std::string kernels = exercise_.kernels.lexically_relative(exercise_.root).string();
    result_.next_step = fmt::format("Type `git checkout {}`, which brings it back.", kernels);
    return fmt::format("{} is not as the course has it: {}", kernels, what);
  }

  Seed choose_seed(const std::string& source_digest) {
    if (options_.secret.empty()) return options_.seed;
    const Seed seed = seed_of_submission(options_.secret, problem_.name, source_digest);
    result_.seed_digest = digest_of(seed);
    if (options_.show_seed) result_.seed = seed_text(seed);
    return seed;
  }

  /// What a puzzle leaves, a crash or a lack of time, is of no concern to the next one.
  void judge_each_puzzle(const std::filesystem::path& object, const Seed& seed) {
    for (const course::Puzzle& puzzle : problem_.puzzles) {
      const course::Problem problem = problem_.of(puzzle);
      if (!is_whole() && std::ranges::none_of(problem.cases, [this](const course::Case& one) {
            return one.name == options_.only_case;
          }))
        continue;
      Judgement judgement(exercise_, problem, file_, device_, options_);
      judgement.result_.source = result_.source;
      try {
        judgement.judge_object(object, seed);
      } catch (const std::exception& error) {
        judgement.end_early(Verdict::grader_error, error.what());
      }
      add_puzzle(puzzle, std::move(judgement.result_));
    }
    const result::PuzzleResult* const unsolved = result::first_unsolved(result_);
    result_.verdict = unsolved == nullptr ? Verdict::passed : unsolved->verdict;
  }

  void add_puzzle(const course::Puzzle& puzzle, ExerciseResult&& one) {
    result_.puzzles.push_back(
        {puzzle.name, puzzle.title, one.verdict, one.points, one.max_points, std::move(one.message)});
    result_.points += one.points;
    for (result::CaseResult& any : one.cases) any.puzzle = puzzle.name;
    for (result::GateResult& any : one.gates) any.puzzle = puzzle.name;
    const auto append = [](auto& to, auto&& from) { std::ranges::move(from, std::back_inserter(to)); };
    append(result_.cases, one.cases);
    append(result_.gates, one.gates);
    // They are about the whole file.
    if (result_.remarks.empty()) result_.remarks = std::move(one.remarks);
    append(result_.lines, one.lines);
    append(result_.kernels, one.kernels);
    append(result_.traces, one.traces);
    append(result_.shared_accesses, one.shared_accesses);
    append(result_.global_accesses, one.global_accesses);
    append(result_.counters, one.counters);
    if (!one.measured_case.empty())
      result_.measured_case += (result_.measured_case.empty() ? "" : ", ") + one.measured_case;
    result_.measured_calls = std::max(result_.measured_calls, one.measured_calls);
    if (result_.output.empty()) {
      result_.output = std::move(one.output);
      result_.output_truncated = one.output_truncated;
    }
  }

  void judge_object(const std::filesystem::path& object, const Seed& seed) {
    const SourceText source(submission_.filename(), result_.source);
    SeriesOptions series_options;
    series_options.seed = derived_seed(seed, "inputs");
    series_options.only_measured = options_.only_measured;
    series_options.only_case = options_.only_case;
    series_options.draw = options_.draw;
    series_options.progress = options_.progress;
    // All puzzles of an exercise share its time.
    if (const auto puzzles = exercise_.problem.puzzles.size(); puzzles > 0)
      series_options.total_time /= static_cast<int>(puzzles);
    const std::unique_ptr<device::Device> counting = gpu_ == nullptr ? nullptr : counting_device();
    CaseSeries series;
    if (!is_gpu_case()) {
      series = run_cases(problem_, opener(object, seed, source, counting ? *counting : device_), source,
                         series_options);
    }
    result_.cases = series.cases;
    if (counting && (is_gpu_case() || result::is_correct(result_))) {
      run_on_gpu(series, object, seed, source, series_options);
    } else if (options_.only_measured) {
      for (const MeasuredCase& one : series.measured) keep_counters(one, {});
    }
    result_.picture = std::move(series.picture);
    result_.output = std::move(series.output);
    result_.output_truncated = series.output_truncated;
    if (series.load.kind != OutcomeKind::done) {
      explain_failed_load(series.load, object, source);
      return;
    }
    if (result_.cases.empty() && !is_whole()) {
      end_early(Verdict::not_measured,
                fmt::format("there is no room for the buffers of case {} here", options_.only_case));
      return;
    }
    judge_parts(series, source, object, seed);
    keep_profile(std::move(series.measured));
  }

  /// On the device itself the same cases, with other inputs and then those that are too large to be emulated;
  /// where counters are compared, neither.
  void run_on_gpu(CaseSeries& series, const std::filesystem::path& object, const Seed& seed,
                  const SourceText& source, SeriesOptions series_options) {
    const device::GpuLock lock = await_turn(*gpu_, options_.progress);
    // The submission is not to blame for what others hold.
    if (gpu_->free_memory() < gpu_->context_bytes())
      throw std::runtime_error(fmt::format("the GPU has too little free memory to run a program, {:.0f} MB",
                                           static_cast<double>(gpu_->free_memory()) / 1e6));
    if (options_.count_on_gpu) {
      series_options.call_time = kCountedCallTime;
    } else {
      series_options.seed = derived_seed(seed, "inputs on the GPU");
      series_options.further_cases = gpu_cases_with_room();
    }
    CaseSeries on_gpu = run_cases(problem_, opener(object, seed, source, device_), source, series_options);
    series.load = on_gpu.load;
    series.picture = std::move(on_gpu.picture);
    // Both series run the same measured cases; the one on the GPU may have ended early.
    for (std::size_t i = 0; options_.count_on_gpu && i < on_gpu.measured.size(); ++i)
      keep_counters(series.measured.at(i), on_gpu.measured[i].observations);
    for (result::CaseResult& one : on_gpu.cases) {
      if (one.verdict != Verdict::passed) one.message = "on the GPU: " + one.message;
    }
    result_.cases = std::move(on_gpu.cases);
  }

  /// Whether the one case to run is none that can be emulated.
  bool is_gpu_case() const {
    return std::any_of(problem_.gpu_cases.begin(), problem_.gpu_cases.end(),
                       [this](const course::Case& one) { return one.name == options_.only_case; });
  }

  std::vector<const course::Case*> gpu_cases_with_room() const {
    constexpr double kOnHost =
        3;  // inputs as they are made and as they are kept, or kept and as they are read
    const double host = free_host_memory(), device = static_cast<double>(gpu_->free_memory());
    std::vector<const course::Case*> cases;
    for (const course::Case& one : problem_.gpu_cases) {
      if (kOnHost * one.cost.global_bytes <= host && one.cost.global_bytes + kDeviceMemory <= device)
        cases.push_back(&one);
    }
    return cases;
  }

  /// The emulated device says of every case what it says everywhere, with its counters and its reasons. Only
  /// beside a GPU's counters it has as many multiprocessors: grids that adapt to them are then the same.
  std::unique_ptr<device::Device> counting_device() const {
    return options_.count_on_gpu ? device::make_emulated_device(device_.multiprocessors())
                                 : device::make_device(device::Kind::emulated);
  }

  void keep_counters(const MeasuredCase& emulated, const emulator::Observations& hardware) {
    if (!emulated.one->measured) return;
    result_.counters.push_back(
        result::side_by_side(emulated.one->name, emulated.one->calls, emulated.observations, hardware));
  }

  OpenAttempt opener(const std::filesystem::path& object, const Seed& seed, const SourceText& source,
                     device::Device& device) {
    return [this, open = attempts_at(object, device, derived_number(seed, "device")),
            file = source.file_name()] {
      std::unique_ptr<Attempt> attempt = open();
      if (options_.trace_line) attempt->session().trace_line(file, *options_.trace_line);
      return attempt;
    };
  }

  void explain_failed_load(const runner::Outcome& load, const std::filesystem::path& object,
                           const SourceText& source) {
    const ProgramFault fault = fault_of(load, kLoadTime);
    if (load.kind == OutcomeKind::missing_function) {
      end_early(fault.verdict, missing_function_message(problem_, object, source.file_name()));
    } else {
      end_early(fault.verdict,
                "your function was never called, as loading the program failed: " + fault.message);
    }
  }

  /// How much of the program with the mistakes was changed: what was compiled is compared with the grader's
  /// own copy.
  result::Repair judge_repair(std::size_t max_changed_lines) const {
    const std::size_t changed = changed_lines(storage::read_file(exercise_.broken), result_.source);
    return {.changed_lines = changed,
            .max_changed_lines = max_changed_lines,
            .verdict = changed <= max_changed_lines ? Verdict::passed : Verdict::too_many_changes};
  }

  /// Repair, technique, verdict and points. Technique counts only once every case has passed.
  void judge_parts(const CaseSeries& series, const SourceText& source, const std::filesystem::path& object,
                   const Seed& seed) {
    result_.gates = result::is_correct(result_) && is_whole()
                        ? judge_technique(problem_, series.measured, series.host_copies, source)
                        : technique_not_measured(problem_);
    if (problem_.max_changed_lines && is_whole()) result_.repair = judge_repair(*problem_.max_changed_lines);
    if (result::is_correct(result_))
      result_.remarks = remarks_on(problem_, source, result_.cases.size() > problem_.cases.size());
    const bool measures_speed = gpu_ != nullptr && !options_.count_on_gpu && problem_.speed && is_whole();
    if (result::is_correct(result_) && measures_speed) judge_speed(object, seed);
    result_.verdict = overall_verdict(result_);
    result_.points = points_of(result_, result_.max_points);
  }

  void judge_speed(const std::filesystem::path& object, const Seed& seed) {
    const course::Baseline& baseline = problem_.speed->baseline_of(answer_of_measured());
    const CompiledSubmission reference = build::compile_submission(
        exercise_,
        baseline.rung.empty() ? exercise_.solutions / exercise_.starter.filename()
                              : exercise_.solutions / "rungs" / (baseline.rung + ".cu"),
        native_code());
    if (reference.status != CompiledSubmission::Status::compiled) {
      throw std::runtime_error(fmt::format("the solution that speed is compared with does not compile: {}",
                                           reference.diagnostics));
    }
    const std::uint64_t order = derived_number(seed, "device");
    SpeedMeasurement measurement = measure_speed(problem_, *gpu_, attempts_at(object, device_, order),
                                                 attempts_at(reference.object, device_, order),
                                                 {.seed = derived_seed(seed, "speed"),
                                                  .progress = options_.progress,
                                                  .calibrations = options_.calibrations,
                                                  .baseline = baseline});
    result_.speed = std::move(measurement.speed);
    result_.complaint = std::move(measurement.complaint);
    if (options_.rungs && result_.speed.ratio) {
      Standing standing =
          standing_of(options_.rungs(result_.speed.size), *result_.speed.ratio, result_.speed.baseline);
      result_.speed.between = standing.between();
      result_.speed.ladder = std::move(standing.ladder);
      result_.speed.on_ladder = standing.speed;
    }
    if (!measurement.fault) return;
    result_.cases.push_back(std::move(*measurement.fault));
    result_.cases.back().measured = true;
  }

  /// Name of the answer of the measured cases, where several are right.
  std::string answer_of_measured() const {
    const auto measured = std::ranges::find_if(result_.cases, &result::CaseResult::measured);
    return measured == result_.cases.end() ? "" : measured->answer;
  }

  /// Name of the case to profile; empty: the largest.
  std::string case_to_profile() const {
    if (!options_.profiled_case.empty()) return options_.profiled_case;
    const auto failed = std::ranges::find(result_.gates, Verdict::inefficient, &result::GateResult::verdict);
    return failed == result_.gates.end() ? "" : failed->case_name;
  }

  /// Counters and traces of that case.
  void keep_profile(std::vector<MeasuredCase>&& measured) {
    const std::string wanted = case_to_profile();
    auto chosen = std::ranges::find_if(
        measured, [&wanted](const MeasuredCase& any) { return any.one->name == wanted; });
    if (chosen == measured.end()) {
      chosen = std::ranges::max_element(measured, {},
                                        [](const MeasuredCase& any) { return any.one->cost.global_bytes; });
    }
    if (chosen == measured.end()) return;
    result_.measured_case = chosen->one->name;
    result_.measured_calls = chosen->one->calls;
    result_.lines = std::move(chosen->observations.lines);
    result_.kernels = std::move(chosen->observations.kernels);
    result_.traces = std::move(chosen->observations.traces);
    result_.shared_accesses = std::move(chosen->observations.shared_accesses);
    result_.global_accesses = std::move(chosen->observations.global_accesses);
  }

  const course::Exercise& exercise_;
  const course::Problem& problem_;
  const build::SubmissionFile& file_;
  const std::filesystem::path submission_;  ///< its path, for the reader
  device::Device& device_;
  device::TimingDevice* const gpu_;  ///< the same device where it is one that times; else null
  const Options& options_;
  ExerciseResult result_;
};

}  // namespace

ExerciseResult judge(const course::Exercise& exercise, const build::SubmissionFile& submission,
                     device::Device& device, const Options& options) {
  return Judgement(exercise, exercise.problem, submission, device, options).run();
}

}  // namespace lockstep::judge
