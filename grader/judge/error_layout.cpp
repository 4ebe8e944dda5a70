#include "judge/error_layout.h"

namespace lockstep::judge {
namespace {

using Kind = ErrorLayout::Kind;

constexpr std::size_t kWarp = 32;
constexpr std::size_t kLargestBlock = 1024;

/// Some values are right by chance, such as zeros at the start of a scan.
bool nearly_all(std::size_t part, std::size_t whole) { return part * 10 >= whole * 9; }

/// Whether [first, n) is the remainder after the last full block, for some size of block.
bool is_partial_block(std::size_t first, std::size_t n) {
  for (std::size_t block = kLargestBlock; block >= kWarp; block /= 2) {
    if (n % block != 0 && first == n / block * block) return true;
  }
  return false;
}

bool is_stride(std::span<const std::size_t> wrong, std::size_t n) {
  if (wrong.size() < 3) return false;
  const std::size_t step = wrong[1] - wrong[0];
  if (step < 2 || wrong.front() >= step || wrong.back() + step < n) return false;
  for (std::size_t i = 2; i < wrong.size(); ++i) {
    if (wrong[i] - wrong[i - 1] != step) return false;
  }
  return true;
}

}  // namespace

ErrorLayout layout_of(std::span<const std::size_t> wrong, std::size_t n) {
  const std::size_t first = wrong.front();
  if (is_stride(wrong, n)) return {Kind::stride, first, wrong[1] - wrong[0]};
  if (nearly_all(wrong.size(), n) && first < kWarp) return {Kind::everywhere, first, 1};
  if (!nearly_all(wrong.size(), n - first)) return {Kind::scattered, first, 1};
  if (is_partial_block(first, n)) return {Kind::partial_block, first, 1};
  return {first % kWarp == 0 ? Kind::after_block : Kind::from, first, 1};
}

}  // namespace lockstep::judge
