#include "result/kernel_counters.h"

#include <map>
#include <utility>

namespace lockstep::result {

CaseCounters side_by_side(const std::string& name, int calls, const emulator::Observations& emulated,
                          const emulator::Observations& hardware) {
  std::map<std::string, KernelCounters> by_kernel;
  const auto add = [&](const emulator::Observations& from, emulator::LineCounters KernelCounters::*side) {
    for (const emulator::LineCounters& line : from.lines) {
      KernelCounters& kernel = by_kernel[line.function];
      kernel.kernel = line.function;
      for (const ComparedCounter& counter : kComparedCounters) counter.of(kernel.*side) += counter.of(line);
    }
  };
  add(emulated, &KernelCounters::emulated);
  add(hardware, &KernelCounters::hardware);
  CaseCounters result{name, calls, {}};
  for (auto& [mangled, kernel] : by_kernel) result.kernels.push_back(std::move(kernel));
  return result;
}

}  // namespace lockstep::result
