// The seconds of one call of block_scan, by events. Arguments: segments, length.
#include "event_time.h"
#include SOLUTION

int main(int, char** arguments) {
  const int segments = std::stoi(arguments[1]), length = std::stoi(arguments[2]);
  const std::size_t elements = static_cast<std::size_t>(segments) * static_cast<std::size_t>(length);
  constexpr unsigned long long kBound = 8;  // the sums fit in an int
  event_time::print_seconds([=](unsigned seed) {
    const auto* const in = event_time::random_words<int>(elements, kBound, seed);
    auto* const out = event_time::allocate<int>(elements);
    return [=] { block_scan(in, out, segments, length, nullptr); };
  });
}
