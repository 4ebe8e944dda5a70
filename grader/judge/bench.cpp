#include "judge/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>

#include "build/submission_compiler.h"
#include "judge/call_timer.h"
#include "judge/ceiling.h"
#include "judge/host_memory.h"
#include "judge/median.h"
#include "judge/seeds.h"
#include "judge/turn.h"
#include "result/result.h"

namespace lockstep::judge {
namespace {

namespace fs = std::filesystem;

/// A solution that is timed beside the others.
struct Contender {
  std::string name, label;  ///< as in result::BenchRow
  fs::path source;
  bool is_peer = false, is_checked = true;
  OpenAttempt open;
};

/// One size or variation, with what its timing has given so far.
struct Series {
  const course::Case* one = nullptr;
  bool is_variation = false;
  std::unique_ptr<CallTimer> timer;
  std::vector<std::vector<double>> seconds;  ///< [contender][round]; shorter where it was given up
  std::vector<bool> is_too_slow;             ///< [contender]
};

/// Of two calls together twice as long is waited; what has not ended then is left out.
constexpr std::chrono::milliseconds kLongestCall{1'000};

/// A copy beside the others moves the bytes without doing the work: its first line says so.
bool is_checked(const fs::path& source) {
  std::string line;
  std::ifstream file(source);
  std::getline(file, line);
  return line != "// unchecked";
}

std::vector<fs::path> sources_in(const fs::path& folder) {
  std::vector<fs::path> sources;
  if (!fs::is_directory(folder)) return sources;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".cu") sources.push_back(entry.path());
  }
  std::sort(sources.begin(), sources.end());
  return sources;
}

/// Rungs, then the reference, then the vendor's.
std::vector<Contender> contenders_of(const course::Exercise& exercise) {
  std::vector<Contender> contenders;
  const auto add = [&](const fs::path& source, const std::string& name, const std::string& label) {
    contenders.push_back({exercise.folder_name + "/" + name,
                          label,
                          source,
                          source.parent_path().filename() == "peers",
                          is_checked(source),
                          {}});
  };
  const auto add_folder = [&](const char* folder) {
    for (const fs::path& source : sources_in(exercise.solutions / folder)) {
      const std::string stem = source.stem();
      add(source, fmt::format("{}/{}", folder, stem), stem);
    }
  };
  add_folder("rungs");
  add(exercise.solutions / exercise.starter.filename(), exercise.starter.stem(), result::kReference);
  add_folder("peers");
  return contenders;
}

/// K for a case: so many calls that a few microseconds of noise do not show.
std::size_t calls_for(const course::Case& one, double copy_bandwidth) {
  constexpr double kEnough = 2e-3, kLaunch = 3e-6;
  const double fastest = one.cost.global_bytes / copy_bandwidth + kLaunch;
  return std::clamp<std::size_t>(static_cast<std::size_t>(kEnough / fastest), 4, 256);
}

class BenchRun {
 public:
  BenchRun(const course::Exercise& exercise, device::TimingDevice& device, const BenchOptions& options)
      : exercise_(exercise), problem_(exercise.problem), device_(device), options_(options) {
    contenders_ = contenders_of(exercise);
    compile();
    turn_.emplace(await_turn(device, [this](const std::string& what, int, int) { progress(what); }));
    prepare();
  }

  result::Bench run() {
    for (int round = 0; round < options_.rounds; ++round) {
      for (const std::size_t which : order_of_round(contenders_.size(), static_cast<std::size_t>(round)))
        time_contender(which, round);
    }
    result_.exercise = problem_.name;
    result_.copy_bandwidth = copy_bandwidth();
    const Bound binding = ceiling_of_the_largest();
    result_.ceiling = binding.ceiling;
    add_rows(binding.quantity);
    return std::move(result_);
  }

 private:
  double copy_bandwidth() const { return options_.figures.at(result::Quantity::copied_bytes).value; }

  void progress(const std::string& what) const {
    if (options_.progress) options_.progress(what);
  }

