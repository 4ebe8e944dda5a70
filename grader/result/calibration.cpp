#include "result/calibration.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace lockstep::result {
namespace {

constexpr std::array<QuantityText, 11> kQuantities = {{
    {Quantity::copied_bytes, "copied-bytes", "memory copied, read and written", "B/s"},
    {Quantity::fused_multiply_adds, "fused-multiply-adds", "fused multiply-adds, 32 bits", "/s"},
    {Quantity::special_functions, "special-functions", "special functions (rsqrt.approx)", "/s"},
    {Quantity::integer_products, "integer-products", "integer products, 32 bits", "/s"},
    {Quantity::shared_bytes, "shared-bytes", "shared memory read, no conflicts", "B/s"},
    {Quantity::shared_atomics, "shared-atomics", "shared atomics, a column per lane", "/s"},
    {Quantity::random_shared_atomics, "random-shared-atomics", "shared atomics, random of 4096 words", "/s"},
    {Quantity::gathers, "gathers", "random 4-byte reads, far beyond L2", "/s"},
    {Quantity::cached_gathers, "cached-gathers", "random 4-byte reads, a quarter of L2", "/s"},
    {Quantity::global_atomics, "global-atomics", "global atomics, random of 2^20 words", "/s"},
    {Quantity::launch, "launch", "launch of an empty kernel", "s"},
}};

}  // namespace

const QuantityText& text_of(Quantity quantity) { return kQuantities.at(static_cast<std::size_t>(quantity)); }

std::vector<Quantity> all_quantities() {
  std::vector<Quantity> quantities;
  for (const QuantityText& text : kQuantities) quantities.push_back(text.quantity);
  return quantities;
}

std::optional<Quantity> quantity_from(const std::string& name) {
  const auto entry = std::find_if(kQuantities.begin(), kQuantities.end(),
                                  [&name](const QuantityText& text) { return name == text.name; });
  return entry == kQuantities.end() ? std::nullopt : std::optional(entry->quantity);
}

}  // namespace lockstep::result
