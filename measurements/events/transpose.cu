// The seconds of one call of transpose, by events. A size: rows, columns.
#include "event_time.h"
#include SOLUTION

int main(int count, char** words) {
  return event_time::time_sizes(count, words, [](const event_time::Size& size) {
    const int rows = size.number(0), columns = size.number(1);
    const std::size_t elements = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    return event_time::Task{{.bytes = 2.0 * sizeof(float) * elements}, [=](unsigned seed) {
                              const auto* const in =
                                  event_time::random_words<float>(elements, event_time::kAnyBits, seed);
                              auto* const out = event_time::allocate<float>(elements);
                              return [=](cudaStream_t stream) { transpose(in, out, rows, columns, stream); };
                            }};
  });
}
