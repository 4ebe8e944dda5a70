#include "runner/range_profiler.h"

// CUDA Toolkits before 12.6 have no range profiler.
#if __has_include(<cupti_range_profiler.h>)

#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace lockstep::runner {
namespace {

/// Of one call of a student's function.
constexpr std::size_t kMaxLaunches = 64;

#define LOCKSTEP_CUPTI_FUNCTIONS(DECLARE)               \
  DECLARE(cuptiGetResultString)                         \
  DECLARE(cuptiSubscribe)                               \
  DECLARE(cuptiEnableDomain)                            \
  DECLARE(cuptiDeviceGetChipName)                       \
  DECLARE(cuptiProfilerInitialize)                      \
  DECLARE(cuptiProfilerHostInitialize)                  \
  DECLARE(cuptiProfilerHostConfigAddMetrics)            \
  DECLARE(cuptiProfilerHostGetConfigImageSize)          \
  DECLARE(cuptiProfilerHostGetConfigImage)              \
  DECLARE(cuptiProfilerHostEvaluateToGpuValues)         \
  DECLARE(cuptiRangeProfilerEnable)                     \
  DECLARE(cuptiRangeProfilerDisable)                    \
  DECLARE(cuptiRangeProfilerGetCounterDataSize)         \
  DECLARE(cuptiRangeProfilerCounterDataImageInitialize) \
  DECLARE(cuptiRangeProfilerSetConfig)                  \
  DECLARE(cuptiRangeProfilerStart)                      \
  DECLARE(cuptiRangeProfilerStop)                       \
  DECLARE(cuptiRangeProfilerDecodeData)                 \
  DECLARE(cuptiRangeProfilerGetCounterDataInfo)         \
  DECLARE(cuptiRangeProfilerCounterDataGetRangeInfo)

/// The functions of CUPTI that are used here.
struct Cupti {
#define LOCKSTEP_DECLARE(name) decltype(&::name) name = nullptr;
  LOCKSTEP_CUPTI_FUNCTIONS(LOCKSTEP_DECLARE)
#undef LOCKSTEP_DECLARE

  explicit Cupti(const std::string& path) {
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw CountersUnavailable(std::string("CUPTI cannot be loaded: ") + dlerror());
#define LOCKSTEP_FIND(function)                                                                          \
  function = reinterpret_cast<decltype(function)>(dlsym(library, #function));                            \
  if (function == nullptr) {                                                                             \
    throw CountersUnavailable(path + " has no " #function ": counters need CUDA Toolkit 12.6 or newer"); \
  }
    LOCKSTEP_CUPTI_FUNCTIONS(LOCKSTEP_FIND)
#undef LOCKSTEP_FIND
  }

  void check(CUptiResult result, const char* function) const {
    if (result == CUPTI_SUCCESS) return;
    const char* meaning = nullptr;
    cuptiGetResultString(result, &meaning);
    std::string message = std::string(function) + ": " + (meaning != nullptr ? meaning : "unknown error") +
                          " (" + std::to_string(result) + ")";
    if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) {
      message +=
          "; this machine's driver lets only administrators read counters, and a sandboxed program is none: "
          "set NVreg_RestrictProfilingToAdminUsers=0 for the module nvidia (in /etc/modprobe.d) and reboot";
    }
    throw CountersUnavailable(message);
  }
};

/// Parameters of a function, as CUPTI wants them: with their size in front, everything else zero.
template <class Parameters>
Parameters sized(std::size_t size) {
  Parameters parameters{};
  parameters.structSize = size;
  return parameters;
}
#define LOCKSTEP_PARAMETERS(type) sized<type>(type##_STRUCT_SIZE)
/// Calls a function with its parameters and throws with its name when it fails.
#define LOCKSTEP_CUPTI(cupti, function, parameters) (cupti).check((cupti).function(&(parameters)), #function)

bool is_launch(CUpti_CallbackId id) {
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
      return true;
    default:
      return false;
  }
}

/// The kernels that were launched, in their order: the profiler itself only numbers them.
class LaunchNames {
 public:
  explicit LaunchNames(const Cupti& cupti) {
    CUpti_SubscriberHandle subscriber = nullptr;
    cupti.check(cupti.cuptiSubscribe(&subscriber, &LaunchNames::on_call, this), "cuptiSubscribe");
    cupti.check(cupti.cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API), "cuptiEnableDomain");
  }
  LaunchNames(const LaunchNames&) = delete;
  LaunchNames& operator=(const LaunchNames&) = delete;

