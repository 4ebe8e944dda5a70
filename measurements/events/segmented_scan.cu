// The seconds of one call of segmented-scan, by events. A size: n, and the mean length of a segment; 0: one
// segment is as long as the array.
#include "event_time.h"
#include SOLUTION

using namespace event_time;

/// Bytes whose lowest bit is set once in `length`, and whose other bits are 0 for every second element.
struct RandomFlag {
  int length;
  unsigned seed;
  __device__ unsigned operator()(std::size_t i) const {
    const bool flag = length > 0 && random_below(static_cast<unsigned>(length), i, seed) == 0;
    const unsigned others = random_word(i, ~seed) & 0xff;
    return ((others & 1) == 0 ? 0 : others & 0xfe) | (flag ? 1 : 0);
  }
};

Task task_of(const Size& size) {
  const int n = size.number(0), length = size.number(1);
  const auto elements = static_cast<std::size_t>(n);
  const auto make_call = [=](unsigned seed) {
    const auto* const values = random_words<std::uint32_t>(elements, kAnyBits, seed);
    const auto* const flags = filled<std::uint8_t>(elements, RandomFlag{length, seed});
    auto* const out = allocate<std::uint32_t>(elements);
    auto* const workspace = allocate<unsigned char>(segmented_scan_workspace_bytes(n));
    return [=](cudaStream_t stream) { segmented_scan(values, flags, out, n, workspace, stream); };
  };
  return {{.bytes = 9.0 * n}, make_call};
}

int main(int count, char** words) { return time_sizes(count, words, task_of); }
