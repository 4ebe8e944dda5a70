// The seconds of one call of block-sort, by events. A size: rows, the length of each, and what its keys are:
// any, few (five values), descending, ascending.
#include <string>

#include "event_time.h"
#include SOLUTION

using namespace event_time;

struct RowKey {
  int length;
  bool has_few, descends, ascends;
  unsigned seed;
  __device__ unsigned operator()(std::size_t i) const {
    const unsigned word = random_word(i, seed);
    if (has_few) return (word >> 16) % 5 * 0x33333333U;
    if (!descends && !ascends) return word;
    // One key of each of `length` pieces of all numbers.
    const unsigned piece = static_cast<unsigned>((1ULL << 32) / length);
    const unsigned place = static_cast<unsigned>(i % length);
    return (descends ? length - 1 - place : place) * piece + word % piece;
  }
};

Task task_of(const Size& size) {
  const int rows = size.number(0), length = size.number(1);
  const std::string kind = size.word(2);
  const std::size_t keys_in_all = static_cast<std::size_t>(rows) * length;
  const auto make_call = [=](unsigned seed) {
    const auto* const keys = filled<std::uint32_t>(
        keys_in_all, RowKey{length, kind == "few", kind == "descending", kind == "ascending", seed});
    auto* const sorted = allocate<std::uint32_t>(keys_in_all);
    return [=](cudaStream_t stream) { block_sort(keys, sorted, rows, length, stream); };
  };
  return {{.bytes = 2.0 * sizeof(std::uint32_t) * keys_in_all}, make_call};
}

int main(int count, char** words) { return time_sizes(count, words, task_of); }
