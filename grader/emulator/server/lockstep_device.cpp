// lockstep-device: one emulated device as a process.
//
//   lockstep-device --control-fd N --client-fd M [--workers N] [--memory BYTES] [--multiprocessors N] [--seed
//   N]
//                   [--no-checks] [--devices N] [--note-refusals] [--check-leaks]
//
// Serves the two connections in turn until the control side closes its own; started by DeviceProcess.
#include <poll.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "emulator/server/connection.h"
#include "emulator/server/protections.h"
#include "emulator/server/session.h"

namespace {

using namespace lockstep::emulator::server;

struct Arguments {
  int control = -1, client = -1;
  lockstep::emulator::DeviceOptions device;
  int devices = 1;
  bool note_refusals = false, check_leaks = false;
};

template <class T>
void parse_number(std::string_view name, std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw std::invalid_argument(std::string(name) + " needs a number, not \"" + std::string(text) + '"');
  }
}

Arguments parse(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = words[i];
    if (name == "--no-checks") {
      arguments.device.checks = false;
      continue;
    }
    if (name == "--note-refusals") {
      arguments.note_refusals = true;
      continue;
    }
    if (name == "--check-leaks") {
      arguments.check_leaks = true;
      continue;
    }
    const std::string_view value = i + 1 < count ? words[++i] : "";
    if (name == "--control-fd")
      parse_number(name, value, arguments.control);
    else if (name == "--client-fd")
      parse_number(name, value, arguments.client);
    else if (name == "--workers")
      parse_number(name, value, arguments.device.workers);
    else if (name == "--memory")
      parse_number(name, value, arguments.device.properties.global_bytes);
    else if (name == "--multiprocessors")
      parse_number(name, value, arguments.device.properties.multiprocessors);
    else if (name == "--devices")
      parse_number(name, value, arguments.devices);
    else if (name == "--seed")
      parse_number(name, value, arguments.device.seed);
    else
      throw std::invalid_argument("unknown argument " + std::string(name));
  }
  if (arguments.control < 0 || arguments.client < 0) {
    throw std::invalid_argument("needs --control-fd and --client-fd; programs are run by `lockstep emulate`");
  }
  if (arguments.devices < 1 || arguments.devices > kMaxDevices) {
    throw std::invalid_argument("--devices needs a number from 1 to " + std::to_string(kMaxDevices));
  }
  return arguments;
}

/// Ends the process when its owner goes while a kernel runs, which may never end. The poll loop does not
/// look then.
void end_with_owner(int control) {
  pollfd owner{control, POLLRDHUP, 0};
  while (::poll(&owner, 1, -1) < 0) {
  }
  ::_exit(0);
}

void serve(const Arguments& arguments) {
  ServedDevice served(arguments.device, arguments.devices);
  served.note_refusals = arguments.note_refusals;
  served.check_leaks = arguments.check_leaks;
  ControlSession control_session(served);
  ClientSession client_session(served);
  Connection control(arguments.control, control_session);
  Connection client(arguments.client, client_session);
  limit_system_calls();
  while (control.open()) {
    // poll passes over the negative descriptor of a client that has gone.
    std::array<pollfd, 2> wanted{control.interest(), client.interest()};
    if (::poll(wanted.data(), wanted.size(), -1) <= 0) continue;
    if (wanted[0].revents != 0) control.serve();
    if (wanted[1].revents != 0) client.serve();
  }
}

}  // namespace

int main(int count, char** words) {
  try {
    const Arguments arguments = parse(count, words);
    protect_process();
    std::thread(end_with_owner, arguments.control).detach();
    serve(arguments);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "lockstep-device: %s\n", error.what());
    return 1;
  }
}
