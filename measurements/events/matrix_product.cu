// The seconds of one call of matrix_product, by events. A size: m, n and k.
#include "event_time.h"
#include SOLUTION

using namespace event_time;

struct WholeNumber {
  int largest;  ///< magnitude
  unsigned seed;
  __device__ float operator()(std::size_t i) const {
    return static_cast<float>(static_cast<int>(random_below(2 * largest + 1, i, seed)) - largest);
  }
};

Task task_of(const Size& size) {
  const int m = size.number(0), n = size.number(1), k = size.number(2);
  const auto elements = [](int rows, int columns) { return static_cast<std::size_t>(rows) * columns; };
  const auto make_call = [=](unsigned seed) {
    const auto* const a = filled<float>(elements(m, k), WholeNumber{4095, 2 * seed});
    const auto* const b = filled<float>(elements(k, n), WholeNumber{2, 2 * seed + 1});
    auto* const c = allocate<float>(elements(m, n));
    return [=](cudaStream_t stream) { matrix_product(a, b, c, m, n, k, stream); };
  };
  const double bytes = 1.0 * sizeof(float) * (elements(m, k) + elements(k, n) + elements(m, n));
  return {{.bytes = bytes, .operations = 2.0 * m * n * k}, make_call};
}

int main(int count, char** words) { return time_sizes(count, words, task_of); }
