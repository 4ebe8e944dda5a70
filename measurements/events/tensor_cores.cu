// The seconds of one call of tensor_cores, by events. A size: m, n and k.
#include "event_time.h"
#include SOLUTION

using namespace event_time;

/// A bfloat16 that is a whole number.
struct WholeNumber {
  int largest;  ///< magnitude
  unsigned seed;
  __device__ std::uint16_t operator()(std::size_t i) const {
    const int value = static_cast<int>(random_below(2 * largest + 1, i, seed)) - largest;
    return static_cast<std::uint16_t>(__float_as_uint(static_cast<float>(value)) >> 16);
  }
};

Task task_of(const Size& size) {
  const int m = size.number(0), n = size.number(1), k = size.number(2);
  const auto elements = [](int rows, int columns) { return static_cast<std::size_t>(rows) * columns; };
  const auto make_call = [=](unsigned seed) {
    const auto* const a = filled<std::uint16_t>(elements(m, k), WholeNumber{255, 2 * seed});
    const auto* const b = filled<std::uint16_t>(elements(k, n), WholeNumber{15, 2 * seed + 1});
    auto* const c = allocate<float>(elements(m, n));
    return [=](cudaStream_t stream) { tensor_cores(a, b, c, m, n, k, stream); };
  };
  const double bytes =
      1.0 * sizeof(std::uint16_t) * (elements(m, k) + elements(k, n)) + sizeof(float) * elements(m, n);
  return {{.bytes = bytes, .operations = 2.0 * m * n * k}, make_call};
}

int main(int count, char** words) { return time_sizes(count, words, task_of); }
