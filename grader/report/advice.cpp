#include "report/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "emulator/core/lane_distance.h"
#include "report/text_style.h"

namespace lockstep::report {
namespace {

using emulator::Traffic;

constexpr std::uint64_t kSectorBytes = 32;

/// A reason for a line's cost: what it wastes, in the unit of LineProfile::cost, and the sentence about it.
struct Excess {
  std::uint64_t cost = 0;
  std::string (*sentence)(const LineProfile& line) = nullptr;
};

/// Whether a good part of the units is waste; a little more than the ideal has no cure that is worth a
/// change.
bool is_wasteful(const Traffic& traffic) { return 10 * excess(traffic) > traffic.units; }

std::string units_of(const Traffic& traffic, const char* unit) {
  return fmt::format("{} {} per request, ideal {}", number(per_request(traffic)), unit,
                     number(ideal_per_request(traffic)));
}

std::string about_sectors(const LineProfile& line) {
  const Traffic& global = line.global;
  const std::uint64_t distance = emulator::lane_distance(global);
  const std::string units = units_of(global, "sectors");
  if (distance == 0) {
    return fmt::format(
        "{}: neighbouring lanes touch addresses that lie scattered. Let them take neighbouring elements, by "
        "sorting the indices first or by way of shared memory.",
        units);
  }
  // Of 32 lanes that lie side by side, the ideal number of sectors is the width of one in bytes.
  const bool side_by_side = static_cast<double>(distance) <= ideal_per_request(global);
  if (side_by_side) {
    return fmt::format(
        "{}: the warps' pieces do not begin at a multiple of {} bytes, so that each touches one sector more. "
        "Pad the rows, or shift the index, until they do.",
        units, kSectorBytes);
  }
  constexpr std::uint64_t kLargeStructure = 128;
  if (distance < kLargeStructure) {
    return fmt::format(
        "{}: neighbouring lanes are {} bytes apart and use a part of what moves. Let them move neighbouring "
        "elements, or vectors of 16 bytes, and pass on what others need by shuffles or in shared memory; "
        "where the layout is yours to choose, keep each field in an array of its own.",
        units, distance);
  }
  return fmt::format(
      "{}: neighbouring lanes are {} bytes apart, each in a sector of its own. Where reads and writes cannot "
      "both go along rows, pass the elements on through a tile in shared memory; else let threadIdx.x be the "
      "index that varies fastest in memory (the last subscript).",
      units, distance);
}

/// What stands against a row that is longer by what a lane takes.
std::string harm_of(const emulator::Padding& padding) {
  if (padding.effect == emulator::Padding::Effect::misaligns) {
    return fmt::format("line {} needs rows that begin at multiples of {} bytes", padding.line, padding.bytes);
  }
  return fmt::format("the lanes of line {} would meet in longer rows", padding.line);
}

std::string about_banks(const LineProfile& line) {
  const std::string units = units_of(line.shared, "wavefronts");
  const emulator::BankStride stride = emulator::bank_stride(line.shared);
  const auto [words, meeting, width] = stride;
  if (words == 0) {
    return fmt::format(
        "{}: lanes that use different words meet in one bank. Change how long a row is, or which lane uses "
        "which word; `--trace` at this line draws the banks.",
        units);
  }
  if (meeting == 1) {
    return fmt::format(
        "{}: neighbouring lanes are in different banks, but the pieces that a warp touches meet in the same "
        "ones. Pad between the pieces, or let a warp touch one run of words.",
        units);
  }
  constexpr std::uint64_t kBanks = 32;
  constexpr const char* kExchange =
      "exchange the columns within each row by the row's number, for stores and loads alike, or let each "
      "lane begin at a column of its own";
  if (words >= kBanks && line.padding.effect != emulator::Padding::Effect::helps) {
    return fmt::format(
        "{}: lanes are {} words apart, so that {} of {} meet in the same banks. Keep the "
        "rows as long as they are, as {}: {}.",
        units, words, meeting, stride.served_together(), harm_of(line.padding), kExchange);
  }
  if (words >= kBanks && width > 1) {
    return fmt::format(
        "{}: lanes are {} words apart, so that {} of the {} that are served together meet in the same banks. "
        "Let them lie an odd number of {} bytes apart, as rows that are so much longer do for lanes that are "
        "an odd number of rows apart; or {}.",
        units, words, meeting, stride.served_together(), 4 * width, kExchange);
  }
  if (words >= kBanks) {
    return fmt::format(
        "{}: lanes are {} words apart, so that {} of them meet in one bank. Pad each row by one element: "
        "none meet at {}.",
        units, words, meeting, words + 1);
  }
  return fmt::format(
      "{}: lanes are {} words apart, so that {} of them meet in one bank. Let neighbouring lanes use "
      "neighbouring words.",
      units, words, meeting);
}

/// Lanes at the most contended address of a request, on average.
double lanes_at_one_address(const AtomicProfile& atomics) {
  return share_of(atomics.contention, atomics.traffic.requests);
}

std::string about_contention(const AtomicProfile& atomics, const char* aggregate, const char* privatise) {
  constexpr double kHalfAWarp = 16;
  const double lanes = lanes_at_one_address(atomics);
  return fmt::format("{} lanes of a warp meet at one address, where their atomics run one after another. {}",
                     number(lanes), lanes >= kHalfAWarp ? aggregate : privatise);
}

std::string about_global_atomics(const LineProfile& line) {
  return about_contention(
      line.global_atomics,
      "Combine the lanes of the warp first (__reduce_add_sync, shuffles), and let one lane do "
      "the atomic.",
      "Count in a copy of the block's own in shared memory, and add the copies up at the "
      "end.");
}

std::string about_shared_atomics(const LineProfile& line) {
  return about_contention(
      line.shared_atomics,
      "Combine the lanes of the warp first (__reduce_add_sync, shuffles), and let one lane do "
      "the atomic.",
      "Give lanes that meet copies of their own, and add the copies up at the end.");
}

std::string about_banks_of_atomics(const LineProfile& line) {
  return fmt::format(
      "{}: atomics on different words of one bank wait for each other. Give each lane counters in a bank of "
      "its own, and add them up at the end.",
      units_of(line.shared_atomics.traffic, "wavefronts"));
}

std::string about_branch(const LineProfile& line) {
  return fmt::format(
      "Lanes diverge in {:.0f} % of the times that a warp comes here, and are idle while the others run: as "
      "many slots as {} have. Let whole warps decide alike (by the warp's index, or by sorted data), or "
      "compute both sides and select.",
      100 * share_of(line.divergent_branches, line.branches), counted(lost_warps(line), "warp-instruction"));
}

std::string about_local_memory(const LineProfile&) {
  return "The thread's own array or spilled registers go through memory: index the array with constants, or "
         "use fewer variables at once.";
}

/// What the conflicts of the line's shared memory come from. Atomics that the device serves one lane after
/// another take as many wavefronts as lanes meet at an address; those that it adds up first may take fewer.
std::string (*about_shared(const LineProfile& line))(const LineProfile&) {
  const AtomicProfile& atomics = line.shared_atomics;
  if (2 * excess(atomics.traffic) <= excess(line.shared)) return about_banks;
  const bool at_one_address =
      atomics.contention <= atomics.traffic.units && 2 * atomics.contention > atomics.traffic.units;
  return at_one_address && atomics.waiting() > 0 ? about_shared_atomics : about_banks_of_atomics;
}

/// Everything that the line wastes, with costs as LineProfile::cost has them.
std::array<Excess, 5> excesses_of(const LineProfile& line) {
  const bool few_diverge = 10 * lost_warps(line) < line.warps;
  return {{
      {is_wasteful(line.shared) ? 4 * excess(line.shared) : 0, about_shared(line)},
      {is_wasteful(line.global) ? 2 * excess(line.global) : 0, about_sectors},
      {4 * line.global_atomics.waiting(), about_global_atomics},
      {few_diverge ? 0 : lost_warps(line), about_branch},
      {2 * line.local.units, about_local_memory},
  }};
}

}  // namespace

std::string advice_for(const LineProfile& line) {
  const auto excesses = excesses_of(line);
  const auto worst = std::max_element(excesses.begin(), excesses.end(),
                                      [](const Excess& a, const Excess& b) { return a.cost < b.cost; });
  if (10 * worst->cost > line.cost()) return worst->sentence(line);
  if (line.active_share() < 0.75 && line.warps > 0) {
    const bool diverged = 2 * line.idle_here > 32 * line.warps - line.lanes;
    return fmt::format("Only {:.0f} % of the lanes work here: {}", 100 * line.active_share(),
                       diverged
                           ? "a branch has sent the others another way. Give neighbouring threads the same "
                             "branch."
                           : "the block has no threads for the others. Give it a multiple of 32.");
  }
  if (line.global.requests > 0) {
    return excess(line.global) == 0
               ? "No excess sectors: only moving fewer bytes would make it cheaper."
               : units_of(line.global, "sectors") + ": hardly more than the lanes ask for.";
  }
  if (line.shared.requests > 0) {
    return excess(line.shared) == 0 ? "No bank conflicts: only fewer accesses would make it cheaper."
                                    : "Few bank conflicts: only fewer accesses would make it much cheaper.";
  }
  return "No memory is accessed here: only fewer instructions would make it cheaper.";
}

}  // namespace lockstep::report
