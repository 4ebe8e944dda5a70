// What the judge knows of "multi-tau": packets that begin and end anywhere, counts at the edges, and three
// gates.
//
// Expected sums come from their definition in closed form: a bin is the difference of two sums of all counts
// up to an instant, in exact 64-bit integers. No bin is made of other bins, as solutions do it.
//
// The counters below are worked out for the rungs of solutions/17-multi-tau, on the two measured cases.
// Units: bytes of global memory in whole sectors, over counts, states and sums, each moved once; and passes
// through shared memory for every 32 products, of which each count and position needs two (one in group 0,
// one in all the others together).
//
//   direct          reads a count for every addition: far beyond any limit
//   ring_buffer     reads 8 sensors' counts at a time, a quarter of a sector: up to 4; a pass for 32 bins,
//                   one for the register, two each to read and write 32 sums of 64 bits, three to add to the
//                   registers, two for the new bin and one for what is cleared: 12
//   batch_by_level  counts, bins of every group and delayed bins are written and read: some 25 bytes per
//                   count; 8 passes for 1024 products: 0.25, and as many again to bring the bins there
//   dp4a            bytes for group 0 instead of words
//   parts           counts are written and read once more, by sensor, and no bins: 1.5; passes as before
//   shifted_rows    the same traffic; 9 passes for the bins of 1024 products, 4 of them for the delayed ones
//   reference       bins once, half of them bytes; fragments for 16 x 8 x 32 products in few passes
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "correlation.h"
#include "course/plot.h"
#include "course/problem.h"
#include "diffusion.h"
#include "multi_tau.h"

namespace lockstep::multi_tau_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Counts = std::vector<unsigned char>;
using Sum = unsigned long long;

/// What a case asks for.
struct Packet {
  int sensors = 32;
  int instants = 0;
  long long elapsed = 1;
  int groups = kMostGroups;
};

/// Instants before the packet that any bin can reach: 65 bins of the last group, and what of them is begun.
long long instants_before(const Packet& packet) {
  return std::min(packet.elapsed, 66LL << (packet.groups - 1));
}

/// One sensor's counts, as sums of all counts up to an instant. Nothing was counted before the first.
class Trace {
 public:
  Trace(long long first, const Counts& counts) : first_(first), up_to_(counts.size() + 1) {
    for (std::size_t i = 0; i < counts.size(); ++i) up_to_[i + 1] = up_to_[i] + counts[i];
  }
  /// y(begin + 1) + … + y(end)
  Sum sum(long long begin, long long end) const { return up_to(end) - up_to(begin); }
  /// Y_g(end) of multi_tau.h
  Sum bin(int group, long long end) const { return sum(end - (1LL << group), end); }
  /// D_g(instant, position) of multi_tau.h
  Sum delayed_bin(int group, long long instant, int position) const {
    const long long length = 1LL << group;
    return bin(group, instant - kPositions * (length - 1) - position * length);
  }

 private:
  Sum up_to(long long instant) const {
    return up_to_[static_cast<std::size_t>(std::max(instant - first_ + 1, 0LL))];
  }

  long long first_;  ///< instant of the first count
  std::vector<Sum> up_to_;
};

// Functions that give the bin of a group which ends at an instant.

auto new_bins(const Trace& trace) {
  return [&trace](int group, long long end) { return trace.bin(group, end); };
}
auto entered_bins(const Trace& trace) {
  return [&trace](int group, long long end) { return trace.delayed_bin(group, end, 0); };
}
/// Bins that enter a group as soon as they are complete, from the instant after `elapsed` on: a mistake.
auto undelayed_bins(const Trace& trace, long long elapsed) {
  return [&trace, elapsed](int group, long long end) {
    return end <= elapsed ? trace.delayed_bin(group, end, 0) : trace.bin(group, end);
  };
}

