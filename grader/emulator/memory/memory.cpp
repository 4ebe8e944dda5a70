#include "emulator/memory/memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "emulator/core/round_up.h"

namespace lockstep::emulator::memory {
namespace {

/// Device addresses that are handed out before any is used again.
constexpr std::uint64_t kReservedBytes = std::uint64_t{1} << 40;
/// Unmapped distance between allocations, so that a stray index lands in none.
constexpr std::uint64_t kGap = kPageBytes;
constexpr std::size_t kFreedRemembered = 64;
constexpr std::uint64_t kPage = 4096;
constexpr std::uint64_t kLineVisitBytes = kReservedBytes / GlobalMemory::kLineBytes * sizeof(LineVisits);
constexpr std::uint64_t kWordVisitBytes = kReservedBytes / 4 * sizeof(Visit);
constexpr std::uint64_t kByteVisitBytes = kReservedBytes * sizeof(Visit);

template <class T>
T* reserve(std::uint64_t bytes) {
  void* start =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) {
    throw std::system_error(errno, std::generic_category(), "mmap of the emulated device's address space");
  }
  // Kernels touch up to twice as much of the shadows as of the data: with small pages, faults would cost more
  // than the checks.
  madvise(start, bytes, MADV_HUGEPAGE);
  return static_cast<T*>(start);
}

/// Gives back the pages of which all is in [first, first + bytes).
void give_back(void* first, std::uint64_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(first);
  const std::uintptr_t inner_begin = round_up(begin, kPage), inner_end = (begin + bytes) / kPage * kPage;
  if (inner_begin < inner_end)
    madvise(reinterpret_cast<void*>(inner_begin), inner_end - inner_begin, MADV_DONTNEED);
}

/// The same; pages shared with a neighbour are zeroed.
void zero(void* first, std::uint64_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(first);
  const std::uintptr_t end = begin + bytes;
  const std::uintptr_t inner_begin = round_up(begin, kPage);
  const std::uintptr_t inner_end = end / kPage * kPage;
  if (inner_begin >= inner_end) {
    std::memset(first, 0, bytes);
    return;
  }
  std::memset(first, 0, inner_begin - begin);
  std::memset(reinterpret_cast<void*>(inner_end), 0, end - inner_end);
  give_back(first, bytes);
}

}  // namespace

bool is_host_address(std::uint64_t address) {
  constexpr std::uint64_t kFirst = 0x5000'0000'0000, kEnd = 0x8000'0000'0000;
  return address >= kFirst && address < kEnd;
}

GlobalMemory::GlobalMemory(std::size_t capacity)
    : capacity_(capacity),
      data_(reserve<std::byte>(kReservedBytes)),
      written_(reserve<std::uint8_t>(kReservedBytes / 4)),
      line_visits_(reserve<LineVisits>(kLineVisitBytes)),
      word_visits_{reserve<Visit>(kWordVisitBytes), reserve<Visit>(kWordVisitBytes)},
      byte_visits_{reserve<Visit>(kByteVisitBytes), reserve<Visit>(kByteVisitBytes)} {}

GlobalMemory::~GlobalMemory() {
  munmap(data_, kReservedBytes);
  munmap(written_, kReservedBytes / 4);
  munmap(line_visits_, kLineVisitBytes);
  for (Visit* visits : word_visits_) munmap(visits, kWordVisitBytes);
  for (Visit* visits : byte_visits_) munmap(visits, kByteVisitBytes);
}

DeviceAddress GlobalMemory::allocate(std::size_t bytes, std::string label, const Placement& placement) {
  if (bytes > free_bytes()) {
    throw DeviceError(
        DeviceError::Code::out_of_memory,
        fmt::format("{} bytes asked for, {} of the device's {} are free", bytes, free_bytes(), capacity_));
  }
  const std::uint64_t alignment = placement.alignment;
  const std::uint64_t span = round_up(std::max<std::uint64_t>(bytes, 1), alignment) + kGap;
  DeviceAddress begin = round_up(next_, alignment);
  for (bool wrapped = false;;) {
    if (begin + span > kGlobalBegin + kReservedBytes) {
      if (std::exchange(wrapped, true)) {
        throw DeviceError(DeviceError::Code::out_of_memory, "the device's address space is fragmented");
      }
      begin = kGlobalBegin;
    }
    const auto above = live_.lower_bound(begin);
    if (above != live_.begin()) {
      const Allocation& below = std::prev(above)->second;
      begin = std::max(begin, round_up(below.end() + kGap, alignment));
    }
    if (above == live_.end() || begin + span <= above->first) break;
    begin = round_up(above->second.end() + kGap, alignment);
  }
  next_ = begin + span;
  used_ += bytes;
  live_[begin] = {begin, bytes, std::move(label), placement.devices, placement.exchanged};
  return begin;
}

void GlobalMemory::free(DeviceAddress address) {
  const auto found = live_.find(address);
  if (found == live_.end()) {
    throw DeviceError(DeviceError::Code::invalid_address,
                      fmt::format("no allocation begins at {:#x}", address));
  }
  used_ -= found->second.bytes;
  if (freed_.size() >= kFreedRemembered) freed_.pop_front();
  freed_.push_back(std::move(found->second));
  live_.erase(found);
  release_pages(freed_.back());
}

void GlobalMemory::set_devices(DeviceAddress address, DeviceMask devices) {
  const auto found = live_.find(address);
  if (found == live_.end()) {
    throw DeviceError(DeviceError::Code::invalid_address,
                      fmt::format("no allocation begins at {:#x}", address));
  }
  found->second.devices = devices;
}

