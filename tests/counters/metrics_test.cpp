// Every generation of GPUs from compute capability 7.5 on has the metrics that are asked for: CUPTI says so
// without a GPU.
#include <cupti_result.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include "build/toolkit.h"
#include "device/hardware_counters.h"

#if __has_include(<cupti_range_profiler.h>)
#include <cupti_profiler_host.h>

namespace lockstep {
namespace {

TEST(Metrics, AreKnownOfEveryGeneration) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "NVIDIA's library opens another one by RTLD_DEEPBIND, which the sanitizer refuses";
#endif
  void* library = nullptr;
  try {
    const std::filesystem::path path = build::find_cupti(build::find_toolkit());
    // CUPTI looks for its companions by name.
    dlopen((path.parent_path() / "libnvperf_host.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
    library = dlopen(path.c_str(), RTLD_NOW);
  } catch (const std::runtime_error& error) {
    GTEST_SKIP() << error.what();
  }
  ASSERT_NE(library, nullptr) << dlerror();
  const auto initialize =
      reinterpret_cast<decltype(&cuptiProfilerHostInitialize)>(dlsym(library, "cuptiProfilerHostInitialize"));
  const auto add_metrics = reinterpret_cast<decltype(&cuptiProfilerHostConfigAddMetrics)>(
      dlsym(library, "cuptiProfilerHostConfigAddMetrics"));
  if (initialize == nullptr || add_metrics == nullptr) GTEST_SKIP() << "the toolkit is older than 12.6";
  for (const char* chip : {"TU102", "GA100", "GA102", "AD102", "GH100", "GB100", "GB202"}) {
    CUpti_Profiler_Host_Initialize_Params open{};
    open.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE;
    open.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    open.pChipName = chip;
    if (initialize(&open) != CUPTI_SUCCESS) continue;  // newer than the toolkit
    for (const device::HardwareCounter& counter : device::kHardwareCounters) {
      for (const char* metric : {counter.metric, counter.addend}) {
        if (metric == nullptr) continue;
        CUpti_Profiler_Host_ConfigAddMetrics_Params add{};
        add.structSize = CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE;
        add.pHostObject = open.pHostObject;
        add.ppMetricNames = &metric;
        add.numMetrics = 1;
        EXPECT_EQ(add_metrics(&add), CUPTI_SUCCESS) << chip << ": " << metric;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
#endif
