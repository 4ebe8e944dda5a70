// `lockstep bench`: rungs, reference and the vendor's libraries side by side, across sizes.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <optional>
#include <set>

#include "calibration/calibration_store.h"
#include "cli/choice.h"
#include "cli/command.h"
#include "cli/numbers.h"
#include "cli/selection.h"
#include "cli/terminal.h"
#include "device/device.h"
#include "judge/bench.h"
#include "judge/turn.h"
#include "report/bench.h"
#include "storage/date.h"
#include "storage/files.h"

namespace lockstep::cli {
namespace {

struct BenchArguments {
  std::vector<std::string> exercises;
  bool all = false, json = false;
  int rounds = 9;
  std::string commit;
  std::optional<std::filesystem::path> output;
  std::uint64_t seed = 0;
};

/// What the ceilings of all of them are stated in.
std::vector<result::Quantity> quantities_of(const std::vector<const course::Exercise*>& exercises) {
  std::set<result::Quantity> quantities;
  for (const course::Exercise* exercise : exercises) {
    if (exercise->problem.speed) quantities.merge(judge::quantities_of(*exercise->problem.speed));
  }
  return {quantities.begin(), quantities.end()};
}

int bench(const BenchArguments& arguments) {
  if (arguments.all == !arguments.exercises.empty())
    throw WrongUse("name the exercises to measure, or say --all.");
  const std::vector<const course::Exercise*> exercises = select_exercises(arguments.exercises);
  const std::unique_ptr<device::TimingDevice> device = device::make_gpu();
  ProgressLine line;
  const std::unique_ptr<device::Calibrator> calibrator = device->open_calibrator();
  const auto show = [&line](const std::string& what) { line.show(what); };
  const calibration::StoredCalibration known = [&] {
    const device::GpuLock turn =
        judge::await_turn(*device, [&show](const std::string& what, int, int) { show(what); });
    return calibration::complete_calibration(calibration::calibration_folder(), *calibrator,
                                             quantities_of(exercises), show);
  }();
  for (const course::Exercise* exercise : exercises) {
    const std::string& topic = exercise->problem.name;
    if (!exercise->problem.speed) {
      std::cerr << "lockstep: " << topic << " has no sizes that speed is measured at\n";
      continue;
    }
    judge::BenchOptions options{.rounds = arguments.rounds, .seed = arguments.seed};
    options.figures = known.calibration.figures;
    options.progress = [&](const std::string& what) { show(topic + ": " + what); };
    result::Bench measured = judge::measure_bench(*exercise, *device, options);
    line.clear();
    measured.gpu = calibrator->gpu();
    measured.toolkit = calibrator->toolkit();
    measured.date = storage::today();
    measured.commit = arguments.commit;
    measured.command =
        fmt::format("./lockstep bench {} --rounds {} --seed {}", topic, arguments.rounds, arguments.seed);
    if (!arguments.json || arguments.output)
      std::cout << report::render_bench(measured, output_style()) << '\n';
    const std::string json = report::render_bench_json(measured);
    if (arguments.output) {
      storage::write_file(*arguments.output / (topic + ".json"), json);
    } else if (arguments.json) {
      std::cout << json;
    }
    std::cout << std::flush;
  }
  return kPassed;
}

}  // namespace

void add_bench(CLI::App& app, int& status) {
  constexpr int kMinRounds = 5, kMaxRounds = 99;
  const auto arguments = std::make_shared<BenchArguments>();
  CLI::App* command =
      app.add_subcommand("bench", "Rungs, reference and the vendor's libraries side by side, across sizes");
  command->add_option("exercise", arguments->exercises, "Topics, numbers or folders, such as transpose");
  command->add_flag("--all", arguments->all, "Every exercise");
  command
      ->add_option_function<std::string>(
          "--format", [arguments](const std::string& format) { arguments->json = format == "json"; },
          "text or json (lockstep/measurement/v1)")
      ->check(word_of({"text", "json"}))
      ->type_name("FORMAT");
  command
      ->add_option("--output", arguments->output,
                   "Write TOPIC.json into this folder for each exercise; text still goes to the terminal")
      ->type_name("FOLDER");
  command->add_option("--rounds", arguments->rounds, "Processes of each solution; 9 when not given")
      ->check(CLI::Range(kMinRounds, kMaxRounds).description(""))
      ->type_name("NUMBER");
  command->add_option("--commit", arguments->commit, "What is measured, for the record")->type_name("HASH");
  command->add_option("--seed", arguments->seed, "Of the inputs; 0 when not given")
      ->check(whole_number())
      ->type_name("NUMBER");
  command->footer(
      "\nFrom what lies in measurements/GPU grade names the two rungs that you stand between.\n"
      "\nExamples:  ./lockstep bench transpose\n"
      "           ./lockstep bench --all --output measurements/nvidia-h200 --commit $(git rev-parse HEAD)");
  command->callback([arguments, &status] { status = bench(*arguments); });
}

}  // namespace lockstep::cli
