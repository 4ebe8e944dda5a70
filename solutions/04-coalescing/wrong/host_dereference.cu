// expect: crashed
// Host code reads and writes device memory through its pointers, as if it were its own.
#include "coalescing.h"

void coalescing(const Particle* particles, float* fields, int n, int pitch, float time_step, cudaStream_t) {
  for (int i = 0; i < pitch; ++i) {
    const Particle particle = i < n ? particles[i] : Particle{};
    fields[0 * pitch + i] = particle.x + time_step * particle.vx;
    fields[1 * pitch + i] = particle.y + time_step * particle.vy;
    fields[2 * pitch + i] = particle.z + time_step * particle.vz;
    fields[3 * pitch + i] = particle.mass;
    fields[4 * pitch + i] = particle.vx;
    fields[5 * pitch + i] = particle.vy;
    fields[6 * pitch + i] = particle.vz;
    fields[7 * pitch + i] = particle.charge;
  }
}
