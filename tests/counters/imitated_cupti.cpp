// Stands for libcupti: says of metric m of the launch with number n that it is 100 n + m, and reports its
// ranges last launch first.
#include "imitated_cupti.h"

#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <cstdint>

namespace {

ImitatedCupti state;
CUpti_CallbackFunc callback = nullptr;
void* callback_data = nullptr;
std::size_t launches = 0;  ///< of the pass that runs
std::string range_name;

CUptiResult result_of(const char* function) {
  return state.failing == function ? state.error : CUPTI_SUCCESS;
}

std::size_t ranges() { return launches - state.launches_missed; }

}  // namespace

extern "C" {

ImitatedCupti& imitation() { return state; }

void imitate_launch(const char* name) {
  CUpti_CallbackData data{};
  data.symbolName = name;
  for (const CUpti_ApiCallbackSite site : {CUPTI_API_ENTER, CUPTI_API_EXIT}) {
    data.callbackSite = site;
    callback(callback_data, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2, &data);
    callback(callback_data, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, &data);
  }
  ++launches;
}

CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult, const char** text) {
  *text = "IMITATED_ERROR";
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc function, void* data) {
  callback = function;
  callback_data = data;
  return result_of("cuptiSubscribe");
}

CUptiResult CUPTIAPI cuptiEnableDomain(std::uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain) {
  return result_of("cuptiEnableDomain");
}

CUptiResult CUPTIAPI cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params*) {
  return result_of("cuptiProfilerInitialize");
}

CUptiResult CUPTIAPI cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params* parameters) {
  parameters->pChipName = "GH100";
  return result_of("cuptiDeviceGetChipName");
}

CUptiResult CUPTIAPI cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params*) {
  return result_of("cuptiProfilerHostInitialize");
}

CUptiResult CUPTIAPI cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params*) {
  return result_of("cuptiProfilerHostConfigAddMetrics");
}

CUptiResult CUPTIAPI
cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params* parameters) {
  parameters->configImageSize = 16;
  return result_of("cuptiProfilerHostGetConfigImageSize");
}

CUptiResult CUPTIAPI cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params*) {
  return result_of("cuptiProfilerHostGetConfigImage");
}

CUptiResult CUPTIAPI
cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params* parameters) {
  const std::size_t launch = ranges() - 1 - parameters->rangeIndex;
  for (std::size_t m = 0; m < parameters->numMetrics; ++m)
    parameters->pMetricValues[m] = static_cast<double>(100 * launch + m);
  return result_of("cuptiProfilerHostEvaluateToGpuValues");
}

CUptiResult CUPTIAPI cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params*) {
  if (state.enabled) return CUPTI_ERROR_INVALID_OPERATION;
  const CUptiResult result = result_of("cuptiRangeProfilerEnable");
  state.enabled = result == CUPTI_SUCCESS;
  state.passes_run = 0;
  return result;
}

CUptiResult CUPTIAPI cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params*) {
  state.enabled = false;
  return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI
cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params* parameters) {
  parameters->counterDataSize = 16;
  return result_of("cuptiRangeProfilerGetCounterDataSize");
}

CUptiResult CUPTIAPI
cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params*) {
  return result_of("cuptiRangeProfilerCounterDataImageInitialize");
}

CUptiResult CUPTIAPI cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params*) {
  return result_of("cuptiRangeProfilerSetConfig");
}

CUptiResult CUPTIAPI cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params*) {
  launches = 0;
  return result_of("cuptiRangeProfilerStart");
}

CUptiResult CUPTIAPI cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params* parameters) {
  if (launches > 0) ++state.passes_run;
  parameters->isAllPassSubmitted = state.passes_run == state.passes ? 1 : 0;
  return result_of("cuptiRangeProfilerStop");
}

CUptiResult CUPTIAPI cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params*) {
  return result_of("cuptiRangeProfilerDecodeData");
}

CUptiResult CUPTIAPI
cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params* parameters) {
  parameters->numTotalRanges = ranges();
  return result_of("cuptiRangeProfilerGetCounterDataInfo");
}

CUptiResult CUPTIAPI
cuptiRangeProfilerCounterDataGetRangeInfo(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params* parameters) {
  range_name = std::to_string(ranges() - 1 - parameters->rangeIndex);
  parameters->rangeName = range_name.c_str();
  return result_of("cuptiRangeProfilerCounterDataGetRangeInfo");
}

}  // extern "C"
