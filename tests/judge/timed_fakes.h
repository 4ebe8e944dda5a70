// A device with a vault in the test's own memory, and processes whose calls take as long as the test says:
// what the flow of a speed measurement needs.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <string>
#include <vector>

#include "course/numbers.h"
#include "device/calibrator.h"
#include "device/vault.h"
#include "fakes.h"
#include "judge/comparison.h"
#include "judge/keyed_random.h"

namespace lockstep::judge {

/// Shared by the vault, which lies above all sessions, and by the sessions of the processes that run.
struct FakeGpu {
  static constexpr std::uint64_t kFirstOfVault = std::uint64_t{1} << 60, kOfSession = std::uint64_t{1} << 40;

  std::span<std::byte> bytes(std::uint64_t address, std::size_t n) {
    if (address < kFirstOfVault) {
      const std::lock_guard lock(mutex_);
      return {sessions_.at(address / kOfSession)->pointer<std::byte>(address, n), n};
    }
    const auto memory = std::prev(kept.upper_bound(address));
    return std::span(memory->second).subspan(address - memory->first, n);
  }

  /// Several threads open and close sessions.
  std::uint64_t next_session() {
    const std::lock_guard lock(mutex_);
    return opened_++;
  }
  void open(std::uint64_t number, FakeSession& session) {
    const std::lock_guard lock(mutex_);
    sessions_[number] = &session;
  }
  void close(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    sessions_.erase(number);
  }

  /// What happened to processes, such as "context 3" and "end 3", by the number of their session.
  void note(const std::string& what, std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    events.push_back(what + " " + std::to_string(number));
  }

  std::map<std::uint64_t, std::vector<std::byte>> kept;
  std::uint64_t next = kFirstOfVault;
  std::vector<std::string> events;
  bool draws_wrong = false;

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, FakeSession*> sessions_;
  std::uint64_t opened_ = 0;
};

class FakeVault final : public device::Vault {
 public:
  explicit FakeVault(FakeGpu& gpu) : gpu_(gpu) {}

  std::uint64_t allocate(std::size_t bytes) override {
    const std::uint64_t address = gpu_.next;
    gpu_.kept[address].resize(bytes);
    gpu_.next += bytes + 1;
    return address;
  }
  void draw(std::uint64_t to, std::size_t bytes, const course::Draw& draw) override {
    for (std::span<std::byte> rest = gpu_.bytes(to, bytes); !rest.empty();) {
      const std::size_t part = std::min(rest.size(), course::kDrawnTogether);
      draw(rest.first(part));
      rest = rest.subspan(part);
    }
  }
  void draw_words(std::span<const device::Drawing> drawings) override {
    for (const device::Drawing& one : drawings) {
      Seed key;
      std::memcpy(key.data(), one.key.data(), key.size());
      KeyedRandom random(key);
      for (std::uint64_t word = 0; word < one.first_word; ++word) random.word();
      const auto to = gpu_.bytes(one.to, one.elements * sizeof(std::uint32_t));
      if (one.map == course::WordMap::signed_integer) {
        course::draw_of_words<signed_integer>(random)(to);
      } else {
        course::draw_of_words(random, [bound = one.parameter](std::uint32_t word) {
          return course::fraction(word, bound);
        })(to);
      }
    }
    if (gpu_.draws_wrong && !drawings.empty()) gpu_.bytes(drawings.back().to, 1)[0] ^= std::byte{1};
  }
  double sum_of_floats(std::uint64_t from, std::size_t n) const override {
    const std::vector<float> floats = course::numbers_of<float>(gpu_.bytes(from, n * sizeof(float)));
    return std::accumulate(floats.begin(), floats.end(), 0.0);
  }
  void fill(std::span<const device::Filling> fillings) override {
    for (const device::Filling& one : fillings) {
      const std::span<std::byte> to = gpu_.bytes(one.to, one.bytes);
      if (one.from == 0) {
        std::fill(to.begin(), to.end(), device::kPoisonByte);
      } else {
        write(one.to, gpu_.bytes(one.from, one.bytes));
      }
    }
  }
  std::uint64_t count_wrong(const course::Output& output, std::uint64_t found, std::uint64_t expected,
                            std::size_t bytes) const override {
    const std::span<const std::byte> wanted = gpu_.bytes(expected, bytes);
    course::Output known = output;
    known.expected.assign(wanted.begin(), wanted.end());
    return compare(known, gpu_.bytes(found, bytes)).wrong;
  }
  void plan_samples(std::span<const device::Sampling> samples) override {
    plan_.assign(samples.begin(), samples.end());
  }
  void take_samples(std::size_t first, std::size_t n) const override {
    for (std::size_t i = first; i < first + n; ++i) {
      const std::size_t bytes = std::min<std::size_t>(plan_[i].bytes, kSampleBytes);
      const std::span<const std::byte> from = gpu_.bytes(plan_[i].from, bytes);
      std::copy(from.begin(), from.end(), gpu_.bytes(plan_[i].to, bytes).begin());
    }
  }
  void mark() const override {}
  void wait_for_mark() const override {}
  void overwrite_cache() const override {}

