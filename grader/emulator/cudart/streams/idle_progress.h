// Does what waits in the queues when the program has made no call for a while.
//
// A program may wait for its device without a call: for what a host function signals, or for a word in pinned
// memory. On hardware the work would long be done by then.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "emulator/cudart/streams/work_queues.h"

namespace lockstep::emulator::cudart {

/// The caller of every function holds the mutex.
class IdleProgress {
 public:
  IdleProgress(std::recursive_mutex& mutex, WorkQueues& queues) : mutex_(mutex), queues_(queues) {}

  void called() { last_call_ = std::chrono::steady_clock::now(); }
  void work_added();

 private:
  void watch();

  std::recursive_mutex& mutex_;
  WorkQueues& queues_;
  std::condition_variable_any work_;
  std::chrono::steady_clock::time_point last_call_;
  bool started_ = false, asleep_ = false;
};

}  // namespace lockstep::emulator::cudart
