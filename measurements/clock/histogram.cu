// The seconds of one call of histogram, by events. Argument: n, of bytes that take all 256 values.
#include "event_time.h"
#include SOLUTION

int main(int, char** arguments) {
  const std::size_t n = std::stoull(arguments[1]);
  constexpr int kBins = 256;
  event_time::print_seconds([=](unsigned seed) {
    const auto* const samples =
        event_time::random_words<unsigned char>(n / 4 + 1, event_time::kAnyBits, seed);
    auto* const counts = event_time::allocate<unsigned long long>(kBins);
    return [=] { histogram(samples, 1, 0, n, counts, kBins, nullptr); };
  });
}