 private:
  FakeGpu& gpu_;
  std::vector<device::Sampling> plan_;
};

/// Notes what it is asked for; every figure is the same.
class FakeCalibrator final : public device::Calibrator {
 public:
  static constexpr double kRate = 1e6;  ///< B/s, or whatever the unit is, unless the test says otherwise

  FakeCalibrator(std::vector<result::Quantity>& measured, double rate) : measured_(measured), rate_(rate) {}
  result::GpuIdentity gpu() const override { return {.name = "imitated", .uuid = "GPU-0", .driver = "1"}; }
  std::string toolkit() const override { return "13.0"; }
  result::Figure measure(result::Quantity quantity) override {
    measured_.push_back(quantity);
    return {.value = rate_, .spread = 0.01};
  }

 private:
  std::vector<result::Quantity>& measured_;
  double rate_;
};

class FakeTimingDevice final : public device::TimingDevice {
 public:
  FakeGpu gpu;

  result::DeviceDescription description() const override { return {.kind = "gpu", .name = "imitated"}; }
  int compute_capability() const override { return 90; }
  int multiprocessors() const override { return 1; }
  std::size_t free_memory() const override { return free; }
  std::size_t context_bytes() const override { return context; }
  device::GpuLock lock(const std::function<void()>&) override {
    gpu.note("lock", 0);
    return {};
  }
  std::optional<device::GpuState> gpu_state() const override { return std::nullopt; }
  std::unique_ptr<device::Session> open(std::uint64_t) override {
    throw std::logic_error("attempts are made by the test");
  }
  std::unique_ptr<device::Vault> open_vault() override { return std::make_unique<FakeVault>(gpu); }
  std::unique_ptr<device::Calibrator> open_calibrator() override {
    return std::make_unique<FakeCalibrator>(measured, rate);
  }

  std::size_t free = std::size_t{1} << 40, context = 0;  ///< bytes
  double rate = FakeCalibrator::kRate;
  std::vector<result::Quantity> measured;  ///< by its calibrators, in their order
};

/// A process of a program, each of whose timed calls takes `call_time`.
class FakeTimedAttempt final : public Attempt {
 public:
  FakeTimedAttempt(FakeGpu& gpu, FakeProgram program, std::chrono::nanoseconds call_time)
      : gpu_(gpu),
        number_(gpu.next_session()),
        session_(number_ * FakeGpu::kOfSession + (1 << 20)),
        program_(std::move(program)),
        call_time_(call_time) {
    gpu_.open(number_, session_);
    gpu_.note("open", number_);
    session_.held = true;  // a GPU's memory can be read at any time
  }
  ~FakeTimedAttempt() override {
    gpu_.note("end", number_);
    gpu_.close(number_);
  }
  FakeTimedAttempt(const FakeTimedAttempt&) = delete;
  FakeTimedAttempt& operator=(const FakeTimedAttempt&) = delete;

  device::Session& session() override { return session_; }
  runner::Outcome make_context(std::chrono::milliseconds) override {
    gpu_.note("context", number_);
    return {};
  }
  runner::Outcome load(std::span<const course::Signature>, std::chrono::milliseconds) override {
    gpu_.note("load", number_);
    return {};
  }
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
  runner::RunnerProcess::TimedOutcome timed_calls(const course::Signature& function,
                                                  std::span<const std::uint64_t> words,
                                                  std::chrono::milliseconds,
                                                  const std::function<void()>& look, bool) override {
    const std::size_t of_call = function.parameters.size(), calls = words.size() / of_call;
    for (std::size_t k = 0; k < calls; ++k)
      program_(session_, function.name, words.subspan(k * of_call, of_call));
    look();
    return {.time = call_time_ * calls};
  }
  runner::Outcome settle(std::chrono::milliseconds) override {
    gpu_.note("settle", number_);
    return {};
  }
  const std::string& output() const override { return output_; }
  bool output_truncated() const override { return false; }

 private:
  FakeGpu& gpu_;
  const std::uint64_t number_;
  FakeSession session_;
  FakeProgram program_;
  std::chrono::nanoseconds call_time_;
  std::string output_;
};

}  // namespace lockstep::judge
