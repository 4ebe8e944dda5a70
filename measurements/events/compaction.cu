// The seconds of one call of compaction, by events. A size: n, and how many of 1000 elements are kept.
#include "event_time.h"
#include SOLUTION

using namespace event_time;

Task task_of(const Size& size) {
  const int n = size.number(0);
  const double share = size.number(1) / 1000.0;
  const auto elements = static_cast<std::size_t>(n);
  // The judge draws limits that keep up to 1/64 fewer; this is the middle of them.
  const auto limit = static_cast<std::uint32_t>(share * (1 - 1.0 / 128) * 4294967295.0);
  const auto make_call = [=](unsigned seed) {
    const auto* const in = random_words<std::uint32_t>(elements, 1ULL << 32, seed);
    auto* const out = allocate<std::uint32_t>(elements);
    auto* const count = allocate<std::uint32_t>(1);
    auto* const workspace = allocate<unsigned char>(compaction_workspace_bytes(n));
    return [=](cudaStream_t stream) { compaction(in, limit, out, count, n, workspace, stream); };
  };
  return {{.bytes = (1.0 + share) * sizeof(std::uint32_t) * elements}, make_call};
}

int main(int count, char** words) { return time_sizes(count, words, task_of); }
