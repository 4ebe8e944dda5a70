#include "judge/observation_sum.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace lockstep::judge {
namespace {

using emulator::KernelWork;
using emulator::LineCounters;

auto key_of(const LineCounters& counters) { return std::tie(counters.function, counters.line); }
auto key_of(const KernelWork& work) { return std::tie(work.kernel); }

/// Adds to the one of the same key, in the order of keys.
template <class T>
void add_one(std::vector<T>& total, const T& part) {
  const auto position = std::lower_bound(total.begin(), total.end(), part,
                                         [](const T& a, const T& b) { return key_of(a) < key_of(b); });
  if (position != total.end() && key_of(*position) == key_of(part)) {
    *position += part;
  } else {
    total.insert(position, part);
  }
}

std::set<std::string> functions_of(const std::vector<emulator::AccessTrace>& accesses) {
  std::set<std::string> functions;
  for (const emulator::AccessTrace& access : accesses) functions.insert(access.function);
  return functions;
}

/// Of each kernel one call's accesses are enough.
void add_of_new_kernels(std::vector<emulator::AccessTrace>& total,
                        const std::vector<emulator::AccessTrace>& part) {
  const auto is_known = [known = functions_of(total)](const emulator::AccessTrace& access) {
    return known.contains(access.function);
  };
  std::ranges::remove_copy_if(part, std::back_inserter(total), is_known);
}

}  // namespace

void add(emulator::Observations& total, emulator::Observations&& part) {
  for (const LineCounters& counters : part.lines) add_one(total.lines, counters);
  for (const KernelWork& work : part.kernels) add_one(total.kernels, work);
  std::move(part.findings.begin(), part.findings.end(), std::back_inserter(total.findings));
  std::move(part.traces.begin(), part.traces.end(), std::back_inserter(total.traces));
  add_of_new_kernels(total.shared_accesses, part.shared_accesses);
  add_of_new_kernels(total.global_accesses, part.global_accesses);
  total.launches += part.launches;
  total.blocks += part.blocks;
  total.warp_instructions += part.warp_instructions;
  total.copied_sectors += part.copied_sectors;
  total.seconds += part.seconds;
}

}  // namespace lockstep::judge