template <class EnteredBin>
std::vector<unsigned> state_after(const Trace& trace, long long instant, int groups, EnteredBin entered_bin) {
  std::vector<unsigned> state;
  for (int group = 0; group < groups; ++group) {
    const long long last = instant >> group << group;
    for (int position = 0; position <= kPositions; ++position)
      state.push_back(
          static_cast<unsigned>(entered_bin(group, last - (static_cast<long long>(position) << group))));
    state.push_back(static_cast<unsigned>(trace.sum(last, instant)));
  }
  return state;
}

std::vector<unsigned> state_after(const Trace& trace, long long instant, int groups) {
  return state_after(trace, instant, groups, entered_bins(trace));
}

/// What a packet adds to the sums of one sensor, from its bins as they are new and as they enter their group.
template <class NewBin, class EnteredBin>
std::vector<Sum> packet_sums(const Packet& packet, NewBin new_bin, EnteredBin entered_bin) {
  std::vector<Sum> sums;
  std::vector<unsigned> newest, delayed;
  for (int group = 0; group < packet.groups; ++group) {
    const long long first = (packet.elapsed >> group) + 1, end = (packet.elapsed + packet.instants) >> group;
    // Numbers of 32 bits: the compiler multiplies several pairs of them at a time.
    newest.clear();
    delayed.clear();
    for (long long k = first; k <= end; ++k)
      newest.push_back(static_cast<unsigned>(new_bin(group, k << group)));
    for (long long k = first - kPositions + 1; k <= end; ++k)
      delayed.push_back(static_cast<unsigned>(entered_bin(group, k << group)));
    for (std::size_t position = 0; position < kPositions; ++position) {
      Sum sum = 0;
      for (std::size_t i = 0; i < newest.size(); ++i)
        sum += Sum{newest[i]} * delayed[i + kPositions - 1 - position];
      sums.push_back(sum);
    }
  }
  return sums;
}

std::vector<Sum> packet_sums(const Trace& trace, const Packet& packet) {
  return packet_sums(packet, new_bins(trace), entered_bins(trace));
}

// --- counts ---

/// Fills one sensor's counts.
using Values = void (*)(Counts& counts, int sensor, Random& random);

/// Any count that a byte holds.
void uniform(Counts& counts, int, Random& random) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    bits = i % 8 == 0 ? random.bits() : bits >> 8;
    counts[i] = static_cast<unsigned char>(bits);
  }
}

/// Few photons: most counts are 0, some 1, seldom more, at another rate for every sensor.
void sparse(Counts& counts, int sensor, Random& random) {
  uniform(counts, 0, random);
  const auto bright = static_cast<unsigned char>(8 + sensor % 64);
  for (unsigned char& count : counts) count = count < bright / 8 ? 2 : count < bright ? 1 : 0;
}

/// A photon in each of 128 pulses: the most that the detector reports. The last sensor sees any number of
/// them.
void all_pulses(Counts& counts, int sensor, Random& random) {
  uniform(counts, 0, random);
  if (sensor % 32 == 31) return;
  for (unsigned char& count : counts) count = count == 77 ? 127 : 128;
}

/// The largest byte, seldom one less.
void largest(Counts& counts, int, Random& random) {
  uniform(counts, 0, random);
  for (unsigned char& count : counts) count = count == 77 ? 254 : 255;
}

/// Molecules that diffuse freely through a focus.
void diffusing(Counts& counts, int, Random& random) {
  constexpr int kMolecules = 56;
  counts = lockstep::diffusing_counts(counts.size(), random, kMolecules);
}

/// 1 2 3 4 5 6 7 1 2 …, from another number on at every sensor: easy to follow by hand.
void one_to_seven(Counts& counts, int sensor, Random& random) {
  std::size_t next = static_cast<std::size_t>(sensor) + random.bits() % 7;
  for (unsigned char& count : counts) count = static_cast<unsigned char>(next++ % 7 + 1);
}

// --- calls ---

