// Global memory of the emulated device: one reserved range of host memory with two shadows.
//
// A device address maps to host memory by one addition. Every 4-byte word has a byte that says which of its
// bytes were written, and two stamps that say which block last wrote and read it, and when; the checks for
// reads of uninitialised memory and for races between blocks are made of these. Pages cost nothing until they
// are touched. Addresses are not handed out again before the whole range is used, so that use after free is
// seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "emulator/device.h"

namespace lockstep::emulator {

/// Who last touched a word, where in the program and when: time in the top 24 bits, then 16 bits of place,
/// then 24 bits of block index. 0: nobody. Later stamps compare greater.
using Stamp = std::uint64_t;

inline constexpr unsigned kStampTimeShift = 40;
inline constexpr unsigned kStampPlaceShift = 24;
inline constexpr std::uint32_t kStampPlaces = 1U << 16;
inline constexpr std::uint32_t kStampBlockMask = 0xFF'FFFF;
inline constexpr std::uint64_t kLatestStampTime = (std::uint64_t{1} << 24) - 1;
/// Block index of a Stamp that stands for several readers.
inline constexpr std::uint32_t kManyBlocks = kStampBlockMask;

constexpr Stamp make_stamp(std::uint64_t time, std::uint32_t place, std::uint32_t block) {
  return (time < kLatestStampTime ? time : kLatestStampTime) << kStampTimeShift |
         std::uint64_t{place < kStampPlaces ? place : kStampPlaces - 1} << kStampPlaceShift |
         (block & kStampBlockMask);
}
constexpr std::uint64_t time_of(Stamp stamp) { return stamp >> kStampTimeShift; }
constexpr std::uint32_t place_of(Stamp stamp) { return (stamp >> kStampPlaceShift) & (kStampPlaces - 1); }
constexpr std::uint32_t block_of(Stamp stamp) { return stamp & kStampBlockMask; }

/// The stamps of one word, side by side, because checks look at both.
struct WordStamps {
  Stamp writer = 0, reader = 0;
};

class GlobalMemory {
 public:
  struct Allocation {
    DeviceAddress begin = 0;
    std::uint64_t bytes = 0;
    std::string label;
    DeviceAddress end() const { return begin + bytes; }
  };

  /// Reserves address space; `capacity` bytes may be allocated at once.
  explicit GlobalMemory(std::size_t capacity);
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  /// Throws DeviceError::out_of_memory.
  DeviceAddress allocate(std::size_t bytes, std::string label);
  /// Throws DeviceError::invalid_address when nothing begins there.
  void free(DeviceAddress address);
  /// The allocation that holds `address`, or null.
  const Allocation* find(DeviceAddress address) const;
  /// The live or recently freed allocation nearest to an address that is in none, for messages.
  std::string describe_miss(DeviceAddress address, std::uint64_t bytes) const;
  /// Throws DeviceError::invalid_address unless [address, address + bytes) lies in one allocation.
  void require(DeviceAddress address, std::uint64_t bytes) const;
  void mark_written(DeviceAddress address, std::uint64_t bytes, bool written);
  /// Forgets all stamps, for when the clock that they hold starts again.
  void clear_stamps();
  std::size_t free_bytes() const { return capacity_ - used_; }

  std::byte* host(DeviceAddress address) const { return data_ + (address - kGlobalBegin); }
  std::uint8_t* written(DeviceAddress address) const { return written_ + ((address - kGlobalBegin) >> 2); }
  WordStamps* stamps(DeviceAddress address) const { return stamps_ + ((address - kGlobalBegin) >> 2); }

 private:
  void release_pages(const Allocation& allocation);

  std::size_t capacity_;
  std::size_t used_ = 0;
  DeviceAddress next_ = kGlobalBegin;
  std::map<DeviceAddress, Allocation> live_;
  std::map<DeviceAddress, Allocation> freed_;  ///< the last few, for messages
  std::byte* data_ = nullptr;
  std::uint8_t* written_ = nullptr;
  WordStamps* stamps_ = nullptr;
};

}  // namespace lockstep::emulator
