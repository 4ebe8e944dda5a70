// The study of tpacf-jackknife: reads a catalogue of galaxies and random points of the same field, divides
// the field into regions, has tpacf_jackknife count pairs, and writes the correlation with errors by
// jackknife and bootstrap, their covariance, and a picture. README.md says how to use it.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <numbers>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "18-tpacf-jackknife/tpacf_jackknife.h"
#include "catalogue.h"
#include "errors.h"
#include "lockstep/check_cuda.h"
#include "lockstep/device_bytes.h"
#include "lockstep/random.h"
#include "picture.h"
#include "random_points.h"
#include "regions.h"
#include "study/options.h"
#include "study/output_files.h"
#include "study/program.h"
#include "study/text.h"

namespace lockstep::angular {
namespace {

struct Arguments {
  std::string galaxies, randoms;  ///< files; `randoms` is empty with a field
  std::optional<Field> field;
  std::size_t random_points = 0;  ///< to make in the field; 0 stands for four for each galaxy
  std::size_t every_random = 1;
  ColumnRequest columns;
  AngularBins bins;
  std::size_t regions = 16, resamples = 1000;
  std::uint64_t seed = 1;
  std::string output;  ///< what the names of all files begin with
};

/// Degrees, of a number with deg, arcmin or arcsec behind it; a number alone is degrees.
double angle_of(const std::string& text) {
  constexpr double kLeast = 0.001;  // of the exercise's interface
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string unit(stop, text.data() + text.size());
  if (unit == "arcmin") value /= 60;
  if (unit == "arcsec") value /= 3600;
  const bool is_unit = unit.empty() || unit == "deg" || unit == "arcmin" || unit == "arcsec";
  if (error != std::errc{} || !is_unit || !(value >= kLeast * (1 - 1e-12) && value < 180))
    throw study::WrongUse("--first: " + study::in_quotes(text) +
                          " is no angle from 3.6arcsec to below 180deg; units are deg, arcmin and arcsec");
  return std::max(value, kLeast);
}

/// Nothing where help was asked for, which is then printed.
std::optional<Arguments> arguments_of(int count, char** words) {
  study::Options options(count, words);
  Arguments arguments;
  arguments.randoms = options.text("--randoms", "FILE", "random points of the survey's field").value_or("");
  const auto box = options.text(
      "--box", "BOX", "make them in the box RA1,RA2,DEC1,DEC2 instead: degrees, from RA1 to the east");
  const auto random_points = options.number<std::size_t>(
      "--random-points", "N", "how many of them; four for each galaxy when not given", 2, kMaxPoints);
  arguments.random_points = random_points.value_or(0);
  const auto every = options.number<std::size_t>(
      "--every", "K", "take random points 1, 1 + K, 1 + 2 K, … of their file", 1, 1'000'000);
  arguments.every_random = every.value_or(1);
  arguments.columns.ra =
      options.text("--ra", "COLUMN", "name or number of the column of right ascension").value_or("");
  arguments.columns.dec = options.text("--dec", "COLUMN", "the same of declination").value_or("");
  arguments.regions =
      options
          .number<std::size_t>("--regions", "N", "divide the field into so many; 16 when not given", 2,
                               kMaxRegions)
          .value_or(arguments.regions);
  arguments.bins.first = angle_of(
      options.text("--first", "ANGLE", "where the first bin begins: 36arcsec, 2arcmin, 0.1deg; 0.01deg")
          .value_or("0.01deg"));
  arguments.bins.per_decade =
      options.number<int>("--per-decade", "N", "bins in a factor of ten; 5 when not given", 1, 20)
          .value_or(5);
  arguments.bins.bins =
      options.number<int>("--bins", "N", "how many bins; 12 when not given", 1, kMaxAngularBins).value_or(12);
  arguments.resamples =
      options.number<std::size_t>("--resamples", "N", "of the bootstrap; 1000 when not given", 2, 1'000'000)
          .value_or(arguments.resamples);
  arguments.seed =
      options.number<std::uint64_t>("--seed", "N", "of what is random; 1 when not given", 0, UINT64_MAX)
          .value_or(arguments.seed);
  arguments.output =
      options
          .text("--output", "PREFIX", "what names of files begin with; that of the galaxies when not given")
          .value_or("");
  if (options.wants_help()) {
    std::printf(
        "usage: ./lockstep study tpacf-jackknife [GALAXIES --randoms FILE] [OPTION…]\n\n"
        "The angular correlation of galaxies, from text or FITS tables of right ascension and declination, "
        "with\n"
        "jackknife and bootstrap errors and their covariance. Without a file it takes its example.\n\n%s",
        options.help().c_str());
    return std::nullopt;
  }
  const std::vector<std::string> files = options.finish(1);
  if (!(arguments.bins.edge(arguments.bins.bins) < 180))
    throw study::WrongUse("the last bin ends beyond 180 degrees: fewer --bins, or more --per-decade");
  if (box && !arguments.randoms.empty())
    throw study::WrongUse("random points come from --randoms or are made in --box, not both");
  if (box && every)
    throw study::WrongUse("--every is of a file: --random-points says how many are made in --box");
  if (!box && random_points) throw study::WrongUse("--random-points are made in a --box, which is not given");
  if (!files.empty() && !box && arguments.randoms.empty())
    throw study::WrongUse(
        "random points of the survey's field are needed: --randoms FILE, or --box where it is a box");
  if (box) arguments.field = field_of(*box);
  arguments.galaxies = files.empty() ? STUDY_FOLDER "/example.csv" : files.front();
  if (!box && arguments.randoms.empty()) arguments.randoms = STUDY_FOLDER "/example-randoms.csv";
  if (arguments.output.empty()) {
    const std::filesystem::path file = arguments.galaxies;
    arguments.output = (file.extension() == ".gz" ? file.stem() : file).stem().string();
  }
  return arguments;
}

/// Points of a set, one region after the other.
struct Divided {
  std::vector<SkyPoint> points;
  std::vector<int> region_of;
  std::vector<std::size_t> of_region;  ///< how many points each region has

