// A virtual function shuffles the whole warp, of whose objects some have another function.
// expect: bad-sync
// says: must take part and are elsewhere
#include "planted_bug.h"

struct Particle {
  int energy = 1;
  __device__ virtual int total() const = 0;
};
struct Heavy : Particle {
  __device__ int total() const override { return energy + 1; }
};
template <bool kFixed>
struct Light : Particle {
  __device__ int total() const override {
    const unsigned mask = kFixed ? __activemask() : ~0U;
    return __shfl_xor_sync(mask, energy, 2);  // <- here
  }
};

template <bool kFixed>
__global__ void totals_kernel(int* totals) {
  Heavy heavy;
  Light<kFixed> light;
  const Particle* particle = threadIdx.x % 2 == 0 ? static_cast<const Particle*>(&heavy) : &light;
  const int total = particle->total();
  __syncthreads();
  totals[threadIdx.x] = total;
}

template <bool kFixed>
void run() {
  DeviceArray<int> totals(32);
  totals_kernel<kFixed><<<1, 32>>>(totals);
}
