// When what runs on the device is stopped.
#pragma once

#include <ctime>

#include <chrono>

namespace lockstep::emulator {

/// A kernel is over its time when `due` has passed and it has used as much time of a processor as it was
/// given, or at `latest`. So a machine that is busy with other work changes no verdict.
struct Deadline {
  using TimePoint = std::chrono::steady_clock::time_point;

  /// At this point of time, whatever was used.
  Deadline(TimePoint at) : due(at), latest(at) {}  // NOLINT(google-explicit-constructor): it is one
  /// After `time` from now; on a busy machine after up to `kMaxPatience` times as long.
  static Deadline after(std::chrono::milliseconds time) {
    const TimePoint now = std::chrono::steady_clock::now();
    Deadline deadline(now + time);
    deadline.processor_time = time;
    deadline.latest = now + kMaxPatience * time;
    return deadline;
  }

  static constexpr int kMaxPatience = 4;

  TimePoint due;
  std::chrono::nanoseconds processor_time{0};
  TimePoint latest;
};

/// What a clock of the processor's time shows, CLOCK_PROCESS_CPUTIME_ID or CLOCK_THREAD_CPUTIME_ID.
inline std::chrono::nanoseconds processor_time(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace lockstep::emulator