/// All that a call is made of, kept for the mistakes that are known.
struct Made {
  Packet packet;
  std::vector<Counts> before;  ///< by sensor: counts of the instants before the packet
  std::vector<Counts> counts;  ///< by sensor: counts of the packet
  std::vector<Sum> sums_before, sums;
  std::vector<unsigned> state_before, state;

  /// A sensor's counts before the packet and in it.
  Trace trace(std::size_t sensor) const {
    Counts all = before[sensor];
    all.insert(all.end(), counts[sensor].begin(), counts[sensor].end());
    return {packet.elapsed - static_cast<long long>(before[sensor].size()) + 1, all};
  }
};

constexpr const char* kUndelayed =
    "bins of the groups after the first enter them as soon as they are complete, and not after the delay of "
    "the group before";
constexpr const char* kDelay =
    "Form the bins that enter group g + 1 from those at the last two positions of group g, which have "
    "passed through it, and only the newest ones from new bins.";

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

Counts joined(Counts counts, const Counts& more) {
  append(counts, more);
  return counts;
}

/// What has been added up before a packet: of a packet that is drawn all there was, else any numbers.
std::vector<Sum> sums_before(const Trace& trace, const Packet& packet, bool from_the_start, Random& random) {
  if (from_the_start) {
    Packet past = packet;
    past.elapsed = 0;
    past.instants = static_cast<int>(packet.elapsed);
    return packet_sums(trace, past);
  }
  std::vector<Sum> sums(static_cast<std::size_t>(packet.groups) * kPositions);
  for (Sum& sum : sums) sum = random.bits() >> 16;
  return sums;
}

/// What a call is given.
Made make_inputs(const Packet& packet, Values values, Random& random) {
  Made made{.packet = packet};
  const auto before = static_cast<std::size_t>(instants_before(packet));
  for (int sensor = 0; sensor < packet.sensors; ++sensor) {
    Counts counts(before + static_cast<std::size_t>(packet.instants));
    values(counts, sensor, random);
    made.counts.emplace_back(counts.begin() + static_cast<std::ptrdiff_t>(before), counts.end());
    counts.resize(before);
    const Trace past(packet.elapsed - instants_before(packet) + 1, counts);
    append(made.state_before, state_after(past, packet.elapsed, packet.groups));
    append(made.sums_before, sums_before(past, packet, values == diffusing, random));
    made.before.push_back(std::move(counts));
  }
  return made;
}

/// And what must come out.
Made make(const Packet& packet, Values values, Random& random) {
  Made made = make_inputs(packet, values, random);
  for (std::size_t sensor = 0; sensor < made.counts.size(); ++sensor) {
    const Trace trace = made.trace(sensor);
    append(made.state, state_after(trace, packet.elapsed + packet.instants, packet.groups));
    for (const Sum sum : packet_sums(trace, packet))
      made.sums.push_back(made.sums_before[made.sums.size()] + sum);
  }
  return made;
}

Counts frames(const Made& made) {
  constexpr std::size_t kTogether = 64;  // instants, which share the lines of a cache
  const auto sensors = made.counts.size(), instants = static_cast<std::size_t>(made.packet.instants);
  Counts all(sensors * instants);
  for (std::size_t first = 0; first < instants; first += kTogether) {
    for (std::size_t sensor = 0; sensor < sensors; ++sensor) {
      for (std::size_t i = first; i < std::min(first + kTogether, instants); ++i)
        all[i * sensors + sensor] = made.counts[sensor][i];
    }
  }
  return all;
}

/// The sums that come out when each sensor's packet is another.
std::vector<Sum> sums_of(const Made& made, const std::function<std::vector<Sum>(std::size_t)>& of_sensor) {
  std::vector<Sum> sums = made.sums_before;
  std::size_t next = 0;
  for (std::size_t sensor = 0; sensor < made.counts.size(); ++sensor) {
    for (const Sum sum : of_sensor(sensor)) sums[next++] += sum;
  }
  return sums;
}

