// Which columns of a table are right ascension and declination, and which values they may have.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "18-tpacf/catalogues.h"
#include "study/text.h"

namespace lockstep::angular {

/// The most points that one call of the exercise's function takes.
constexpr std::size_t kMaxPoints = std::size_t{1} << 20;

/// Names of columns, or their numbers from 1. Where they are empty, the first of the usual names.
struct ColumnRequest {
  std::string ra{}, dec{};
  std::size_t every = 1;  ///< points 1, 1 + every, 1 + 2 every, … are taken
};

/// Places of both from 0.
struct Columns {
  std::size_t ra = 0, dec = 1;
};

/// Those of SDSS and most others, of VizieR, of Gaia's catalogues there, and of SExtractor.
constexpr std::array kUsualRa{"ra", "raj2000", "_raj2000", "ra_icrs", "alpha_j2000", "alpha"};
constexpr std::array kUsualDec{"dec", "dej2000", "_dej2000", "de_icrs", "delta_j2000", "delta"};

namespace detail {

/// Where a name stands, whichever case its letters have.
inline std::optional<std::size_t> place_of(const std::vector<std::string>& names, const std::string& name) {
  for (std::size_t place = 0; place < names.size(); ++place)
    if (study::in_lower_case(names[place]) == study::in_lower_case(name)) return place;
  return std::nullopt;
}

template <class Usual>
std::optional<std::size_t> place_of_usual(const std::vector<std::string>& names, const Usual& usual) {
  for (const char* name : usual)
    if (const auto place = place_of(names, name)) return place;
  return std::nullopt;
}

/// Names for someone who asked for others.
inline std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i)
    text += (i == 0 ? "" : ", ") + study::excerpt(names[i]);
  return text + (names.size() > kShown ? ", …" : "");
}

template <class Usual>
std::size_t column_among(const std::vector<std::string>& names, const std::string& asked, const Usual& usual,
                         const std::string& option, const std::string& file, std::size_t count) {
  const auto place = asked.empty() ? place_of_usual(names, usual) : place_of(names, asked);
  if (place) return *place;
  const auto number = study::number_of<std::size_t>(asked);
  if (number && *number >= 1 && *number <= count) return *number - 1;
  const std::string what = asked.empty() ? usual.front() : study::excerpt(asked);
  if (names.empty())
    throw std::runtime_error(file + " has " + std::to_string(count) + " columns without names: " + option +
                             " takes a number from 1 to " + std::to_string(count));
  throw std::runtime_error(file + " has no column " + what + "; its columns are " + some_of(names) +
                           (asked.empty() ? ": " + option + " names the right one" : ""));
}

/// Throws std::runtime_error, which names columns that there are. `count` columns may have no names.
inline Columns columns_among(const std::vector<std::string>& names, const ColumnRequest& request,
                             const std::string& file, std::size_t count) {
  const Columns columns{column_among(names, request.ra, kUsualRa, "--ra", file, count),
                        column_among(names, request.dec, kUsualDec, "--dec", file, count)};
  if (columns.ra == columns.dec)
    throw std::runtime_error(file + ": right ascension and declination are both column " +
                             std::to_string(columns.ra + 1));
  return columns;
}
inline Columns columns_among(const std::vector<std::string>& names, const ColumnRequest& request,
                             const std::string& file) {
  return columns_among(names, request, file, names.size());
}

/// What is wrong with a position in degrees.
inline std::optional<std::string> problem_of(double ra, double dec) {
  if (!(ra >= -180 && ra <= 360)) return "a right ascension is from -180 to 360 degrees";
  if (!(dec >= -90 && dec <= 90)) return "a declination is from -90 to 90 degrees";
  return std::nullopt;
}

/// With 0 ≤ α < 360.
inline SkyPoint sky_point(double ra, double dec) {
  const double turned = ra < 0 ? ra + 360 : ra;
  return {turned < 360 ? turned : 0, dec};
}

inline void must_be_few(std::size_t points, const std::string& file) {
  if (points > kMaxPoints)
    throw std::runtime_error(file + " holds more than " + std::to_string(kMaxPoints) +
                             " points, which is the most: take a part of them, of random points by --every");
}

}  // namespace detail
}  // namespace lockstep::angular
