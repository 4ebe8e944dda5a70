// How far the lanes of a line's costly requests lie apart, from the line's sums.
#pragma once

#include <cstdint>
#include <numeric>

#include "emulator/core/observations.h"

namespace lockstep::emulator {

/// Bytes between neighbouring lanes, where at least half of the requests have lanes that lie evenly apart and
/// take more than their ideal; else 0.
inline std::uint64_t lane_distance(const Traffic& traffic) {
  if (traffic.spaced_requests == 0 || 2 * traffic.spaced_requests < traffic.requests) return 0;
  return traffic.spacing_bytes / traffic.spaced_requests;
}

/// A distance of lanes in shared memory, and how many lanes it brings to the same banks.
struct BankStride {
  std::uint64_t words = 0, meeting = 0;
  std::uint64_t width = 1;  ///< words that a lane takes: the lanes of 32 words are served together

  std::uint64_t served_together() const { return 32 / width; }
};

/// That of the requests with bank conflicts; {} where they have none, or several, as the steps of a tree
/// have: then the conflicts are not those that the mean of the distances makes.
inline BankStride bank_stride(const Traffic& traffic) {
  constexpr std::uint64_t kWordBytes = 4;
  const std::uint64_t words = lane_distance(traffic) / kWordBytes;
  if (words == 0) return {};
  const auto requests = static_cast<double>(traffic.requests);
  BankStride stride{.words = words};
  // A whole warp's ideal is as many wavefronts as a lane takes words; the last warps of blocks have fewer
  // lanes.
  for (const std::uint64_t width : {2, 4}) {
    constexpr double kNearly = 0.75;
    if (static_cast<double>(traffic.ideal_units) > kNearly * static_cast<double>(width) * requests)
      stride.width = width;
  }
  if (words % stride.width != 0) return {};
  const std::uint64_t meeting = std::gcd(words / stride.width, stride.served_together());
  stride.meeting = meeting;
  if (meeting == 1) return stride;
  const double made =
      static_cast<double>(traffic.units - traffic.ideal_units) / static_cast<double>(traffic.spaced_requests);
  const double explained =
      static_cast<double>(meeting - 1) * static_cast<double>(traffic.ideal_units) / requests;
  constexpr double kLeast = 0.9;  // the last warps of blocks have fewer lanes
  return made >= kLeast * explained && explained >= kLeast * made ? stride : BankStride{};
}

}  // namespace lockstep::emulator
