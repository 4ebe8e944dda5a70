#include "judge/observation_sum.h"

#include <algorithm>
#include <iterator>
#include <map>
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

/// Which kernels accessed memory, and whether beyond their ideal.
std::map<std::string, bool> kernels_of(const std::vector<emulator::AccessTrace>& accesses) {
  std::map<std::string, bool> kernels;
  for (const emulator::AccessTrace& access : accesses)
    kernels[access.function] |= access.units > access.ideal_units;
  return kernels;
}

/// Of each kernel one call's accesses are enough: the first that were beyond their ideal, else the first.
void add_of_kernels(std::vector<emulator::AccessTrace>& total,
                    const std::vector<emulator::AccessTrace>& part) {
  const std::map<std::string, bool> known = kernels_of(total);
  std::set<std::string> taken;
  for (const auto& [kernel, is_beyond] : kernels_of(part)) {
    const auto before = known.find(kernel);
    if (before == known.end() || (is_beyond && !before->second)) taken.insert(kernel);
  }
  const auto is_taken = [&taken](const emulator::AccessTrace& access) {
    return taken.contains(access.function);
  };
  std::erase_if(total, is_taken);
  std::ranges::copy_if(part, std::back_inserter(total), is_taken);
}

}  // namespace

void add(emulator::Observations& total, emulator::Observations&& part) {
  for (const LineCounters& counters : part.lines) add_one(total.lines, counters);
  for (const KernelWork& work : part.kernels) add_one(total.kernels, work);
  std::move(part.findings.begin(), part.findings.end(), std::back_inserter(total.findings));
  std::move(part.traces.begin(), part.traces.end(), std::back_inserter(total.traces));
  add_of_kernels(total.shared_accesses, part.shared_accesses);
  add_of_kernels(total.global_accesses, part.global_accesses);
  total.launches += part.launches;
  total.blocks += part.blocks;
  total.warp_instructions += part.warp_instructions;
  total.copied_sectors += part.copied_sectors;
  total.seconds += part.seconds;
}

}  // namespace lockstep::judge
