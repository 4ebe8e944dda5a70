// Divides the sky into regions with equally many random points: the points are cut in two across their longer
// side, and both parts again.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "18-tpacf/catalogues.h"

namespace lockstep::angular {

/// From `east` and `south` on to `to_east` and `to_north`, in degrees; `east` counts from the seam of
/// Regions.
struct Box {
  double east = 0, to_east = 0, south = 0, to_north = 0;

  double width() const { return to_east - east; }
  double height() const { return to_north - south; }
  double middle() const { return (south + to_north) / 2; }
  /// How much shorter a degree of right ascension is than one of declination.
  double narrowing() const { return std::cos(middle() * std::numbers::pi / 180); }
};

/// From 0 to below 360.
inline double turned(double degrees) {
  const double rest = std::fmod(degrees, 360.0);
  const double positive = rest < 0 ? rest + 360 : rest;
  return positive < 360 ? positive : 0;
}

/// Boxes of right ascension and declination. Right ascensions are counted from a seam, the middle of the
/// longest arc without points, so that a survey may lie across α = 0.
class Regions {
 public:
  /// Throws std::runtime_error where `points` cannot be divided into `count` regions, as too many of them lie
  /// at one place.
  Regions(const std::vector<SkyPoint>& points, std::size_t count) : count_(count), seam_(seam_of(points)) {
    std::vector<Place> places;
    for (const SkyPoint& point : points) places.push_back(place_of(point));
    Box all{360, 0, 90, -90};
    for (const Place& place : places) {
      all.east = std::min(all.east, place.east);
      all.to_east = std::max(all.to_east, place.east);
      all.south = std::min(all.south, place.north);
      all.to_north = std::max(all.to_north, place.north);
    }
    all_ = all;
    cut(places.data(), places.data() + places.size(), count, all);
  }

  std::size_t count() const { return count_; }
  /// A right ascension in degrees.
  double seam() const { return seam_; }
  /// What holds all points, and the part of it that each region is.
  const Box& all() const { return all_; }
  const std::vector<Box>& boxes() const { return boxes_; }

  /// The region of any point, also of one that lies outside of all().
  std::size_t region_of(const SkyPoint& point) const {
    const Place place = place_of(point);
    std::size_t node = 0;
    while (nodes_[node].below != 0)
      node = (nodes_[node].is_by_east ? place.east : place.north) < nodes_[node].at ? nodes_[node].below
                                                                                    : nodes_[node].above;
    return nodes_[node].region;
  }
  bool holds(const SkyPoint& point) const {
    const Place place = place_of(point);
    return place.east >= all_.east && place.east <= all_.to_east && place.north >= all_.south &&
           place.north <= all_.to_north;
  }
  /// Degrees to the east of the seam.
  double east_of(const SkyPoint& point) const { return turned(point.alpha - seam_); }

 private:
  struct Place {
    double east = 0, north = 0;
  };
  /// A cut, with what lies below it and what does not; a region where `below` is 0.
  struct Node {
    bool is_by_east = false;
    double at = 0;
    std::size_t below = 0, above = 0, region = 0;
  };

  Place place_of(const SkyPoint& point) const { return {east_of(point), point.delta}; }

  static double seam_of(const std::vector<SkyPoint>& points) {
    std::vector<double> alphas;
    for (const SkyPoint& point : points) alphas.push_back(point.alpha);
    std::sort(alphas.begin(), alphas.end());
    double longest = alphas.front() + 360 - alphas.back(), seam = alphas.back() + longest / 2;
    for (std::size_t i = 1; i < alphas.size(); ++i) {
      if (!(alphas[i] - alphas[i - 1] > longest)) continue;
      longest = alphas[i] - alphas[i - 1];
      seam = alphas[i - 1] + longest / 2;
    }
    return turned(seam);
  }

  /// Divides the points from `begin` to `end`, which lie in `box`. Returns the node.
  std::size_t cut(Place* begin, Place* end, std::size_t regions, const Box& box) {
    const std::size_t node = nodes_.size();
    nodes_.push_back({});
    if (regions == 1) {
      nodes_[node].region = boxes_.size();
      boxes_.push_back(box);
      return node;
    }
    const bool is_wide = box.width() * box.narrowing() > box.height();
    for (const bool is_by_east : {is_wide, !is_wide}) {
      const auto coordinate = [is_by_east](const Place& place) {
        return is_by_east ? place.east : place.north;
      };
      const std::size_t below = regions / 2, points = static_cast<std::size_t>(end - begin);
      Place* middle = begin + (points * below + regions / 2) / regions;
      if (middle == end) continue;
      std::nth_element(begin, middle, end,
                       [&](const Place& a, const Place& b) { return coordinate(a) < coordinate(b); });
      const double at = coordinate(*middle);
      // Points at the cut itself lie above it, as region_of() has it.
      middle = std::partition(begin, end, [&](const Place& place) { return coordinate(place) < at; });
      if (middle - begin < static_cast<std::ptrdiff_t>(below) ||
          end - middle < static_cast<std::ptrdiff_t>(regions - below))
        continue;
      Box lower = box, upper = box;
      (is_by_east ? lower.to_east : lower.to_north) = at;
      (is_by_east ? upper.east : upper.south) = at;
      const std::size_t lower_node = cut(begin, middle, below, lower);
      const std::size_t upper_node = cut(middle, end, regions - below, upper);
      nodes_[node] = {is_by_east, at, lower_node, upper_node, 0};
      return node;
    }
    throw std::runtime_error("the random points cannot be divided into " + std::to_string(count_) +
                             " regions: they are too few, or too many of them lie at one place");
  }

  std::size_t count_ = 1;
  double seam_ = 0;
  Box all_;
  std::vector<Node> nodes_;
  std::vector<Box> boxes_;
};

}  // namespace lockstep::angular
