// The judge's device buffers of one case: one for each pointer argument, of exactly the size of its contents.
//
// All calls of a case find the same addresses, so that a result remembered by address is a wrong one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "device/device.h"

namespace lockstep::judge {

class CaseBuffers {
 public:
  explicit CaseBuffers(device::Session& session) : session_(session) {}
  CaseBuffers(const CaseBuffers&) = delete;
  CaseBuffers& operator=(const CaseBuffers&) = delete;

  /// Address of argument `index`'s buffer of `bytes` bytes: the one of the call before unless the size has
  /// changed.
  std::uint64_t address(std::size_t index, std::size_t bytes, const std::string& label);
  /// Frees all of them. Not done by a destructor, as there is nothing to free in a session that is lost.
  void free_all();

 private:
  struct Buffer {
    std::size_t index = 0;
    std::size_t bytes = 0;
    std::uint64_t address = 0;
  };

  device::Session& session_;
  std::vector<Buffer> buffers_;
};

}  // namespace lockstep::judge
