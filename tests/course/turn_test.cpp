// A judgement takes its turn on a GPU for what runs on the GPU, and for nothing else. The emulated device
// stands in for the GPU.
#include "judge/turn.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <atomic>
#include <fstream>
#include <future>
#include <optional>

#include "device/calibrator.h"
#include "device/emulated_device.h"
#include "device/vault.h"
#include "judge/judge.h"
#include "remains.h"

namespace lockstep::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

/// Counts nothing, as a GPU, so that the cases run on the emulated device first and then here.
class ImitatedGpu final : public device::TimingDevice {
 public:
  explicit ImitatedGpu(fs::path node) : node_(std::move(node)) { std::ofstream{node_}; }

  bool is_locked() const {
    const sandbox::FileDescriptor file(::open(node_.c_str(), O_RDONLY | O_CLOEXEC));
    return flock(file.get(), LOCK_EX | LOCK_NB) != 0;
  }
  int sessions() const { return sessions_; }

  result::DeviceDescription description() const override { return {.kind = "gpu", .name = "imitated"}; }
  int compute_capability() const override { return 90; }
  int multiprocessors() const override { return kMultiprocessors; }
  std::size_t free_memory() const override { return 0; }
  std::size_t context_bytes() const override { return 0; }
  device::GpuLock lock(const std::function<void()>& waiting) override {
    return device::GpuLock(node_, waiting);
  }
  std::optional<device::GpuState> gpu_state() const override { return std::nullopt; }
  std::unique_ptr<device::Session> open(std::uint64_t seed) override {
    ++sessions_;
    EXPECT_TRUE(is_locked()) << "a submission gets the GPU out of turn";
    return emulated_.open(seed);
  }
  std::unique_ptr<device::Vault> open_vault() override { return nullptr; }
  std::unique_ptr<device::Calibrator> open_calibrator() override { return nullptr; }

 private:
  static constexpr int kMultiprocessors = 4;

  fs::path node_;
  device::EmulatedDevice emulated_{kMultiprocessors};
  std::atomic<int> sessions_ = 0;
};

class Turn : public LeavesNothingBehind {
 protected:
  result::ExerciseResult judge_reference(
      const std::function<void(const std::string& what, int done, int total)>& progress) {
    course::Exercise exercise = *course::find_exercise("coalescing");
    exercise.problem.speed.reset();  // nothing here can be timed
    return judge::judge(exercise, exercise.solutions / exercise.starter.filename(), gpu_,
                        {.seed = judge::seed_of(1), .progress = progress});
  }

  sandbox::TemporaryFolder folder_{fs::temp_directory_path(), "turn-"};
  ImitatedGpu gpu_{folder_.path() / "nvidia0"};
};

TEST_F(Turn, IsTakenForWhatRunsOnTheGpuOnly) {
  std::size_t in_turn = 0, out_of_turn = 0;
  const result::ExerciseResult result = judge_reference([&](const std::string& what, int, int) {
    EXPECT_EQ(what.find("waiting"), std::string::npos);
    if (gpu_.is_locked()) {
      ++in_turn;
      EXPECT_EQ(what.find("compiling"), std::string::npos) << what;
      EXPECT_EQ(what.rfind("case ", 0), 0U) << what;
    } else {
      ++out_of_turn;
      EXPECT_EQ(in_turn, 0U) << "the turn was given up in between: " << what;
    }
  });
  EXPECT_EQ(result.verdict, result::Verdict::passed) << result.message;
  EXPECT_EQ(in_turn, result.cases.size());
  EXPECT_EQ(out_of_turn, 1 + result.cases.size());  // compiling, and every case on the emulated device
  EXPECT_EQ(gpu_.sessions(), 1);
  EXPECT_FALSE(gpu_.is_locked());
}

TEST_F(Turn, IsWaitedForWithAWord) {
  std::optional<device::GpuLock> other(std::in_place, folder_.path() / "nvidia0");
  std::promise<void> waiting;
  std::future<result::ExerciseResult> judged = std::async(std::launch::async, [&] {
    return judge_reference([&](const std::string& what, int, int) {
      if (what == "waiting for another judgement on this GPU") waiting.set_value();
    });
  });
  ASSERT_EQ(waiting.get_future().wait_for(60s), std::future_status::ready);
  EXPECT_EQ(judged.wait_for(200ms), std::future_status::timeout);
  EXPECT_EQ(gpu_.sessions(), 0);
  other.reset();
  EXPECT_EQ(judged.get().verdict, result::Verdict::passed);
  EXPECT_EQ(gpu_.sessions(), 1);
}

}  // namespace
}  // namespace lockstep::test
