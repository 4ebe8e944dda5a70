#include "emulator/server/shared_contents.h"

#include <algorithm>
#include <iterator>

#include "emulator/core/sectors.h"

namespace lockstep::emulator::server {
namespace {

/// Of all that is followed: the device's process holds it besides the memory itself.
constexpr std::uint64_t kMaxBytes = std::uint64_t{16} << 20;

/// Bytes of those sectors of a range that differ.
std::uint64_t differing(DeviceAddress address, std::span<const std::byte> a, std::span<const std::byte> b) {
  std::uint64_t bytes = 0;
  for (std::size_t at = 0; at < a.size();) {
    const std::size_t length =
        std::min<std::size_t>(kSectorBytes - (address + at) % kSectorBytes, a.size() - at);
    if (!std::ranges::equal(a.subspan(at, length), b.subspan(at, length))) bytes += length;
    at += length;
  }
  return bytes;
}

}  // namespace

void SharedContents::add(DeviceAddress begin, std::uint64_t bytes) {
  if (bytes > kMaxBytes - bytes_) return;
  known_[begin] = {begin, Bytes(bytes)};
  bytes_ += bytes;
}

void SharedContents::remove(DeviceAddress begin) {
  const auto found = known_.find(begin);
  if (found == known_.end()) return;
  bytes_ -= found->second.bytes.size();
  known_.erase(found);
}

const SharedContents::Known* SharedContents::known_at(DeviceAddress address) const {
  const auto after = known_.upper_bound(address);
  if (after == known_.begin()) return nullptr;
  const Known& known = std::prev(after)->second;
  return address - known.begin < known.bytes.size() ? &known : nullptr;
}

std::span<std::byte> SharedContents::known(DeviceAddress address, std::size_t bytes) {
  const Known* found = known_at(address);
  if (found == nullptr || bytes > found->bytes.size() - (address - found->begin)) return {};
  return std::span(known_.at(found->begin).bytes).subspan(address - found->begin, bytes);
}

std::uint64_t SharedContents::learned(DeviceAddress address, std::span<const std::byte> found) {
  const std::span<std::byte> before = known(address, found.size());
  if (before.empty()) return found.size();
  const std::uint64_t bytes = differing(address, before, found);
  std::ranges::copy(found, before.begin());
  return bytes;
}

std::uint64_t SharedContents::brought(DeviceAddress address, std::span<const std::byte> brought,
                                      std::span<const std::byte> found) {
  const std::span<std::byte> before = known(address, brought.size());
  if (before.empty()) return brought.size();
  std::ranges::copy(brought, before.begin());
  return differing(address, found, brought);
}

}  // namespace lockstep::emulator::server
