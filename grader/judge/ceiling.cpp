#include "judge/ceiling.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lockstep::judge {
namespace {

using course::Cost;
using result::Quantity;

/// More than the ceiling by more than the noise.
constexpr double kImpossibleShare = 1.1;
/// Of copying. Reading alone is faster: an H200 reads bytes at 1.04 of what it copies
/// (measurements/nvidia-h200/histogram.json, 2^31), and its memory's nominal rate is 1.13 of that.
constexpr double kImpossibleShareOfCopying = 1.2;

struct CountedQuantity {
  Quantity quantity;
  double Cost::*count;
  const char* ceiling;  ///< what a share is a share of
  double impossible_share = kImpossibleShare;
};

constexpr std::array<CountedQuantity, 7> kCounted = {{
    {Quantity::copied_bytes, &Cost::global_bytes, "what this GPU's memory can copy",
     kImpossibleShareOfCopying},
    {Quantity::fused_multiply_adds, &Cost::fused_multiply_adds, "the fused multiply-adds this GPU can do"},
    {Quantity::special_functions, &Cost::special_functions, "the special functions this GPU can do"},
    {Quantity::integer_products, &Cost::integer_products, "the integer products this GPU can do"},
    {Quantity::shared_bytes, &Cost::shared_bytes, "what this GPU can read from shared memory"},
    {Quantity::shared_atomics, &Cost::shared_atomics, "the shared-memory atomics this GPU can do"},
    {Quantity::gathers, &Cost::gathers, "the random reads this GPU can do"},
}};

bool is_positive(double value) { return value > 0 && std::isfinite(value); }

/// That a call takes at the ceiling of one quantity; nothing where the GPU has no figure for it, or the cost
/// none of it.
std::optional<double> least_seconds(const CountedQuantity& counted, const Cost& cost,
                                    const result::Figures& figures) {
  const auto figure = figures.find(counted.quantity);
  if (figure == figures.end() || !is_positive(figure->second.value)) return std::nullopt;
  const double seconds = cost.*counted.count / figure->second.value;
  return is_positive(seconds) ? std::optional(seconds) : std::nullopt;
}

}  // namespace

std::vector<Quantity> quantities_of(const Cost& cost) {
  std::vector<Quantity> quantities;
  for (const CountedQuantity& counted : kCounted) {
    if (cost.*counted.count > 0) quantities.push_back(counted.quantity);
  }
  return quantities;
}

double count_of(const Cost& cost, Quantity quantity) {
  const auto* const counted = std::find_if(kCounted.begin(), kCounted.end(),
                                           [quantity](const auto& one) { return one.quantity == quantity; });
  return counted == kCounted.end() ? 0 : cost.*counted->count;
}

std::optional<Bound> binding_ceiling(const Cost& cost, const result::Figures& figures) {
  std::optional<Bound> binding;
  for (const CountedQuantity& counted : kCounted) {
    const auto seconds = least_seconds(counted, cost, figures);
    if (!seconds || (binding && *seconds <= binding->seconds)) continue;
    const result::QuantityText& text = result::text_of(counted.quantity);
    const double rate = figures.at(counted.quantity).value;
    binding = Bound{counted.quantity, {text.name, counted.ceiling, rate, text.unit}, *seconds};
  }
  return binding;
}

void compare_with_ceiling(result::Speed& speed, const Cost& cost, double seconds,
                          const result::Figures& figures) {
  const std::optional<Bound> binding = binding_ceiling(cost, figures);
  if (binding) {
    speed.ceiling = binding->ceiling;
    if (const double share = binding->seconds / seconds; is_positive(share)) speed.ceiling_share = share;
  }
  const bool is_possible = speed.ceiling_share &&
                           std::all_of(kCounted.begin(), kCounted.end(), [&](const CountedQuantity& counted) {
                             const auto least = least_seconds(counted, cost, figures);
                             return !least || *least / seconds <= counted.impossible_share;
                           });
  if (!is_possible) speed.verdict = result::Verdict::review;
}

}  // namespace lockstep::judge
