// `lockstep calibrate`: measures what this machine's GPU can do at most, and keeps it for the shares that
// `grade` reports.
#include <iostream>
#include <memory>
#include <optional>

#include "calibration/calibration_json.h"
#include "calibration/calibration_store.h"
#include "cli/choice.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "device/device.h"
#include "judge/turn.h"
#include "report/calibration.h"
#include "storage/files.h"

namespace lockstep::cli {
namespace {

struct CalibrateArguments {
  bool json = false;
  std::optional<std::filesystem::path> output;
  std::string commit;
};

int calibrate(const CalibrateArguments& arguments) {
  if (!arguments.commit.empty() && !arguments.json)
    throw WrongUse("--commit is of the record that --format json writes.");
  const std::unique_ptr<device::TimingDevice> device = device::make_gpu();
  ProgressLine line;
  const device::GpuLock turn =
      judge::await_turn(*device, [&line](const std::string& what, int, int) { line.show(what); });
  const result::Calibration measured =
      calibration::measure_gpu(*device->open_calibrator(), result::all_quantities(),
                               [&line](const std::string& what) { line.show(what); });
  line.clear();
  const auto render = [&](const report::TextStyle& style) {
    return arguments.json ? calibration::render_calibration_json(measured, arguments.commit)
                          : report::render_calibration(measured, style);
  };
  if (!arguments.json || arguments.output) std::cout << report::render_calibration(measured, output_style());
  if (arguments.output) {
    storage::write_file(*arguments.output, render({}));
  } else if (arguments.json) {
    std::cout << render({});
  }
  std::cout << std::flush;
  const std::string not_kept = calibration::save_calibration(calibration::calibration_folder(), measured);
  if (!not_kept.empty()) std::cerr << "lockstep: " << not_kept << '\n';
  return kPassed;
}

}  // namespace

void add_calibrate(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<CalibrateArguments>();
  CLI::App* command =
      app.add_subcommand("calibrate", "Measures this GPU's ceilings, of which speed is reported as a share");
  command
      ->add_option_function<std::string>(
          "--format", [arguments](const std::string& format) { arguments->json = format == "json"; },
          "text or json (lockstep/calibration/v1)")
      ->check(word_of({"text", "json"}))
      ->type_name("FORMAT");
  command
      ->add_option("--output", arguments->output,
                   "Write the figures to a file, whole or not at all; text still goes to the terminal")
      ->type_name("FILE");
  command->add_option("--commit", arguments->commit, "What is measured, for the record")->type_name("HASH");
  command->footer("\nExample:  ./lockstep calibrate --format json --output gpu.json");
  command->callback([arguments, &status] { status = calibrate(*arguments); });
}

}  // namespace lockstep::cli