void GlobalMemory::release_pages(const Allocation& allocation) {
  const auto release = [&](auto* base, const auto& place_of) {
    release_pages(reinterpret_cast<std::byte*>(base), allocation, [&](DeviceAddress address) {
      return static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(place_of(address)) -
                                        reinterpret_cast<std::byte*>(base));
    });
  };
  release(data_, [this](DeviceAddress address) { return host(address); });
  release(written_, [this](DeviceAddress address) { return written(address); });
  release(line_visits_, [this](DeviceAddress address) { return &line_visits(address); });
  for (const Visitor of : {kWriter, kReader}) {
    release(word_visits_[of], [this, of](DeviceAddress address) { return word_visits(of, address); });
    // What these hold says something only beside the visit of a word.
    give_back(byte_visits(of, allocation.begin), allocation.bytes * sizeof(Visit));
  }
}

/// Gives back the pages of the data, or of a shadow, that no live allocation has a part of, with those of the
/// gap behind it, which the system may have brought along: those who allocate a little and free it, again and
/// again, would else fill the machine's memory with pages of zeros.
template <class PlaceOf>
void GlobalMemory::release_pages(std::byte* base, const Allocation& allocation, const PlaceOf& place_of) {
  // Whole lines, which no two allocations share.
  const std::uint64_t begin = place_of(allocation.begin);
  const std::uint64_t end = place_of(round_up(allocation.end() + kGap, kLineBytes));
  std::uint64_t low = begin / kPage * kPage, high = round_up(end, kPage);
  const auto above = live_.upper_bound(allocation.begin);
  if (above != live_.end() && place_of(above->first) < high) high = end;
  if (above != live_.begin() && place_of(round_up(std::prev(above)->second.end(), kLineBytes)) > low)
    low = begin;
  zero(base + low, high - low);
}

void GlobalMemory::forget(DeviceAddress address, std::uint64_t bytes) {
  mark_written(address, bytes, false);
  clear_stamps(address, bytes);
}

void GlobalMemory::clear_stamps() {
  for (const auto& [begin, allocation] : live_) clear_stamps(begin, allocation.bytes);
}

void GlobalMemory::clear_stamps(DeviceAddress address, std::uint64_t bytes) {
  const std::uint64_t lines = (bytes + kLineBytes - 1) / kLineBytes;
  zero(&line_visits(address), lines * sizeof(LineVisits));
  for (const Visitor of : {kWriter, kReader})
    zero(word_visits(of, address), lines * kLineWords * sizeof(Visit));
}

const GlobalMemory::Allocation* GlobalMemory::find(DeviceAddress address) const {
  auto above = live_.upper_bound(address);
  if (above == live_.begin()) return nullptr;
  const Allocation& candidate = std::prev(above)->second;
  return address < candidate.end() ? &candidate : nullptr;
}

Miss GlobalMemory::find_miss(DeviceAddress address) const {
  using enum Finding::Cause;
  if (address < kPage) return {null_pointer, {}};
  if (const Allocation* inside = find(address)) return {reaches_past_end, inside->object()};
  for (const Allocation& allocation : freed_) {
    if (address >= allocation.begin && address < allocation.end()) return {freed_memory, allocation.object()};
  }
  const auto above = live_.upper_bound(address);
  const Allocation* below = above == live_.begin() ? nullptr : &std::prev(above)->second;
  const std::uint64_t past = below != nullptr ? address - below->end() : ~std::uint64_t{0};
  const std::uint64_t before = above != live_.end() ? above->first - address : ~std::uint64_t{0};
  constexpr std::uint64_t kNear = std::uint64_t{1} << 35;  // as far as an index of 32 bits reaches
  if (std::min(past, before) > kNear) return {is_host_address(address) ? host_pointer : in_no_allocation, {}};
  // Who is far off from it may have meant another.
  constexpr std::uint64_t kClose = std::uint64_t{1} << 20;
  const bool may_be_another = live_.size() > 1 && std::min(past, before) > kClose;
  if (before < past) return {may_be_another ? far_before_start : before_start, above->second.object()};
  if (past == 0) return {just_past_end, below->object()};
  return {may_be_another ? far_past_end : past_end, below->object()};
}

void GlobalMemory::require(DeviceAddress address, std::uint64_t bytes) const {
  const Allocation* allocation = find(address);
  if (allocation == nullptr && bytes == 0) return;
  if (allocation == nullptr || bytes > allocation->end() - address) {
    Miss miss = find_miss(address);
    Finding why = Finding::make(miss.cause);
    why.object = std::move(miss.object);
    why.address = address;
    why.width = bytes;
    throw RefusedRequest(DeviceError::Code::invalid_address, std::move(why),
                         fmt::format("{} bytes at {:#x}, which are not in one allocation", bytes, address));
  }
}

void GlobalMemory::mark_written(DeviceAddress address, std::uint64_t bytes, bool is_written) {
  // Whole words in one go; the bytes of the first and last word by their bits.
  const auto mark_bytes = [&](DeviceAddress first, DeviceAddress last) {
    for (DeviceAddress byte = first; byte < last; ++byte) {
      const auto bit = static_cast<std::uint8_t>(1U << (byte & 3));
      std::uint8_t& word = *written(byte);
      word = static_cast<std::uint8_t>(is_written ? word | bit : word & ~bit);
    }
  };
  const DeviceAddress end = address + bytes;
  const DeviceAddress words_begin = std::min(round_up(address, 4), end);
  const DeviceAddress words_end = std::max(end / 4 * 4, words_begin);
  mark_bytes(address, words_begin);
  std::memset(written(words_begin), is_written ? 0xF : 0, (words_end - words_begin) / 4);
  mark_bytes(words_end, end);
}

}  // namespace lockstep::emulator::memory
