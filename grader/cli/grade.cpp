// `lockstep grade`: judges exercises one after another and reports each as soon as it is known.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "attempts/attempts.h"
#include "calibration/calibration_store.h"
#include "cli/bench_record.h"
#include "cli/choice.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/selection.h"
#include "cli/terminal.h"
#include "device/device.h"
#include "judge/judge.h"
#include "judge/seeds.h"
#include "judge/submission_path.h"
#include "report/html.h"
#include "report/json.h"
#include "report/junit.h"
#include "report/lines.h"
#include "report/printable.h"
#include "report/sarif.h"
#include "report/text.h"
#include "sandbox/sandbox.h"
#include "storage/files.h"
#include "text/wording.h"

namespace lockstep::cli {
namespace {

enum class Format { text, lines, json, junit, sarif, html };

const std::vector<std::pair<std::string, Format>> kFormats = {
    {"text", Format::text},   {"lines", Format::lines}, {"json", Format::json},
    {"junit", Format::junit}, {"sarif", Format::sarif}, {"html", Format::html}};

/// What a flag holds that has no value, as `--show` without `=FILE`.
constexpr const char* kNamedByTopic = "true";

struct GradeArguments {
  std::vector<std::string> exercises;
  bool all = false;
  std::optional<std::filesystem::path> submission;
  device::Kind device = device::Kind::automatic;
  Format format = Format::text;
  std::optional<std::filesystem::path> output;
  std::vector<std::pair<Format, std::filesystem::path>> also;  ///< further formats, and their files
  std::optional<std::string> seed;
  std::optional<std::filesystem::path> seed_file, secret_file;
  bool show_seed = false;
  std::optional<std::string> only_case;
  std::optional<std::string> show;  ///< file of the picture, or kNamedByTopic
};

/// Of a file, or of standard input where it is named `-`.
std::string contents_of(const std::filesystem::path& file) {
  if (file == "-") return {std::istreambuf_iterator<char>(std::cin), {}};
  return storage::read_file(file);
}

judge::Seed seed_in(std::string text, const std::string& where) {
  text.erase(0, text.find_first_not_of(" \t\r\n"));
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  if (const auto seed = judge::parse_seed(text)) return *seed;
  throw WrongUse(where +
                 " holds no seed, which is a whole number from 0 to 2^64 - 1 or 64 hexadecimal digits.");
}

/// Throws WrongUse where others could know it, or guess it.
std::string secret_in(const std::filesystem::path& file) {
  constexpr std::size_t kEnoughBytes = 16;
  const std::string name = report::printable(file.string());
  const std::string remedy = "(umask 077; head -c 32 /dev/urandom > FILE) makes one.";
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  constexpr auto kOthers = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
  if (std::filesystem::is_regular_file(status) &&
      (status.permissions() & kOthers) != std::filesystem::perms::none)
    throw WrongUse("others may use the file " + name + ": make a new secret that they may not read. " +
                   remedy);
  std::string secret = contents_of(file);
  if (secret.size() < kEnoughBytes)
    throw WrongUse(fmt::format("{} holds {} bytes, and a secret of less than {} can be guessed: {}", name,
                               secret.size(), kEnoughBytes, remedy));
  return secret;
}

/// How the seeds of a report come about.
judge::Options seeds_of(const GradeArguments& arguments) {
  judge::Options options{.show_seed = arguments.show_seed};
  if (arguments.secret_file) {
    options.secret = secret_in(*arguments.secret_file);
  } else if (arguments.seed_file) {
    options.seed =
        seed_in(contents_of(*arguments.seed_file), report::printable(arguments.seed_file->string()));
  } else {
    options.seed = arguments.seed ? seed_in(*arguments.seed, "--seed") : judge::random_seed();
  }
  return options;
}

std::string render(const result::Report& report, Format format) {
  switch (format) {
    case Format::json:
      return report::render_json(report);
    case Format::junit:
      return report::render_junit(report);
    case Format::html:
      return report::render_html(report);
    case Format::lines:
      return report::render_lines(report);
    case Format::sarif:
      return report::render_sarif(report);
    case Format::text:
      break;
  }
  return report::render_text(report, {});
}

/// FORMAT=FILE, for each of `words`. Throws WrongUse.
std::vector<std::pair<Format, std::filesystem::path>> further_files(const std::vector<std::string>& words) {
  std::vector<std::pair<Format, std::filesystem::path>> files;
  for (const std::string& word : words) {
    const std::size_t end = word.find('=');
    const std::string name = word.substr(0, end);
    const auto format =
        std::ranges::find_if(kFormats, [&name](const auto& known) { return known.first == name; });
    if (end == std::string::npos || format == kFormats.end())
      throw WrongUse("--also is a format and a file, as in --also html=page.html: \"" +
                     report::printable(word) + "\" is not.");
    files.emplace_back(format->second, word.substr(end + 1));
  }
  return files;
}

void check_output(const char* option, const std::filesystem::path& file) {
  std::error_code error;
  if (!file.has_filename() || std::filesystem::is_directory(file, error))
    throw WrongUse(
        fmt::format("{} is a file to write: \"{}\" is none.", option, report::printable(file.string())));
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
  if (arguments.output) check_output("--output", *arguments.output);
  for (const auto& [format, file] : arguments.also) check_output("--also", file);
  if (arguments.show && *arguments.show != kNamedByTopic && selected > 1) {
    throw WrongUse("--show=FILE is one picture: name one exercise, or let --show choose the files' names.");
  }
  if (arguments.only_case && selected != 1)
    throw WrongUse(
        "--case is a case of one exercise: name it, as in ./lockstep grade transpose --case NAME.");
  if (arguments.only_case && arguments.secret_file && !arguments.show_seed)
    throw WrongUse(
        "--case shows inputs, which a class is not to know: say --show-seed as well once nobody "
        "hands in any more.");
}

/// Writes what the submission left as a picture and says where; nothing is to be seen of an exercise without
/// one, or of a submission that left nothing.
void show(const result::ExerciseResult& result, std::string file, bool prints) {
  if (!result.picture || result.picture->contents.empty()) {
    const std::string reason = result.picture ? ": " + result.picture->complaint : "";
    std::cerr << fmt::format("lockstep: no picture of {}{}\n", result.name, reason);
    return;
  }
  if (file == kNamedByTopic) file = result.name + "." + result.picture->ending;
  storage::write_file(file, result.picture->contents);
  if (prints)
    std::cout << fmt::format("  Picture: {}, of case {}\n", report::printable(file),
                             result.picture->case_name);
}

/// Whether a grading is the student's progress: of the exercise's file in the course, and of another file
/// that is named itself, whose report the student reads. A folder may be somebody else's, except where the
/// course can only be read and everybody works elsewhere.
bool is_students_own(const GradeArguments& arguments, const course::Exercise& exercise,
                     const std::filesystem::path& submission) {
  std::error_code error;
  if (arguments.secret_file) return false;  // a class is graded
  if (!arguments.submission || std::filesystem::equivalent(exercise.starter, submission, error)) return true;
  if (arguments.format != Format::text) return false;
  for (const char* folder : {"solutions", "tests"})
    for (const std::filesystem::path& root : {course::course_root(), exercise.root})
      if (is_below(submission, root / folder)) return false;
  return std::filesystem::is_regular_file(*arguments.submission, error) ||
         !is_below(course::state_folder(), course::work_folder());
}

/// Keeps the best result for `list`. Whether that could be written: if not, that is said, and a grade stays
/// one.
bool keep(const result::ExerciseResult& result) {
  try {
    Progress::update([&result](Progress& progress) { progress.record(result); });
    return true;
  } catch (const storage::FileError& error) {
    std::cerr << "lockstep: your progress is not kept: " << report::printable(error.what()) << '\n';
    return false;
  }
}

/// Adds to the result the student's attempts so far, and keeps this one. A grading in which the grader failed
/// is none.
void keep_attempt(result::ExerciseResult& result, const result::DeviceDescription& device) {
  if (result.verdict == result::Verdict::grader_error) return;
  attempts::History history = attempts::add_attempt(course::state_folder() / "history", result, device);
  result.attempts = std::move(history.attempts);
  if (!history.complaint.empty()) std::cerr << "lockstep: " << report::printable(history.complaint) << '\n';
}

void print_attempt(const result::ExerciseResult& result) {
  const std::string words = attempts::last_in_words(result.attempts);
  if (!words.empty()) std::cout << '\n' << words << '\n';
}

/// The report as a page, which the student may open; of several exercises one for all.
void leave_page(const result::Report& report) {
  const std::string name = report.exercises.size() == 1 ? report.exercises.front().name : "index";
  const std::filesystem::path page = course::state_folder() / "pages" / (name + ".html");
  try {
    storage::write_file(page, report::render_html(report));
    std::cout << "page: " << report::printable(text::shown_path(page.string())) << '\n';
  } catch (const storage::FileError& error) {
    std::cerr << "lockstep: there is no page of this report: " << report::printable(error.what()) << '\n';
  }
}

int grade(const GradeArguments& arguments) {
  const bool names_none = arguments.exercises.empty() && !arguments.all;
  const course::Exercise* const here = names_none ? exercise_here() : nullptr;
  const std::vector<const course::Exercise*> exercises =
      here != nullptr ? std::vector{here} : select_exercises(arguments.exercises);
  check(arguments, exercises.size());
  const std::unique_ptr<device::Device> device = device::make_device(arguments.device);
  result::Report report;
  report.device = device->description();
  judge::Options common = seeds_of(arguments);
  if (arguments.only_case)
    common.only_case = select_case(*exercises.front(), *arguments.only_case, device->timing() != nullptr);
  if (common.secret.empty()) report.seed = judge::seed_text(common.seed);
  if (!sandbox::isolation().namespaces) {
    report.warnings.push_back(
        "submissions are not isolated on this machine: grade no stranger's code here (" +
        sandbox::isolation().reason + "); ./lockstep doctor says how to fix it");
  }

  // A machine-readable report alone owns standard output; beside one in a file the student still reads text.
  const bool prints = arguments.format == Format::text || arguments.output;
  const report::TextStyle style = output_style();
  if (prints) std::cout << report::render_heading(report, style) << std::flush;
  bool keeps_progress = true;
  Progress progress = arguments.secret_file ? Progress() : Progress::load();
  for (const course::Exercise* exercise : exercises) {
    const build::SubmissionFile submission = arguments.submission
                                                 ? judge::resolve_submission(*exercise, *arguments.submission)
                                                 : exercise->starter;
    const bool is_progress = !arguments.only_case && is_students_own(arguments, *exercise, submission.path());
    ProgressLine line;
    judge::Options options = common;
    options.passed = progress.passed();
    if (is_progress) options.passed.insert(exercise->problem.name);
    options.draw = arguments.show.has_value();
    options.progress = [&](const std::string& what, int, int) {
      line.show(exercise->problem.name + ": " + what);
    };
    options.calibrations = calibration::calibration_folder();
    options.rungs = [&](const std::string& size) {
      return recorded_rungs(report.device.name, exercise->problem.name, size);
    };
    report.exercises.push_back(judge::judge(*exercise, submission, *device, options));
    line.clear();
    result::Speed& speed = report.exercises.back().speed;
    if (!arguments.only_case && speed.counts && speed.ladder.empty() &&
        result::is_correct(report.exercises.back()))
      add_recorded_ladder(speed, exercise->problem);
    if (is_progress) {
      progress.compare(report.exercises.back());
      progress.record(report.exercises.back());
      if (attempts::are_kept()) keep_attempt(report.exercises.back(), report.device);
    }
    if (const std::string& complaint = report.exercises.back().complaint; !complaint.empty())
      std::cerr << "lockstep: " << complaint << '\n';
    if (prints) std::cout << report::render_exercise(report.exercises.back(), style) << std::flush;
    if (arguments.show) show(report.exercises.back(), *arguments.show, prints);
    if (keeps_progress && is_progress) keeps_progress = keep(report.exercises.back());
  }
  if (prints) std::cout << report::render_summary(report, style);
  if (prints && exercises.size() == 1) print_attempt(report.exercises.front());
  for (const auto& [format, file] : arguments.also) storage::write_file(file, render(report, format));
  if (arguments.output) {
    storage::write_file(*arguments.output, render(report, arguments.format));
    if (arguments.format == Format::html)
      std::cout << "\nThe page: " << report::printable(arguments.output->string()) << '\n';
  } else if (!prints) {
    std::cout << render(report, arguments.format);
  }
  if (prints && !arguments.only_case && !arguments.secret_file) leave_page(report);
  return exit_status(report);
}

}  // namespace

void add_grade(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<GradeArguments>();
  CLI::App* command = app.add_subcommand(
      "grade", "Judges your solutions; without a name all, or that of the exercise's folder you are in");
  command->add_option("exercise", arguments->exercises, "Topics, numbers or folders, such as transpose");
  command->add_flag("--all", arguments->all, "Every exercise");
  command
      ->add_option("--submission", arguments->submission,
                   "What to grade instead of exercises/: a .cu file, an exercise's folder, or a tree such as "
                   "solutions")
      ->type_name("PATH");
  command->add_option("--device", arguments->device, "auto (the GPU if there is one), gpu, or emulated")
      ->transform(one_of<device::Kind>({{"auto", device::Kind::automatic},
                                        {"gpu", device::Kind::gpu},
                                        {"emulated", device::Kind::emulated}}))
      ->type_name("KIND");
  command
      ->add_option("--format", arguments->format,
                   "text; lines, as compilers print them, for editors; json (lockstep/result/v1); junit; "
                   "sarif (2.1.0); or html, a page with the source")
      ->transform(one_of<Format>(kFormats))
      ->type_name("FORMAT");
  command
      ->add_option("--output", arguments->output,
                   "Write the report to a file, whole or not at all; text still goes to the terminal")
      ->type_name("FILE");
  command
      ->add_option_function<std::vector<std::string>>(
          "--also", [arguments](const auto& words) { arguments->also = further_files(words); },
          "Write the report in a further format as well, as html=page.html; may be given several times")
      ->allow_extra_args(false)
      ->type_name("FORMAT=FILE");
  CLI::Option* const seed = command
                                ->add_option("--seed", arguments->seed,
                                             "Of all inputs; drawn at random and reported when not given")
                                ->type_name("SEED");
  CLI::Option* const seed_file =
      command
          ->add_option(
              "--seed-file", arguments->seed_file,
              "The same, from a file, or from standard input for -: other users see a command's line")
          ->excludes(seed)
          ->type_name("FILE");
  CLI::Option* const secret_file =
      command
          ->add_option(
              "--secret-file", arguments->secret_file,
              "For a class: every submission gets a seed of its own, derived from this file, and the "
              "report holds a digest of it alone")
          ->excludes(seed)
          ->excludes(seed_file)
          ->type_name("FILE");
  command
      ->add_flag("--show-seed", arguments->show_seed, "Report the seed itself, once nobody hands in any more")
      ->needs(secret_file);
  command
      ->add_option("--case", arguments->only_case,
                   "Just the case of this name, or of which it is a part; shows its inputs, and what is "
                   "expected and found, and gives no points")
      ->type_name("NAME");
  command->add_flag("--show", arguments->show,
                    "Draw what came out of exercises that have a picture, into TOPIC.svg or TOPIC.ppm here; "
                    "--show=FILE names another file");
  command->footer(
      "\nExamples:  ./lockstep grade transpose\n"
      "           ./lockstep grade transpose --case '1 x 1' --seed 1\n"
      "           ./lockstep grade transpose --format html --output transpose.html\n"
      "           ./lockstep grade --all --submission solutions --format junit --output results.xml");
  command->callback([arguments, &status] { status = grade(*arguments); });
}

}  // namespace lockstep::cli
