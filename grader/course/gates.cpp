// The technique gates that exercises choose from. All are stated for the size of the task, never as
// instruction counts, because those depend on the compiler's version.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "course/problem.h"

namespace lockstep::course {
namespace {

using emulator::LineCounters;
using emulator::Traffic;

constexpr double kSectorBytes = 32;
constexpr double kWarpLanes = 32;

Traffic sum(std::initializer_list<Traffic> parts) {
  Traffic total;
  for (const Traffic& part : parts) total += part;
  return total;
}

Traffic global_traffic(const LineCounters& line) {
  return sum({line.global_load, line.global_store, line.global_atomic});
}

Traffic shared_traffic(const LineCounters& line) {
  return sum({line.shared_load, line.shared_store, line.shared_atomic});
}

Traffic of_all_lines(const Measurement& measurement, Traffic (*of_line)(const LineCounters&)) {
  Traffic total;
  for (const LineCounters& line : measurement.observations.lines) total += of_line(line);
  return total;
}

double sectors_moved(const Measurement& measurement) {
  return static_cast<double>(of_all_lines(measurement, global_traffic).units +
                             measurement.observations.copied_sectors);
}

double global_bytes_moved(const Measurement& measurement) {
  return sectors_moved(measurement) * kSectorBytes;
}

/// Copies within the device, fills, textures and surfaces have no counter of a line; the report names them
/// when they are a tenth or more.
std::string explain_copies(const Measurement& measurement) {
  constexpr double kRelevantShare = 0.1;
  const double share =
      static_cast<double>(measurement.observations.copied_sectors) / sectors_moved(measurement);
  if (!(share >= kRelevantShare)) return "";
  return fmt::format("copies, fills, textures and surfaces are {:.0f} % of all sectors", share * 100);
}

double units_beyond_ideal(const Traffic& traffic) {
  return traffic.units > traffic.ideal_units ? static_cast<double>(traffic.units - traffic.ideal_units) : 0;
}

/// Of several kinds of access on one line, the one that does most beyond its ideal: "stores take 32 sectors a
/// request, ideal 4".
std::string explain_worst(std::initializer_list<std::pair<const char*, Traffic>> kinds, const char* unit) {
  const auto worst = std::max_element(kinds.begin(), kinds.end(), [](const auto& a, const auto& b) {
    return units_beyond_ideal(a.second) < units_beyond_ideal(b.second);
  });
  const auto& [kind, traffic] = *worst;
  const auto requests = static_cast<double>(traffic.requests);
  return fmt::format("{} take {:.3g} {} a request, ideal {:.3g}", kind,
                     static_cast<double>(traffic.units) / requests, unit,
                     static_cast<double>(traffic.ideal_units) / requests);
}

}  // namespace

Gate global_sectors_gate(double limit, std::string advice) {
  return {
      .name = "global-sectors",
      .description = "Sectors of global memory moved, over the fewest that the task needs; ideal 1.",
      .limit = limit,
      .value =
          [](const Measurement& measurement) {
            return global_bytes_moved(measurement) / (measurement.cost.global_bytes * measurement.calls);
          },
      .excess = [](const LineCounters& line) { return units_beyond_ideal(global_traffic(line)); },
      .explain =
          [](const LineCounters& line, const Measurement&) {
            return explain_worst(
                {{"loads", line.global_load}, {"stores", line.global_store}, {"atomics", line.global_atomic}},
                "sectors");
          },
      .advice = std::move(advice),
      .besides = explain_copies,
  };
}

Gate shared_wavefronts_gate(double limit, std::string advice) {
  return {
      .name = "shared-wavefronts",
      .description =
          "Passes through shared memory beyond the fewest that the same accesses could take, for every 32 "
          "elements; ideal 0.",
      .limit = limit,
      .value =
          [](const Measurement& measurement) {
            double excess = 0;
            for (const LineCounters& line : measurement.observations.lines) {
              excess += units_beyond_ideal(shared_traffic(line));
            }
            return excess * kWarpLanes / (measurement.cost.elements * measurement.calls);
          },
      .excess = [](const LineCounters& line) { return units_beyond_ideal(shared_traffic(line)); },
      .explain =
          [](const LineCounters& line, const Measurement&) {
            return explain_worst(
                {{"loads", line.shared_load}, {"stores", line.shared_store}, {"atomics", line.shared_atomic}},
                "wavefronts");
          },
      .advice = std::move(advice),
  };
}

Gate shared_passes_gate(double limit, std::string unit, double units_of_element, std::string advice) {
  const auto passes = [](const LineCounters& line) {
    return static_cast<double>(shared_traffic(line).units);
  };
  const auto for_32 = [units_of_element](double all, const Measurement& measurement) {
    return all * kWarpLanes / (measurement.cost.elements * units_of_element * measurement.calls);
  };
  return {
      .name = "shared-passes",
      .description = fmt::format("Passes through shared memory for every 32 {}.", unit),
      .limit = limit,
      .value =
          [passes, for_32](const Measurement& measurement) {
            double all = 0;
            for (const LineCounters& line : measurement.observations.lines) all += passes(line);
            return for_32(all, measurement);
          },
      .excess = passes,
      .explain =
          [passes, for_32, unit](const LineCounters& line, const Measurement& measurement) {
            return fmt::format("{:.2f} passes for every 32 {}, the most of all lines",
                               for_32(passes(line), measurement), unit);
          },
      .advice = std::move(advice),
  };
}

Gate bytes_per_element_gate(double limit, std::string advice) {
  return {
      .name = "bytes-per-element",
      .description = "Bytes of global memory moved, in whole sectors, for each element.",
      .limit = limit,
      .value =
          [](const Measurement& measurement) {
            return global_bytes_moved(measurement) / (measurement.cost.elements * measurement.calls);
          },
      // A pass too many has no line above its own ideal, so the line that moves most is the one to look at.
      .excess =
          [](const LineCounters& line) {
            return static_cast<double>(global_traffic(line).units) * kSectorBytes;
          },
      .explain =
          [](const LineCounters& line, const Measurement& measurement) {
            const double bytes = static_cast<double>(global_traffic(line).units) * kSectorBytes;
            return fmt::format("{:.3g} bytes an element, the most of all lines",
                               bytes / (measurement.cost.elements * measurement.calls));
          },
      .advice = std::move(advice),
      .besides = explain_copies,
  };
}

}  // namespace lockstep::course
