// What a test sets and reads of the imitated CUPTI.
#pragma once

#include <cupti_result.h>

#include <string>

struct ImitatedCupti {
  std::size_t passes = 3;           ///< that one configuration takes
  std::size_t launches_missed = 0;  ///< of the profiler, not of the callbacks
  std::string failing;              ///< function that returns `error`
  CUptiResult error = CUPTI_ERROR_UNKNOWN;
  std::size_t passes_run = 0;
  bool enabled = false;  ///< a range profiler exists now
};

/// "imitation" in the library.
using ImitationFunction = ImitatedCupti& (*)();
/// "imitate_launch" in the library: as the driver does when a kernel is launched.
using LaunchFunction = void (*)(const char* name);