  void clear() { names_.clear(); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  static void CUPTIAPI on_call(void* self, CUpti_CallbackDomain, CUpti_CallbackId id, const void* data) {
    const auto* const call = static_cast<const CUpti_CallbackData*>(data);
    if (!is_launch(id) || call->callbackSite != CUPTI_API_ENTER) return;
    static_cast<LaunchNames*>(self)->names_.emplace_back(call->symbolName != nullptr ? call->symbolName
                                                                                     : "?");
  }

  std::vector<std::string> names_;
};

/// The range profiler in a context, for the length of one call.
class Profiling {
 public:
  Profiling(const Cupti& cupti, CUcontext context) : cupti_(cupti) {
    auto enable = LOCKSTEP_PARAMETERS(CUpti_RangeProfiler_Enable_Params);
    enable.ctx = context;
    LOCKSTEP_CUPTI(cupti_, cuptiRangeProfilerEnable, enable);
    object_ = enable.pRangeProfilerObject;
  }
  ~Profiling() {
    auto disable = LOCKSTEP_PARAMETERS(CUpti_RangeProfiler_Disable_Params);
    disable.pRangeProfilerObject = object_;
    cupti_.cuptiRangeProfilerDisable(&disable);
  }
  Profiling(const Profiling&) = delete;
  Profiling& operator=(const Profiling&) = delete;

  void configure(const std::vector<std::uint8_t>& configuration, std::vector<const char*>& metrics);
  /// False when the work must be repeated.
  bool count(const std::function<void()>& work);
  void decode();
  std::size_t ranges() const;
  /// The profiler's number of a launch.
  std::size_t launch_of(std::size_t range) const;
  const std::vector<std::uint8_t>& data() const { return data_; }

 private:
  const Cupti& cupti_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  std::vector<std::uint8_t> data_;
};

void Profiling::configure(const std::vector<std::uint8_t>& configuration, std::vector<const char*>& metrics) {
  auto size = LOCKSTEP_PARAMETERS(CUpti_RangeProfiler_GetCounterDataSize_Params);
  size.pRangeProfilerObject = object_;
  size.pMetricNames = metrics.data();
  size.numMetrics = metrics.size();
  size.maxNumOfRanges = kMaxLaunches;
  size.maxNumRangeTreeNodes = kMaxLaunches;
  LOCKSTEP_CUPTI(cupti_, cuptiRangeProfilerGetCounterDataSize, size);
  data_.resize(size.counterDataSize);

  auto initialise = LOCKSTEP_PARAMETERS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params);
  initialise.pRangeProfilerObject = object_;
  initialise.counterDataSize = data_.size();
  initialise.pCounterData = data_.data();
  LOCKSTEP_CUPTI(cupti_, cuptiRangeProfilerCounterDataImageInitialize, initialise);

  // Every launch is a range of its own, so that fills and copies by the runtime are in none. The work is
  // repeated by us: kernel by kernel CUPTI would have to save and restore memory that another process shares.
  auto set = LOCKSTEP_PARAMETERS(CUpti_RangeProfiler_SetConfig_Params);
  set.pRangeProfilerObject = object_;
  set.configSize = configuration.size();
  set.pConfig = configuration.data();
  set.counterDataImageSize = data_.size();
  set.pCounterDataImage = data_.data();
  set.range = CUPTI_AutoRange;
  set.replayMode = CUPTI_UserReplay;
  set.maxRangesPerPass = kMaxLaunches;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  set.passIndex = 0;
  set.targetNestingLevel = 1;
  LOCKSTEP_CUPTI(cupti_, cuptiRangeProfilerSetConfig, set);
}

bool Profiling::count(const std::function<void()>& work) {
  auto start = LOCKSTEP_PARAMETERS(CUpti_RangeProfiler_Start_Params);
  start.pRangeProfilerObject = object_;
  LOCKSTEP_CUPTI(cupti_, cuptiRangeProfilerStart, start);
  work();
  auto stop = LOCKSTEP_PARAMETERS(CUpti_RangeProfiler_Stop_Params);
  stop.pRangeProfilerObject = object_;
  LOCKSTEP_CUPTI(cupti_, cuptiRangeProfilerStop, stop);
  return stop.isAllPassSubmitted != 0;
}

void Profiling::decode() {
  auto decode = LOCKSTEP_PARAMETERS(CUpti_RangeProfiler_DecodeData_Params);
  decode.pRangeProfilerObject = object_;
  LOCKSTEP_CUPTI(cupti_, cuptiRangeProfilerDecodeData, decode);
  if (decode.numOfRangeDropped != 0) {
    throw CountersUnavailable("one call launches more than " + std::to_string(kMaxLaunches) +
                              " kernels, for which there is no room");
  }
}

std::size_t Profiling::ranges() const {
  auto information = LOCKSTEP_PARAMETERS(CUpti_RangeProfiler_GetCounterDataInfo_Params);
  information.pCounterDataImage = data_.data();
  information.counterDataImageSize = data_.size();
  LOCKSTEP_CUPTI(cupti_, cuptiRangeProfilerGetCounterDataInfo, information);
  return information.numTotalRanges;
}

std::size_t Profiling::launch_of(std::size_t range) const {
  auto information = LOCKSTEP_PARAMETERS(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params);
  information.pCounterDataImage = data_.data();
  information.counterDataImageSize = data_.size();
  information.rangeIndex = range;
  information.rangeDelimiter = "/";
  LOCKSTEP_CUPTI(cupti_, cuptiRangeProfilerCounterDataGetRangeInfo, information);
  return std::strtoull(information.rangeName, nullptr, 10);
}

}  // namespace

