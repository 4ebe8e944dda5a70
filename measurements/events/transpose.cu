// The seconds of one call of transpose, by events. A size: rows, columns.
#include "event_time.h"
#include SOLUTION

using namespace event_time;

Task task_of(const Size& size) {
  const int rows = size.number(0), columns = size.number(1);
  const std::size_t elements = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  const auto make_call = [=](unsigned seed) {
    const auto* const in = random_words<float>(elements, kAnyBits, seed);
    auto* const out = allocate<float>(elements);
    return [=](cudaStream_t stream) { transpose(in, out, rows, columns, stream); };
  };
  return {{.bytes = 2.0 * sizeof(float) * elements}, make_call};
}

int main(int count, char** words) { return time_sizes(count, words, task_of); }
