// Streams and events: their handles, and the work that waits in them.
//
// A stream's work is done when something orders it before what the program sees (work_queues.h). The time of
// an event is the host's clock when the device reaches it, so between two events lies what the emulated
// device needed for the work between them, and sometimes the program's own. It says nothing of a GPU's speed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "emulator/cudart/errors/failure.h"
#include "emulator/cudart/streams/work_queues.h"

namespace lockstep::emulator::cudart {

struct Capture;
struct Node;

struct Stream {
  cudaStream_t handle = nullptr;
  unsigned flags = cudaStreamDefault;
  int priority = 0;
  unsigned long long id = 0;
  int device = 0;
  WorkQueues::QueuePointer queue;
  std::map<cudaStreamAttrID, cudaStreamAttrValue> attributes;
  std::shared_ptr<Capture> capture;  ///< while it is being captured
  std::vector<Node*> last_nodes;     ///< what the next captured node depends on
};

/// One recording of an event.
struct EventRecord {
  WorkQueues::Place place;
  std::optional<std::chrono::steady_clock::time_point> time;  ///< when it was reached
};

struct Event {
  int device = 0;
  unsigned flags = cudaEventDefault;
  std::shared_ptr<EventRecord> record;  ///< the latest
  std::shared_ptr<Capture> capture;     ///< of the latest recording, when that was in a capturing stream
  std::vector<Node*> nodes;             ///< that it recorded there
};

class Streams {
 public:
  explicit Streams(WorkQueues& queues) : queues_(queues) {}

  /// Streams and events belong to the device that is current when they are made.
  cudaStream_t create(unsigned flags, int priority);
  /// What is in the stream is still done.
  void destroy(cudaStream_t stream);
  /// The stream of a handle; for null the default stream that the calling function means, of the current
  /// device. Throws Failure for a handle that is none.
  Stream& find(cudaStream_t stream);

  cudaEvent_t create_event(unsigned flags);
  void destroy(cudaEvent_t event);
  Event& find(cudaEvent_t event);

  /// Adds work, to be done with the stream's device selected. Its failure is kept for the next call that
  /// waits.
  WorkQueues::Place add(const Stream& stream, std::function<void()> task,
                        std::vector<WorkQueues::Place> after = {}, std::size_t bytes = 0,
                        const Transfer& transfer = {});
  float milliseconds(cudaEvent_t start, cudaEvent_t end);

  /// That the program has made and not destroyed.
  std::size_t stream_count() const { return streams_.size(); }
  std::size_t event_count() const { return events_.size(); }

  /// Throws Failure when work failed that has been done since the last call.
  void throw_kept_failure();

 private:
  Stream& legacy();
  Stream& per_thread();

  WorkQueues& queues_;
  std::map<cudaStream_t, std::unique_ptr<Stream>> streams_;
  std::map<cudaEvent_t, std::unique_ptr<Event>> events_;
  std::map<int, Stream> legacy_;  ///< by device
  std::map<std::pair<std::thread::id, int>, Stream> per_thread_;
  std::optional<Failure> kept_failure_;
  unsigned long long next_id_ = 3;  ///< below are the default streams
};

inline constexpr int kLeastPriority = 0;
inline constexpr int kGreatestPriority = -5;

}  // namespace lockstep::emulator::cudart
