// The seconds of one call of resampling, by events. A size: n, the observation y, steps.
#include "event_time.h"
#include SOLUTION

/// How likely particles, which are normal, make an observation that is normal about each.
struct Likelihood {
  float y;
  unsigned seed;
  __device__ float operator()(std::size_t i) const {
    const float radius = sqrtf(-2 * logf(1 - event_time::random_share(i, seed)));  // after Box and Muller
    const float particle = radius * cospif(2 * event_time::random_share(i, ~seed));
    const float distance = particle - y;
    return 0.39894228F * expf(-0.5F * distance * distance);
  }
};

int main(int count, char** words) {
  return event_time::time_sizes(count, words, [](const event_time::Size& size) {
    const int n = size.number(0), steps = size.number(2);
    const auto y = size.number<float>(1);
    return event_time::Task{{.bytes = 1.0 * n * (sizeof(float) + sizeof(int))}, [=](unsigned seed) {
                              const auto* const weights = event_time::filled<float>(n, Likelihood{y, seed});
                              auto* const ancestors = event_time::allocate<int>(n);
                              auto* const workspace =
                                  event_time::allocate<unsigned char>(resampling_workspace_bytes(n));
                              return [=](cudaStream_t stream) {
                                resampling(weights, n, steps, seed, ancestors, workspace, stream);
                              };
                            }};
  });
}
