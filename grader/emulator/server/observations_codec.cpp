#include "emulator/server/observations_codec.h"

#include <cstdint>
#include <nlohmann/json.hpp>

namespace lockstep::emulator {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceLine, file, line)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Traffic, requests, units, ideal_units, bytes, spaced_requests,
                                   spacing_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LineCounters, line, function, warps, lanes, divergent_branches,
                                   global_load, global_store, global_atomic, shared_load, shared_store,
                                   shared_atomic, local_load, local_store, branches, idle_caused, idle_here,
                                   global_contention, shared_contention)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Finding, kind, message, line, stack, other_line, kernel, block, thread,
                                   address, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AccessTrace, line, space, operation, bytes, block, warp, active, addresses,
                                   units, ideal_units)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Observations, lines, findings, traces, launches, blocks, warp_instructions,
                                   copied_sectors, seconds)

std::vector<std::byte> encode(const Observations& observations) {
  const std::vector<std::uint8_t> bytes = nlohmann::json::to_cbor(nlohmann::json(observations));
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  return {begin, begin + bytes.size()};
}

Observations decode_observations(std::span<const std::byte> bytes) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return nlohmann::json::from_cbor(begin, begin + bytes.size()).get<Observations>();
}

}  // namespace lockstep::emulator
