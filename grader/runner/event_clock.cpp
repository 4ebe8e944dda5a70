#include "runner/event_clock.h"

#include <dlfcn.h>

#include <chrono>
#include <cmath>
#include <stdexcept>
#include <string>

namespace lockstep::runner {
namespace {

template <class Function>
void find(void* runtime, const char* name, Function& function) {
  function = runtime == nullptr ? nullptr : reinterpret_cast<Function>(dlsym(runtime, name));
  if (function == nullptr) throw std::runtime_error(std::string("the CUDA runtime lacks ") + name);
}

void require(int error, const char* call) {
  if (error != 0) throw std::runtime_error(std::string(call) + " failed: error " + std::to_string(error));
}

}  // namespace

void EventClock::Latch::open() {
  const std::lock_guard lock(mutex_);
  is_open_ = true;
  opened_.notify_all();
}

void EventClock::Latch::wait() {
  // Longer than it takes to enqueue as much as a queue holds, about a thousand launches.
  constexpr std::chrono::milliseconds kLongest{20};
  std::unique_lock lock(mutex_);
  opened_.wait_for(lock, kLongest, [this] { return is_open_; });
}

EventClock::EventClock(void* runtime, void* stream) : stream_(stream) {
  find(runtime, "cudaEventCreate", functions_.create);
  find(runtime, "cudaEventDestroy", functions_.destroy);
  find(runtime, "cudaEventRecord", functions_.record);
  find(runtime, "cudaEventElapsedTime", functions_.elapsed);
  find(runtime, "cudaLaunchHostFunc", functions_.launch_host_function);
  require(functions_.create(&begin_), "cudaEventCreate");
  require(functions_.create(&end_), "cudaEventCreate");
}

EventClock::~EventClock() {
  latch_->open();
  if (begin_ != nullptr) functions_.destroy(begin_);
  if (end_ != nullptr) functions_.destroy(end_);
}

void EventClock::begin() {
  // The stream may come to it when this clock is gone.
  auto held = std::make_unique<std::shared_ptr<Latch>>(latch_);
  const auto wait_at = [](void* data) {
    const std::unique_ptr<std::shared_ptr<Latch>> latch(static_cast<std::shared_ptr<Latch>*>(data));
    (*latch)->wait();
  };
  require(functions_.launch_host_function(stream_, wait_at, held.get()), "cudaLaunchHostFunc");
  held.release();  // NOLINT(bugprone-unused-return-value): the function above has it now
  require(functions_.record(begin_, stream_), "cudaEventRecord");
}

void EventClock::end() {
  require(functions_.record(end_, stream_), "cudaEventRecord");
  latch_->open();
}

std::uint64_t EventClock::nanoseconds() const {
  float milliseconds = 0;
  require(functions_.elapsed(&milliseconds, begin_, end_), "cudaEventElapsedTime");
  return static_cast<std::uint64_t>(std::llround(milliseconds * 1e6));
}

}  // namespace lockstep::runner
