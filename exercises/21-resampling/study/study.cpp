// The study of resampling: a particle filter on the device follows a target through a file of measurements,
// and writes its estimates and a picture. Two more modes compare schemes of resampling, on tracks that are
// simulated and by the copies that particles get. README.md says how to use it.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <numbers>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "chart.h"
#include "compare.h"
#include "filter.h"
#include "lockstep/check_cuda.h"
#include "offspring.h"
#include "picture.h"
#include "study/options.h"
#include "study/output_files.h"
#include "study/program.h"
#include "track.h"

namespace lockstep::particle_filter {
namespace {

constexpr double kMaxNumber = 1e9;

struct Arguments {
  std::string file;
  FilterSettings settings;                     ///< its start is not set
  std::optional<std::array<double, 4>> start;  ///< in the coordinates of the file
  std::optional<int> particles;                ///< as given
  double resample_below = 0.5;                 ///< share of the particles
  double bearing_noise = 0;                    ///< in the file's unit; 0: not given
  std::size_t cloud = 0;                       ///< the row whose particles are written; 0: none
  std::string length_unit = "m", time_unit = "s";
  std::string output;                                ///< what the names of all files begin with
  std::size_t compare_runs = 0, offspring_runs = 0;  ///< 0: another mode
  std::vector<int> sizes;                            ///< of a comparison
};

/// Numbers between commas, `least` of them or more, as many as `most`; none where the option is not given.
std::vector<double> numbers(study::Options& options, const std::string& name, const std::string& value,
                            const std::string& meaning, std::size_t least, std::size_t most) {
  const std::optional<std::string> given = options.text(name, value, meaning);
  if (!given) return {};
  std::vector<double> values;
  for (const std::string& part : study::pieces_of(*given, ',')) {
    const double number = study::number_of<double>(part).value_or(NAN);
    if (!(std::abs(number) <= kMaxNumber))
      throw study::WrongUse(name + ": " + study::in_quotes(part) + " is no number up to 1e9");
    values.push_back(number);
  }
  if (values.size() < least || values.size() > most)
    throw study::WrongUse(name + " takes " + value + ", not " + study::in_quotes(*given));
  return values;
}

void read_model(study::Options& options, Arguments& arguments) {
  Model& model = arguments.settings.model;
  constexpr double kMinDeviation = 1e-6, kMaxDeviation = 1e6;
  const auto deviation = [&](const std::string& name, const std::string& meaning, double least, float& to) {
    if (const auto value = options.number<double>(name, "SIGMA", meaning, least, kMaxDeviation))
      to = static_cast<float>(*value);
  };
  deviation("--process-noise", "acceleration between two rows; 0.5 when not given", 0, model.process_noise);
  deviation("--range-noise", "range; 20", kMinDeviation, model.range_noise);
  arguments.bearing_noise =
      options
          .number<double>("--bearing-noise", "SIGMA",
                          "bearing, radians, or degrees where the file has these; 0.02 rad", kMinDeviation,
                          kMaxDeviation)
          .value_or(0);
  deviation("--position-noise", "x and y, where they are measured; 20", kMinDeviation, model.position_noise);
  deviation("--first-speed", "vx and vy at the first row, of which nothing is known; 10", 0, model.speed);
  const std::vector<double> start =
      numbers(options, "--start", "X,Y,VX,VY", "begin there, not at the first row's position", 4, 4);
  const std::vector<double> noise =
      numbers(options, "--start-noise", "POSITION,SPEED", "round that; 30,2", 2, 2);
  if (!noise.empty() && !(noise[0] >= 0 && noise[1] >= 0))
    throw study::WrongUse("--start-noise: standard deviations are 0 or more");
  if (!start.empty()) {
    model.has_start = true;
    arguments.start = {start[0], start[1], start[2], start[3]};
  }
  if (noise.empty()) return;
  model.start_position_noise = static_cast<float>(noise[0]);
  model.start_speed_noise = static_cast<float>(noise[1]);
}

Scheme scheme_of(const std::string& name) {
  const auto found = std::find(kSchemeNames.begin(), kSchemeNames.end(), name);
  if (found != kSchemeNames.end()) return static_cast<Scheme>(found - kSchemeNames.begin());
  throw study::WrongUse("--scheme: " + study::in_quotes(name) +
                        " is none of exercise, systematic, stratified, residual, multinomial");
}

/// Refuses what was typed where it does nothing.
void refuse_idle(const std::vector<std::string>& typed, const Arguments& arguments) {
  const auto is_typed = [&typed](const char* option) {
    return std::find(typed.begin(), typed.end(), option) != typed.end();
  };
  const auto refuse = [&is_typed](const std::vector<const char*>& options, const std::string& where) {
    for (const char* option : options)
      if (is_typed(option)) throw study::WrongUse(std::string(option) + " does nothing " + where);
  };
  if (arguments.compare_runs != 0) {
    refuse({"--particles"}, "with --compare: --sizes does");
    refuse({"--scheme", "--cloud", "--position-noise", "--first-speed"}, "with --compare");
  } else if (arguments.offspring_runs != 0) {
    refuse({"--scheme", "--cloud", "--steps", "--resample-below", "--process-noise", "--range-noise",
            "--bearing-noise", "--position-noise", "--first-speed", "--start", "--start-noise", "--units"},
           "with --offspring");
  } else {
    if (arguments.start) refuse({"--first-speed"}, "with --start");
    if (!arguments.start) refuse({"--start-noise"}, "without --start");
    if (arguments.settings.scheme != Scheme::exercise) refuse({"--steps"}, "without the exercise's function");
  }
}

/// Nothing where help was asked for, which is then printed.
std::optional<Arguments> arguments_of(int count, char** words) {
  constexpr int kMaxParticles = 100'000'000;
  study::Options options(count, words);
  Arguments arguments;
  FilterSettings& settings = arguments.settings;
  arguments.particles =
      options.number<int>("--particles", "N", "of the filter; 16384 when not given", 1, kMaxParticles);
  settings.particles = arguments.particles.value_or(1 << 14);
  arguments.resample_below =
      options
          .number<double>("--resample-below", "SHARE",
                          "resample when the effective sample size is less; 0.5; 1: always, 0: never", 0, 1)
          .value_or(0.5);
  settings.scheme =
      scheme_of(options
                    .text("--scheme", "NAME",
                          "exercise (its function), systematic, stratified, residual or multinomial")
                    .value_or(name_of(Scheme::exercise)));
  settings.chain_steps =
      options.number<int>("--steps", "B", "of a chain, if the exercise's function has one; 32", 0, 1'000'000)
          .value_or(32);
  settings.seed = options
                      .number<unsigned long long>("--seed", "N", "of all random numbers; 1", 0,
                                                  std::numeric_limits<unsigned long long>::max())
                      .value_or(1);
  read_model(options, arguments);
  arguments.cloud =
      options.number<std::size_t>("--cloud", "ROW", "write all particles after this row, from 1", 1, kMaxRows)
          .value_or(0);
  const std::vector<std::string> units = study::pieces_of(
      options.text("--units", "LENGTH,TIME", "what outputs call them; m,s").value_or("m,s"), ',');
  arguments.output =
      options.text("--output", "PREFIX", "what names of files begin with; that of the file when not given")
          .value_or("");
  arguments.compare_runs =
      options
          .number<std::size_t>("--compare", "RUNS",
                               "instead: simulate so many tracks, and compare the errors of all schemes", 2,
                               100'000)
          .value_or(0);
  for (const double size : numbers(options, "--sizes", "N,N,…", "numbers of particles of --compare", 1, 20)) {
    if (!(size >= 1 && size <= kMaxParticles && size == std::floor(size)))
      throw study::WrongUse("--sizes: whole numbers from 1 to 100000000");
    arguments.sizes.push_back(static_cast<int>(size));
  }
  arguments.offspring_runs =
      options
          .number<std::size_t>("--offspring", "RUNS",
                               "instead: bias and error of the copies of each particle, 16 sets of weights",
                               2, 100'000)
          .value_or(0);
  if (options.wants_help()) {
    std::printf(
        "usage: ./lockstep study resampling [MEASUREMENTS] [OPTION…]\n\n"
        "Follows a target through a CSV file of measurements, by a particle filter on the device. Without a\n"
        "file it takes its example. Noise is given by standard deviations.\n\n%s",
        options.help().c_str());
    return std::nullopt;
  }
  const std::vector<std::string> files = options.finish(1);
  if (units.size() != 2) throw study::WrongUse("--units takes LENGTH,TIME, such as km,min");
  arguments.length_unit = units[0];
  arguments.time_unit = units[1];
  const bool compares = arguments.compare_runs != 0 || arguments.offspring_runs != 0;
  if (compares && !files.empty()) throw study::WrongUse("--compare and --offspring take no file");
  if (arguments.compare_runs != 0 && arguments.offspring_runs != 0)
    throw study::WrongUse("--compare or --offspring, not both");
  if (!arguments.sizes.empty() && arguments.compare_runs == 0)
    throw study::WrongUse("--sizes belongs to --compare");
  refuse_idle(std::vector<std::string>(words, words + count), arguments);
  arguments.file = files.empty() ? STUDY_FOLDER "/example.csv" : files.front();
  if (arguments.output.empty())
    arguments.output = compares ? "resampling" : std::filesystem::path(arguments.file).stem().string();
  return arguments;
}

// --- a file's track ---

/// What is subtracted from positions before they become floats: large coordinates keep their digits.
std::pair<double, double> origin_of(const Arguments& arguments, const Track& track) {
  const Row& first = track.rows.front();
  if (arguments.start) return {(*arguments.start)[0], (*arguments.start)[1]};
  if (!std::isnan(first.x)) return {first.x, first.y};
  return {first.sensor_x, first.sensor_y};
}

/// The start as floats, relative to the origin.
State state_of(const std::array<double, 4>& start, const std::pair<double, double>& origin) {
  return {static_cast<float>(start[0] - origin.first), static_cast<float>(start[1] - origin.second),
          static_cast<float>(start[2]), static_cast<float>(start[3])};
}

Measurement measurement_of(const Row& row, const std::pair<double, double>& origin) {
  const auto less = [](double value, double from) { return static_cast<float>(value - from); };
  return {static_cast<float>(row.range), static_cast<float>(row.bearing),  less(row.x, origin.first),
          less(row.y, origin.second),    less(row.sensor_x, origin.first), less(row.sensor_y, origin.second)};
}

struct Run {
  std::vector<Tracked> tracked{};
  std::vector<ParticleFilter::Weighed> cloud{};
  std::pair<double, double> origin{};
  std::array<double, ParticleFilter::kStages> milliseconds{};
};

Run follow(const Arguments& arguments, const Track& track) {
  FilterSettings settings = arguments.settings;
  Run run{.origin = origin_of(arguments, track)};
  if (arguments.start) settings.model.start = state_of(*arguments.start, run.origin);
  ParticleFilter filter(settings);
  double before = track.rows.front().time;
  for (const Row& row : track.rows) {
    Tracked now;
    try {
      now.estimate = filter.observe(measurement_of(row, run.origin), static_cast<float>(row.time - before));
    } catch (const NoWeights& error) {
      throw study::LineError(arguments.file, row.line, error.what());
    }
    before = row.time;
    now.estimate.mean[0] += run.origin.first;
    now.estimate.mean[1] += run.origin.second;
    if (run.tracked.size() + 1 == arguments.cloud) run.cloud = filter.particles();
    now.resampled = arguments.resample_below >= 1 ||
                    now.estimate.effective < arguments.resample_below * settings.particles;
    if (now.resampled) filter.resample();
    run.tracked.push_back(now);
  }
  run.milliseconds = filter.milliseconds();
  return run;
}

void write_estimates(std::ostream& out, const Track& track, const std::vector<Tracked>& tracked) {
  out << "time";
  for (const char* name : kComponentNames) out << ',' << name;
  for (const char* name : kComponentNames) out << ",sd_" << name;
  out << ",cov_" << kComponentNames[0] << '_' << kComponentNames[1] << ",effective_sample_size,resampled\n";
  const auto number = [&out](double value, const char* format = ",%.9g") {
    char text[32];
    std::snprintf(text, sizeof text, format, value);
    out << text;
  };
  for (std::size_t i = 0; i < tracked.size(); ++i) {
    const Estimate& estimate = tracked[i].estimate;
    number(track.rows[i].time, "%.15g");
    for (const double mean : estimate.mean) number(mean, ",%.12g");
    for (std::size_t k = 0; k < kComponents; ++k) number(std::sqrt(estimate.covariance[k][k]));
    number(estimate.covariance[0][1]);
    number(estimate.effective);
    out << (tracked[i].resampled ? ",1\n" : ",0\n");
  }
}

void write_cloud(std::ostream& out, const Run& run) {
  for (const char* name : kComponentNames) out << name << ',';
  out << "weight\n";
  char text[32];
  for (const auto& [state, weight] : run.cloud) {
    for (int k = 0; k < kComponents; ++k) {
      const double from = k == 0 ? run.origin.first : k == 1 ? run.origin.second : 0;
      std::snprintf(text, sizeof text, "%.12g,", double{component(state, k)} + from);
      out << text;
    }
    std::snprintf(text, sizeof text, "%.9g\n", double{weight});
    out << text;
  }
}

/// Root of the mean squared distance to the truth, of estimates and of what was measured, each over the rows
/// that have it; NaN without one.
struct Errors {
  double estimate = NAN, measured = NAN;
  std::size_t rows = 0, positions = 0;
};

Errors errors_of(const Track& track, const std::vector<Tracked>& tracked) {
  double of_estimates = 0, of_measured = 0;
  std::size_t rows = 0, positions = 0;
  for (std::size_t i = 0; i < tracked.size(); ++i) {
    const Row& row = track.rows[i];
    if (!row.has_truth()) continue;
    const auto squared = [&row](double x, double y) {
      return (x - row.true_x) * (x - row.true_x) + (y - row.true_y) * (y - row.true_y);
    };
    of_estimates += squared(tracked[i].estimate.mean[0], tracked[i].estimate.mean[1]);
    ++rows;
    const auto [x, y] = row.position();
    if (std::isnan(x)) continue;
    of_measured += squared(x, y);
    ++positions;
  }
  return {std::sqrt(of_estimates / static_cast<double>(rows)),
          std::sqrt(of_measured / static_cast<double>(positions)), rows, positions};
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// By the name that the emulated device has.
bool is_emulated() {
  cudaDeviceProp properties;
  CHECK_CUDA(cudaGetDeviceProperties(&properties, 0));
  return std::string(properties.name).find("emulated") != std::string::npos;
}

void report(const Arguments& arguments, const Track& track, const Run& run, const std::string& errors) {
  const auto& tracked = run.tracked;
  const auto empty =
      std::count_if(track.rows.begin(), track.rows.end(), [](const Row& row) { return row.is_empty(); });
  std::printf("read      %s: %zu rows of %s, %zu of them empty\n", arguments.file.c_str(), track.rows.size(),
              joined(track.measured).c_str(), static_cast<std::size_t>(empty));
  if (!track.ignored.empty()) std::printf("          ignored: %s\n", joined(track.ignored).c_str());
  double sum = 0;
  std::size_t least = 0, times = 0, poor = 0;
  constexpr double kPoor = 10;
  for (std::size_t i = 0; i < tracked.size(); ++i) {
    const double effective = tracked[i].estimate.effective;
    sum += effective;
    if (effective < tracked[least].estimate.effective) least = i;
    times += tracked[i].resampled ? 1 : 0;
    poor += effective < kPoor ? 1 : 0;
  }
  std::printf("followed  by %d particles, resampled after %zu of %zu rows by %s\n",
              arguments.settings.particles, times, tracked.size(),
              arguments.settings.scheme == Scheme::exercise ? "the exercise's function"
                                                            : name_of(arguments.settings.scheme));
  std::printf("          effective sample size %.0f on average, at least %.0f, at time %.12g\n",
              sum / static_cast<double>(tracked.size()), tracked[least].estimate.effective,
              track.rows[least].time);
  if (poor != 0 && arguments.settings.particles >= 100)
    std::printf(
        "          below 10 after %zu rows: too few particles near what was measured. More of them\n"
        "          (--particles), or larger noise, if it was stated too small\n",
        poor);
  if (!errors.empty()) std::printf("RMSE      %s\n", errors.c_str());
  if (is_emulated()) return;
  double total = 0;
  for (const double one : run.milliseconds) total += one;
  std::printf("stages    ");
  for (std::size_t stage = 0; stage < run.milliseconds.size(); ++stage)
    std::printf("%s %.1f %%, ", ParticleFilter::kStageNames[stage], 100 * run.milliseconds[stage] / total);
  std::printf("of %.3g ms on the device\n", total);
}

/// A line about the error; empty without a truth.
std::string words_of(const Errors& errors, const std::string& unit) {
  if (std::isnan(errors.estimate)) return "";
  const auto words = [&unit](double error, std::size_t rows) {
    return study::shown(error) + ' ' + unit + " over " + std::to_string(rows) +
           (rows == 1 ? " row" : " rows");
  };
  std::string text = words(errors.estimate, errors.rows);
  if (!std::isnan(errors.measured))
    text += "; of the measured positions " + words(errors.measured, errors.positions);
  return text;
}

void follow_file(Arguments arguments) {
  const Track track = read_track(arguments.file);
  Model& model = arguments.settings.model;
  const Row& first = track.rows.front();
  if (!model.has_start && std::isnan(first.position().first))
    throw study::LineError(arguments.file, first.line,
                           "the first row does not say where the target is: --start does");
  if (arguments.cloud > track.rows.size())
    throw study::WrongUse("--cloud: the file has " + std::to_string(track.rows.size()) + " rows");
  if (arguments.bearing_noise != 0) {
    const bool is_degrees = std::any_of(track.measured.begin(), track.measured.end(),
                                        [](const std::string& name) { return name.ends_with("_deg"); });
    model.bearing_noise =
        static_cast<float>(arguments.bearing_noise * (is_degrees ? std::numbers::pi / 180 : 1));
  }
  const Run run = follow(arguments, track);
  const std::string errors = words_of(errors_of(track, run.tracked), arguments.length_unit);

  study::OutputFiles files;
  files.keep(arguments.file);
  files.add(arguments.output + "-estimates.csv",
            [&](std::ostream& out) { write_estimates(out, track, run.tracked); });
  if (arguments.cloud != 0)
    files.add(arguments.output + "-cloud.csv", [&](std::ostream& out) { write_cloud(out, run); });
  const std::string name = std::filesystem::path(arguments.file).filename().string();
  const std::string what = std::to_string(track.rows.size()) + " rows of " + joined(track.measured) +
                           (errors.empty() ? "" : ". RMSE " + errors);
  const Picture picture{name,
                        what,
                        arguments.length_unit,
                        arguments.time_unit,
                        static_cast<std::size_t>(arguments.settings.particles),
                        arguments.resample_below,
                        track,
                        run.tracked};
  files.add(arguments.output + ".svg", [&](std::ostream& out) { out << picture.svg(); });
  files.commit();
  report(arguments, track, run, errors);
  files.print_names();
}

void run(Arguments arguments) {
  study::OutputFiles files;
  if (arguments.compare_runs != 0) {
    if (arguments.start) arguments.settings.model.start = state_of(*arguments.start, {});
    if (arguments.bearing_noise != 0)
      arguments.settings.model.bearing_noise = static_cast<float>(arguments.bearing_noise);
    if (arguments.sizes.empty()) {
      arguments.sizes = is_emulated() ? std::vector<int>{64, 256, 1024}
                                      : std::vector<int>{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18};
    }
    const Comparison comparison =
        compare(arguments.settings, arguments.sizes, arguments.compare_runs, arguments.resample_below);
    files.add(arguments.output + "-compare.csv", [&](std::ostream& out) { comparison.write_csv(out); });
    files.add(arguments.output + "-compare.svg",
              [&](std::ostream& out) { out << chart_of(comparison).svg(); });
    files.commit();
    comparison.print(arguments.length_unit, !is_emulated());
  } else if (arguments.offspring_runs != 0) {
    if (!arguments.particles && is_emulated()) arguments.settings.particles = 512;
    const OffspringTable table = tabulate_offspring(arguments.settings, arguments.offspring_runs);
    files.add(arguments.output + "-offspring.csv", [&](std::ostream& out) { table.write_csv(out); });
    files.add(arguments.output + "-offspring.svg", [&](std::ostream& out) { out << chart_of(table).svg(); });
    files.commit();
    table.print();
  } else {
    follow_file(arguments);
  }
  files.print_names();
}

}  // namespace
}  // namespace lockstep::particle_filter

int main(int count, char** words) {
  return lockstep::study::status_of_main("resampling", count, words, lockstep::particle_filter::arguments_of,
                                         lockstep::particle_filter::run);
}
