// Signals while gradings run: they wait until they are asked for.
#pragma once

#include <algorithm>
#include <csignal>
#include <ctime>

namespace lockstep::classroom {

/// Holds SIGCHLD and the signals that end a run. A judge starts without that.
class HeldSignals {
 public:
  HeldSignals() {
    std::signal(SIGCHLD, SIG_DFL);  // where it is ignored, nobody learns how a judge ended
    sigemptyset(&held_);
    for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP}) sigaddset(&held_, signal);
    sigprocmask(SIG_BLOCK, &held_, &before_);
  }
  ~HeldSignals() { release(); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  void release() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  /// Waits for the next, half a second at most; 0 where none came.
  int next() const {
    constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 500'000'000};
    return std::max(sigtimedwait(&held_, nullptr, &kPause), 0);
  }
  /// Whether one that ends the run is there or comes in a tenth of a second.
  bool end_follows() const {
    constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 100'000'000};
    sigset_t ends = held_;
    sigdelset(&ends, SIGCHLD);
    return sigtimedwait(&ends, nullptr, &kPause) > 0;
  }
  /// Whether a signal ends the run.
  static bool is_end(int signal) { return signal == SIGINT || signal == SIGTERM || signal == SIGHUP; }

 private:
  sigset_t held_{}, before_{};
};

}  // namespace lockstep::classroom
