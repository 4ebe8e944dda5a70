// `lockstep profile`: the student's source with what every line costs in memory traffic, from the emulated
// device's counters; --trace draws one warp's access at one line.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <optional>

#include "build/toolkit.h"
#include "cli/choice.h"
#include "cli/command.h"
#include "cli/numbers.h"
#include "cli/profile_view.h"
#include "cli/selection.h"
#include "cli/terminal.h"
#include "device/device.h"
#include "judge/judge.h"
#include "judge/submission_path.h"
#include "report/counter_comparison.h"
#include "report/printable.h"
#include "report/profile.h"
#include "report/text.h"

namespace lockstep::cli {
namespace {

struct ProfileArguments {
  std::string exercise;
  std::optional<std::filesystem::path> submission;
  device::Kind device = device::Kind::emulated;
  std::optional<unsigned> trace;
  std::optional<std::string> only_case;
  std::shared_ptr<ProfileView> view = std::make_shared<ProfileView>();
  std::uint64_t seed = 0;
  std::optional<int> multiprocessors;  ///< of the emulated device
};

/// Of what did not pass.
int status_of(result::Verdict verdict) {
  return verdict == result::Verdict::grader_error ? kFailed : kNotPassed;
}

/// The GPU's own counters beside those of the emulated device, for the same inputs.
int compare_counters(const ProfileArguments& arguments, const course::Exercise& exercise,
                     const build::SubmissionFile& submission) {
  device::make_gpu();  // a machine without one fails with that before CUPTI is looked for
  std::filesystem::path cupti;
  try {
    cupti = build::find_cupti(build::find_toolkit());
  } catch (const std::runtime_error& error) {
    throw Failed(error.what());
  }
  const std::unique_ptr<device::TimingDevice> gpu = device::make_counting_gpu(cupti);
  ProgressLine progress;
  judge::Options options{.seed = judge::seed_of(arguments.seed), .only_measured = true, .count_on_gpu = true};
  options.progress = [&](const std::string& what, int, int) {
    progress.show(exercise.problem.name + ": " + what);
  };
  const result::ExerciseResult result = judge::judge(exercise, submission, *gpu, options);
  progress.clear();
  if (!result::is_correct(result)) {
    std::cerr << report::render_exercise(result, output_style());
    return status_of(result.verdict);
  }
  const std::string name = gpu->description().name;
  const int multiprocessors = gpu->multiprocessors();
  put(*arguments.view, arguments.view->json
                           ? report::render_counters_json(result, name, multiprocessors, arguments.seed)
                           : report::render_counters(result, name, output_style()));
  return kPassed;
}

int profile(const ProfileArguments& arguments) {
  if (arguments.device == device::Kind::gpu && arguments.trace)
    throw WrongUse("--trace draws what the emulated device saw: leave --device gpu out.");
  if (arguments.device == device::Kind::gpu && arguments.multiprocessors)
    throw WrongUse("--multiprocessors is of the emulated device, which has the GPU's with --device gpu.");
  if (arguments.device == device::Kind::gpu && arguments.only_case)
    throw WrongUse("--case is of the emulated device's lines: leave it or --device gpu out.");
  check(*arguments.view, arguments.trace.has_value());
  const course::Exercise& exercise = select_exercise(arguments.exercise);
  if (!exercise.problem.predictions.empty())
    throw WrongUse(
        fmt::format("{0} asks for predictions, so none of your code is there to profile: "
                    "./lockstep grade {0} shows what was measured beside them.",
                    exercise.problem.name));
  if (arguments.submission) check_submission(*arguments.submission);
  const build::SubmissionFile submission =
      arguments.submission ? judge::resolve_submission(exercise, *arguments.submission) : exercise.starter;
  if (arguments.device == device::Kind::gpu) return compare_counters(arguments, exercise, submission);
  const std::unique_ptr<device::Device> device =
      arguments.multiprocessors ? device::make_emulated_device(*arguments.multiprocessors)
                                : device::make_device(device::Kind::emulated);
  ProgressLine progress;
  judge::Options options{
      .seed = judge::seed_of(arguments.seed), .only_measured = true, .trace_line = arguments.trace};
  if (arguments.only_case) options.profiled_case = select_measured_case(exercise, *arguments.only_case);
  options.progress = [&](const std::string& what, int, int) {
    progress.show(exercise.problem.name + ": " + what);
  };
  const result::ExerciseResult result = judge::judge(exercise, submission, *device, options);
  progress.clear();

  const report::TextStyle style = output_style();
  if (result.lines.empty()) {  // nothing ran: the verdict says why
    std::cout << report::render_exercise(result, style);
    return status_of(result.verdict);
  }
  const std::vector<report::LineProfile> lines =
      report::profile_lines(result, submission.path().filename().string(), result.source);
  if (arguments.trace) {
    put(*arguments.view, draw_line(*arguments.view, std::to_string(*arguments.trace), result.traces, lines));
  } else {
    put(*arguments.view, arguments.view->json ? report::render_profile_json(result, lines)
                                              : report::render_profile(result, lines, style));
  }
  if (result.verdict == result::Verdict::passed) return kPassed;
  std::cerr << fmt::format(
      "Verdict of the measured cases: {}{}. ./lockstep grade {}{} shows more.\n", name_of(result.verdict),
      result::is_correct(result) ? "" : ", so only a part of the work may be counted", exercise.problem.name,
      arguments.submission
          ? " --submission " + report::printable(text::shell_word(arguments.submission->string()))
          : "");
  return status_of(result.verdict);
}

}  // namespace

void add_profile(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<ProfileArguments>();
  CLI::App* command = app.add_subcommand(
      "profile", "What each line of your kernels costs: sectors, wavefronts, active lanes");
  command->add_option("exercise", arguments->exercise, "Topic, number or folder, such as transpose")
      ->required();
  command
      ->add_option("--submission", arguments->submission,
                   "What to profile instead of exercises/: a .cu file, a folder, or a tree")
      ->type_name("PATH");
  command
      ->add_option("--device", arguments->device,
                   "emulated, or gpu: the GPU's own counters beside the emulated device's")
      ->transform(one_of<device::Kind>({{"gpu", device::Kind::gpu}, {"emulated", device::Kind::emulated}}))
      ->type_name("KIND");
  command->add_option("--trace", arguments->trace, "Draw one warp's access to memory at this line")
      ->type_name("LINE");
  command
      ->add_option(
          "--case", arguments->only_case,
          "The measured case to show: its name, or a part that no other has; when not given, that of "
          "the first gate that fails, or the largest")
      ->type_name("NAME");
  add_view_options(*command, arguments->view,
                   "text or json (lockstep/profile/v1; of a gpu, lockstep/counters/v1)");
  command->add_option("--seed", arguments->seed, "Of the inputs; 0 when not given")
      ->check(whole_number())
      ->type_name("NUMBER");
  command
      ->add_option("--multiprocessors", arguments->multiprocessors,
                   "That the emulated device says it has, as 132 for an H200; 4 when not given")
      ->check(CLI::Range(1, 1024).description(""))
      ->type_name("NUMBER");
  command->footer(
      "\nExamples:  ./lockstep profile transpose\n"
      "           ./lockstep profile transpose --trace 21 --svg figure.svg\n"
      "           ./lockstep profile transpose --device gpu");
  command->callback([arguments, &status] { status = profile(*arguments); });
}

}  // namespace lockstep::cli
