// The seconds of one call of resampling, by events. A size: n, the observation y, steps.
#include "event_time.h"
#include SOLUTION

using namespace event_time;

/// How likely particles, which are normal, make an observation that is normal about each.
struct Likelihood {
  float y;
  unsigned seed;
  __device__ float operator()(std::size_t i) const {
    const float radius = sqrtf(-2 * logf(1 - random_share(i, seed)));  // after Box and Muller
    const float particle = radius * cospif(2 * random_share(i, ~seed));
    const float distance = particle - y;
    return 0.39894228F * expf(-0.5F * distance * distance);
  }
};

Task task_of(const Size& size) {
  const int n = size.number(0), steps = size.number(2);
  const auto y = size.number<float>(1);
  const auto make_call = [=](unsigned seed) {
    const auto* const weights = filled<float>(n, Likelihood{y, seed});
    auto* const ancestors = allocate<int>(n);
    auto* const workspace = allocate<unsigned char>(resampling_workspace_bytes(n));
    return [=](cudaStream_t stream) { resampling(weights, n, steps, seed, ancestors, workspace, stream); };
  };
  return {{.bytes = 1.0 * n * (sizeof(float) + sizeof(int))}, make_call};
}

int main(int count, char** words) { return time_sizes(count, words, task_of); }
