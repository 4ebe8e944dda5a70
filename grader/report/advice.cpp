#include "report/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "report/text_style.h"

namespace lockstep::report {
namespace {

using emulator::Traffic;

constexpr std::uint64_t kWordBytes = 4, kBanks = 32, kSectorBytes = 32;

/// A reason for a line's cost: what it wastes, in the unit of LineProfile::cost, and the sentence about it.
struct Waste {
  std::uint64_t cost = 0;
  std::string (*sentence)(const LineProfile& line) = nullptr;
};

/// Whether a good part of the units is waste; a little more than the ideal has no cure that is worth a
/// change.
bool is_wasteful(const Traffic& traffic) { return 10 * excess(traffic) > traffic.units; }

/// Bytes between neighbouring lanes, where at least half of the requests have lanes that lie evenly apart and
/// take more than their ideal; else 0.
std::uint64_t spacing(const Traffic& traffic) {
  if (traffic.spaced_requests == 0 || 2 * traffic.spaced_requests < traffic.requests) return 0;
  return traffic.spacing_bytes / traffic.spaced_requests;
}

std::string units_of(const Traffic& traffic, const char* unit) {
  return fmt::format("{} {} a request, ideal {}", number(per_request(traffic)), unit,
                     number(ideal_per_request(traffic)));
}

std::string about_sectors(const LineProfile& line) {
  const Traffic& global = line.global;
  const std::uint64_t distance = spacing(global);
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
        "{}: neighbouring lanes are {} bytes apart and use a part of what moves. Keep each field in an array "
        "of its own, let a lane load its whole structure as a vector, or step through the array one element "
        "a lane.",
        units, distance);
  }
  return fmt::format(
      "{}: neighbouring lanes are {} bytes apart, each in a sector of its own. Let threadIdx.x be the index "
      "that varies fastest in memory (the last subscript), or go through a tile in shared memory.",
      units, distance);
}

std::string about_banks(const LineProfile& line) {
  const std::string units = units_of(line.shared, "wavefronts");
  const std::uint64_t words = spacing(line.shared) / kWordBytes;
  if (words == 0) {
    return fmt::format(
        "{}: lanes meet in the same bank. Pad the row by one element, or change which lane reads which word.",
        units);
  }
  const std::uint64_t meeting = std::gcd(words, kBanks);
  if (meeting == 1) {
    return fmt::format(
        "{}: neighbouring lanes are in different banks, but the pieces that a warp touches meet in the same "
        "ones. Pad between the pieces, or let a warp touch one run of words.",
        units);
  }
  if (words >= kBanks) {
    return fmt::format(
        "{}: lanes are {} words apart, so that {} of them meet in one bank. Pad each row by one element.",
        units, words, meeting);
  }
  return fmt::format(
      "{}: lanes are {} words apart, so that {} of them meet in one bank. Let neighbouring lanes use "
      "neighbouring words.",
      units, words, meeting);
}

/// Lanes at the fullest address of a request, on average.
double lanes_at_one_address(const AtomicProfile& atomics) {
  return share_of(atomics.contention, atomics.traffic.requests);
}

std::string about_contention(const AtomicProfile& atomics, const char* aggregate, const char* privatise) {
  constexpr double kMostOfAWarp = 16;
  const double lanes = lanes_at_one_address(atomics);
  return fmt::format("{} lanes of a warp meet at one address, where their atomics run one after another. {}",
                     number(lanes), lanes >= kMostOfAWarp ? aggregate : privatise);
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
      "Give each warp, or each few lanes, a copy of their own, and add the copies up at "
      "the end.");
}

std::string about_branch(const LineProfile& line) {
  return fmt::format(
      "Lanes part in {:.0f} % of the times that a warp comes here, and are idle while the others run: as "
      "many slots as {} have. Let whole warps decide alike (by the warp's index, or by sorted data), or "
      "compute both sides and select.",
      100 * share_of(line.divergent_branches, line.branches), counted(lost_warps(line), "warp-instruction"));
}

std::string about_local_memory(const LineProfile&) {
  return "The thread's own array or spilled registers go through memory: index the array with constants, or "
         "use fewer variables at once.";
}

/// Everything that the line wastes, with costs as LineProfile::cost has them.
std::array<Waste, 5> wastes_of(const LineProfile& line) {
  const bool atomics_meet =
      2 * excess(line.shared_atomics.traffic) > excess(line.shared) && line.shared_atomics.waiting() > 0;
  const bool few_diverge = 10 * lost_warps(line) < line.warps;
  return {{
      {is_wasteful(line.shared) ? 4 * excess(line.shared) : 0,
       atomics_meet ? about_shared_atomics : about_banks},
      {is_wasteful(line.global) ? 2 * excess(line.global) : 0, about_sectors},
      {4 * line.global_atomics.waiting(), about_global_atomics},
      {few_diverge ? 0 : lost_warps(line), about_branch},
      {2 * line.local.units, about_local_memory},
  }};
}

}  // namespace

std::string advice_for(const LineProfile& line) {
  const auto wastes = wastes_of(line);
  const auto worst = std::max_element(wastes.begin(), wastes.end(),
                                      [](const Waste& a, const Waste& b) { return a.cost < b.cost; });
  if (10 * worst->cost > line.cost()) return worst->sentence(line);
  if (line.active_share() < 0.75 && line.warps > 0) {
    const bool parted = 2 * line.idle_here > 32 * line.warps - line.lanes;
    return fmt::format("Only {:.0f} % of the lanes work here: {}", 100 * line.active_share(),
                       parted
                           ? "a branch has sent the others another way. Give neighbouring threads the same "
                             "branch."
                           : "the block has no threads for the others. Give it a multiple of 32.");
  }
  if (line.global.requests > 0) {
    return excess(line.global) == 0
               ? "No sector is moved in vain: only moving fewer bytes would make it cheaper."
               : units_of(line.global, "sectors") + ": hardly more than the lanes ask for.";
  }
  if (line.shared.requests > 0) {
    return excess(line.shared) == 0 ? "No bank conflicts: only fewer accesses would make it cheaper."
                                    : "Few bank conflicts: only fewer accesses would make it much cheaper.";
  }
  return "Arithmetic without waste: more work a thread would share it out.";
}

}  // namespace lockstep::report
