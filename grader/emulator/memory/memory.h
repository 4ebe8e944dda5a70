// Global memory of the emulated device: one reserved range of host memory with shadows.
//
// A device address maps to host memory by one addition. Every 4-byte word has a byte that says which of its
// bytes were written, and two visits that say who last wrote and read it; the checks for reads of
// uninitialised memory and for races are made of these. So has every line of words, for accesses of all of
// it, and every byte, for accesses narrower than a word. Pages cost nothing until they are touched. Addresses
// are not handed out again before the whole range is used, so that use after free is seen.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "emulator/core/types.h"
#include "emulator/memory/stamps.h"

namespace lockstep::emulator::memory {

/// Whether Linux puts programs, their heaps, libraries and stacks there.
bool is_host_address(std::uint64_t address);

class GlobalMemory {
 public:
  /// What a warp's access of 4 bytes a lane covers. No two allocations share one.
  static constexpr std::uint64_t kLineBytes = 128;
  static constexpr unsigned kLineWords = kLineBytes / 4;

  struct Allocation {
    DeviceAddress begin = 0;
    std::uint64_t bytes = 0;
    std::string label;
    DeviceMask devices = kEveryDevice;  ///< whose memory it is
    bool exchanged = false;             ///< see Placement
    bool constant = false;              ///< kernels may not write it
    DeviceAddress end() const { return begin + bytes; }
    Finding::Object object() const { return {label, begin, bytes}; }
  };

  /// Reserves address space; `capacity` bytes may be allocated at once.
  explicit GlobalMemory(std::size_t capacity);
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  /// Throws DeviceError::out_of_memory.
  DeviceAddress allocate(std::size_t bytes, std::string label, const Placement& placement = {});
  /// Throws DeviceError::invalid_address when nothing begins there.
  void set_devices(DeviceAddress address, DeviceMask devices);
  /// Makes the allocation that begins at `address` one that kernels may not write.
  void make_constant(DeviceAddress address) { live_.at(address).constant = true; }
  /// Throws DeviceError::invalid_address when nothing begins there.
  void free(DeviceAddress address);
  /// The allocation that holds `address`, or null.
  const Allocation* find(DeviceAddress address) const;
  /// Why what begins at `address` does not lie in one allocation, and the live or recently freed one that is
  /// nearest.
  Miss find_miss(DeviceAddress address) const;
  /// Throws RefusedRequest::invalid_address unless [address, address + bytes) lies in one allocation.
  void require(DeviceAddress address, std::uint64_t bytes) const;
  void mark_written(DeviceAddress address, std::uint64_t bytes, bool written);
  /// Makes a range of whole lines, part of an allocation, as if it had just been allocated.
  void forget(DeviceAddress address, std::uint64_t bytes);
  /// Forgets all stamps, for when they have been used up.
  void clear_stamps();
  std::size_t free_bytes() const { return capacity_ - used_; }

  std::byte* host(DeviceAddress address) const { return data_ + (address - kGlobalBegin); }
  std::uint8_t* written(DeviceAddress address) const { return written_ + ((address - kGlobalBegin) >> 2); }
  /// The latest writer's visits of a word and of those after it, or the readers'. Of words of a line that is
  /// not split, they say nothing.
  Visit* word_visits(Visitor of, DeviceAddress address) const {
    return word_visits_[of] + ((address - kGlobalBegin) >> 2);
  }
  /// The same of the line that holds `address`.
  LineVisits& line_visits(DeviceAddress address) const {
    return line_visits_[(address - kGlobalBegin) / kLineBytes];
  }
  /// The same of a byte, whose word is split.
  Visit* byte_visits(Visitor of, DeviceAddress address) const {
    return byte_visits_[of] + (address - kGlobalBegin);
  }

 private:
  void release_pages(const Allocation& allocation);
  template <class PlaceOf>
  void release_pages(std::byte* base, const Allocation& allocation, const PlaceOf& place_of);
  void clear_stamps(DeviceAddress address, std::uint64_t bytes);

  std::size_t capacity_;
  std::size_t used_ = 0;
  DeviceAddress next_ = kGlobalBegin;
  std::map<DeviceAddress, Allocation> live_;
  std::deque<Allocation> freed_;  ///< the last few, the latest at the end; for findings
  std::byte* data_ = nullptr;
  std::uint8_t* written_ = nullptr;
  LineVisits* line_visits_ = nullptr;
  std::array<Visit*, 2> word_visits_{}, byte_visits_{};  ///< by Visitor
};

}  // namespace lockstep::emulator::memory
