// `lockstep emulate`: runs any program built by nvcc with -cudart shared on the emulated device.
#include "emulator/server/emulate.h"

#include <memory>

#include "cli/command.h"
#include "device/installation.h"
#include "emulator/server/protocol.h"

namespace lockstep::cli {

void add_emulate(CLI::App& app, int& status) {
  CLI::App* command = app.add_subcommand(
      "emulate", "PROGRAM [ARGUMENT...]: runs a program built by nvcc -cudart shared on the emulated device");
  command->prefix_command();  // from the first word on, everything belongs to the program
  command->footer(
      "\nExample:  nvcc -cudart shared -lineinfo -arch compute_90 -o add add.cu && ./lockstep emulate ./add "
      "1000\n"
      "The exit status is the program's own. Findings (races, bounds, …) are told on standard error.");
  const auto devices = std::make_shared<int>(1);
  command->add_option("--devices", *devices, "let the program see so many devices")
      ->check(CLI::Range(1, emulator::kMostDevices));
  command->callback([command, devices, &status] {
    std::vector<std::string> words = command->remaining();
    if (words.empty()) throw WrongUse("emulate needs a program: ./lockstep emulate ./program");
    emulator::EmulateOptions options;
    options.device.devices = *devices;
    options.device.executable = device::installed_program("lockstep-device");
    options.cudart_directory = device::installed_library_folder("emulated");
    options.program = words.front();
    options.arguments.assign(words.begin() + 1, words.end());
    status = emulator::emulate(options);
  });
}

}  // namespace lockstep::cli
