// The seconds of one call of tpacf, by events. A size: n, m, sets, and what is looked at: galaxies that
// cluster, or points without a pattern (none), all over the sky, or a field of ten degrees.
#include "event_time.h"

#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include SOLUTION

using namespace event_time;

struct Direction {
  double x, y, z;
};
using Engine = std::mt19937_64;

double share(Engine& engine) { return std::uniform_real_distribution<double>()(engine); }

/// Any direction within `degrees` of another.
Direction within(const Direction& centre, double degrees, Engine& engine) {
  const double cosine = 1 - (1 - std::cos(degrees * std::numbers::pi / 180)) * share(engine);
  const double sine = std::sqrt(1 - cosine * cosine), turn = 2 * std::numbers::pi * share(engine);
  const double right = sine * std::cos(turn), up = sine * std::sin(turn);
  // Source: Duff and others, "Building an orthonormal basis, revisited", 2017.
  const double sign = std::copysign(1.0, centre.z), a = -1 / (sign + centre.z), b = centre.x * centre.y * a;
  return {cosine * centre.x + right * (1 + sign * centre.x * centre.x * a) + up * b,
          cosine * centre.y + right * sign * b + up * (sign + centre.y * centre.y * a),
          cosine * centre.z - right * sign * centre.x - up * centre.y};
}

/// Degrees of right ascension and declination, one point after the other.
using Points = std::vector<double>;

void append(Points& points, const Direction& at) {
  const double alpha = std::atan2(at.y, at.x) * 180 / std::numbers::pi;
  points.push_back(alpha < 0 ? std::fmod(alpha + 360, 360) : alpha);
  points.push_back(std::asin(std::clamp(at.z, -1.0, 1.0)) * 180 / std::numbers::pi);
}

/// Part of the sky.
struct Region {
  Direction centre{0, 0, 1};
  double radius = 180;  ///< degrees
};

Points scattered(std::size_t n, const Region& region, Engine& engine) {
  Points points;
  for (std::size_t i = 0; i < n; ++i) append(points, within(region.centre, region.radius, engine));
  return points;
}

/// Three balls in a ball, three in each of these, and so on; the last are points. After Soneira and Peebles.
void append_cluster(Points& points, const Direction& centre, double radius, int levels, Engine& engine) {
  constexpr int kBalls = 3;
  constexpr double kSmaller = 0.55;
  if (levels == 0) return append(points, centre);
  for (int ball = 0; ball < kBalls; ++ball)
    append_cluster(points, within(centre, radius, engine), kSmaller * radius, levels - 1, engine);
}

/// A third of all points belong to no cluster.
Points clustered(std::size_t n, double radius, const Region& region, Engine& engine) {
  constexpr int kLevels = 5;
  Points points = scattered(n / 3, region, engine);
  while (points.size() < 2 * n)
    append_cluster(points, within(region.centre, region.radius, engine), radius, kLevels, engine);
  points.resize(2 * n);
  return points;
}

struct Survey {
  Points data, randoms;
};

Survey survey(std::size_t n, std::size_t of_randoms, const std::string& what, unsigned seed) {
  Engine engine(seed);
  if (what == "none") return {scattered(n, {}, engine), scattered(of_randoms, {}, engine)};
  if (what == "galaxies") return {clustered(n, 12, {}, engine), scattered(of_randoms, {}, engine)};
  if (what != "field") throw std::invalid_argument("there is no survey of " + what);
  const Region field{.centre = within({0, 0, 1}, 180, engine), .radius = 5};
  return {clustered(n, 0.5, field, engine), scattered(of_randoms, field, engine)};
}

Task task_of(const Size& size) {
  const int n = size.number(0), m = size.number(1), sets = size.number(2);
  const std::size_t of_randoms = static_cast<std::size_t>(m) * static_cast<std::size_t>(sets);
  const auto contents = std::make_shared<std::vector<Survey>>();
  for (unsigned seed = 0; seed < kContents; ++seed)
    contents->push_back(survey(static_cast<std::size_t>(n), of_randoms, size.word(3), seed));
  constexpr double kFirst = 1.0 / 60;  // degrees
  constexpr int kPerDecade = 5, kBins = 20;
  const double data = n, randoms = m;
  const Cost cost{
      .bytes = 2 * sizeof(double) * (data + of_randoms) + 3.0 * kBins * sizeof(unsigned long long),
      .operations = data * (data - 1) / 2 + data * of_randoms + sets * randoms * (randoms - 1) / 2};
  const auto make_call = [=](unsigned seed) {
    const Survey& content = (*contents)[seed % kContents];
    const auto* const data = copied(content.data);
    const auto* const randoms = copied(content.randoms);
    auto* const counts = allocate<unsigned long long>(3 * kBins);
    auto* const correlation = allocate<double>(2 * kBins);
    auto* const workspace = allocate<unsigned char>(tpacf_workspace_bytes(n, m, sets, kBins));
    return [=](cudaStream_t stream) {
      tpacf(data, randoms, n, m, sets, kFirst, kPerDecade, kBins, counts, correlation, workspace, stream);
    };
  };
  return {cost, make_call};
}

int main(int count, char** words) { return time_sizes(count, words, task_of); }