std::vector<KnownMistake> known_sums(const Made& made) {
  Mistakes mistakes(made.sums);
  const Packet& packet = made.packet;
  mistakes.add("the sums are those before the packet: nothing has been added", made.sums_before,
               "Add to each sum the products of the packet's bins.");
  std::vector<Sum> alone = made.sums, narrow = made.sums;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    alone[i] -= made.sums_before[i];
    narrow[i] = made.sums_before[i] + (alone[i] & 0xFFFF'FFFF);
  }
  mistakes.add("what the packet adds is right, but sums_before is missing", alone,
               "Let each sum begin with that of sums_before.");
  mistakes.add(
      "what the packet adds, or a product of two bins, was formed in 32 bits, which is too narrow", narrow,
      "Widen one factor before you multiply, static_cast<unsigned long long>(newest) * delayed, and add up "
      "in 64 bits.");
  const auto without_past = [&](std::size_t sensor) {
    return packet_sums(Trace(packet.elapsed + 1, made.counts[sensor]), packet);
  };
  mistakes.add(
      "the packet was correlated with itself alone: the bins of state_before are missing",
      sums_of(made, without_past),
      "Begin with the bins of state_before, which are the delayed ones of the packet's first instants.");
  const auto from_zero = [&](std::size_t sensor) {
    Packet first = packet;
    first.elapsed = 0;
    const Counts& before = made.before[sensor];
    const Trace trace(1 - static_cast<long long>(before.size()), joined(before, made.counts[sensor]));
    return packet_sums(trace, first);
  };
  mistakes.add(
      "bins begin with the packet: they begin at multiples of 2^g of all instants, elapsed ones included",
      sums_of(made, from_zero),
      "Add `elapsed` to the number of an instant before you shift it by the group.");
  const auto without_register = [&](std::size_t sensor) {
    const Trace trace = made.trace(sensor), of_packet(packet.elapsed + 1, made.counts[sensor]);
    return packet_sums(packet, new_bins(of_packet), entered_bins(trace));
  };
  mistakes.add(
      "bins that began before the packet lack the counts that they had then: the zero-delay registers of "
      "state_before",
      sums_of(made, without_register),
      "Begin the first new bin of each group with what the registers hold: that of the group itself, and "
      "those of the groups before it, which the packet's counts complete.");
  const auto undelayed = [&](std::size_t sensor) {
    const Trace trace = made.trace(sensor);
    return packet_sums(packet, new_bins(trace), undelayed_bins(trace, packet.elapsed));
  };
  mistakes.add(kUndelayed, sums_of(made, undelayed), kDelay);
  return mistakes.known();
}

std::vector<KnownMistake> known_states(const Made& made) {
  Mistakes mistakes(made.state);
  const Packet& packet = made.packet;
  mistakes.add("the state is the one before the packet", made.state_before,
               "Store in `state` the last bins, and the registers, as they are after the packet.");
  std::vector<unsigned> narrow = made.state, cleared = made.state;
  for (unsigned& word : narrow) word &= 0xFFFF;
  for (std::size_t i = kPositions + 1; i < cleared.size(); i += kStateWords) cleared[i] = 0;
  mistakes.add("bins were kept in 16 bits, which is too narrow", narrow, "Keep bins in 32 bits.");
  std::vector<unsigned> undelayed;
  for (std::size_t sensor = 0; sensor < made.counts.size(); ++sensor) {
    const Trace trace = made.trace(sensor);
    append(undelayed, state_after(trace, packet.elapsed + packet.instants, packet.groups,
                                  undelayed_bins(trace, packet.elapsed)));
  }
  mistakes.add(kUndelayed, undelayed, kDelay);
  mistakes.add(
      "the bins are right, and the zero-delay registers are 0: what they hold of the next bin is lost",
      cleared, "Store in each register what the bin that has begun holds when the packet ends.");
  return mistakes.known();
}

