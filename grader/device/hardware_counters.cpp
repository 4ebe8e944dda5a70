#include "device/hardware_counters.h"

#include <charconv>
#include <cstddef>
#include <optional>
#include <system_error>

namespace lockstep::device {
namespace {

// One line a launch, "launch <number>… <name>", or a failure, "failure <text>".
constexpr std::string_view kLaunch = "launch ", kFailure = "failure ";

std::optional<emulator::LineCounters> decode_launch(std::string_view rest) {
  emulator::LineCounters launch;
  for (const result::ComparedCounter& counter : result::kComparedCounters) {
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), counter.of(launch));
    if (error != std::errc() || end == rest.data() + rest.size() || *end != ' ') return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end + 1 - rest.data()));
  }
  launch.function = rest;
  return launch;
}

}  // namespace

std::string encode_launch(const emulator::LineCounters& launch) {
  std::string line(kLaunch);
  for (const result::ComparedCounter& counter : result::kComparedCounters)
    line += std::to_string(counter.of(launch)) + ' ';
  return line + launch.function + '\n';
}

std::string encode_failure(std::string_view reason) {
  return std::string(kFailure) + std::string(reason) + '\n';
}

CountedLaunches decode_launches(std::string_view text) {
  CountedLaunches counted;
  while (!text.empty() && counted.failure.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.starts_with(kFailure)) {
      counted.failure = line.substr(kFailure.size());
      continue;
    }
    const auto launch = line.starts_with(kLaunch) && end != std::string_view::npos
                            ? decode_launch(line.substr(kLaunch.size()))
                            : std::nullopt;
    if (launch) {
      counted.launches.push_back(*launch);
    } else {
      counted.failure = "the runner's counters make no sense";
    }
  }
  return counted;
}

}  // namespace lockstep::device
