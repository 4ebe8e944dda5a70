// expect: inefficient
// Steps on the host: the right answer, but all data crosses the bus twice and the device computes nothing.
#include <cstddef>
#include <vector>

#include "coalescing.h"
#include "lockstep/check_cuda.h"

void coalescing(const Particle* particles, float* fields, int n, int pitch, float time_step,
                cudaStream_t stream) {
  std::vector<Particle> from(n);
  std::vector<float> to(static_cast<std::size_t>(kFields) * pitch);
  CHECK_CUDA(cudaMemcpyAsync(from.data(), particles, n * sizeof(Particle), cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  for (int i = 0; i < n; ++i) {
    to[0 * pitch + i] = from[i].x + time_step * from[i].vx;
    to[1 * pitch + i] = from[i].y + time_step * from[i].vy;
    to[2 * pitch + i] = from[i].z + time_step * from[i].vz;
    to[3 * pitch + i] = from[i].mass;
    to[4 * pitch + i] = from[i].vx;
    to[5 * pitch + i] = from[i].vy;
    to[6 * pitch + i] = from[i].vz;
    to[7 * pitch + i] = from[i].charge;
  }
  CHECK_CUDA(cudaMemcpyAsync(fields, to.data(), to.size() * sizeof(float), cudaMemcpyHostToDevice, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
}
