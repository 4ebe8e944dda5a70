// expect: wrong-answer
// exercise: histogram
// tries: Answers what is likely of uniform samples: the same count for every bin.
// stopped by: Counts are compared exactly, and the samples are of many kinds. No exercise accepts many
// answers.
#include "histogram.h"

__global__ void fill_kernel(unsigned long long* counts, int bins, unsigned long long value) {
  for (int bin = threadIdx.x; bin < bins; bin += blockDim.x) counts[bin] = value;
}

void histogram(const void*, int, std::size_t, std::size_t n, unsigned long long* counts, int bins,
               cudaStream_t stream) {
  fill_kernel<<<1, 256, 0, stream>>>(counts, bins, n / bins);
}
