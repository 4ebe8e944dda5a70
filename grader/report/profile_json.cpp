#include "report/profile_json.h"

#include <nlohmann/json.hpp>

#include "report/advice.h"
#include "report/printable.h"
#include "text/demangled.h"

namespace lockstep::report {
namespace {

using result::CaseCounters;
using result::ComparedCounter;
using result::kComparedCounters;
using result::KernelCounters;

using Json = nlohmann::ordered_json;

Json traffic_json(const emulator::Traffic& traffic) {
  if (traffic.requests == 0) return nullptr;
  return {{"requests", traffic.requests},
          {"units", traffic.units},
          {"ideal_units", traffic.ideal_units},
          {"bytes", traffic.bytes},
          {"spaced_requests", traffic.spaced_requests},
          {"spacing_bytes", traffic.spacing_bytes}};
}

Json atomics_json(const AtomicProfile& atomics) {
  if (atomics.traffic.requests == 0) return nullptr;
  return {{"requests", atomics.traffic.requests}, {"contention", atomics.contention}};
}

}  // namespace

Json line_json(const LineProfile& line, std::uint64_t whole) {
  return {{"line", line.line},
          {"text", printable(line.text)},
          {"warps", line.warps},
          {"active_share", line.active_share()},
          {"divergent_branches", line.divergent_branches},
          {"global", traffic_json(line.global)},
          {"shared", traffic_json(line.shared)},
          {"local", traffic_json(line.local)},
          {"cost_share", share_of(line.cost(), whole)},
          {"advice", advice_for(line)},
          {"branches", line.branches},
          {"idle_caused", line.idle_caused},
          {"idle_here", line.idle_here},
          {"global_atomics", atomics_json(line.global_atomics)},
          {"shared_atomics", atomics_json(line.shared_atomics)}};
}

Json kernels_json(const std::vector<emulator::KernelWork>& kernels) {
  Json rows = Json::array();
  for (const emulator::KernelWork& kernel : kernels) {
    rows.push_back({{"name", printable(text::demangled(kernel.kernel))},
                    {"launches", kernel.launches},
                    {"blocks", kernel.blocks},
                    {"work", kernel.work},
                    {"span", kernel.span},
                    {"parallelism", kernel.parallelism()}});
  }
  return rows;
}

Json case_json(const CaseCounters& one) {
  Json kernels = Json::array();
  for (const KernelCounters& kernel : one.kernels) {
    Json counters = Json::object();
    for (const ComparedCounter& counter : kComparedCounters)
      counters[counter.name] = counter.of(kernel.emulated);
    kernels.push_back(
        {{"name", printable(text::demangled(kernel.kernel))}, {"counters", std::move(counters)}});
  }
  return {{"name", printable(one.name)}, {"calls", one.calls}, {"kernels", std::move(kernels)}};
}

}  // namespace lockstep::report
