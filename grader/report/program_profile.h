// The profile of any program that ran on the emulated device: its kernels, each with the lines of its files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/line_profile.h"
#include "report/text_style.h"
#include "result/kernel_counters.h"

namespace lockstep::report {

class SourceFiles;

/// Lines of one kernel, or of a device function that was not inlined into one.
struct KernelProfile {
  std::string name;                ///< demangled
  std::vector<LineProfile> lines;  ///< by file, then by number
};

struct ProgramProfile {
  std::string program, arguments;  ///< as typed
  std::uint64_t launches = 0;
  std::vector<KernelProfile> kernels;  ///< the costliest first
  std::vector<LineProfile> lines;      ///< of all kernels together: instances of a template share lines
  bool lacks_lines = false;            ///< some code has no line information
  result::CaseCounters counters;
  std::vector<emulator::KernelWork> works;
};

/// `program` and `arguments` are shown, not used. Sources that are not there leave lines without text.
ProgramProfile profile_program(const std::string& program, const std::string& arguments,
                               const emulator::Observations& observations, SourceFiles& sources);

/// A table a kernel and file. Of a long one the costliest lines are shown, and the others counted.
std::string render_program_profile(const ProgramProfile& profile, const TextStyle& style);
/// lockstep/profile/v1: each line also names its kernel and file.
std::string render_program_profile_json(const ProgramProfile& profile);

}  // namespace lockstep::report
