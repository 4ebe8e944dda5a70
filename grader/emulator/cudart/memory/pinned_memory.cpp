#include "emulator/cudart/memory/pinned_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

namespace lockstep::emulator::cudart {

using server::bytes_of;
using server::kPieceBytes;
using server::RangeRequest;
using server::RequestKind;

namespace {

constexpr unsigned kAllocationFlags =
    cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
constexpr unsigned kRegistrationFlags =
    cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly;

std::uintptr_t number_of(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

/// Many GPUs take such a pointer, so the program may be right: the finding that follows needs an
/// explanation.
void warn_of_registered_memory() {
  static const bool warned = [] {
    std::fputs(
        "lockstep: a kernel gets a host pointer into memory that cudaHostRegister registered; on the "
        "emulated "
        "device it has an address of its own, which cudaHostGetDevicePointer returns\n",
        stderr);
    return true;
  }();
  static_cast<void>(warned);
}

std::size_t whole_pages(std::size_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }

}  // namespace

std::size_t PinnedMemory::registered_count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(ranges_, [](const auto& range) { return !range.second.owned; }));
}

void* PinnedMemory::allocate(std::size_t bytes, unsigned flags) {
  require((flags & ~kAllocationFlags) == 0);
  device_.properties();  // fails where there is no device
  if (bytes == 0) return nullptr;
  const server::AllocateRequest wanted{bytes, server::MemoryKind::host};
  const auto address = device_.ask<server::AddressReply>(RequestKind::allocate, {bytes_of(wanted)}).address;
  void* memory = ::mmap(reinterpret_cast<void*>(address), whole_pages(bytes), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory == MAP_FAILED) {
    device_.request(RequestKind::free, {bytes_of(RangeRequest{address, 0, 0})});
    throw Failure{cudaErrorMemoryAllocation};
  }
  Range& range = ranges_[number_of(memory)];
  range.bytes = bytes;
  range.flags = flags;
  range.owned = true;
  range.device = address;
  return memory;
}

void PinnedMemory::free(void* address) {
  if (address == nullptr) return;
  const auto range = ranges_.find(number_of(address));
  require(range != ranges_.end() && range->second.owned);
  device_.request(RequestKind::free, {bytes_of(RangeRequest{range->second.device, 0, 0})});
  ::munmap(address, whole_pages(range->second.bytes));
  ranges_.erase(range);
}

void PinnedMemory::add(void* address, std::size_t bytes, unsigned flags) {
  require(address != nullptr && bytes != 0 && bytes <= UINTPTR_MAX - number_of(address));
  if ((flags & cudaHostRegisterIoMemory) != 0) throw Failure{cudaErrorNotSupported};
  require((flags & ~kRegistrationFlags) == 0);
  device_.properties();
  if (overlaps(number_of(address), bytes)) throw Failure{cudaErrorHostMemoryAlreadyRegistered};
  Range& range = ranges_[number_of(address)];
  range.bytes = bytes;
  range.flags = flags;
}

void PinnedMemory::remove(void* address) {
  const auto range = ranges_.find(number_of(address));
  if (range == ranges_.end() || range->second.owned) throw Failure{cudaErrorHostMemoryNotRegistered};
  const DeviceAddress device = range->second.device;
  ranges_.erase(range);
  if (device != 0) device_.request(RequestKind::free, {bytes_of(RangeRequest{device, 0, 0})});
}

unsigned PinnedMemory::flags(const void* address) const {
  const Range* range = find(address);
  require(range != nullptr);
  return range->flags;
}

DeviceAddress PinnedMemory::device_address(const void* address) {
  const auto found = find_range(address);
  require(found != ranges_.end());
  Range& range = ranges_.at(found->first);
  map(range);
  return range.device + (number_of(address) - found->first);
}

void PinnedMemory::locate_registered() {
  for (auto& [begin, range] : ranges_) locate(range);
}

void PinnedMemory::locate(Range& range) {
  if (range.device != 0) return;
  const server::AllocateRequest wanted{range.bytes, server::MemoryKind::host};
  range.device = device_.ask<server::AddressReply>(RequestKind::allocate, {bytes_of(wanted)}).address;
}

void PinnedMemory::map(Range& range) {
  if (range.mapped) return;
  locate(range);
  device_.request(RequestKind::map_host, {bytes_of(RangeRequest{range.device, 0, 0})});
  range.mapped = true;
}

