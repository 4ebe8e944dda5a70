// The seconds of one call of scan, by events. A size: n.
#include "event_time.h"
#include SOLUTION

int main(int count, char** words) {
  return event_time::time_sizes(count, words, [](const event_time::Size& size) {
    const int n = size.number(0);
    const auto elements = static_cast<std::size_t>(n);
    return event_time::Task{{.bytes = 2.0 * sizeof(int) * elements}, [=](unsigned seed) {
                              constexpr unsigned long long kBound = 8;  // the sums fit in an int
                              const auto* const in = event_time::random_words<int>(elements, kBound, seed);
                              auto* const out = event_time::allocate<int>(elements);
                              auto* const workspace =
                                  event_time::allocate<unsigned char>(scan_workspace_bytes(n));
                              return [=](cudaStream_t stream) { scan(in, out, n, workspace, stream); };
                            }};
  });
}