/// "sensor 3, group 2, position 31"
std::string position(std::size_t i, int groups, int words) {
  const auto per_sensor = static_cast<std::size_t>(groups) * static_cast<std::size_t>(words);
  const std::size_t word = i % static_cast<std::size_t>(words);
  const std::size_t group = i % per_sensor / static_cast<std::size_t>(words);
  const std::string where =
      "sensor " + std::to_string(i / per_sensor) + ", group " + std::to_string(group) + ", ";
  return where + (word <= kPositions ? "position " + std::to_string(word) : "zero-delay register");
}

Call call_of(const Made& made, Output state, Output sums) {
  const Packet& packet = made.packet;
  state.type = ElementType::u32;
  sums.type = ElementType::u64;
  Call call;
  call.input("counts", frames(made));
  call.scalar("sensors", packet.sensors).scalar("instants", packet.instants);
  call.scalar("elapsed", packet.elapsed).scalar("groups", packet.groups);
  call.input("state_before", made.state_before).input("sums_before", made.sums_before);
  call.output("state", std::move(state)).output("sums", std::move(sums));
  call.workspace("workspace").stream();
  return call;
}

Call make_call(const Packet& packet, Values values, Random& random) {
  const auto made = std::make_shared<const Made>(make(packet, values, random));
  Output state, sums;
  state.expected = bytes_of(made->state);
  state.position = [packet](std::size_t i) { return position(i, packet.groups, kStateWords); };
  state.known_mistakes = [made] { return known_states(*made); };
  sums.expected = bytes_of(made->sums);
  sums.position = [packet](std::size_t i) { return position(i, packet.groups, kPositions); };
  sums.known_mistakes = [made] { return known_sums(*made); };
  return call_of(*made, std::move(state), std::move(sums));
}

Case make_case(const Packet& packet, std::string purpose, Values values = uniform) {
  Case made;
  made.name = std::to_string(packet.instants) + " instants, " + std::to_string(packet.sensors) +
              " sensors, " + std::to_string(packet.groups) +
              " groups, elapsed = " + std::to_string(packet.elapsed);
  made.purpose = std::move(purpose);
  made.prepare = [packet, values](Random& random) { return make_call(packet, values, random); };
  const double counts = static_cast<double>(packet.instants) * packet.sensors;
  const double groups = static_cast<double>(packet.groups) * packet.sensors;
  made.cost = {
      .elements = counts,
      .global_bytes = counts + groups * 2 * (kStateWords * sizeof(unsigned) + kPositions * sizeof(Sum))};
  return made;
}

Case timed_case(const Packet& packet, std::string purpose) {
  Case made = make_case(packet, std::move(purpose));
  made.prepare_inputs = [packet](Random& random) {
    return call_of(make_inputs(packet, uniform, random), {}, {});
  };
  return made;
}

// --- the picture ---

/// Its first packet began at instant 1, and its end is one of all groups' bins.
Case drawn_case() {
  Case made =
      make_case({32, 1024, 31744, 10}, "molecules that diffuse freely: this case can be drawn", diffusing);
  made.name = "free diffusion";
  made.calls = 1;
  return made;
}

