// What a program knows of memory that it shares with kernels, managed or pinned: as it last wrote or read it.
//
// Such memory travels by pages, and back and forth whether anybody needs it or not. What passes from one side
// to the other is what has changed on the way, in sectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "emulator/core/types.h"
#include "emulator/server/message.h"

namespace lockstep::emulator::server {

class SharedContents {
 public:
  /// Empty memory of so many bytes, as the program sees it. What would take too much room is not followed.
  void add(DeviceAddress begin, std::uint64_t bytes);
  void remove(DeviceAddress begin);

  /// Bytes that the program learns by reading `found` at an address: all, where its memory is not followed.
  std::uint64_t learned(DeviceAddress address, std::span<const std::byte> found);
  /// Bytes that it brings by writing `brought` over `found`.
  std::uint64_t brought(DeviceAddress address, std::span<const std::byte> brought,
                        std::span<const std::byte> found);
  /// Whether it shares what is at an address.
  bool follows(DeviceAddress address) const { return known_at(address) != nullptr; }

 private:
  struct Known {
    DeviceAddress begin = 0;
    Bytes bytes;
  };
  const Known* known_at(DeviceAddress address) const;
  /// The known bytes of a range, and of all of it.
  std::span<std::byte> known(DeviceAddress address, std::size_t bytes);

  std::map<DeviceAddress, Known> known_;  ///< by begin
  std::uint64_t bytes_ = 0;               ///< of all
};

}  // namespace lockstep::emulator::server