  /// All at once: each takes seconds of one processor.
  void compile() {
    progress(fmt::format("compiling {} solutions", contenders_.size()));
    const int native = device_.compute_capability();
    std::vector<std::future<build::CompiledSubmission>> being_compiled;
    for (const Contender& contender : contenders_) {
      being_compiled.push_back(std::async(std::launch::async, [this, &contender, native] {
        return contender.is_peer ? build::compile_peer(exercise_, contender.source, native)
                                 : build::compile_submission(exercise_, contender.source, native);
      }));
    }
    for (std::size_t c = 0; c < contenders_.size(); ++c) {
      Contender& contender = contenders_[c];
      const build::CompiledSubmission compiled = being_compiled[c].get();
      if (compiled.status != build::CompiledSubmission::Status::compiled)
        throw std::runtime_error(contender.source.string() + " does not compile: " + compiled.diagnostics);
      contender.open = attempts_at(compiled.object, device_, derived_number(seed_of(options_.seed), "bench"),
                                   contender.is_peer ? build::Libraries::vendors : build::Libraries::none);
    }
  }

  void prepare() {
    const course::SpeedTask& task = *problem_.speed;
    for (const std::vector<course::Case>* cases : {&task.sizes, &task.larger, &task.variations}) {
      for (const course::Case& one : *cases) prepare(one, cases == &task.variations);
    }
    // What followed on the largest took some 0.2 ms a batch longer, when all of its memory was freed before.
    for (Series& series : series_) ascending_.push_back(&series);
    std::stable_sort(ascending_.begin(), ascending_.end(), [](const Series* a, const Series* b) {
      return a->one->cost.global_bytes < b->one->cost.global_bytes;
    });
  }

  void prepare(const course::Case& one, bool is_variation) {
    // On the device the inputs and outputs of a few calls, kept and handed out; on the host what making two
    // of them takes meanwhile.
    constexpr double kOnDevice = 8, kOnHost = 24, kReuse = 2e9;
    const double on_device = kOnDevice * one.cost.global_bytes + kReuse;
    if (on_device > static_cast<double>(device_.free_memory()) ||
        kOnHost * one.cost.global_bytes > free_host_memory()) {
      result_.left_out.push_back(one.name + " was left out: there is too little memory");
      return;
    }
    progress("inputs of " + one.name);
    CallTimer::Options options{.seed = seed_of(options_.seed),
                               .calls = calls_for(one, copy_bandwidth()),
                               .fresh_inputs = false,
                               .time_limit = 2 * kLongestCall};
    series_.push_back({.one = &one,
                       .is_variation = is_variation,
                       .timer = std::make_unique<CallTimer>(problem_, one, device_, options),
                       .seconds = std::vector<std::vector<double>>(contenders_.size()),
                       .is_too_slow = std::vector<bool>(contenders_.size())});
  }

  void time_contender(std::size_t which, int round) {
    const Contender& contender = contenders_[which];
    progress(fmt::format("round {} of {}, {}", round + 1, options_.rounds, contender.label));
    std::unique_ptr<Attempt> attempt;
    for (Series* const each : ascending_) {
      Series& series = *each;
      if (gave_up(series, which)) continue;
      if (!attempt) attempt = opened(contender);
      // All are trusted, and compute the same in every round.
      const Timing timing = series.timer->time_in(*attempt, contender.is_checked && round == 0);
      if (timing.fault && timing.fault->verdict == result::Verdict::time_limit &&
          contender.label != result::kReference) {
        series.is_too_slow[which] = true;
        attempt.reset();  // its process was ended
      } else if (timing.fault) {
        throw std::runtime_error(
            fmt::format("{}, {}: {}", contender.name, series.one->name, timing.fault->message));
      } else {
        series.seconds[which].push_back(timing.call.count());
      }
    }
  }

  std::unique_ptr<Attempt> opened(const Contender& contender) const {
    std::unique_ptr<Attempt> attempt = contender.open();
    if (const auto fault = CallTimer::load(problem_, *attempt))
      throw std::runtime_error(contender.name + ": " + fault->message);
    return attempt;
  }

  /// What takes hundreds of times as long as it could is shown by a few rounds.
  bool gave_up(const Series& series, std::size_t which) const {
    constexpr double kSlow = 0.25;
    constexpr std::size_t kFewRounds = 3;
    const std::vector<double>& seconds = series.seconds[which];
    const bool is_reference = contenders_[which].label == result::kReference;  // whose rounds all others need
    return series.is_too_slow[which] ||
           (!is_reference && seconds.size() >= kFewRounds && seconds.front() > kSlow);
  }

