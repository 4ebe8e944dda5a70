#include "emulator/server/observations_codec.h"

#include <bit>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>

// In the namespace of the types, where the library looks for them.
namespace lockstep::emulator {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SourceLine, file, line)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Traffic, requests, units, ideal_units, bytes, spaced_requests,
                                   spacing_bytes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LineCounters, line, function, warps, lanes, divergent_branches,
                                   global_load, global_store, global_atomic, shared_load, shared_store,
                                   shared_atomic, local_load, local_store, constant_load, branches,
                                   idle_caused, idle_here, global_contention, shared_contention)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(KernelWork, kernel, launches, blocks, work, span, grid, block)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Finding::Object, name, begin, bytes)
// Of which the kind is that of the cause.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Finding, cause, space, scope, access, other_access, other, other_number,
                                   width, address, object, numbers, name, detail, reason, of_virtual_call,
                                   of_updates, changed_atomically, is_volatile, awaited, awaited_line,
                                   sees_no_host_writes, line, stack, other_line, used_at, barrier, kernel,
                                   block, thread, block_shape, count)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(AccessTrace, line, space, operation, bytes, block, warp, active, addresses,
                                   units, ideal_units, function)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Observations, lines, kernels, findings, traces, shared_accesses, copied_to,
                                   launches, blocks, warp_instructions, copied_sectors, seconds)

}  // namespace lockstep::emulator

namespace lockstep::emulator::server {
namespace {

/// Lines, their counters, the traffic of one of them, its numbers: as deep as anything lies.
constexpr std::size_t kDeepest = 8;

/// Throws where items lie deeper, or claim more than there is: the library takes CBOR apart by recursion, and
/// the process that encoded it runs what it was sent. Source: RFC 8949, section 3.
void require_shallow(std::span<const std::byte> bytes) {
  const auto fail = [] { throw std::runtime_error("observations that are none"); };
  std::vector<std::uint64_t> items_left{1};
  while (!items_left.empty()) {
    if (items_left.back() == 0) {
      items_left.pop_back();
      continue;
    }
    --items_left.back();
    if (bytes.empty()) fail();
    const auto head = std::to_integer<unsigned>(bytes.front());
    bytes = bytes.subspan(1);
    const unsigned type = head >> 5, low = head & 31;
    std::uint64_t value = low;
    if (low >= 24) {
      const std::size_t length = std::size_t{1} << (low - 24);
      if (low > 27 || length > bytes.size()) fail();
      value = 0;
      for (const std::byte byte : bytes.first(length))
        value = value << 8 | std::to_integer<std::uint64_t>(byte);
      bytes = bytes.subspan(length);
    }
    enum : unsigned { kUnsigned, kNegative, kByteString, kText, kArray, kMap, kTag, kSimpleOrFloat };
    if (type == kTag || (type >= kByteString && type <= kMap && value > bytes.size())) fail();
    if (type == kByteString || type == kText) bytes = bytes.subspan(value);
    if (type == kArray) items_left.push_back(value);
    if (type == kMap) items_left.push_back(2 * value);
    if (items_left.size() > kDeepest) fail();
  }
}

/// Sets the kind of a finding that was received. Throws where it holds a value that no enumeration has.
void complete(Finding& finding) {
  const bool is_one =
      finding.cause <= Finding::kLastCause && finding.reason <= Finding::kLastCause &&
      finding.space <= Finding::Space::surface && finding.scope <= Finding::Scope::grid &&
      finding.access <= Finding::Access::atomic && finding.other_access <= Finding::Access::atomic &&
      finding.other <= Finding::Other::other_blocks && finding.awaited <= Finding::Awaited::cluster_barrier;
  if (!is_one) throw std::runtime_error("a finding that is none");
  finding.kind = kind_of(finding.cause);
}

/// Throws where an access to shared memory is as wide as none is: whoever computes its banks divides by that.
void require_width(const AccessTrace& access) {
  constexpr std::uint32_t kMaxWidth = 16;
  if (!std::has_single_bit(access.bytes) || access.bytes > kMaxWidth)
    throw std::runtime_error("an access that is none");
}

}  // namespace

std::vector<std::byte> encode(const Observations& observations) {
  const std::vector<std::uint8_t> bytes = nlohmann::json::to_cbor(nlohmann::json(observations));
  const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
  return {begin, begin + bytes.size()};
}

Observations decode_observations(std::span<const std::byte> bytes) {
  require_shallow(bytes);
  const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  auto observations = nlohmann::json::from_cbor(begin, begin + bytes.size()).get<Observations>();
  for (Finding& finding : observations.findings) complete(finding);
  for (const AccessTrace& access : observations.shared_accesses) require_width(access);
  return observations;
}

}  // namespace lockstep::emulator::server
