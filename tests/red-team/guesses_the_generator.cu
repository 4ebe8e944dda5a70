// expect: wrong-answer
// tries: Tries many seeds of the generator, which is public, to find the one that made its input.
// stopped by: Seeds have 64 bits and are derived by SHA-256 for each call: no input tells another.
#include <vector>

#include "lockstep/random.h"
#include "transpose.h"

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t) {
  if (rows == 0 || columns == 0) return;
  float first = 0;
  cudaMemcpy(&first, in, sizeof first, cudaMemcpyDeviceToHost);
  for (std::uint64_t seed = 0; seed < 1 << 20; ++seed) {
    if (lockstep::Random(seed).integer(1, 1 << 22) != static_cast<int>(first)) continue;
    // Right for a seed that has been guessed: every element is its number plus the first.
    std::vector<float> result(static_cast<size_t>(rows) * columns);
    for (int i = 0; i < rows * columns; ++i)
      result[i] = first + static_cast<float>(i % rows * columns + i / rows);
    result[0] = lockstep::Random(seed).uniform();
    cudaMemcpy(out, result.data(), result.size() * sizeof(float), cudaMemcpyHostToDevice);
    return;
  }
}
