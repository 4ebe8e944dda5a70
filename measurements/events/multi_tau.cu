// The seconds of one call of multi_tau, by events. A size: sensors, instants, elapsed, groups.
#include "event_time.h"
#include SOLUTION

using namespace event_time;

Task task_of(const Size& size) {
  const int sensors = size.number(0), instants = size.number(1), groups = size.number(3);
  const auto elapsed = size.number<long long>(2);
  using Sum = unsigned long long;
  constexpr std::size_t kWordsOfSum = sizeof(Sum) / sizeof(unsigned);
  const std::size_t all = static_cast<std::size_t>(sensors) * static_cast<std::size_t>(instants);
  const std::size_t states = std::size_t{kStateWords} * sensors * groups,
                    positions = std::size_t{kPositions} * sensors * groups;
  const double bytes = 1.0 * all + 2.0 * (states * sizeof(unsigned) + positions * sizeof(Sum));
  const auto make_call = [=](unsigned seed) {
    // Any counts that a byte holds; bins and sums so small that nothing overflows.
    constexpr unsigned long long kBound = 256;
    const auto* const counts = random_words<unsigned char>(all / sizeof(unsigned), kAnyBits, seed);
    const auto* const state_before = random_words<unsigned>(states, kBound, ~seed);
    const auto* const sums_before = random_words<Sum>(kWordsOfSum * positions, kBound, ~seed);
    auto* const state = allocate<unsigned>(states);
    auto* const sums = allocate<Sum>(positions);
    auto* const workspace = allocate<unsigned char>(multi_tau_workspace_bytes(sensors, instants, groups));
    return [=](cudaStream_t stream) {
      multi_tau(counts, sensors, instants, elapsed, groups, state_before, sums_before, state, sums, workspace,
                stream);
    };
  };
  return {{.bytes = bytes}, make_call};
}

int main(int count, char** words) { return time_sizes(count, words, task_of); }
