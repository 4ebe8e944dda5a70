// The same launches counted twice: by the emulated device, and by the performance counters of a GPU.
//
// The emulated device interprets PTX and the GPU runs what the compiler made of it, so a difference is not
// always an error of either; but each asks for a reason.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/core/observations.h"

namespace lockstep::result {

/// A number that both devices count for every kernel. Instructions are not among them: those of PTX and those
/// of a GPU are different ones.
struct ComparedCounter {
  const char* name;  ///< in JSON
  const char* what;  ///< on terminals
  emulator::Traffic emulator::LineCounters::*kind;
  std::uint64_t emulator::Traffic::*part;

  std::uint64_t of(const emulator::LineCounters& counters) const { return counters.*kind.*part; }
  std::uint64_t& of(emulator::LineCounters& counters) const { return counters.*kind.*part; }
};

inline constexpr std::array<ComparedCounter, 12> kComparedCounters = {{
    {"global-load-requests", "global loads: requests", &emulator::LineCounters::global_load,
     &emulator::Traffic::requests},
    {"global-load-sectors", "global loads: sectors", &emulator::LineCounters::global_load,
     &emulator::Traffic::units},
    {"global-store-requests", "global stores: requests", &emulator::LineCounters::global_store,
     &emulator::Traffic::requests},
    {"global-store-sectors", "global stores: sectors", &emulator::LineCounters::global_store,
     &emulator::Traffic::units},
    {"global-atomic-requests", "global atomics: requests", &emulator::LineCounters::global_atomic,
     &emulator::Traffic::requests},
    {"global-atomic-sectors", "global atomics: sectors", &emulator::LineCounters::global_atomic,
     &emulator::Traffic::units},
    {"shared-load-requests", "shared loads: requests", &emulator::LineCounters::shared_load,
     &emulator::Traffic::requests},
    {"shared-load-wavefronts", "shared loads: wavefronts", &emulator::LineCounters::shared_load,
     &emulator::Traffic::units},
    {"shared-store-requests", "shared stores: requests", &emulator::LineCounters::shared_store,
     &emulator::Traffic::requests},
    {"shared-store-wavefronts", "shared stores: wavefronts", &emulator::LineCounters::shared_store,
     &emulator::Traffic::units},
    {"shared-atomic-requests", "shared atomics: requests", &emulator::LineCounters::shared_atomic,
     &emulator::Traffic::requests},
    {"shared-atomic-wavefronts", "shared atomics: wavefronts", &emulator::LineCounters::shared_atomic,
     &emulator::Traffic::units},
}};

struct KernelCounters {
  std::string kernel;  ///< mangled
  emulator::LineCounters emulated, hardware;
};

/// One measured case, its calls summed up.
struct CaseCounters {
  std::string name;
  int calls = 0;
  std::vector<KernelCounters> kernels;  ///< sorted by name
};

/// Counters of both devices side by side, summed over the lines of each kernel.
CaseCounters side_by_side(const std::string& name, int calls, const emulator::Observations& emulated,
                          const emulator::Observations& hardware);

}  // namespace lockstep::result
