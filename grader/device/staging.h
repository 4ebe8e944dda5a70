// Brings arrays to a GPU from several threads at once, at the speed of the bus: through pieces of host memory
// that the driver has pinned. Bound: the bus, or the host's writing into the pieces, which stay in its
// caches: an array that is drawn there never lies in the host's memory.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "course/problem.h"
#include "device/cuda_driver.h"

namespace lockstep::device {

class Staging {
 public:
  /// Uses the context that is current in this thread. Throws DriverError.
  Staging();
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  /// Brings `bytes` bytes to the device's address `to`, and waits until they are there; for any thread.
  /// `draw` writes them. It is not ordered with other work on the device. Throws DriverError.
  void bring(std::uint64_t to, std::size_t bytes, const course::Draw& draw);

 private:
  /// Pinned memory in halves, of which one is filled while the other is on the bus, and the event that says
  /// of each that it has been sent.
  struct Piece {
    std::byte* memory = nullptr;
    CUstream stream = nullptr;
    std::array<CUevent, 2> sent{};
  };
  /// A piece that no other thread uses, until it goes out of scope.
  class Borrowed;

  CUcontext context_ = nullptr;
  std::vector<Piece> pieces_;
  std::vector<Piece> unused_;
  std::mutex mutex_;
  std::condition_variable returned_;
};

}  // namespace lockstep::device
