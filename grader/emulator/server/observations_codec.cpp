// One member after the other: numbers as they lie in memory, strings and vectors behind their length.
#include "emulator/server/observations_codec.h"

#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "emulator/server/message.h"

namespace lockstep::emulator::server {
namespace {

// What is sent of each type.
constexpr auto members(const SourceLine* /*of*/) { return std::tuple(&SourceLine::file, &SourceLine::line); }
constexpr auto members(const Traffic* /*of*/) {
  using T = Traffic;
  return std::tuple(&T::requests, &T::units, &T::ideal_units, &T::bytes, &T::spaced_requests,
                    &T::spacing_bytes);
}
constexpr auto members(const LineCounters* /*of*/) {
  using L = LineCounters;
  return std::tuple(&L::line, &L::function, &L::warps, &L::lanes, &L::divergent_branches, &L::global_load,
                    &L::global_store, &L::global_atomic, &L::shared_load, &L::shared_store, &L::shared_atomic,
                    &L::local_load, &L::local_store, &L::constant_load, &L::branches, &L::idle_caused,
                    &L::idle_here, &L::global_contention, &L::shared_contention);
}
constexpr auto members(const KernelWork* /*of*/) {
  using K = KernelWork;
  return std::tuple(&K::kernel, &K::launches, &K::blocks, &K::work, &K::span, &K::grid, &K::block);
}
constexpr auto members(const Finding::Object* /*of*/) {
  using O = Finding::Object;
  return std::tuple(&O::name, &O::begin, &O::bytes);
}
// Without its kind, which is that of the cause.
constexpr auto members(const Finding* /*of*/) {
  using F = Finding;
  return std::tuple(&F::cause, &F::space, &F::scope, &F::access, &F::other_access, &F::other,
                    &F::other_number, &F::width, &F::address, &F::object, &F::numbers, &F::name, &F::detail,
                    &F::reason, &F::of_virtual_call, &F::of_updates, &F::changed_atomically, &F::is_volatile,
                    &F::awaited, &F::awaited_line, &F::sees_no_host_writes, &F::line, &F::stack,
                    &F::other_line, &F::used_at, &F::barrier, &F::kernel, &F::block, &F::thread,
                    &F::block_shape, &F::count);
}
constexpr auto members(const AccessTrace* /*of*/) {
  using A = AccessTrace;
  return std::tuple(&A::line, &A::space, &A::operation, &A::bytes, &A::block, &A::warp, &A::active,
                    &A::addresses, &A::units, &A::ideal_units, &A::function);
}
constexpr auto members(const Observations* /*of*/) {
  using O = Observations;
  return std::tuple(&O::lines, &O::kernels, &O::findings, &O::traces, &O::shared_accesses,
                    &O::global_accesses, &O::copied_to, &O::launches, &O::blocks, &O::warp_instructions,
                    &O::copied_sectors, &O::seconds);
}

template <class T>
concept Scalar = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <class T>
void write(Bytes& to, const T& value) {
  if constexpr (Scalar<T>) {
    append(to, bytes_of(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    write(to, value.size());
    append(to, bytes_of(value));
  } else if constexpr (requires { members(&value); }) {
    std::apply([&](auto... member) { (write(to, value.*member), ...); }, members(&value));
  } else {
    constexpr bool kOfAnyLength = requires(T values) { values.emplace_back(); };
    if (kOfAnyLength) write(to, value.size());
    for (const auto& each : value) write(to, each);
  }
}

template <class T>
void read(MessageReader& from, T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    value = from.take<std::uint8_t>() != 0;
  } else if constexpr (Scalar<T>) {
    value = from.take<T>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    const std::span<const std::byte> bytes = from.take(from.take<std::size_t>());
    value.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  } else if constexpr (requires { members(&value); }) {
    std::apply([&](auto... member) { (read(from, value.*member), ...); }, members(&value));
  } else if constexpr (requires { value.emplace_back(); }) {
    // One by one: as much memory as there are bytes for, whatever length was sent.
    for (std::size_t left = from.take<std::size_t>(); left > 0; --left) read(from, value.emplace_back());
  } else {
    for (auto& each : value) read(from, each);
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

/// Throws where an access is as wide as none is: whoever computes its banks divides by that.
void require_width(const std::vector<AccessTrace>& accesses, std::uint32_t widest) {
  for (const AccessTrace& access : accesses) {
    if (!std::has_single_bit(access.bytes) || access.bytes > widest)
      throw std::runtime_error("an access that is none");
  }
}

}  // namespace

Bytes encode(const Observations& observations) {
  Bytes bytes;
  write(bytes, observations);
  return bytes;
}

Observations decode_observations(std::span<const std::byte> bytes) {
  MessageReader reader(bytes);
  Observations observations;
  read(reader, observations);
  reader.finish();
  for (Finding& finding : observations.findings) complete(finding);
  require_width(observations.shared_accesses, 16);
  require_width(observations.global_accesses, 32);
  return observations;
}

}  // namespace lockstep::emulator::server
