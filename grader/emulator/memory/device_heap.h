// The heap behind malloc, free, new and delete in kernels.
//
// It is one allocation of global memory, with blocks of its own inside: an access must lie in a live block.
// Blocks start at lines of their own and have a gap behind them, so that a stray index lands in no block.
// A freed block is used again only when nothing else is left, so that use after free is seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/types.h"
#include "emulator/memory/memory.h"

namespace lockstep::emulator::memory {

class DeviceHeap {
 public:
  /// Takes region_bytes(bytes) of global memory. Throws DeviceError::out_of_memory.
  DeviceHeap(GlobalMemory& memory, std::size_t bytes);
  ~DeviceHeap();
  DeviceHeap(const DeviceHeap&) = delete;
  DeviceHeap& operator=(const DeviceHeap&) = delete;

  /// Global memory behind a heap of `bytes` bytes: blocks are charged what hardware takes for them, but lie
  /// further apart.
  static std::size_t region_bytes(std::size_t bytes);

  bool contains(DeviceAddress address) const { return address >= begin_ && address < end_; }

  // From here on safe to use from several threads.

  /// A block for `owner`, the place that asks for it; 0 when the heap is exhausted.
  DeviceAddress allocate(std::uint64_t bytes, const HeapOwner& owner);
  /// Frees the block that begins at `address`; else says why that is none.
  std::optional<Miss> free(DeviceAddress address);
  /// Whether [address, address + bytes) lies in a live block.
  bool holds(DeviceAddress address, std::uint64_t bytes) const;
  /// What is wrong with an address that is in none.
  Miss find_miss(DeviceAddress address) const;
  std::vector<HeapBlock> live_blocks() const;

 private:
  struct Block {
    std::uint64_t bytes = 0;
    std::uint32_t owner = 0;  ///< index into owners_
  };
  using Blocks = std::map<DeviceAddress, Block>;

  static Finding::Object object_of(const Blocks::value_type& block);
  static const Blocks::value_type* block_at(const Blocks& blocks, DeviceAddress address);
  std::uint32_t index_of(const HeapOwner& owner);
  DeviceAddress place(std::uint64_t span);
  void recycle();

  GlobalMemory& memory_;
  DeviceAddress begin_ = 0, end_ = 0;
  std::uint64_t capacity_ = 0, used_ = 0;  ///< as blocks are charged
  mutable std::mutex mutex_;
  DeviceAddress next_ = 0;  ///< from here on nothing has been used
  Blocks live_, freed_;
  std::map<DeviceAddress, std::uint64_t> spans_;  ///< to use again: begin and bytes
  std::vector<HeapOwner> owners_;
};

}  // namespace lockstep::emulator::memory
