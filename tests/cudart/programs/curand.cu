// The device API of cuRAND: Philox against the published answer for key and counter 0, Sobol against the
// sequence that its direction vectors define, and the moments of what every generator and distribution gives.
#include <curand_kernel.h>

#include <cmath>
#include <cstdio>
#include <vector>

constexpr int kThreads = 512, kDraws = 32, kPerThread = 6;

/// Six sums for each thread and generator: of uniform, its square, normal, its square, Poisson(4), uniform
/// double.
template <class State>
__device__ void draw(State* state, float* sums) {
  for (int i = 0; i < kDraws; ++i) {
    const float uniform = curand_uniform(state);
    sums[0] += uniform;
    sums[1] += uniform * uniform;
    const float normal = curand_normal(state);
    sums[2] += normal;
    sums[3] += normal * normal;
    sums[4] += curand_poisson(state, 4.0);
    sums[5] += static_cast<float>(curand_uniform_double(state));
  }
}

template <class State>
__global__ void moments_kernel(float* sums, unsigned long long seed) {
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  State state;
  curand_init(seed, thread, 0, &state);
  draw(&state, sums + kPerThread * thread);
}

__global__ void philox_kernel(uint4* out) {
  curandStatePhilox4_32_10_t state;
  curand_init(0, 0, 0, &state);
  *out = curand4(&state);
}

__global__ void sobol_kernel(unsigned* out, int n) {
  unsigned vectors[32];
  for (int bit = 0; bit < 32; ++bit) vectors[bit] = 0x80000000U >> bit;
  curandStateSobol32_t state;
  curand_init(vectors, 5, &state);
  for (int i = 0; i < n; ++i) out[i] = curand(&state);
}

bool near(const char* what, double value, double expected, double bound) {
  if (std::fabs(value - expected) <= bound) return true;
  std::printf("%s: %g, not %g\n", what, value, expected);
  return false;
}

template <class State>
bool moments_hold(const char* name) {
  float* device = nullptr;
  cudaMalloc(&device, kPerThread * kThreads * sizeof(float));
  cudaMemset(device, 0, kPerThread * kThreads * sizeof(float));
  moments_kernel<State><<<kThreads / 128, 128>>>(device, 1234);
  std::vector<float> sums(kPerThread * kThreads);
  if (cudaMemcpy(sums.data(), device, sums.size() * sizeof(float), cudaMemcpyDeviceToHost) != cudaSuccess)
    return false;
  double mean[kPerThread] = {};
  for (int i = 0; i < kThreads * kPerThread; ++i) mean[i % kPerThread] += sums[i] / (kThreads * kDraws);
  // 16384 draws: four deviations of the mean.
  return near(name, mean[0], 0.5, 0.01) & near(name, mean[1], 1.0 / 3, 0.01) & near(name, mean[2], 0, 0.032) &
         near(name, mean[3], 1, 0.045) & near(name, mean[4], 4, 0.063) & near(name, mean[5], 0.5, 0.01);
}

int main() {
  bool right = moments_hold<curandStatePhilox4_32_10_t>("philox") &
               moments_hold<curandStateXORWOW_t>("xorwow") & moments_hold<curandStateMRG32k3a_t>("mrg32k3a");
  uint4* philox = nullptr;
  cudaMalloc(&philox, sizeof(uint4));
  philox_kernel<<<1, 1>>>(philox);
  uint4 answer;
  cudaMemcpy(&answer, philox, sizeof answer, cudaMemcpyDeviceToHost);
  right &=
      answer.x == 0x6627E8D5 && answer.y == 0xE169C58D && answer.z == 0xBC57AC4C && answer.w == 0x9B00DBD8;

  constexpr int n = 100;
  unsigned* sobol = nullptr;
  cudaMalloc(&sobol, n * sizeof(unsigned));
  sobol_kernel<<<1, 1>>>(sobol, n);
  std::vector<unsigned> sequence(n);
  cudaMemcpy(sequence.data(), sobol, n * sizeof(unsigned), cudaMemcpyDeviceToHost);
  for (unsigned i = 0; i < n; ++i) {
    // These vectors give the bits of the Gray code of an element's number, the other way round.
    const unsigned gray = (i + 5) ^ (i + 5) >> 1;
    unsigned reversed = 0;
    for (int bit = 0; bit < 32; ++bit) reversed |= (gray >> bit & 1) << (31 - bit);
    right &= sequence[i] == reversed;
  }
  std::puts(right ? "random numbers as defined" : "random numbers differ");
  return !right;
}
