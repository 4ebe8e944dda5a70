// Stands for the CUDA runtime: shows what the runner waits for after a call, and has a queue of work for the
// clock of events. A thread stands for the device, whatever the stream. The device has a time of its own, in
// which a kernel takes exactly as long as it says: on a busy machine the thread itself wakes late.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;

/// Does its work and returns the device's time at its end, given that at its beginning.
using Work = std::function<Clock::time_point(Clock::time_point begin)>;

/// Runs what it is given in order. Work begins when the one before it ends, or when it is added if that is
/// later.
class Queue {
 public:
  void add(Work work) {
    const std::lock_guard lock(mutex_);
    if (!is_started_) std::thread([this] { run(); }).detach();
    is_started_ = true;
    waiting_.push_back({Clock::now(), std::move(work)});
    changed_.notify_all();
  }
  void drain() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_.empty(); });
  }

 private:
  struct Item {
    Clock::time_point added;
    Work work;
  };

  void run() {
    Clock::time_point device_time;
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return !waiting_.empty(); });
      const Item item = waiting_.front();
      lock.unlock();
      device_time = item.work(std::max(device_time, item.added));
      lock.lock();
      waiting_.pop_front();
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> waiting_;
  bool is_started_ = false;
};

/// As long as the process: its thread is never joined.
Queue& queue() {
  static auto* const made = new Queue;
  return *made;
}

}  // namespace

extern "C" {

int cudaDeviceSynchronize() {
  queue().drain();
  std::puts("synchronised");
  return 0;
}
int cudaStreamCreateWithFlags(void** stream, unsigned flags) {
  static std::uint64_t streams[2] = {
      1000, 2000};  // a stream's number, so that one can be distinguished from another
  static int created = 0;
  streams[created] += flags;
  *stream = &streams[created++];
  return 0;
}
int cudaStreamSynchronize(void* stream) {
  queue().drain();
  if (stream != nullptr)
    std::printf("stream %d is done\n", static_cast<int>(*static_cast<std::uint64_t*>(stream)));
  return 0;
}
int cudaGetLastError() { return 0; }
const char* cudaGetErrorString(int) { return "an error"; }

int cudaLaunchHostFunc(void*, void (*function)(void*), void* data) {
  queue().add([function, data](Clock::time_point begin) {
    function(data);
    return std::max(begin, Clock::now());
  });
  return 0;
}
/// A kernel that takes so long.
int cudaImitatedKernel(int milliseconds) {
  queue().add([time = std::chrono::milliseconds(milliseconds)](Clock::time_point begin) {
    std::this_thread::sleep_for(time);
    return begin + time;
  });
  return 0;
}

int cudaEventCreate(void** event) {
  *event = new Clock::time_point;
  return 0;
}
int cudaEventDestroy(void* event) {
  delete static_cast<Clock::time_point*>(event);
  return 0;
}
int cudaEventRecord(void* event, void*) {
  queue().add([event](Clock::time_point begin) { return *static_cast<Clock::time_point*>(event) = begin; });
  return 0;
}
int cudaEventElapsedTime(float* milliseconds, void* from, void* to) {
  *milliseconds = std::chrono::duration<float, std::milli>(*static_cast<Clock::time_point*>(to) -
                                                           *static_cast<Clock::time_point*>(from))
                      .count();
  return 0;
}

}  // extern "C"
