// Streams and events.
//
// Work is done in the order of the calls, whatever its stream, and is complete when its call returns. So a
// stream is only a handle, every event that was recorded has happened, and the time between two events is the
// time the host spent between recording them: the emulated device's work and the program's own. It says
// nothing of a GPU's speed.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "emulator/cudart/failure.h"

namespace lockstep::cudart {

struct Stream {
  unsigned flags = cudaStreamDefault;
  int priority = 0;
  unsigned long long id = 0;
};

class Streams {
 public:
  cudaStream_t create(unsigned flags, int priority);
  void destroy(cudaStream_t stream);
  /// The stream of a handle, also of the default ones. Throws Failure for a handle that is none.
  const Stream& find(cudaStream_t stream) const;

  cudaEvent_t create_event(unsigned flags);
  void destroy(cudaEvent_t event);
  void record(cudaEvent_t event, cudaStream_t stream);
  void check(cudaEvent_t event) const;
  float milliseconds(cudaEvent_t start, cudaEvent_t end) const;

 private:
  struct Event {
    unsigned flags = cudaEventDefault;
    std::optional<std::chrono::steady_clock::time_point> recorded;
  };
  const Event& find(cudaEvent_t event) const;

  std::map<cudaStream_t, std::unique_ptr<Stream>> streams_;
  std::map<cudaEvent_t, std::unique_ptr<Event>> events_;
  unsigned long long next_id_ = 3;  ///< below are the default streams
};

inline constexpr int kLeastPriority = 0;
inline constexpr int kGreatestPriority = -5;

}  // namespace lockstep::cudart
