// The seconds of one call of scan, by events. A size: n.
#include "event_time.h"
#include SOLUTION

using namespace event_time;

Task task_of(const Size& size) {
  const int n = size.number(0);
  const auto elements = static_cast<std::size_t>(n);
  const auto make_call = [=](unsigned seed) {
    constexpr unsigned long long kBound = 8;  // the sums fit in an int
    const auto* const in = random_words<int>(elements, kBound, seed);
    auto* const out = allocate<int>(elements);
    auto* const workspace = allocate<unsigned char>(scan_workspace_bytes(n));
    return [=](cudaStream_t stream) { scan(in, out, n, workspace, stream); };
  };
  return {{.bytes = 2.0 * sizeof(int) * elements}, make_call};
}

int main(int count, char** words) { return time_sizes(count, words, task_of); }
