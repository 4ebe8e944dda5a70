// `lockstep emulate`: runs any program built by nvcc with -cudart shared on the emulated device; with
// --profile it then reports what every line of its kernels cost.
#include "emulator/server/emulate.h"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string_view>

#include "cli/command.h"
#include "cli/numbers.h"
#include "cli/profile_view.h"
#include "cli/terminal.h"
#include "device/installation.h"
#include "emulator/server/protocol.h"
#include "report/finding_words.h"
#include "report/printable.h"
#include "report/program_profile.h"
#include "report/source_files.h"
#include "storage/files.h"

namespace lockstep::cli {
namespace {

using emulator::server::EmulateOptions;

struct EmulateArguments {
  bool profile = false;
  std::string trace;  ///< LINE or FILE:LINE, as typed
  int devices = 1;    ///< that the program sees
  std::uint64_t seed = 0;
  double time_limit = 0;  ///< seconds; 0: none
  bool check_leaks = false;
  std::shared_ptr<ProfileView> view = std::make_shared<ProfileView>();
};

EmulateOptions::Trace trace_of(const std::string& typed) {
  const std::size_t colon = typed.rfind(':');
  const std::string_view number = std::string_view(typed).substr(colon == std::string::npos ? 0 : colon + 1);
  EmulateOptions::Trace trace{colon == std::string::npos ? "" : typed.substr(0, colon), 0};
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), trace.line);
  if (error != std::errc{} || end != number.data() + number.size() || trace.line == 0)
    throw WrongUse("--trace needs a line, as 21 or reduce.cu:21, not \"" + typed + "\".");
  return trace;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// False where the file cannot be written. That is reported, as is that there is nothing to show.
bool show(const EmulateArguments& arguments, const EmulateOptions& options,
          const emulator::Observations& seen) {
  if (seen.lines.empty()) {
    std::cerr << "lockstep: no kernel ran, so there is nothing to profile\n";
    return true;
  }
  report::SourceFiles sources;
  const report::ProgramProfile profile =
      report::profile_program(options.program.string(), joined(options.arguments), seen, sources);
  const ProfileView& view = *arguments.view;
  try {
    const std::string text = options.trace ? draw_line(view, arguments.trace, seen.traces, profile.lines)
                             : view.json   ? render_program_profile_json(profile)
                                           : render_program_profile(profile, output_style());
    if (!view.output && !view.json) std::cout << '\n';  // behind what the program wrote
    put(view, text);
  } catch (const WrongUse& error) {
    std::cerr << "lockstep: " << report::printable(error.what()) << '\n';
  } catch (const storage::FileError& error) {
    std::cerr << "lockstep: " << report::printable(error.what()) << '\n';
    return false;
  }
  return true;
}

int emulate(const EmulateArguments& arguments, const std::vector<std::string>& words) {
  if (words.empty()) throw WrongUse("emulate needs a program: ./lockstep emulate ./program");
  if (words.front().starts_with('-')) {
    throw WrongUse("emulate has no option " + words.front() +
                   "; those of the program stand behind it, and ./-program is one that begins with a dash.");
  }
  check(*arguments.view, !arguments.trace.empty());
  EmulateOptions options;
  options.device.devices = arguments.devices;
  options.device.note_refusals = true;
  options.device.check_leaks = arguments.check_leaks;
  options.device.seed = arguments.seed;
  // Workers take blocks as they come: only one repeats what it did.
  if (arguments.seed != 0) options.device.workers = 1;
  if (arguments.time_limit > 0) {
    options.time_limit = std::chrono::milliseconds(static_cast<std::int64_t>(arguments.time_limit * 1000));
  }
  options.device.executable = device::installed_program("lockstep-device");
  options.cudart_directory = device::installed_library_folder("emulated");
  options.program = words.front();
  options.text_of = report::text_of;
  options.arguments.assign(words.begin() + 1, words.end());
  if (!arguments.trace.empty()) options.trace = trace_of(arguments.trace);
  std::optional<emulator::Observations> seen;
  const int status = emulator::server::emulate(options, seen);
  const bool is_written = !arguments.profile || !seen || show(arguments, options, *seen);
  return status == kPassed && !is_written ? kFailed : status;
}

}  // namespace

void add_emulate(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<EmulateArguments>();
  CLI::App* command = app.add_subcommand("emulate",
                                         "[OPTION...] PROGRAM [ARGUMENT...]: runs a program built by nvcc "
                                         "-cudart shared on the emulated device");
  command->prefix_command();  // from the first word on, everything belongs to the program
  CLI::Option* profile =
      command->add_flag("--profile", arguments->profile,
                        "Afterwards, what every line of its kernels cost; needs a build with nvcc -lineinfo");
  command->add_option("--trace", arguments->trace, "Draw one warp's access to memory at this line instead")
      ->type_name("[FILE:]LINE");
  add_view_options(*command, arguments->view, "text or json (lockstep/profile/v1)");
  for (const char* of_a_profile : {"--trace", "--space", "--svg", "--format", "--output"})
    command->get_option(of_a_profile)->needs(profile);
  command->footer(
      "\nExamples:  nvcc -cudart shared -lineinfo -arch compute_90 -o add add.cu\n"
      "           ./lockstep emulate ./add 1000\n"
      "           ./lockstep emulate --profile ./add 1000\n"
      "           ./lockstep emulate --profile --trace add.cu:12 --svg access.svg ./add 1000\n"
      "The exit status is the program's own; 3 instead of 0 where its profile cannot be written.\n"
      "Findings (races, bounds, …) are reported on standard error.");
  command->add_option("--devices", arguments->devices, "let the program see so many devices")
      ->check(CLI::Range(1, emulator::server::kMaxDevices));
  command
      ->add_option(
          "--seed", arguments->seed,
          "take blocks and warps in another order, the same for the same number; 0 keeps them in order")
      ->check(whole_number());
  command->add_option("--time-limit", arguments->time_limit, "stop kernels after so many seconds")
      ->check(CLI::PositiveNumber);
  command->add_flag("--check-leaks", arguments->check_leaks, "report device memory that is never freed");
  command->callback([command, arguments, &status] { status = emulate(*arguments, command->remaining()); });
}

}  // namespace lockstep::cli
