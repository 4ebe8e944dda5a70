// The technique gates that exercises choose from. All are stated for the size of the task, and, except for
// those of lanes, never as instruction counts, because these depend on the compiler's version.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "course/problem.h"
#include "emulator/core/lane_distance.h"
#include "emulator/core/padding.h"

namespace lockstep::course {
namespace {

using emulator::KernelWork;
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

/// What lies in global memory too, under another name.
Traffic constant_traffic(const LineCounters& line) { return line.constant_load; }

double sectors_moved(const Measurement& measurement) {
  return static_cast<double>(of_all_lines(measurement, global_traffic).units +
                             of_all_lines(measurement, constant_traffic).units +
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

double for_each_request(std::uint64_t units, const Traffic& traffic) {
  return static_cast<double>(units) / static_cast<double>(traffic.requests);
}

using Kind = std::pair<const char*, Traffic>;

/// Of several kinds of access on one line, the one that does most beyond its ideal.
Kind worst_of(std::initializer_list<Kind> kinds) {
  return *std::max_element(kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) {
    return units_beyond_ideal(a.second) < units_beyond_ideal(b.second);
  });
}

/// "stores take 32 sectors per request, ideal 4"
std::string explain_units(const Kind& worst, const char* unit) {
  const auto& [kind, traffic] = worst;
  return fmt::format("{} take {} {} per request, ideal {}", kind,
                     figure(for_each_request(traffic.units, traffic)), unit,
                     figure(for_each_request(traffic.ideal_units, traffic)));
}

/// Sectors that requests need at least. Lanes that read one word together need fewer than their bytes.
double needed(const Traffic& traffic) {
  return static_cast<double>(std::min(traffic.units, traffic.ideal_units));
}

/// Of the needed sectors, those that hold what lanes asked for.
double used(const Traffic& traffic) {
  return std::min(needed(traffic), static_cast<double>(traffic.bytes) / kSectorBytes);
}

double used_by_loads(const LineCounters& line) { return used(line.global_load); }
double used_by_stores(const LineCounters& line) { return used(line.global_store); }

/// Sectors that are moved for requests of few lanes, and hold nothing that they asked for.
double unused(const LineCounters& line) {
  return needed(line.global_load) + needed(line.global_store) - used_by_loads(line) - used_by_stores(line);
}

double scattered_loads(const LineCounters& line) { return units_beyond_ideal(line.global_load); }
double scattered_stores(const LineCounters& line) { return units_beyond_ideal(line.global_store); }
double scattered(const LineCounters& line) { return scattered_loads(line) + scattered_stores(line); }

double loaded(const LineCounters& line) { return used_by_loads(line) + scattered_loads(line); }
double stored(const LineCounters& line) { return used_by_stores(line) + scattered_stores(line); }

double by_atomics(const LineCounters& line) { return static_cast<double>(line.global_atomic.units); }
double of_constants(const LineCounters& line) { return static_cast<double>(constant_traffic(line).units); }

double of_all_lines(const Measurement& measurement, double (*of_line)(const LineCounters&)) {
  double total = 0;
  for (const LineCounters& line : measurement.observations.lines) total += of_line(line);
  return total;
}

/// Summed over all lines, per element of the task.
double per_element(const Measurement& measurement, double (*of_line)(const LineCounters&)) {
  return of_all_lines(measurement, of_line) / (measurement.cost.elements * measurement.calls);
}

std::string explain_plain_traffic(const LineCounters& line) {
  return explain_units(worst_of({{"loads", line.global_load}, {"stores", line.global_store}}), "sectors");
}

std::string explain_few_lanes(const LineCounters& line) {
  const double sectors = needed(line.global_load) + needed(line.global_store);
  return fmt::format("the lanes ask for {} of the 32 bytes of a sector, on average",
                     figure((sectors - unused(line)) / sectors * kSectorBytes));
}

/// Whether most requests beyond their ideal have lanes that lie side by side: then only where they begin
/// makes them touch a sector more.
bool begins_between_sectors(const Measurement& measurement) {
  Traffic beyond;
  for (const LineCounters& line : measurement.observations.lines) {
    for (const Traffic& traffic : {line.global_load, line.global_store})
      if (units_beyond_ideal(traffic) > 0) beyond += traffic;
  }
  // Of 32 lanes side by side, the ideal number of sectors is the width of one in bytes; of fewer, at the end
  // of what a warp takes, it is less.
  constexpr double kWithEnds = 1.25;
  return 2 * beyond.spaced_requests >= beyond.requests && beyond.spaced_requests > 0 &&
         static_cast<double>(beyond.spacing_bytes) / static_cast<double>(beyond.spaced_requests) <=
             kWithEnds * static_cast<double>(beyond.ideal_units) / static_cast<double>(beyond.requests);
}

/// Updates of words of global memory, one for each lane, over the elements. A word is 4 or 8 bytes wide, so
/// this is at most the true number.
double updates_of_element(const Measurement& measurement) {
  double bytes = 0;
  for (const LineCounters& line : measurement.observations.lines)
    bytes += static_cast<double>(line.global_atomic.bytes);
  return bytes / 8 / (measurement.cost.elements * measurement.calls);
}

/// Sectors of loads whose lanes read one word together, as far as the sums of a line distinguish them.
double of_one_word(const LineCounters& line) {
  const Traffic& loads = line.global_load;
  const double of_own_words = static_cast<double>(loads.bytes) / kSectorBytes;  // if each lane had one
  const double spared = of_own_words - needed(loads);
  const double spared_each = of_own_words / static_cast<double>(loads.requests) - 1;
  return spared > 0 && spared_each > 0 ? spared / spared_each : 0;
}

double used_by_other_loads(const LineCounters& line) {
  return std::max(used_by_loads(line) - of_one_word(line), 0.0);
}

double other_loads(const LineCounters& line) { return used_by_other_loads(line) + scattered_loads(line); }

/// Of `moved` sectors those that bring again what `once` would do for, where `useful` hold what was asked
/// for. What moves again costs again what its lanes that lie apart cost.
double moved_again(double moved, double useful, double once) {
  return once > 0 && useful > once ? moved * (1 - once / useful) : 0;
}

/// That accesses move the bytes of the input or the output more often than once: `once` sectors hold them,
/// and `all` are moved. `what` is such as "loads bring"; of a line's sectors `useful` hold what was asked
/// for.
Cause cause_of_repetition(const char* what, double (*moved)(const LineCounters&),
                          double (*useful)(const LineCounters&), double all, const char* whose, double once,
                          const std::string& advice) {
  const auto times = [once, whose](double sectors) {
    return fmt::format("{} times the bytes of the {}", figure(sectors / once), whose);
  };
  const std::string sum = fmt::format("Together, all {} {}.", what, times(all));
  return {
      .share = moved,
      .explain = [=](const LineCounters& line) { return fmt::format("{} {}", what, times(useful(line))); },
      .advice = advice.empty() ? sum : fmt::format("{} {}", advice, sum),
      .together = true};
}

/// The cause that moves most sectors beyond those of the task, except that bytes may move again as far as the
/// gate's limit allows it: `allowed` sectors, with those of the task.
Cause cause_of_traffic(const Measurement& measurement, const TrafficAdvice& advice, double allowed) {
  constexpr double kUpdatesOfCounting = 0.4;  // fewer for each element are those of blocks that merge
  const double input = measurement.input_bytes / kSectorBytes;
  const double task = measurement.cost.global_bytes * measurement.calls / kSectorBytes;
  const double output = std::max(task - input, 0.0);
  // Words that a warp reads together are no part of the input where they are less than that, as sums of tiles
  // are.
  const double words = of_all_lines(measurement, of_one_word);
  const bool words_apart = words < input;
  const auto of_loads = words_apart ? other_loads : loaded;
  const auto used_by_these = words_apart ? used_by_other_loads : used_by_loads;
  const double loads = of_all_lines(measurement, used_by_these);
  const double stores = of_all_lines(measurement, used_by_stores);
  const double again_loaded = moved_again(of_all_lines(measurement, of_loads), loads, input);
  const double again_stored = moved_again(of_all_lines(measurement, stored), stores, output);
  const auto share_of_all = [all = sectors_moved(measurement)](const char* what, auto of_line) {
    return [=](const LineCounters& line) {
      return fmt::format("{} {:.0f} % of all sectors", what, 100 * of_line(line) / all);
    };
  };

  const Cause lanes_apart = {
      scattered, explain_plain_traffic,
      begins_between_sectors(measurement)
          ? "Let warps begin at a multiple of 32 bytes. Neighbouring lanes take neighbouring elements, but a "
            "warp begins at no multiple of 32 bytes, and each request touches one sector more."
          : advice.scattered};
  const Cause few_lanes = {unused, explain_few_lanes,
                           "Let all 32 lanes of a warp take neighbouring elements. A request moves whole "
                           "sectors for however few lanes take part."};
  const auto times = [](double moved, double once) { return once > 0 ? moved / once : 0; };
  const Cause again =
      times(loads, input) > times(stores, output)
          ? cause_of_repetition("loads bring", of_loads, used_by_these, loads, "input", input, advice.again)
          : cause_of_repetition("stores write", stored, used_by_stores, stores, "output", output,
                                advice.again);
  const Cause same_word = {
      of_one_word, share_of_all("loads of one word by all lanes move", of_one_word),
      "Let one thread of the block load what all of them need, and pass it on in shared memory. Every warp "
      "moves a sector for this word."};
  const Cause updates = {
      by_atomics, share_of_all("atomics move", by_atomics),
      updates_of_element(measurement) >= kUpdatesOfCounting ? advice.atomics : advice.merging};
  const Cause constants = {of_constants, share_of_all("loads of constants move", of_constants),
                           "Keep a constant that is read again and again in a register or in shared memory. "
                           "It moves each time that it is read."};
  // Copies and fills have no line: the report names them besides.
  const Cause copies = {scattered, explain_plain_traffic, ""};

  const std::array<std::pair<double, const Cause*>, 7> candidates = {{
      {of_all_lines(measurement, scattered), &lanes_apart},
      {of_all_lines(measurement, unused), &few_lanes},
      {again_loaded + again_stored - std::max(allowed - task, 0.0), &again},
      {words_apart ? words : 0, &same_word},
      {of_all_lines(measurement, by_atomics), &updates},
      {of_all_lines(measurement, of_constants), &constants},
      {static_cast<double>(measurement.observations.copied_sectors), &copies},
  }};
  Cause cause = *std::max_element(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
                   return a.first < b.first;
                 })->second;
  cause.besides = explain_copies(measurement);
  return cause;
}

double shared_passes(const LineCounters& line) { return static_cast<double>(shared_traffic(line).units); }

double conflicts(const LineCounters& line) { return units_beyond_ideal(shared_traffic(line)); }

Kind worst_of_shared(const LineCounters& line) {
  return worst_of(
      {{"loads", line.shared_load}, {"stores", line.shared_store}, {"atomics", line.shared_atomic}});
}

/// The distance of lanes at which none would meet, and what stands against it.
std::string remedy_of(const emulator::BankStride& stride, const emulator::Padding& padding,
                      const LineCounters& line) {
  using Effect = emulator::Padding::Effect;
  constexpr std::uint64_t kLongRow = 64;  // a longer one may be longer than what it holds
  std::string remedy = "none would at ";
  if (stride.words <= kLongRow) {
    remedy += std::to_string(stride.words + stride.width);
  } else {
    remedy += stride.width == 1 ? "an odd number" : fmt::format("an odd multiple of {}", stride.width);
  }
  if (padding.effect == Effect::misaligns) {
    remedy += fmt::format(", but line {} needs rows that begin at multiples of {} bytes", padding.line,
                          padding.bytes);
  } else if (padding.effect == Effect::harms) {
    remedy += padding.line == line.line.line ? ", but others of this line would then"
                                             : fmt::format(", but those of line {} would then", padding.line);
  }
  return remedy;
}

/// With the distance of the lanes, where it is why they meet, and what helps.
std::string explain_conflicts(const std::vector<emulator::AccessTrace>& accesses, const LineCounters& line) {
  const Kind worst = worst_of_shared(line);
  std::string units = explain_units(worst, "wavefronts");
  const emulator::BankStride stride = emulator::bank_stride(worst.second);
  if (stride.meeting < 2) return units;
  const std::string met = stride.width == 1 ? fmt::format("{} of them meet in one bank", stride.meeting)
                                            : fmt::format(
                                                  "{} of the {} that are served together meet in the "
                                                  "same banks",
                                                  stride.meeting, stride.served_together());
  return fmt::format("{}; lanes are {} words apart, so that {}: {}", units, stride.words, met,
                     remedy_of(stride, emulator::padding_of(accesses, line, stride), line));
}

/// As explain_conflicts(), for lines of `measurement`, which must outlive it.
std::function<std::string(const LineCounters&)> explanation_of_conflicts(const Measurement& measurement) {
  return [&accesses = measurement.observations.shared_accesses](const LineCounters& line) {
    return explain_conflicts(accesses, line);
  };
}

Cause cause_of_conflicts(const Measurement& measurement, const BankAdvice& advice) {
  double atomics = 0, others = 0;
  Traffic worst;                             // of the line that has most
  const LineCounters* worst_line = nullptr;  // likewise
  for (const LineCounters& line : measurement.observations.lines) {
    atomics += units_beyond_ideal(line.shared_atomic);
    others += units_beyond_ideal(line.shared_load) + units_beyond_ideal(line.shared_store);
    const Traffic candidate = worst_of_shared(line).second;
    if (units_beyond_ideal(candidate) > units_beyond_ideal(worst)) {
      worst = candidate;
      worst_line = &line;
    }
  }
  const emulator::BankStride stride = emulator::bank_stride(worst);
  const bool in_rows = advice.rows.empty() || stride.meeting > 1;
  // Lanes that take several words each are often several rows apart, where a longer row may not help.
  const bool pads =
      !advice.padding.empty() && stride.meeting > 1 && stride.width == 1 &&
      emulator::padding_of(measurement.observations.shared_accesses, *worst_line, stride).effect ==
          emulator::Padding::Effect::helps;
  return {conflicts, explanation_of_conflicts(measurement),
          atomics > others ? advice.atomics
          : pads           ? advice.padding
          : in_rows        ? advice.loads_and_stores
                           : advice.rows};
}

/// Loads, and what the program's own copies and fills, textures and surfaces move, need not read an input
/// more often than once, but must once. Half is asked for, as some inputs decide which others matter.
std::string doubt_of_reads(const Measurement& measurement) {
  constexpr double kLeastShare = 0.5;
  Traffic loads;
  for (const LineCounters& line : measurement.observations.lines)
    loads += sum({line.global_load, line.global_atomic, line.constant_load});
  const double read =
      static_cast<double>(loads.units + measurement.observations.copied_sectors) * kSectorBytes;
  if (read >= kLeastShare * measurement.input_bytes) return "";
  return fmt::format("the kernels read {:.0f} of the {:.0f} bytes of the input: what did the work?", read,
                     measurement.input_bytes);
}

KernelWork of_all_kernels(const Measurement& measurement) {
  KernelWork total;
  for (const KernelWork& work : measurement.observations.kernels) total += work;
  return total;
}

/// Lane-instructions of a line in which a lane is idle, for whatever reason.
double idle_lanes(const LineCounters& line) {
  return kWarpLanes * static_cast<double>(line.warps) - static_cast<double>(line.lanes);
}

double active_lanes(const LineCounters& line) { return static_cast<double>(line.lanes); }

double idle_at_branches(const LineCounters& line) { return static_cast<double>(line.idle_caused); }

/// Lane-instructions of lanes that have no thread, as the block has too few: the other idle ones have
/// diverged.
double without_thread(const LineCounters& line) {
  return idle_lanes(line) - static_cast<double>(line.idle_here);
}

/// "16.5 of a warp's 32 lanes have a thread, as blocks are no multiple of 32 threads"
std::string explain_threads_of_warps(const LineCounters& line) {
  const std::string threads = figure(kWarpLanes - without_thread(line) / static_cast<double>(line.warps));
  return fmt::format("{} of a warp's 32 lanes {} a thread, as blocks are no multiple of 32 threads", threads,
                     threads == "1" ? "has" : "have");
}

/// The branches at which lanes diverge; where these are not most of it, the launches of blocks that leave
/// lanes without a thread.
Cause cause_of_idle_lanes(const Measurement& measurement, const LaneAdvice& advice) {
  const double units = measurement.cost.elements * measurement.calls;
  if (2 * of_all_lines(measurement, idle_at_branches) > of_all_lines(measurement, idle_lanes)) {
    return {idle_at_branches,
            [units](const LineCounters& line) {
              return fmt::format("lanes that diverge here wait for {} lane-instructions per element",
                                 figure(idle_at_branches(line) / units));
            },
            advice.branches};
  }
  return {
      .share = without_thread,
      .explain = explain_threads_of_warps,
      .advice = advice.blocks.empty() ? advice.branches : advice.blocks,
      .of_launches = true,
  };
}

/// The lines of the kernel that is most of the chain.
Cause cause_of_span(const Measurement& measurement, const std::string& advice) {
  const auto& kernels = measurement.observations.kernels;
  const auto longest = std::max_element(kernels.begin(), kernels.end(),
                                        [](const auto& a, const auto& b) { return a.span < b.span; });
  if (longest == kernels.end())
    return {[](const LineCounters&) { return 0; }, {}, "Do the task in kernels.", "no kernel ran"};
  const double share =
      static_cast<double>(longest->span) / static_cast<double>(of_all_kernels(measurement).span);
  return {[kernel = longest->kernel](const LineCounters& line) {
            return line.function == kernel ? static_cast<double>(line.warps) : 0;
          },
          [share, parallelism = longest->parallelism(),
           blocks = longest->blocks / std::max<std::uint64_t>(longest->launches, 1)](const LineCounters&) {
            return fmt::format(
                "this kernel is {:.0f} % of the longest chain, with a parallelism of {} from {} block{} per "
                "launch",
                share * 100, figure(parallelism), blocks, blocks == 1 ? "" : "s");
          },
          advice};
}

}  // namespace

double global_bytes(const LineCounters& line) {
  return static_cast<double>(sum({global_traffic(line), constant_traffic(line)}).units) * kSectorBytes;
}

std::string figure(double value) {
  return value >= 100 ? fmt::format("{:.0f}", value) : fmt::format("{:.3g}", value);
}

Gate global_sectors_gate(double limit, TrafficAdvice advice) {
  return {
      .name = "global-sectors",
      .description =
          "Sectors of global memory moved, constant memory with it, over the fewest that the task "
          "needs; ideal 1.",
      .limit = limit,
      .value =
          [](const Measurement& measurement) {
            return global_bytes_moved(measurement) / (measurement.cost.global_bytes * measurement.calls);
          },
      .cause =
          [advice = std::move(advice), limit](const Measurement& measurement) {
            const double task = measurement.cost.global_bytes * measurement.calls / kSectorBytes;
            return cause_of_traffic(measurement, advice, limit * task);
          },
      .doubt = doubt_of_reads,
  };
}

Gate shared_wavefronts_gate(double limit, BankAdvice advice) {
  return {
      .name = "shared-wavefronts",
      .description =
          "Passes through shared memory beyond the fewest that the same accesses could take, for every 32 "
          "elements; ideal 0.",
      .limit = limit,
      .value =
          [](const Measurement& measurement) { return kWarpLanes * per_element(measurement, conflicts); },
      .cause = [advice = std::move(advice)](
                   const Measurement& measurement) { return cause_of_conflicts(measurement, advice); },
  };
}

Gate shared_passes_gate(double limit, std::string unit, double units_of_element, std::string advice) {
  const auto for_32 = [units_of_element](double passes, const Measurement& measurement) {
    return passes * kWarpLanes / (measurement.cost.elements * units_of_element * measurement.calls);
  };
  return {
      .name = "shared-passes",
      .description = fmt::format("Passes through shared memory for every 32 {}.", unit),
      .limit = limit,
      .value =
          [for_32](const Measurement& measurement) {
            return for_32(of_all_lines(measurement, shared_passes), measurement);
          },
      .cause = [for_32, unit, advice = std::move(advice)](const Measurement& measurement) -> Cause {
        if (2 * of_all_lines(measurement, conflicts) > of_all_lines(measurement, shared_passes)) {
          return {
              conflicts, explanation_of_conflicts(measurement),
              "Let the lanes of a warp use different banks. More than half of all passes are bank conflicts, "
              "where lanes that use different words of one bank wait for each other."};
        }
        return {shared_passes,
                [=](const LineCounters& line) {
                  return fmt::format("{:.2f} passes for every 32 {}, the most of all lines",
                                     for_32(shared_passes(line), measurement), unit);
                },
                advice};
      },
  };
}

Gate bytes_per_element_gate(double limit, TrafficAdvice advice, std::string unit, double units_of_element) {
  const auto bytes_of_unit = [units_of_element](double bytes, const Measurement& measurement) {
    return bytes / (measurement.cost.elements * units_of_element * measurement.calls);
  };
  return {
      .name = "bytes-per-" + unit,
      .description = fmt::format(
          "Bytes of global memory moved, constant memory with it, in whole sectors, for each {}.", unit),
      .limit = limit,
      .value =
          [bytes_of_unit](const Measurement& measurement) {
            return bytes_of_unit(global_bytes_moved(measurement), measurement);
          },
      .cause =
          [=, advice = std::move(advice)](const Measurement& measurement) {
            const double units = measurement.cost.elements * units_of_element * measurement.calls;
            Cause cause = cause_of_traffic(measurement, advice, limit * units / kSectorBytes);
            cause.explain = [=, of_cause = cause.explain](const LineCounters& line) {
              const std::string bytes = figure(bytes_of_unit(global_bytes(line), measurement));
              return fmt::format("{} byte{} per {}; {}", bytes, bytes == "1" ? "" : "s", unit,
                                 of_cause(line));
            };
            return cause;
          },
      .doubt = doubt_of_reads,
  };
}

Gate idle_lanes_gate(double limit, LaneAdvice advice) {
  return {
      .name = "idle-lanes",
      .description =
          "Lane-instructions per element in which a lane of a running warp does nothing, as it waits at a "
          "branch, has ended or has no thread; ideal 0.",
      .limit = limit,
      .value = [](const Measurement& measurement) { return per_element(measurement, idle_lanes); },
      .cause = [advice = std::move(advice)](
                   const Measurement& measurement) { return cause_of_idle_lanes(measurement, advice); },
  };
}

Gate lane_instructions_gate(double limit, std::string advice) {
  return {
      .name = "lane-instructions",
      .description = "Instructions per element, each counted once for every lane that takes part in it.",
      .limit = limit,
      .value = [](const Measurement& measurement) { return per_element(measurement, active_lanes); },
      .cause = [advice = std::move(advice)](const Measurement& measurement) -> Cause {
        return {active_lanes,
                [units = measurement.cost.elements * measurement.calls](const LineCounters& line) {
                  return fmt::format("{} per element, the most of all lines",
                                     figure(active_lanes(line) / units));
                },
                advice};
      },
  };
}

Gate parallelism_gate(double least, std::string advice) {
  return {
      .name = "parallelism",
      .description =
          "Multiprocessors that the work could keep busy: all warp-instructions, over those of the busiest "
          "block of each launch, one launch after the other.",
      .limit = least,
      .at_least = true,
      .of_wide = true,
      .value = [](const Measurement& measurement) { return of_all_kernels(measurement).parallelism(); },
      .cause = [advice = std::move(advice)](
                   const Measurement& measurement) { return cause_of_span(measurement, advice); },
  };
}

Gate overlap_gate(double least, std::string advice) {
  // In and out once each: Cost::global_bytes. What is copied besides serves nothing.
  const auto needed = [](const Measurement& measurement) {
    return measurement.cost.global_bytes * measurement.calls;
  };
  return {
      .name = "overlap",
      .description =
          "Bytes to copy between host and device, over those of the longest chain of copies of which each "
          "waits for the one before, or goes the same way: 1 where nothing overlaps, 2 at most.",
      .limit = least,
      .at_least = true,
      .value =
          [needed](const Measurement& measurement) {
            return needed(measurement) / measurement.chained_bytes;
          },
      .cause =
          [advice = std::move(advice)](const Measurement& measurement) {
            return Cause{
                .share = [](const LineCounters&) { return 0.0; },
                .explain = [](const LineCounters&) { return std::string(); },
                .advice = advice,
                .besides = fmt::format("of {} MB, copies of {} MB follow one another",
                                       figure(measurement.copied_bytes / 1e6),
                                       figure(measurement.chained_bytes / 1e6)),
                .of_host_copies = true,
            };
          },
      .doubt =
          [needed](const Measurement& measurement) {
            const double touched = static_cast<double>(of_all_lines(measurement, global_traffic).bytes);
            const double least_bytes = needed(measurement);
            if (touched >= least_bytes && measurement.copied_bytes >= least_bytes) return std::string();
            return fmt::format(
                "kernels read and wrote {} MB and copies that are counted moved {} MB, where the "
                "task has {} MB",
                figure(touched / 1e6), figure(measurement.copied_bytes / 1e6), figure(least_bytes / 1e6));
          },
  };
}

}  // namespace lockstep::course