  Divided(const std::vector<SkyPoint>& all, const Regions& regions) : of_region(regions.count(), 0) {
    std::vector<std::vector<SkyPoint>> parts(regions.count());
    for (const SkyPoint& point : all) parts[regions.region_of(point)].push_back(point);
    for (std::size_t region = 0; region < parts.size(); ++region) {
      points.insert(points.end(), parts[region].begin(), parts[region].end());
      region_of.insert(region_of.end(), parts[region].size(), static_cast<int>(region));
      of_region[region] = parts[region].size();
    }
  }
};

std::vector<unsigned long long> counts_of(const SkyPoint* points, const int* region_of, std::size_t n,
                                          std::size_t regions, const AngularBins& bins) {
  static_assert(sizeof(SkyPoint) == 2 * sizeof(double));
  std::vector<unsigned long long> counts((1 + regions) * static_cast<std::size_t>(bins.bins));
  constexpr int kUninitialised = 0xff;  // in each byte: counts that contradict each other
  const std::size_t bytes = counts.size() * sizeof counts[0];
  const int points_in = static_cast<int>(n), regions_in = static_cast<int>(regions);
  const DeviceBytes positions(std::max<std::size_t>(n, 1) * sizeof *points),
      places(std::max<std::size_t>(n, 1) * sizeof *region_of), out(bytes),
      workspace(std::max<std::size_t>(tpacf_jackknife_workspace_bytes(points_in, regions_in, bins.bins), 1));
  CHECK_CUDA(cudaMemcpy(positions.as<void>(), points, n * sizeof *points, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(places.as<void>(), region_of, n * sizeof *region_of, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemset(out.as<void>(), kUninitialised, bytes));
  tpacf_jackknife(positions.as<double>(), places.as<int>(), points_in, regions_in, bins.first,
                  bins.per_decade, bins.bins, out.as<unsigned long long>(), workspace.as<void>(), nullptr);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaMemcpy(counts.data(), out.as<void>(), bytes, cudaMemcpyDeviceToHost));
  return counts;
}

/// One call for all pairs, and one for those within each region, which together are a few of them.
RegionPairs pairs_of(const Divided& set, const AngularBins& bins) {
  const std::size_t regions = set.of_region.size(), row = static_cast<std::size_t>(bins.bins);
  RegionPairs pairs{
      .left_out = {row, set.of_region,
                   counts_of(set.points.data(), set.region_of.data(), set.points.size(), regions, bins)},
      .within = {}};
  const std::vector<int> one_region(*std::max_element(set.of_region.begin(), set.of_region.end()), 0);
  std::size_t begin = 0;
  for (const std::size_t points : set.of_region) {
    const auto within = counts_of(set.points.data() + begin, one_region.data(), points, 1, bins);
    pairs.within.insert(pairs.within.end(), within.begin(), within.begin() + bins.bins);
    begin += points;
  }
  for (std::size_t bin = 0; bin < row; ++bin)
    if (!pairs.is_consistent(bin))
      throw std::runtime_error(
          "tpacf_jackknife's counts of regions contradict those of all points in bin " +
          std::to_string(bin + 1) +
          ": see ./lockstep grade tpacf-jackknife, or pairs lie at its edge: move --first a little");
  return pairs;
}

struct Sky {
  Catalogue galaxies, randoms;
};

Sky read_sky(const Arguments& arguments) {
  Sky sky{read_catalogue(arguments.galaxies, arguments.columns), {}};
  const std::size_t galaxies = sky.galaxies.points.size();
  if (arguments.field) {
    const std::size_t count = arguments.random_points != 0 ? arguments.random_points : 4 * galaxies;
    must_lie_in(*arguments.field, sky.galaxies.points, arguments.galaxies);
    SplitMix64 random(~arguments.seed);  // not what the bootstrap draws
    sky.randoms = {"made", random_points_in(*arguments.field, std::min(count, kMaxPoints), random)};
  } else {
    ColumnRequest request = arguments.columns;
    request.every = arguments.every_random;
    sky.randoms = read_catalogue(arguments.randoms, request);
  }
  const std::size_t randoms = sky.randoms.points.size();
  if (galaxies + randoms > kMaxPoints)
    throw std::runtime_error(std::to_string(galaxies) + " galaxies and " + std::to_string(randoms) +
                             " random points are more than " + std::to_string(kMaxPoints) +
                             ", which is the most: take fewer random points, by --every or --random-points");
  if (galaxies < 2) throw std::runtime_error(arguments.galaxies + ": one galaxy has no pair");
  return sky;
}

/// `value` as CSV has it: nothing where it is not known.
std::string field_text(double value) {
  if (std::isnan(value)) return "";
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}

void write_correlation(std::ostream& out, const AngularBins& bins, const Survey& survey, const Correlation& w,
                       const Covariances& covariances) {
  out << "theta_from_deg,theta_to_deg,theta_deg,DD,DR,RR,w,jackknife_error,corrected_error,bootstrap_error,"
         "poisson_error,"
         "across_borders\n";
  for (std::size_t k = 0; k < survey.bins(); ++k) {
    const auto bin = static_cast<double>(k);
    for (const double angle : {bins.edge(bin), bins.edge(bin + 1), bins.edge(bin + 0.5)})
      out << field_text(angle) << ',';
    for (const double pairs : {survey.data_pairs(k), survey.cross_pairs(k), survey.random_pairs(k)})
      out << study::whole(pairs) << ',';
    for (const double value : {w[k], covariances.jackknife_error(k), covariances.corrected_error(k),
                               covariances.bootstrap_error(k), poisson_error(w[k], survey.data_pairs(k))})
      out << field_text(value) << ',';
    out << field_text(survey.across(k)) << '\n';
  }
}

void write_covariance(std::ostream& out, const AngularBins& bins, const Covariances& covariances) {
  out << "theta_deg,other_theta_deg,jackknife_covariance,corrected_covariance,bootstrap_covariance\n";
  for (std::size_t k = 0; k < covariances.bins; ++k)
    for (std::size_t l = 0; l < covariances.bins; ++l)
      out << field_text(bins.edge(static_cast<double>(k) + 0.5)) << ','
          << field_text(bins.edge(static_cast<double>(l) + 0.5)) << ','
          << field_text(covariances.jackknife[k * covariances.bins + l]) << ','
          << field_text(covariances.corrected[k * covariances.bins + l]) << ','
          << field_text(covariances.bootstrap[k * covariances.bins + l]) << '\n';
}

void write_regions(std::ostream& out, const Regions& regions, const Survey& survey) {
  out << "region,ra_from_deg,ra_to_deg,dec_from_deg,dec_to_deg,galaxies,random_points\n";
  for (std::size_t region = 0; region < regions.count(); ++region) {
    const Box& box = regions.boxes()[region];
    out << region + 1 << ',' << field_text(turned(regions.seam() + box.east)) << ','
        << field_text(turned(regions.seam() + box.to_east)) << ',' << field_text(box.south) << ','
        << field_text(box.to_north) << ',' << survey.galaxies.left_out.points[region] << ','
        << survey.randoms.left_out.points[region] << '\n';
  }
}

void write_points(std::ostream& out, const std::vector<SkyPoint>& points) {
  out << "ra,dec\n";
  char line[64];
  for (const SkyPoint& point : points) {
    std::snprintf(line, sizeof line, "%.9f,%.9f\n", point.alpha, point.delta);
    out << line;
  }
}

std::string range(const std::vector<std::size_t>& counts) {
  const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
  return *least == *most ? std::to_string(*least) : std::to_string(*least) + " to " + std::to_string(*most);
}

/// A number of the table that is printed, w and its errors.
std::string cell(double value) {
  if (std::isnan(value)) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

void report(const Arguments& arguments, const Sky& sky, const Regions& regions, const Survey& survey,
            const Correlation& w, const Covariances& covariances) {
  const std::size_t n = sky.galaxies.points.size(), m = sky.randoms.points.size();
  std::printf("read      %s (%s): %zu galaxies\n", arguments.galaxies.c_str(), sky.galaxies.format.c_str(),
              n);
  if (arguments.field) {
    std::printf("made      %zu random points in the box\n", m);
  } else {
    std::printf("read      %s (%s): %zu random points\n", arguments.randoms.c_str(),
                sky.randoms.format.c_str(), m);
  }
  std::printf("regions   %zu, each of %s random points and %s galaxies\n", regions.count(),
              range(survey.randoms.left_out.points).c_str(), range(survey.galaxies.left_out.points).c_str());
  std::printf("errors    jackknife over %zu regions, bootstrap of %zu resamples\n\n", regions.count(),
              arguments.resamples);
  std::printf("  %9s %9s %10s %10s %10s %10s %10s %10s %7s\n", "from", "to", "DD", "w", "jackknife",
              "corrected", "bootstrap", "Poisson", "across");
  for (std::size_t k = 0; k < survey.bins(); ++k) {
    std::printf("  %8.3g° %8.3g° %10.0f", arguments.bins.edge(static_cast<double>(k)),
                arguments.bins.edge(static_cast<double>(k + 1)), survey.data_pairs(k));
    for (const double value : {w[k], covariances.jackknife_error(k), covariances.corrected_error(k),
                               covariances.bootstrap_error(k), poisson_error(w[k], survey.data_pairs(k))})
      std::printf(" %10s", cell(value).c_str());
    const double across = survey.across(k);
    std::printf(" %7s\n", std::isnan(across) ? "-" : (study::whole(100 * across) + " %").c_str());
  }
  std::printf("\n");
  const auto outside =
      static_cast<std::size_t>(std::count_if(sky.galaxies.points.begin(), sky.galaxies.points.end(),
                                             [&](const SkyPoint& point) { return !regions.holds(point); }));
  if (outside * 100 > n)
    std::printf(
        "note      %zu galaxies lie outside of the box of all random points: are these of the same field?\n",
        outside);
  if (survey.bins() >= regions.count())
    std::printf(
        "note      a jackknife over %zu regions has a covariance of rank %zu at most: that of %zu bins has "
        "no inverse\n",
        regions.count(), regions.count() - 1, survey.bins());
}

void run(const Arguments& arguments) {
  const Sky sky = read_sky(arguments);
  const Regions regions(sky.randoms.points, arguments.regions);
  const Divided galaxies(sky.galaxies.points, regions), randoms(sky.randoms.points, regions);
  std::vector<SkyPoint> all = sky.galaxies.points;
  all.insert(all.end(), sky.randoms.points.begin(), sky.randoms.points.end());
  const Survey survey{pairs_of(galaxies, arguments.bins), pairs_of(randoms, arguments.bins),
                      pairs_of(Divided(all, regions), arguments.bins)};
  if (survey.has_no_random_pairs())
    throw std::runtime_error(
        "no bin holds a pair of random points: other bins by --first and --bins, more random points, or, of "
        "your own file, ./lockstep grade tpacf-jackknife");
  const Correlation w = weighted_correlation(survey, std::vector<std::size_t>(regions.count(), 1));
  SplitMix64 random(arguments.seed);
  const Covariances covariances = covariances_of(survey, arguments.resamples, random);

  study::OutputFiles files;
  files.keep(arguments.galaxies);
  if (!arguments.field) files.keep(arguments.randoms);
  files.add(arguments.output + "-correlation.csv",
            [&](std::ostream& out) { write_correlation(out, arguments.bins, survey, w, covariances); });
  files.add(arguments.output + "-covariance.csv",
            [&](std::ostream& out) { write_covariance(out, arguments.bins, covariances); });
  files.add(arguments.output + "-regions.csv",
            [&](std::ostream& out) { write_regions(out, regions, survey); });
  if (arguments.field)
    files.add(arguments.output + "-made-randoms.csv",
              [&](std::ostream& out) { write_points(out, sky.randoms.points); });
  const std::string name = std::filesystem::path(arguments.galaxies).filename().string();
  const Picture picture{
      name, arguments.bins, survey, w, covariances, regions, sky.galaxies.points, arguments.resamples};
  files.add(arguments.output + ".svg", [&](std::ostream& out) { out << picture.svg(); });
  files.commit();

  report(arguments, sky, regions, survey, w, covariances);
  files.print_names();
}

}  // namespace
}  // namespace lockstep::angular

int main(int count, char** words) {
  return lockstep::study::status_of_main("tpacf-jackknife", count, words, lockstep::angular::arguments_of,
                                         lockstep::angular::run);
}
