// The last particle is compared with the one after it.
// expect: out-of-bounds
// says: past the end of an allocation (2048 bytes)
#include "planted_bug.h"

struct Particle {
  float4 position;
  float4 velocity;
};

template <bool kFixed>
__global__ void distance_kernel(const Particle* particles, float* distances, int n) {
  const int i = static_cast<int>(threadIdx.x);
  if (i < (kFixed ? n - 1 : n)) {
    distances[i] = particles[i + 1].velocity.x - particles[i].velocity.x;  // <- here
  }
}

template <bool kFixed>
void run() {
  DeviceArray<Particle> particles(64);
  DeviceArray<float> distances(64);
  distance_kernel<kFixed><<<1, 64>>>(particles, distances, 64);
}
