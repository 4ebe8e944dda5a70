// Programs of programs/, run by `emulate` as a student would run them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "emulator/server/emulate.h"
#include "report/finding_words.h"

namespace lockstep::emulator {

struct Ended {
  int status;
  std::string output, errors;
};

inline Ended run(const std::filesystem::path& program, std::vector<std::string> arguments = {},
                 int devices = 1) {
  server::EmulateOptions options;
  options.device.executable = DEVICE_EXECUTABLE;
  options.device.workers = 2;
  options.device.devices = devices;
  options.cudart_directory = CUDART_FOLDER;
  options.program = program.is_absolute() ? program : PROGRAMS_FOLDER / program;
  options.arguments = std::move(arguments);
  options.text_of = report::text_of;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = server::emulate(options);
  std::string output = testing::internal::GetCapturedStdout();
  return {status, std::move(output), testing::internal::GetCapturedStderr()};
}

/// Runs a program that checks itself, and expects no finding.
inline void expect_clean(const std::string& program, const std::string& output) {
  const Ended result = run(program);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, output);
  EXPECT_EQ(result.errors, "");
}

}  // namespace lockstep::emulator
