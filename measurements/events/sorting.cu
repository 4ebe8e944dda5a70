// The seconds of one call of sorting, by events. A size: n, 1 with values or 0 without, and what the keys
// are: any, few (seven values), equal, descending, ascending.
#include <string>

#include "event_time.h"
#include SOLUTION

using namespace event_time;

struct ArrayKey {
  std::size_t n;
  bool has_few, is_equal, descends, ascends;
  unsigned seed;
  __device__ unsigned operator()(std::size_t i) const {
    const unsigned word = random_word(i, seed);
    if (has_few) return random_word(word % 7, ~seed);
    if (is_equal) return random_word(0, seed) - (i + 1 == n ? 1 : 0);
    if (!descends && !ascends) return word;
    // One key of each of n pieces of all numbers.
    const unsigned piece = static_cast<unsigned>((1ULL << 32) / n);
    return static_cast<unsigned>(descends ? n - 1 - i : i) * piece + word % piece;
  }
};

Task task_of(const Size& size) {
  const int n = size.number(0), has_values = size.number(1);
  const std::string kind = size.word(2);
  const auto elements = static_cast<std::size_t>(n), values_in_all = has_values != 0 ? elements : 0;
  const auto make_call = [=](unsigned seed) {
    const auto* const keys = filled<std::uint32_t>(
        elements,
        ArrayKey{elements, kind == "few", kind == "equal", kind == "descending", kind == "ascending", seed});
    const auto* const values = random_words<std::uint32_t>(values_in_all, kAnyBits, ~seed);
    auto* const keys_out = allocate<std::uint32_t>(elements);
    auto* const values_out = allocate<std::uint32_t>(values_in_all);
    auto* const workspace = allocate<unsigned char>(sorting_workspace_bytes(n));
    return [=](cudaStream_t stream) {
      sorting(keys, values, keys_out, values_out, n, has_values, workspace, stream);
    };
  };
  // One rung launches three kernels for each bit.
  return {{.bytes = (has_values != 0 ? 16.0 : 8.0) * n, .launches = 100}, make_call};
}

int main(int count, char** words) { return time_sizes(count, words, task_of); }
