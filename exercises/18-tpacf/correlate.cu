// correlate DATA RANDOMS [OPTION…]: the angular correlation of your own catalogues, by the tpacf.cu that it
// is built with: a table, and a drawing with error bars. How to build it, and the options: README.md.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "catalogues.h"
#include "lockstep/check_cuda.h"
#include "lockstep/device_bytes.h"
#include "tpacf.h"

constexpr const char* kUsage =
    "usage: correlate DATA RANDOMS [--sets N] [--first DEGREES] [--per-decade N] [--bins N]\n";

/// What cannot be understood of the command line.
struct WrongUse : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::string data, randoms;
  int sets = 1, per_decade = 5, bins = 20;
  double first = 1.0 / 60;
};

double number_of(const std::string& option, const std::string& text, double least, double most) {
  std::size_t used = 0;
  double value = 0;
  try {
    value = std::stod(text, &used);
  } catch (const std::logic_error&) {
    used = 0;  // reported below
  }
  if (used == 0 || used != text.size() || !(value >= least && value <= most))
    throw WrongUse(option + " " + text + ": it takes a number that the interface allows");
  return value;
}

Options options_of(int count, char** arguments) {
  Options options;
  std::vector<std::string> files;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    if (!argument.starts_with("--")) {
      files.push_back(argument);
      continue;
    }
    if (i + 1 == count) throw WrongUse(argument + " lacks its value");
    const std::string value = arguments[++i];
    const auto whole = [&](int most) {
      const double number = number_of(argument, value, 1, most);
      if (number != std::floor(number)) throw WrongUse(argument + " must be a whole number, not " + value);
      return static_cast<int>(number);
    };
    if (argument == "--sets") {
      options.sets = whole(1 << 20);
    } else if (argument == "--first") {
      options.first = number_of(argument, value, 0.001, 180);
    } else if (argument == "--per-decade") {
      options.per_decade = whole(20);
    } else if (argument == "--bins") {
      options.bins = whole(kMostBins);
    } else {
      throw WrongUse("there is no option " + argument);
    }
  }
  if (files.size() != 2) throw WrongUse("two files are needed: the data and the random points");
  options.data = files[0];
  options.randoms = files[1];
  return options;
}

/// Where bin k begins, in degrees.
double edge(const Options& options, double k) {
  return options.first * std::pow(10.0, k / options.per_decade);
}

struct Correlation {
  std::vector<unsigned long long> counts;
  std::vector<double> values;
};

Correlation correlate(const std::vector<lockstep::SkyPoint>& data,
                      const std::vector<lockstep::SkyPoint>& randoms, const Options& options) {
  static_assert(sizeof(lockstep::SkyPoint) == 2 * sizeof(double));
  const int n = static_cast<int>(data.size()), m = static_cast<int>(randoms.size()) / options.sets;
  const std::size_t data_bytes = data.size() * sizeof data[0],
                    random_bytes = randoms.size() * sizeof randoms[0];
  Correlation found{std::vector<unsigned long long>(3 * options.bins), std::vector<double>(2 * options.bins)};
  const std::size_t counts_bytes = found.counts.size() * sizeof found.counts[0];
  const std::size_t values_bytes = found.values.size() * sizeof found.values[0];
  const lockstep::DeviceBytes points(data_bytes), random_points(random_bytes), counts(counts_bytes),
      values(values_bytes), workspace(tpacf_workspace_bytes(n, m, options.sets, options.bins));
  CHECK_CUDA(cudaMemcpy(points.as<void>(), data.data(), data_bytes, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(random_points.as<void>(), randoms.data(), random_bytes, cudaMemcpyHostToDevice));
  tpacf(points.as<double>(), random_points.as<double>(), n, m, options.sets, options.first,
        options.per_decade, options.bins, counts.as<unsigned long long>(), values.as<double>(),
        workspace.as<void>(), nullptr);
  CHECK_CUDA(cudaMemcpy(found.counts.data(), counts.as<void>(), counts_bytes, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaMemcpy(found.values.data(), values.as<void>(), values_bytes, cudaMemcpyDeviceToHost));
  return found;
}

/// The standard deviation that Poisson's law gives DD, as one of w.
double error_of(const Correlation& found, std::size_t k) {
  return (1 + found.values[k]) / std::sqrt(std::max(1.0, static_cast<double>(found.counts[k])));
}

/// Whether there is anything to print of a bin.
bool is_known(const Correlation& found, std::size_t k) {
  return found.counts[k] > 0 && found.counts[2 * found.counts.size() / 3 + k] > 0;
}

/// A line of text for 1 + w, from `low` to `high` by their logarithms: where it is, how far its error
/// reaches, and where 1 is.
std::string bar(double value, double error, double low, double high) {
  constexpr double kWidth = 50;
  std::string line(static_cast<std::size_t>(kWidth) + 1, ' ');
  const auto place = [&](double x) {
    const double share = std::log(std::max(x, low) / low) / std::log(high / low);
    return static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * kWidth);
  };
  for (std::size_t i = place(value - error); i <= place(value + error); ++i) line[i] = '-';
  line[place(1)] = '|';
  line[place(value)] = 'o';
  return line;
}

void print(const Correlation& found, const Options& options) {
  const auto bins = static_cast<std::size_t>(options.bins);
  constexpr double kLeast = 0.1;  // of 1 + w that is drawn
  double low = 1, high = 2;
  for (std::size_t k = 0; k < bins; ++k) {
    if (!is_known(found, k)) continue;
    low = std::min(low, std::max(kLeast, 1 + found.values[k] - error_of(found, k)));
    high = std::max(high, 1 + found.values[k] + error_of(found, k));
  }
  std::printf("%10s %10s %12s %14s %14s %9s %9s %9s   1 + w, from %.2g to %.2g\n", "from", "to", "DD", "DR",
              "RR", "w", "error", "source's", low, high);
  for (std::size_t k = 0; k < bins; ++k) {
    const std::string drawn =
        is_known(found, k) ? bar(1 + found.values[k], error_of(found, k), low, high) : "";
    std::printf("%10.5g %10.5g %12llu %14llu %14llu %9.4f %9.4f %9.4f   %s\n",
                edge(options, static_cast<double>(k)), edge(options, static_cast<double>(k + 1)),
                found.counts[k], found.counts[bins + k], found.counts[2 * bins + k], found.values[k],
                error_of(found, k), found.values[bins + k], drawn.c_str());
  }
}

int main(int count, char** arguments) {
  try {
    const Options options = options_of(count, arguments);
    if (!(edge(options, options.bins) < 180)) throw WrongUse("the last bin ends beyond 180 degrees");
    const std::vector<lockstep::SkyPoint> data = lockstep::read_catalogue(options.data);
    const std::vector<lockstep::SkyPoint> randoms = lockstep::read_catalogue(options.randoms);
    print(correlate(data, randoms, options), options);
  } catch (const WrongUse& error) {
    std::fprintf(stderr, "correlate: %s\n%s", error.what(), kUsage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "correlate: %s\n", error.what());
    return 1;
  }
}