/// All sensors' correlation, from the sums and from the bins of the state, which give the mean.
std::vector<lockstep::CorrelationPoint> correlation_of(const Shown& shown) {
  const auto sensors = static_cast<std::size_t>(shown.scalar<int>("sensors"));
  const auto groups = static_cast<std::size_t>(shown.scalar<int>("groups"));
  const long long end = shown.scalar<long long>("elapsed") + shown.scalar<int>("instants");
  const auto state = shown.numbers<unsigned>("state");
  const auto sums = shown.numbers<Sum>("sums");
  const auto all = static_cast<double>(sensors);
  double counted = 0;  // the positions of all groups hold all instants but the earliest
  for (std::size_t i = 0; i < state.size(); ++i) counted += i % kStateWords < kPositions ? state[i] : 0;
  const double mean = counted / all / (kPositions * (static_cast<double>(1LL << groups) - 1));
  std::vector<lockstep::CorrelationPoint> points;
  for (std::size_t group = 0; group < groups; ++group) {
    for (int position = 0; position < kPositions; ++position) {
      const long long length = 1LL << group, delay = kPositions * (length - 1) + position * length;
      double sum = 0, instants = 0;
      for (std::size_t sensor = 0; sensor < sensors; ++sensor)
        sum += static_cast<double>(
            sums[(sensor * groups + group) * kPositions + static_cast<std::size_t>(position)]);
      for (long long instant = length; instant <= end; instant += length)
        instants += static_cast<double>(std::clamp(instant - delay, 0LL, length));  // that were counted
      const double expected = mean * mean * all * static_cast<double>(length) * instants;
      points.push_back({static_cast<double>(delay), sum / expected - 1});
    }
  }
  return points;
}

std::string draw_correlation(const Shown& shown) {
  const auto points = correlation_of(shown);
  const lockstep::DiffusionCurve fit = lockstep::fit_diffusion(points, lockstep::Focus::kShape);
  const auto two_digits = [](double value) { return std::to_string(value).substr(0, 4); };
  PlotSeries measured{.name = "from your sums"};
  PlotSeries curve{.name = "fit: " + two_digits(fit.diffusion_time) + " instants in the focus, " +
                           two_digits(lockstep::Focus::kDiffusionTime) + " simulated",
                   .is_curve = true};
  for (const auto& point : points) {
    if (point.delay == 0) continue;  // the photons' own noise
    measured.points.push_back({.x = point.delay, .y = point.value});
    curve.points.push_back({.x = point.delay, .y = fit.at(point.delay)});
  }
  return plot_svg({.title = "Correlation of photon counts: free diffusion",
                   .x = {.label = "delay in instants", .is_logarithmic = true},
                   .y = {.label = "correlation"},
                   .series = {measured, curve}});
}

// --- technique ---

/// A count takes part in 32 products of group 0, and in 32 of all other groups together, for ten groups.
constexpr double kProductsOfCount = 64;

std::uint64_t scalar(const Call& call, std::size_t index) { return call.arguments()[index].scalar_bits; }

