// The seconds of one call of block_scan, by events. A size: segments, length.
#include "event_time.h"
#include SOLUTION

using namespace event_time;

Task task_of(const Size& size) {
  const int segments = size.number(0), length = size.number(1);
  const std::size_t elements = static_cast<std::size_t>(segments) * static_cast<std::size_t>(length);
  const auto make_call = [=](unsigned seed) {
    constexpr unsigned long long kBound = 8;  // the sums fit in an int
    const auto* const in = random_words<int>(elements, kBound, seed);
    auto* const out = allocate<int>(elements);
    return [=](cudaStream_t stream) { block_scan(in, out, segments, length, stream); };
  };
  return {{.bytes = 2.0 * sizeof(int) * elements}, make_call};
}

int main(int count, char** words) { return time_sizes(count, words, task_of); }
