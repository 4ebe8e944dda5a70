// `lockstep grade`: judges exercises one after another and reports each as soon as it is known.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <random>

#include "cli/bench_record.h"
#include "cli/calibration_store.h"
#include "cli/command.h"
#include "cli/files.h"
#include "cli/numbers.h"
#include "cli/progress.h"
#include "cli/selection.h"
#include "cli/terminal.h"
#include "device/device.h"
#include "judge/judge.h"
#include "judge/submission_path.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/printable.h"
#include "report/text.h"
#include "sandbox/sandbox.h"

namespace lockstep::cli {
namespace {

enum class Format { text, json, junit };

/// What a flag holds that has no value, as `--show` without `=FILE`.
constexpr const char* kNamedByTopic = "true";

struct GradeArguments {
  std::vector<std::string> exercises;
  bool all = false;
  std::optional<std::filesystem::path> submission;
  device::Kind device = device::Kind::automatic;
  Format format = Format::text;
  std::optional<std::filesystem::path> output;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> show;  ///< file of the picture, or kNamedByTopic
};

std::uint64_t random_seed() {
  std::random_device source;
  // Twice 32 bits: half of them could be tried one after the other by who knows one input.
  return std::uint64_t{source()} << 32 | source();
}

std::string render(const report::Report& report, Format format) {
  switch (format) {
    case Format::json:
      return render_json(report);
    case Format::junit:
      return render_junit(report);
    case Format::text:
      break;
  }
  return render_text(report, {});
}

void check(const GradeArguments& arguments, std::size_t selected) {
  if (arguments.submission) check_submission(*arguments.submission);
  if (arguments.all && !arguments.exercises.empty()) {
    throw WrongUse("--all grades every exercise: name some, or say --all, not both.");
  }
  std::error_code error;
  if (arguments.submission && selected > 1 &&
      std::filesystem::is_regular_file(*arguments.submission, error)) {
    throw WrongUse(arguments.submission->string() +
                   " is one file: say which exercise it solves, as in "
                   "./lockstep grade transpose --submission FILE.");
  }
  if (arguments.output &&
      (!arguments.output->has_filename() || std::filesystem::is_directory(*arguments.output, error)))
    throw WrongUse("--output is a file to write: \"" + report::printable(arguments.output->string()) +
                   "\" is none.");
  if (arguments.show && *arguments.show != kNamedByTopic && selected > 1) {
    throw WrongUse("--show=FILE is one picture: name one exercise, or let --show choose the files' names.");
  }
}

/// Writes what the submission left as a picture and says where; nothing is to be seen of an exercise without
/// one, or of a submission that left nothing.
void show(const report::ExerciseResult& result, std::string file, bool tells) {
  if (!result.picture || result.picture->contents.empty()) {
    const std::string reason = result.picture ? ": " + result.picture->complaint : "";
    std::cerr << fmt::format("lockstep: no picture of {}{}\n", result.name, reason);
    return;
  }
  if (file == kNamedByTopic) file = result.name + "." + result.picture->ending;
  write_file(file, result.picture->contents);
  if (tells)
    std::cout << fmt::format("  Picture: {}, of case {}\n", report::printable(file),
                             result.picture->case_name);
}

/// The exercise's file in the course; where that may only be read, any file from elsewhere.
bool is_students_own(const course::Exercise& exercise, const std::filesystem::path& submission) {
  std::error_code error;
  if (std::filesystem::equivalent(exercise.starter, submission, error)) return true;
  const auto is_in_the_course = [&error](const std::filesystem::path& path) {
    const auto relative = std::filesystem::relative(path, course::course_root(), error);
    return !relative.empty() && *relative.begin() != "..";
  };
  return !is_in_the_course(course::state_folder()) && !is_in_the_course(submission);
}

/// Keeps the best result for `list`. Whether that could be written: if not, that is said, and a grade stays
/// one.
bool keep(const report::ExerciseResult& result) {
  try {
    Progress::update([&result](Progress& progress) { progress.record(result); });
    return true;
  } catch (const Failed& error) {
    std::cerr << "lockstep: your progress is not kept: " << report::printable(error.what()) << '\n';
    return false;
  }
}

int grade(const GradeArguments& arguments) {
  const std::vector<const course::Exercise*> exercises = select_exercises(arguments.exercises);
  check(arguments, exercises.size());
  const std::unique_ptr<device::Device> device = device::make_device(arguments.device);
  report::Report report;
  report.device = device->description();
  report.seed = arguments.seed ? *arguments.seed : random_seed();
  if (!sandbox::isolation().namespaces) {
    report.warnings.push_back(
        "submissions are not isolated on this machine: grade no stranger's code here (" +
        sandbox::isolation().reason + "); ./lockstep doctor tells what mends it");
  }

  // A machine-readable report alone owns standard output; beside one in a file the student still reads text.
  const bool tells = arguments.format == Format::text || arguments.output;
  const report::TextStyle style = output_style();
  if (tells) std::cout << render_heading(report, style) << std::flush;
  bool keeps_progress = true;
  for (const course::Exercise* exercise : exercises) {
    const build::SubmissionFile submission = arguments.submission
                                                 ? judge::resolve_submission(*exercise, *arguments.submission)
                                                 : exercise->starter;
    ProgressLine line;
    judge::Options options{.seed = report.seed, .draw = arguments.show.has_value()};
    options.progress = [&](const std::string& what, int, int) {
      line.show(exercise->problem.name + ": " + what);
    };
    options.ceilings = [&](const std::vector<report::Quantity>& wanted) {
      StoredCalibration known = complete_calibration(calibration_folder(), *device->open_calibrator(), wanted,
                                                     [&](const std::string& what) { line.show(what); });
      line.clear();
      if (!known.complaint.empty()) std::cerr << "lockstep: " << known.complaint << '\n';
      return std::move(known.calibration.figures);
    };
    options.rungs = [&](const std::string& size) {
      return recorded_rungs(report.device.name, exercise->problem.name, size);
    };
    report.exercises.push_back(judge::judge(*exercise, submission, *device, options));
    line.clear();
    if (tells) std::cout << render_exercise(report.exercises.back(), style) << std::flush;
    if (arguments.show) show(report.exercises.back(), *arguments.show, tells);
    if (keeps_progress && is_students_own(*exercise, submission.path()))
      keeps_progress = keep(report.exercises.back());
  }
  if (tells) std::cout << render_summary(report, style);
  if (arguments.output) {
    write_file(*arguments.output, render(report, arguments.format));
  } else if (!tells) {
    std::cout << render(report, arguments.format);
  }
  return exit_status(report);
}

}  // namespace

void add_grade(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<GradeArguments>();
  CLI::App* command = app.add_subcommand("grade", "Judges your solutions; all exercises when none is named");
  const std::map<std::string, device::Kind> kinds = {
      {"auto", device::Kind::automatic}, {"gpu", device::Kind::gpu}, {"emulated", device::Kind::emulated}};
  const std::map<std::string, Format> formats = {
      {"text", Format::text}, {"json", Format::json}, {"junit", Format::junit}};
  command->add_option("exercise", arguments->exercises, "Topics, numbers or folders, such as transpose");
  command->add_flag("--all", arguments->all, "Every exercise");
  command
      ->add_option("--submission", arguments->submission,
                   "What to grade instead of exercises/: a .cu file, an exercise's folder, or a tree such as "
                   "solutions")
      ->type_name("PATH");
  command->add_option("--device", arguments->device, "auto (the GPU if there is one), gpu, or emulated")
      ->transform(CLI::CheckedTransformer(kinds).description(""))
      ->type_name("KIND");
  command->add_option("--format", arguments->format, "text, json (lockstep/result/v1), or junit")
      ->transform(CLI::CheckedTransformer(formats).description(""))
      ->type_name("FORMAT");
  command
      ->add_option("--output", arguments->output,
                   "Write the report to a file, whole or not at all; text still goes to the terminal")
      ->type_name("FILE");
  command->add_option("--seed", arguments->seed, "Of all inputs; drawn at random and reported when not given")
      ->check(whole_number())
      ->type_name("NUMBER");
  command->add_flag("--show", arguments->show,
                    "Draw what came out of exercises that have a picture, into TOPIC.svg or TOPIC.ppm here; "
                    "--show=FILE names another file");
  command->footer(
      "\nExamples:  ./lockstep grade transpose\n"
      "           ./lockstep grade --all --submission solutions --format junit --output results.xml");
  command->callback([arguments, &status] { status = grade(*arguments); });
}

}  // namespace lockstep::cli