struct RangeProfiler::State {
  State(const std::string& library, std::vector<const char*> wanted)
      : cupti(library), metrics(std::move(wanted)), launches(cupti) {}

  void describe_metrics();

  Cupti cupti;
  std::vector<const char*> metrics;
  LaunchNames launches;
  CUpti_Profiler_Host_Object* host = nullptr;
  std::vector<std::uint8_t> configuration;
};

/// How the metrics are to be counted on this chip.
void RangeProfiler::State::describe_metrics() {
  auto initialise = LOCKSTEP_PARAMETERS(CUpti_Profiler_Initialize_Params);
  LOCKSTEP_CUPTI(cupti, cuptiProfilerInitialize, initialise);
  auto chip = LOCKSTEP_PARAMETERS(CUpti_Device_GetChipName_Params);  // the only GPU that a runner sees
  LOCKSTEP_CUPTI(cupti, cuptiDeviceGetChipName, chip);

  auto open = LOCKSTEP_PARAMETERS(CUpti_Profiler_Host_Initialize_Params);
  open.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  open.pChipName = chip.pChipName;
  LOCKSTEP_CUPTI(cupti, cuptiProfilerHostInitialize, open);
  host = open.pHostObject;

  auto add = LOCKSTEP_PARAMETERS(CUpti_Profiler_Host_ConfigAddMetrics_Params);
  add.pHostObject = host;
  add.ppMetricNames = metrics.data();
  add.numMetrics = metrics.size();
  LOCKSTEP_CUPTI(cupti, cuptiProfilerHostConfigAddMetrics, add);

  auto size = LOCKSTEP_PARAMETERS(CUpti_Profiler_Host_GetConfigImageSize_Params);
  size.pHostObject = host;
  LOCKSTEP_CUPTI(cupti, cuptiProfilerHostGetConfigImageSize, size);
  configuration.resize(size.configImageSize);
  auto get = LOCKSTEP_PARAMETERS(CUpti_Profiler_Host_GetConfigImage_Params);
  get.pHostObject = host;
  get.configImageSize = configuration.size();
  get.pConfigImage = configuration.data();
  LOCKSTEP_CUPTI(cupti, cuptiProfilerHostGetConfigImage, get);
}

RangeProfiler::RangeProfiler(const std::string& library, std::vector<const char*> metrics)
    : state_(std::make_unique<State>(library, std::move(metrics))) {
  state_->describe_metrics();
}

// The runner ends without destructors, and so does what CUPTI holds.
RangeProfiler::~RangeProfiler() = default;

std::vector<ProfiledLaunch> RangeProfiler::profile(CUcontext context, const std::function<void()>& work) {
  constexpr int kMaxPasses = 32;
  Profiling profiling(state_->cupti, context);
  profiling.configure(state_->configuration, state_->metrics);
  bool complete = false;
  for (int pass = 0; pass < kMaxPasses && !complete; ++pass) {
    state_->launches.clear();
    complete = profiling.count(work);
    if (state_->launches.names().empty()) return {};  // CUPTI would wait for a first launch
  }
  if (!complete) throw CountersUnavailable("CUPTI asks for more than 32 repetitions of one call");
  profiling.decode();

  const std::vector<std::string>& names = state_->launches.names();
  const std::size_t ranges = profiling.ranges();
  if (ranges != names.size()) {
    throw CountersUnavailable("CUPTI counted " + std::to_string(ranges) + " launches where " +
                              std::to_string(names.size()) + " were made");
  }
  std::vector<ProfiledLaunch> launches(ranges);
  for (std::size_t range = 0; range < ranges; ++range) {
    const std::size_t launch = profiling.launch_of(range);
    if (launch >= names.size()) throw CountersUnavailable("CUPTI names a launch that was not made");
    launches[range] = {names[launch], std::vector<double>(state_->metrics.size())};
    auto evaluate = LOCKSTEP_PARAMETERS(CUpti_Profiler_Host_EvaluateToGpuValues_Params);
    evaluate.pHostObject = state_->host;
    evaluate.pCounterDataImage = profiling.data().data();
    evaluate.counterDataImageSize = profiling.data().size();
    evaluate.rangeIndex = range;
    evaluate.ppMetricNames = state_->metrics.data();
    evaluate.numMetrics = state_->metrics.size();
    evaluate.pMetricValues = launches[range].values.data();
    LOCKSTEP_CUPTI(state_->cupti, cuptiProfilerHostEvaluateToGpuValues, evaluate);
  }
  return launches;
}

}  // namespace lockstep::runner

#else

namespace lockstep::runner {

struct RangeProfiler::State {};

RangeProfiler::RangeProfiler(const std::string&, std::vector<const char*>) {
  throw CountersUnavailable(
      "Lockstep was built with a CUDA Toolkit older than 12.6, which reads no counters");
}

RangeProfiler::~RangeProfiler() = default;

std::vector<ProfiledLaunch> RangeProfiler::profile(CUcontext, const std::function<void()>&) { return {}; }

}  // namespace lockstep::runner

#endif
