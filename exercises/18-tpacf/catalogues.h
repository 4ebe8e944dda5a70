// Reads catalogues of points on the sky: lines of text that begin with right ascension and declination.
#pragma once

#include <cmath>
#include <cstddef>
#include <fstream>
#include <istream>
#include <stdexcept>
#include <string>
#include <vector>

namespace lockstep {

/// A point on the sky, in degrees: 0 ≤ alpha < 360, −90 ≤ delta ≤ 90.
struct SkyPoint {
  double alpha = 0, delta = 0;
};

/// What cannot be read; the message begins with the file and its line.
class CatalogueError : public std::runtime_error {
 public:
  CatalogueError(const std::string& file, int line, const std::string& what)
      : std::runtime_error(file + ":" + std::to_string(line) + ": " + what) {}
};

/// A point a line: right ascension and declination in degrees, as decimal numbers with spaces, tabs, a comma
/// or a semicolon between them. What follows them in the line is left out, and so are empty lines and those
/// that begin with #. Right ascensions from −180 to 360 are taken.
inline std::vector<SkyPoint> read_catalogue(std::istream& in, const std::string& file) {
  constexpr const char* kBetween = " \t\r,;";
  std::vector<SkyPoint> points;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::size_t begin = line.find_first_not_of(kBetween);
    if (begin == std::string::npos || line[begin] == '#') continue;
    double values[2] = {};
    std::size_t at = begin;
    for (double& value : values) {
      const std::size_t end = line.find_first_of(kBetween, at);
      const std::string field = at == std::string::npos ? "" : line.substr(at, end - at);
      std::size_t used = 0;
      try {
        value = std::stod(field, &used);
      } catch (const std::logic_error&) {
        used = 0;  // reported below
      }
      if (used == 0 || used != field.size() || !std::isfinite(value)) {
        throw CatalogueError(file, number,
                             "a line begins with two numbers of degrees, and \"" + field + "\" is none");
      }
      at = end == std::string::npos ? end : line.find_first_not_of(kBetween, end);
    }
    if (!(values[0] >= -180 && values[0] <= 360))
      throw CatalogueError(file, number, "a right ascension is from -180 to 360 degrees");
    if (!(values[1] >= -90 && values[1] <= 90))
      throw CatalogueError(file, number, "a declination is from -90 to 90 degrees");
    const double alpha = values[0] < 0 ? values[0] + 360 : values[0];
    points.push_back({alpha < 360 ? alpha : 0, values[1]});
  }
  return points;
}

/// All points of a file. Throws CatalogueError, or std::runtime_error when there is nothing to read.
inline std::vector<SkyPoint> read_catalogue(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + " cannot be opened");
  std::vector<SkyPoint> points = read_catalogue(in, file);
  if (points.empty()) throw std::runtime_error(file + " holds no points");
  return points;
}

}  // namespace lockstep
