// The seconds of one call of block_scan, by events. A size: segments, length.
#include "event_time.h"
#include SOLUTION

int main(int count, char** words) {
  return event_time::time_sizes(count, words, [](const event_time::Size& size) {
    const int segments = size.number(0), length = size.number(1);
    const std::size_t elements = static_cast<std::size_t>(segments) * static_cast<std::size_t>(length);
    return event_time::Task{{.bytes = 2.0 * sizeof(int) * elements}, [=](unsigned seed) {
                              constexpr unsigned long long kBound = 8;  // the sums fit in an int
                              const auto* const in = event_time::random_words<int>(elements, kBound, seed);
                              auto* const out = event_time::allocate<int>(elements);
                              return
                                  [=](cudaStream_t stream) { block_scan(in, out, segments, length, stream); };
                            }};
  });
}
