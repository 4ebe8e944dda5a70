// One member after the other: numbers as they lie in memory, strings and vectors behind their length.
#include "emulator/server/observations_codec.h"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>

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
  return std::tuple(&O::lines, &O::kernels, &O::findings, &O::traces, &O::shared_accesses, &O::copied_to,
                    &O::launches, &O::blocks, &O::warp_instructions, &O::copied_sectors, &O::seconds);
}

template <class T>
concept Scalar = std::is_arithmetic_v<T> || std::is_enum_v<T>;

class Writer {
 public:
  template <Scalar T>
  void put(T value) {
    const auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  void put(const std::string& text) {
    put(text.size());
    const auto* begin = reinterpret_cast<const std::byte*>(text.data());
    bytes_.insert(bytes_.end(), begin, begin + text.size());
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(values.size());
    for (const T& value : values) put(value);
  }
  template <class T, std::size_t kSize>
  void put(const std::array<T, kSize>& values) {
    for (const T& value : values) put(value);
  }
  template <class T>
  requires requires(const T* of) { members(of); }
  void put(const T& value) {
    std::apply([&](auto... member) { (put(value.*member), ...); }, members(&value));
  }

  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Takes apart what another process sent: every function throws where less is left than it is to read.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <Scalar T>
  void get(T& value) {
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
  }
  void get(bool& value) { value = take(1)[0] != std::byte{0}; }
  void get(std::string& text) {
    const std::span<const std::byte> bytes = take(length());
    text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  template <class T>
  void get(std::vector<T>& values) {
    // One by one: as much memory as there are bytes for, whatever length was sent.
    for (std::uint64_t left = length(); left > 0; --left) get(values.emplace_back());
  }
  template <class T, std::size_t kSize>
  void get(std::array<T, kSize>& values) {
    for (T& value : values) get(value);
  }
  template <class T>
  requires requires(const T* of) { members(of); }
  void get(T& value) {
    std::apply([&](auto... member) { (get(value.*member), ...); }, members(&value));
  }

  bool is_at_end() const { return rest_.empty(); }

 private:
  std::uint64_t length() {
    std::uint64_t length = 0;
    get(length);
    return length;
  }
  std::span<const std::byte> take(std::uint64_t bytes) {
    if (bytes > rest_.size()) throw std::runtime_error("observations that are none");
    const std::span<const std::byte> taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }

  std::span<const std::byte> rest_;
};

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
  Writer writer;
  writer.put(observations);
  return writer.take();
}

Observations decode_observations(std::span<const std::byte> bytes) {
  Reader reader(bytes);
  Observations observations;
  reader.get(observations);
  if (!reader.is_at_end()) throw std::runtime_error("observations with more behind them");
  for (Finding& finding : observations.findings) complete(finding);
  for (const AccessTrace& access : observations.shared_accesses) require_width(access);
  return observations;
}

}  // namespace lockstep::emulator::server
