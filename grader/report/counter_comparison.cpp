#include "report/counter_comparison.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "report/printable.h"
#include "text/demangled.h"

namespace lockstep::report {
namespace {

using Json = nlohmann::ordered_json;

using result::CaseCounters;
using result::ComparedCounter;
using result::ExerciseResult;
using result::kComparedCounters;
using result::KernelCounters;

/// Nothing where the emulated device counted nothing.
std::optional<double> ratio(std::uint64_t emulated, std::uint64_t hardware) {
  if (emulated == 0) return std::nullopt;
  return static_cast<double>(hardware) / static_cast<double>(emulated);
}

std::string kernel_table(const KernelCounters& kernel, const TextStyle& style) {
  std::string text;
  for (const ComparedCounter& counter : kComparedCounters) {
    const std::uint64_t emulated = counter.of(kernel.emulated), hardware = counter.of(kernel.hardware);
    if (emulated == 0 && hardware == 0) continue;
    const bool equal = emulated == hardware;
    const auto quotient = ratio(emulated, hardware);
    text += fmt::format("    {:<28} {:>12} {:>12} {:>8}  {}\n", counter.what, emulated, hardware,
                        quotient ? fmt::format("{:.3f}", *quotient) : "-",
                        paint(style, equal ? Colour::good : Colour::caution, equal ? "equal" : "differs"));
  }
  return text.empty() ? "    no traffic\n" : text;
}

nlohmann::ordered_json kernel_json(const KernelCounters& kernel) {
  nlohmann::ordered_json counters = nlohmann::ordered_json::object();
  for (const ComparedCounter& counter : kComparedCounters) {
    const std::uint64_t emulated = counter.of(kernel.emulated), hardware = counter.of(kernel.hardware);
    const auto quotient = ratio(emulated, hardware);
    counters[counter.name] = {{"emulated", emulated},
                              {"hardware", hardware},
                              {"ratio", quotient ? nlohmann::ordered_json(*quotient) : nullptr},
                              {"equal", emulated == hardware}};
  }
  return {{"name", printable(text::demangled(kernel.kernel))}, {"counters", std::move(counters)}};
}

}  // namespace

std::string render_counters(const ExerciseResult& result, const std::string& gpu, const TextStyle& style) {
  std::string text = fmt::format("Counted on the emulated device and on the {}.\n", gpu);
  for (const CaseCounters& one : result.counters) {
    text += fmt::format("\n{}, case {}, {}\n", printable(result.submission), printable(one.name),
                        counted(static_cast<std::uint64_t>(one.calls), "call"));
    for (const KernelCounters& kernel : one.kernels) {
      const std::string name = cut(printable(text::demangled(kernel.kernel)), style.width - 2);
      text += fmt::format("  {}\n", paint(style, Colour::strong, name));
      text += paint(style, Colour::faint,
                    fmt::format("    {:<28} {:>12} {:>12} {:>8}\n", "", "emulated", "hardware", "ratio"));
      text += kernel_table(kernel, style);
    }
  }
  return text;
}

std::string render_counters_json(const ExerciseResult& result, const std::string& gpu, int multiprocessors,
                                 std::uint64_t seed) {
  Json cases = Json::array();
  for (const CaseCounters& one : result.counters) {
    Json kernels = Json::array();
    for (const KernelCounters& kernel : one.kernels) kernels.push_back(kernel_json(kernel));
    cases.push_back({{"name", printable(one.name)}, {"calls", one.calls}, {"kernels", std::move(kernels)}});
  }
  const Json root = {{"schema", "lockstep/counters/v1"},
                     {"name", result.name},
                     {"submission", printable(result.submission)},
                     {"card", gpu},
                     {"multiprocessors", multiprocessors},
                     {"seed", seed},
                     {"cases", std::move(cases)}};
  return root.dump(2) + '\n';
}

}  // namespace lockstep::report
