// The seconds of one call of histogram, by events. A size: n, bytes of a sample, bins, the first sample that
// counts, and what the samples are: uniform, equal, two, zipf or sorted.
#include "event_time.h"
#include SOLUTION

using namespace event_time;

/// Two values, of which either comes as often as the other: one of the lower bins and one of the upper.
struct TwoValues {
  unsigned bins, seed;
  __device__ unsigned operator()(std::size_t i) const {
    const unsigned half = random_below(2, i, seed);
    return half * (bins / 2) + random_below(bins / 2, half, ~seed);
  }
};

struct AllEqual {
  unsigned bins, seed;
  __device__ unsigned operator()(std::size_t) const { return random_below(bins, 0, seed); }
};

/// Value v comes in proportion to 1 / (v + 1). Source: Zipf's law.
struct Zipf {
  const double* up_to;  ///< sum of the shares of a value and of those before it
  int bins;
  unsigned seed;
  __device__ unsigned operator()(std::size_t i) const {
    const double wanted = random_share(i, seed) * up_to[bins - 1];
    int low = 0, high = bins - 1;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (up_to[middle] > wanted) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
};

struct Sorted {
  std::size_t n;
  unsigned bins;
  __device__ unsigned operator()(std::size_t i) const { return static_cast<unsigned>(i * bins / n); }
};

std::vector<double> sums_of_shares(int bins) {
  std::vector<double> sums;
  double sum = 0;
  for (int value = 0; value < bins; ++value) sums.push_back(sum += 1.0 / (value + 1));
  return sums;
}

template <class Sample>
const void* samples_of(std::size_t n, int bins, const std::string& values, unsigned seed) {
  const auto all = static_cast<unsigned>(bins);
  if (values == "uniform") return filled<Sample>(n, RandomBelow{all, seed});
  if (values == "equal") return filled<Sample>(n, AllEqual{all, seed});
  if (values == "two") return filled<Sample>(n, TwoValues{all, seed});
  if (values == "sorted") return filled<Sample>(n, Sorted{n, all});
  if (values == "zipf") return filled<Sample>(n, Zipf{copied(sums_of_shares(bins)), bins, seed});
  throw std::invalid_argument("there are no samples called " + values);
}

Task task_of(const Size& size) {
  const auto n = size.number<std::size_t>(0), first = size.number<std::size_t>(3);
  const int sample_bytes = size.number(1), bins = size.number(2);
  const std::string values = size.word(4);
  const double bytes = 1.0 * n * sample_bytes + 1.0 * bins * sizeof(unsigned long long);
  const auto make_call = [=](unsigned seed) {
    const auto make = sample_bytes == 1 ? samples_of<unsigned char> : samples_of<unsigned>;
    const void* const samples = make(first + n, bins, values, seed);
    auto* const counts = allocate<unsigned long long>(bins);
    return [=](cudaStream_t stream) { histogram(samples, sample_bytes, first, n, counts, bins, stream); };
  };
  return {{.bytes = bytes, .launches = 3}, make_call};
}

int main(int count, char** words) { return time_sizes(count, words, task_of); }
