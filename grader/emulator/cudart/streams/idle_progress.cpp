#include "emulator/cudart/streams/idle_progress.h"

#include <system_error>
#include <thread>

namespace lockstep::emulator::cudart {

namespace {

// Longer than a program that forgot to wait takes to look, also on a busy machine.
constexpr std::chrono::seconds kPatience{1};

}  // namespace

void IdleProgress::work_added() {
  if (asleep_) work_.notify_one();
  if (started_) return;
  started_ = true;
  try {
    std::thread([this] { watch(); }).detach();
  } catch (const std::system_error&) {
    // No thread to be had: the program's own calls do the work.
  }
}

void IdleProgress::watch() {
  std::unique_lock lock(mutex_);
  while (true) {
    asleep_ = true;
    work_.wait(lock, [this] { return !queues_.empty(); });
    asleep_ = false;
    const auto due = last_call_ + kPatience;
    if (std::chrono::steady_clock::now() < due) {
      work_.wait_until(lock, due);
    } else {
      queues_.run_all();
    }
  }
}

}  // namespace lockstep::emulator::cudart