  /// Of the sizes that were measured; the shares of all of them are of the same ceiling.
  Bound ceiling_of_the_largest() const {
    const auto largest = std::find_if(series_.rbegin(), series_.rend(),
                                      [](const Series& series) { return !series.is_variation; });
    const auto bound =
        largest == series_.rend() ? std::nullopt : binding_ceiling(largest->one->cost, options_.figures);
    if (!bound) throw std::runtime_error("there is no size to measure " + problem_.name + " at");
    return *bound;
  }

  void add_rows(result::Quantity bound_by) {
    const auto reference = std::find_if(contenders_.begin(), contenders_.end(),
                                        [](const Contender& one) { return one.label == result::kReference; });
    const auto reference_index = static_cast<std::size_t>(reference - contenders_.begin());
    for (const Series& series : series_) {
      for (std::size_t c = 0; c < contenders_.size(); ++c) {
        if (series.is_too_slow[c]) {
          result_.left_out.push_back(fmt::format(
              "{} was left out at {}: a call takes longer than {} s", contenders_[c].label, series.one->name,
              std::chrono::duration_cast<std::chrono::seconds>(kLongestCall).count()));
          continue;
        }
        const std::vector<double>& seconds = series.seconds[c];
        const double ratio = ratio_of_rounds(seconds, series.seconds[reference_index]);
        if (!(ratio > 0 && median(seconds) > 0)) {
          result_.left_out.push_back(fmt::format("{} was left out at {}: too short to be timed",
                                                 contenders_[c].label, series.one->name));
          continue;
        }
        result_.rows.push_back({.solution = contenders_[c].name,
                                .label = contenders_[c].label,
                                .size = series.one->name,
                                .is_variation = series.is_variation,
                                .elements = series.one->cost.elements,
                                .bytes = series.one->cost.global_bytes,
                                .work = count_of(series.one->cost, bound_by),
                                .rounds = static_cast<int>(seconds.size()),
                                .seconds = median(seconds),
                                .interval = median_interval(seconds),
                                .ratio = ratio});
      }
    }
  }

  const course::Exercise& exercise_;
  const course::Problem& problem_;
  device::TimingDevice& device_;
  const BenchOptions& options_;
  std::optional<device::GpuLock> turn_;  ///< once everything is compiled
  std::vector<Contender> contenders_;
  std::vector<Series> series_;
  std::vector<Series*> ascending_;  ///< the same, as they are timed: by bytes
  result::Bench result_;
};

}  // namespace

std::vector<std::size_t> order_of_round(std::size_t contenders, std::size_t round) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < contenders; ++i) {
    const std::size_t zigzag = i % 2 == 0 ? i / 2 : contenders - (i + 1) / 2;
    order.push_back((zigzag + round) % contenders);
  }
  if (contenders % 2 != 0 && round / contenders % 2 != 0) std::reverse(order.begin(), order.end());
  return order;
}

double ratio_of_rounds(std::span<const double> seconds, std::span<const double> of_reference) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < std::min(seconds.size(), of_reference.size()); ++round) {
    // Noise that makes a short call seem to take no time is noise upwards in other rounds: both count.
    ratios.push_back(seconds[round] > 0 ? of_reference[round] / seconds[round]
                                        : std::numeric_limits<double>::infinity());
  }
  const double ratio = ratios.empty() ? 0 : median(ratios);
  return std::isfinite(ratio) && ratio > 0 ? ratio : 0;
}

std::set<result::Quantity> quantities_of(const course::SpeedTask& task) {
  std::set<result::Quantity> quantities = {result::Quantity::copied_bytes};
  for (const std::vector<course::Case>* cases : {&task.sizes, &task.larger}) {
    for (const course::Case& one : *cases) {
      const std::vector<result::Quantity> stated = quantities_of(one.cost);
      quantities.insert(stated.begin(), stated.end());
    }
  }
  return quantities;
}

result::Bench measure_bench(const course::Exercise& exercise, device::TimingDevice& device,
                            const BenchOptions& options) {
  return BenchRun(exercise, device, options).run();
}

}  // namespace lockstep::judge