void PinnedMemory::map_named(std::span<const std::byte> parameters) {
  if (ranges_.empty()) return;
  for (; parameters.size() >= sizeof(DeviceAddress); parameters = parameters.subspan(sizeof(DeviceAddress))) {
    DeviceAddress value = 0;
    std::memcpy(&value, parameters.data(), sizeof value);
    const auto found = find_range(reinterpret_cast<const void*>(value));
    if (found == ranges_.end()) continue;
    if (found->second.owned) {
      map(ranges_.at(found->first));
    } else {
      warn_of_registered_memory();
    }
  }
}

void PinnedMemory::send() {
  for (auto& [begin, range] : ranges_) {
    if (range.mapped) send(begin, range);
  }
}

void PinnedMemory::send(std::uintptr_t begin, Range& range) {
  const auto* host = reinterpret_cast<const std::byte*>(begin);
  const bool first_time = range.device_contents.empty();
  if (first_time) range.device_contents.resize(range.bytes);
  const auto changed = [&](std::size_t at) {
    const std::size_t length = std::min(kPageBytes, range.bytes - at);
    return first_time || std::memcmp(host + at, range.device_contents.data() + at, length) != 0;
  };
  for (std::size_t at = 0; at < range.bytes;) {
    std::size_t last = at;
    while (last < range.bytes && last - at < kPieceBytes && changed(last)) last += kPageBytes;
    if (last == at) {
      at += kPageBytes;
      continue;
    }
    // From the copy, as another thread may write on meanwhile.
    const std::size_t length = std::min(last, range.bytes) - at;
    std::memcpy(range.device_contents.data() + at, host + at, length);
    device_.request(RequestKind::write, {bytes_of(server::WriteRequest{range.device + at, length}),
                                         std::span(range.device_contents).subspan(at, length)});
    at = last;
  }
}

void PinnedMemory::receive() {
  for (auto& [begin, range] : ranges_) {
    if (!range.device_contents.empty()) receive(begin, range);
  }
}

/// Changes the bytes that the kernel changed and no others: other threads of the program may use those.
void PinnedMemory::receive(std::uintptr_t begin, Range& range) {
  auto* host = reinterpret_cast<std::byte*>(begin);
  for (std::size_t at = 0; at < range.bytes; at += kPieceBytes) {
    const std::size_t length = std::min<std::size_t>(kPieceBytes, range.bytes - at);
    const server::Bytes now =
        device_.request(RequestKind::read, {bytes_of(RangeRequest{range.device + at, length, length})});
    std::byte* before = range.device_contents.data() + at;
    if (now.size() != length || std::memcmp(now.data(), before, length) == 0) continue;
    for (std::size_t i = 0; i < length; ++i) {
      if (now[i] != before[i]) host[at + i] = before[i] = now[i];
    }
  }
}

void PinnedMemory::clear() {
  for (auto range = ranges_.begin(); range != ranges_.end();) {
    if (range->second.owned)
      ::munmap(reinterpret_cast<void*>(range->first), whole_pages(range->second.bytes));
    range = ranges_.erase(range);
  }
}

PinnedMemory::Ranges::const_iterator PinnedMemory::find_range(const void* address) const {
  const auto after = ranges_.upper_bound(number_of(address));
  if (after == ranges_.begin()) return ranges_.end();
  const auto found = std::prev(after);
  return number_of(address) - found->first < found->second.bytes ? found : ranges_.end();
}

const PinnedMemory::Range* PinnedMemory::find(const void* address) const {
  const auto found = find_range(address);
  return found == ranges_.end() ? nullptr : &found->second;
}

bool PinnedMemory::contains(const void* address, std::size_t bytes) const {
  const auto found = find_range(address);
  return found != ranges_.end() && bytes <= found->second.bytes - (number_of(address) - found->first);
}

bool PinnedMemory::overlaps(std::uintptr_t begin, std::size_t bytes) const {
  const auto above = ranges_.lower_bound(begin);
  if (above != ranges_.end() && above->first < begin + bytes) return true;
  return above != ranges_.begin() && find(reinterpret_cast<const void*>(begin)) != nullptr;
}

}  // namespace lockstep::emulator::cudart
