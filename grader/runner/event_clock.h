// How long calls take on the device, by its own events: for code that is trusted, as this clock runs in its
// process.
//
// Between the first call and the device stands a latch: a function of the host that the stream waits for, and
// that returns once all calls are enqueued. So the device goes from call to call without waiting for the
// host, whose launches may well take longer than what they launch. Where the queue is full, or a call waits
// for the device itself, the latch opens by itself; the host's part then counts, except for what a full queue
// hides.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

namespace lockstep::runner {

class EventClock {
 public:
  /// `runtime` is a handle of the CUDA runtime's library; calls are enqueued on `stream`. Throws
  /// std::runtime_error, as all functions here do, when the runtime lacks or refuses something.
  EventClock(void* runtime, void* stream);
  ~EventClock();
  EventClock(const EventClock&) = delete;
  EventClock& operator=(const EventClock&) = delete;

  void begin();                       ///< before the first call is enqueued
  void end();                         ///< after the last
  std::uint64_t nanoseconds() const;  ///< from begin to end, once the device is idle

 private:
  class Latch {
   public:
    void open();
    void wait();

   private:
    std::mutex mutex_;
    std::condition_variable opened_;
    bool is_open_ = false;
  };
  using Event = void*;
  struct Functions {
    int (*create)(Event*) = nullptr;
    int (*destroy)(Event) = nullptr;
    int (*record)(Event, void* stream) = nullptr;
    int (*elapsed)(float* milliseconds, Event, Event) = nullptr;
    int (*launch_host_function)(void* stream, void (*function)(void*), void* data) = nullptr;
  };

  Functions functions_;
  void* stream_;
  Event begin_ = nullptr, end_ = nullptr;
  std::shared_ptr<Latch> latch_ = std::make_shared<Latch>();
};

}  // namespace lockstep::runner