Problem make_problem() {
  Problem problem;
  problem.name = "multi-tau";
  problem.title = "Correlate a stream of counts with its own past";
  problem.lesson =
      "work that comes instant by instant becomes a batch: sums, then products without a barrier";
  problem.function = LOCKSTEP_SIGNATURE(multi_tau);
  WorkspaceQuery workspace;
  workspace.function = LOCKSTEP_SIGNATURE(multi_tau_workspace_bytes);
  workspace.arguments = [](const Call& call) {
    return std::vector<std::uint64_t>{scalar(call, 1), scalar(call, 2), scalar(call, 4)};
  };
  workspace.limit_bytes = [](const Call& call) { return 16 * scalar(call, 1) * (scalar(call, 2) + 2048); };
  problem.workspace = workspace;
  constexpr long long kDay = 54'000'000'001;  // instants of 1.6 us
  problem.cases = {
      make_case({32, 14, 7, 3}, "counts 1 to 7 in turn: work it out by hand", one_to_seven),
      make_case({32, 0, 12345, 10}, "no instant: state and sums stay as they are"),
      make_case({32, 1, 511, 10}, "one instant, which ends a bin in every group"),
      make_case({64, 31, 1, 2}, "one less than there are positions, and hardly a past"),
      make_case({32, 32, 96, 1}, "one group: the plain definition"),
      make_case({32, 33, 31, 10}, "one more than there are positions; the state before is nearly empty"),
      make_case({96, 100, 20000, 10}, "a packet of 100 instants, as the detector sends them", sparse),
      make_case({32, 1000, 4095, 6}, "bins that began before the packet end in it"),
      make_case({32, 1023, 1025, 7}, "one less than 1024, after one more"),
      make_case({32, 1024, 65536, 10}, "whole bins of every group"),
      make_case({32, 1025, 32767, 9}, "one more than 1024, after one less than 2^15"),
      make_case({32, 701, kDay, 10}, "the second day: more instants than 32 bits can count"),
      make_case({32, 203, (1LL << 31) - 101, 4}, "the packet in which an int of the instants overflows"),
      make_case({32, 999, 33333, 10}, "128 photons at every instant: a bin of 512 is 2^16", all_pulses),
      make_case({32, 1100, 40001, 10}, "the largest counts: products of bins exceed 32 bits", largest),
      once(make_case({32, 17001, 777, 1}, "more than 2^14 instants")),
      drawn_case(),
      measured(make_case({32, 1031, 7919, 10}, "a prime number of instants")),
      measured(make_case({32, 2048, 1000003, 10}, "few sensors, many instants", sparse)),
      wide(measured(once(make_case({128, 1024, 4099, 10}, "more sensors: work for many blocks")))),
  };
  problem.speed = {.sizes = {timed_case({1024, 100, 777, 10}, "the detector's packet: 160 us of data"),
                             timed_case({1024, 1024, 777, 10}, "a mebibyte of counts"),
                             timed_case({1024, 8192, 777, 10}, "8 MiB of counts, 13 ms of data")},
                   .larger = {timed_case({1024, 65536, 777, 10}, "64 MiB of counts, 0.1 s of data")},
                   .reference = {.first_ratio = 0.0014}};
  problem.gates = {
      global_sectors_gate(
          30,
          {.scattered = "Let neighbouring lanes take neighbouring words.",
           .again = "Bring counts to shared memory or registers, and make bins of a group from bins of the "
                    "group before. A count is needed for 64 products, and should be read once or twice."}),
      shared_passes_gate(
          3, "products of two bins", kProductsOfCount,
          "Keep sums in registers, and let a bin that has been read serve many products: a thread "
          "that takes 4 newest bins and 8 positions reads 15 bins for 32 products."),
      // A block that takes 8 sensors makes 16 of 128; a single block 1.
      parallelism_gate(3,
                       "Give each block few sensors. They do not need each other, and long packets can be "
                       "cut."),
  };
  problem.picture = Picture{.case_name = drawn_case().name, .ending = "svg", .draw = draw_correlation};
  problem.hints = {
      "Work out 14 instants of one sensor by hand, with counts 1 2 3 4 5 6 7 1 2 … and elapsed = 0: group 0 "
      "adds y(t) times y(t), y(t - 1), …; group 1 has its turn at even t, with sums of two counts, and its "
      "position 0 lies 32 instants back.",
      "A bin that reaches position 32 of a group leaves it, and two of them in turn make the bin that enters "
      "the next: E_{g+1}(k) = E_g(2k - 32) + E_g(2k - 33), with E_g(k) = D_g(k 2^g, 0). The 33 bins of the "
      "state are what that needs of the past, whatever the packet's length.",
      "Nothing in a packet has to wait for the instant before. First make all bins of a group, newest and "
      "delayed, from those of the group before; then let every thread multiply some newest bins with the "
      "delayed bins at some positions, and keep its sums in registers until the end.",
      "A thread that multiplies 4 newest bins with 8 positions needs 4 + 11 bins for 32 products: read them "
      "as vectors of 16 bytes. Let lanes that lie in each other's neighbourhood share what they read.",
      "Group 0 has half of all products, of bytes: __dp4a multiplies four with four and adds up. Bytes are "
      "also what tensor cores multiply. Take eight rows of newest bins, each a bin later than the last, and "
      "four columns of delayed ones, each eight bins earlier: their product has the sums of 32 delays. High "
      "bytes are further rows and columns. All bins of 2048 instants fit in shared memory.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::multi_tau_problem
