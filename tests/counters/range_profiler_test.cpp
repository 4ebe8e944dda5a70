// How the runner uses CUPTI, against an imitation that keeps count; a GPU shows whether the imitation is
// right.
#include "runner/range_profiler.h"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include "imitated_cupti.h"

namespace lockstep::runner {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class Function>
Function imitated(const char* name) {
  static void* const library = dlopen(IMITATED_CUPTI, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function>(dlsym(library, name));
}

class RangeProfiling : public testing::Test {
 protected:
  RangeProfiling() { cupti_ = {}; }

  std::vector<ProfiledLaunch> profile_two_launches() {
    return RangeProfiler(IMITATED_CUPTI, {"first", "second"}).profile(nullptr, [this] {
      ++calls_;
      launch_("a");
      launch_("b");
    });
  }

  std::string failure() {
    try {
      profile_two_launches();
      return "";
    } catch (const CountersUnavailable& error) {
      return error.what();
    }
  }

  ImitatedCupti& cupti_ = imitated<ImitationFunction>("imitation")();
  LaunchFunction launch_ = imitated<LaunchFunction>("imitate_launch");
  std::size_t calls_ = 0;
};

TEST_F(RangeProfiling, RepeatsTheWorkUntilAllIsCountedAndNamesEveryLaunch) {
  const auto launches = profile_two_launches();
  EXPECT_EQ(calls_, 3U);
  ASSERT_EQ(launches.size(), 2U);
  EXPECT_EQ(launches[0].kernel, "b") << "the imitation reports its last launch first";
  EXPECT_THAT(launches[0].values, ElementsAre(100, 101));
  EXPECT_EQ(launches[1].kernel, "a");
  EXPECT_THAT(launches[1].values, ElementsAre(0, 1));
  EXPECT_FALSE(cupti_.enabled);
}

TEST_F(RangeProfiling, CountsCallAfterCall) {
  RangeProfiler profiler(IMITATED_CUPTI, {"first"});
  EXPECT_EQ(profiler.profile(nullptr, [&] { launch_("a"); }).size(), 1U);
  EXPECT_EQ(profiler.profile(nullptr, [] {}).size(), 0U);
  EXPECT_EQ(profiler.profile(nullptr, [&] { launch_("b"); }).at(0).kernel, "b");
}

TEST_F(RangeProfiling, EveryFailureNamesItsFunctionAndCuptisWords) {
  for (const char* function :
       {"cuptiSubscribe", "cuptiProfilerInitialize", "cuptiProfilerHostConfigAddMetrics",
        "cuptiRangeProfilerEnable", "cuptiRangeProfilerSetConfig", "cuptiRangeProfilerStart",
        "cuptiRangeProfilerStop", "cuptiRangeProfilerDecodeData", "cuptiProfilerHostEvaluateToGpuValues"}) {
    cupti_ = {};
    cupti_.failing = function;
    EXPECT_EQ(failure(), std::string(function) + ": IMITATED_ERROR (999)");
    EXPECT_FALSE(cupti_.enabled) << function;
  }
}

TEST_F(RangeProfiling, ARefusingDriverIsNamedWithItsRemedy) {
  cupti_.failing = "cuptiRangeProfilerStart";
  cupti_.error = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
  EXPECT_THAT(failure(), HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"));
}

TEST_F(RangeProfiling, LaunchesThatWereNotCountedAreAFailure) {
  cupti_.launches_missed = 1;
  EXPECT_THAT(failure(), HasSubstr("counted 1 launches where 2 were made"));
}

TEST_F(RangeProfiling, RepetitionsAreBounded) {
  cupti_.passes = 1000;
  EXPECT_THAT(failure(), HasSubstr("more than 32 repetitions"));
  EXPECT_EQ(calls_, 32U);
}

TEST(RangeProfilerLibrary, IsMissingOrTooOld) {
  const auto failure_with = [](const char* library) -> std::string {
    try {
      RangeProfiler(library, {});
      return "";
    } catch (const CountersUnavailable& error) {
      return error.what();
    }
  };
  EXPECT_THAT(failure_with("/nowhere/libcupti.so"),
              HasSubstr("CUPTI cannot be loaded: /nowhere/libcupti.so"));
  EXPECT_THAT(failure_with("libc.so.6"), HasSubstr("counters need CUDA Toolkit 12.6 or newer"));
}

}  // namespace
}  // namespace lockstep::runner
