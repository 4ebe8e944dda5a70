// A device in the test's own memory, and a program whose function is a lambda: what the flow of a judgement
// needs.
#pragma once

#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/server/device_process.h"
#include "judge/attempt.h"

namespace lockstep::judge {

class FakeSession final : public device::Session {
 public:
  /// `first` is the address of its first buffer: no other of a test's sessions may hold the same.
  explicit FakeSession(std::uint64_t first = 1 << 20) : next_(first) {}

  std::uint64_t allocate(std::size_t size, const std::string& label) override {
    if (size == 0) throw std::invalid_argument("allocation of nothing");
    if (is_full) throw device::OutOfMemory("nothing left");
    const std::uint64_t address = next_;
    next_ += (size / kApart + 1) * kApart;
    buffers[address].resize(size);
    labels.push_back(label);
    return address;
  }
  void free(std::uint64_t address) override {
    if (buffers.erase(address) == 0) throw std::invalid_argument("free of no buffer");
  }
  void write(std::uint64_t to, std::span<const std::byte> from) override {
    if (!from.empty()) std::memcpy(at(to, from.size()), from.data(), from.size());
  }
  void read(std::uint64_t from, std::span<std::byte> to) override {
    if (!held) throw std::logic_error("a snapshot while the runner may change it");
    if (!to.empty()) std::memcpy(to.data(), at(from, to.size()), to.size());
  }
  void poison(std::uint64_t from, std::size_t size) override {
    if (size > 0) std::memset(at(from, size), std::to_integer<int>(device::kPoisonByte), size);
  }
  void set_limits(std::chrono::milliseconds time, std::size_t) override { time_limits.push_back(time); }
  bool hold_runner(std::chrono::milliseconds) override {
    held = true;
    return !stalled;
  }
  void admit_runner() override { held = false; }
  emulator::Observations take_observations() override {
    if (lost_when_observed) throw device::DeviceLost("the device has ended");
    return std::exchange(observations, {});
  }
  void trace_line(const std::string&, unsigned) override {}
  bool leaves_work_undone() const override { return undone; }
  void show_stores_at_once(bool at_once) override { stores_at_once = at_once; }
  device::RunnerUse take_runner_use() override { return std::exchange(use, {}); }
  device::RunnerNeeds runner_needs() const override { return {}; }
  void close_runner_descriptor() override {}
  std::vector<device::BufferUpdate> take_buffer_updates() override { return {}; }

  template <class T>
  T* pointer(std::uint64_t address, std::size_t n) {
    return reinterpret_cast<T*>(at(address, n * sizeof(T)));
  }

  std::map<std::uint64_t, std::vector<std::byte>> buffers;
  std::vector<std::string> labels;
  std::vector<std::chrono::milliseconds> time_limits;
  emulator::Observations observations;  ///< that the next call of take_observations gives
  device::RunnerUse use;                ///< that the next call of take_runner_use gives
  bool is_full = false;                 ///< the device's memory
  bool held = false;                    ///< the runner: nothing of it is served
  bool stalled = false;                 ///< what the device runs does not end
  bool undone = false;                  ///< it leaves work undone
  bool stores_at_once = false;          ///< what show_stores_at_once was given
  std::string printed = "printed";      ///< by the program, so far
  bool lost_when_observed = false;      ///< the device has gone when it is asked for its observations

 private:
  static constexpr std::uint64_t kApart = 1 << 20;

  std::byte* at(std::uint64_t address, std::size_t size) {
    const auto after = buffers.upper_bound(address);
    if (after == buffers.begin()) throw std::out_of_range("access to no buffer");
    auto& [first, buffer] = *std::prev(after);
    if (address - first + size > buffer.size()) throw std::out_of_range("access beyond a buffer");
    return buffer.data() + (address - first);
  }

  std::uint64_t next_;
};

/// The "function" by which the fake program is asked to settle.
inline constexpr const char* kSettle = "(settle)";

/// What the fake program does when one of its functions is called.
using FakeProgram =
    std::function<runner::Outcome(FakeSession&, const std::string& function, std::span<const std::uint64_t>)>;

class FakeAttempt final : public Attempt {
 public:
  explicit FakeAttempt(FakeProgram program, bool is_full = false) : program_(std::move(program)) {
    session_.is_full = is_full;
  }

  device::Session& session() override { return session_; }
  runner::Outcome make_context(std::chrono::milliseconds) override { return {}; }
  runner::Outcome load(std::span<const course::Signature>, std::chrono::milliseconds) override { return {}; }
  runner::Outcome call(const course::Signature& function, std::span<const std::uint64_t> words,
                       std::chrono::milliseconds) override {
    return program_(session_, function.name, words);
  }
  runner::Outcome call_host_program(const course::Signature& function, std::span<const std::uint64_t> words,
                                    std::span<const std::unique_ptr<HostArray>>,
                                    const runner::HostProgramCall&,
                                    std::chrono::milliseconds timeout) override {
    return call(function, words, timeout);
  }
  runner::RunnerProcess::TimedOutcome timed_calls(const course::Signature&, std::span<const std::uint64_t>,
                                                  std::chrono::milliseconds, const std::function<void()>&,
                                                  bool) override {
    throw std::logic_error("the fake program is not timed");
  }
  runner::Outcome settle(std::chrono::milliseconds) override {
    const std::vector<std::uint64_t> none;
    return program_(session_, kSettle, none);
  }
  const std::string& output() const override { return session_.printed; }
  bool output_truncated() const override { return false; }

 private:
  FakeSession session_;
  FakeProgram program_;
};

}  // namespace lockstep::judge
