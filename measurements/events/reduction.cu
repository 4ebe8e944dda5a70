// The seconds of one call of reduction, by events. A size: n.
#include "event_time.h"
#include SOLUTION

using namespace event_time;

struct Share {
  unsigned seed;
  __device__ float operator()(std::size_t i) const { return random_share(i, seed); }
};

Task task_of(const Size& size) {
  const int n = size.number(0);
  const auto elements = static_cast<std::size_t>(n);
  const auto make_call = [=](unsigned seed) {
    const auto* const in = filled<float>(elements, Share{seed});
    auto* const sum = allocate<float>(1);
    auto* const workspace = allocate<unsigned char>(reduction_workspace_bytes(n));
    return [=](cudaStream_t stream) { reduction(in, n, sum, workspace, stream); };
  };
  return {{.bytes = 1.0 * sizeof(float) * elements}, make_call};
}

int main(int count, char** words) { return time_sizes(count, words, task_of); }
