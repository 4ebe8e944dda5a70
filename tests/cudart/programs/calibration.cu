// The kernels that measure a GPU do the work that they are timed for: every result is what the same steps
// give on the host.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../../../grader/device/calibration_kernels.cu"

namespace {

constexpr std::uint32_t kSteps = 3, kBlocks = 2, kThreads = kBlocks * kCalibrationThreads, kWords = 5000;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  std::exit(1);
}

std::uint32_t mixed(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x85EBCA6B;
  x ^= x >> 13;
  x *= 0xC2B2AE35;
  return x ^ (x >> 16);
}

/// Which of n words a thread visits: kSteps times kDraws of them.
std::vector<std::uint32_t> visits(std::uint32_t thread, std::uint64_t n) {
  std::vector<std::uint32_t> places;
  std::uint32_t state = mixed(thread);
  for (std::uint32_t i = 0; i < kSteps * kDraws; ++i) {
    state = 1664525 * state + 1013904223;
    places.push_back(static_cast<std::uint32_t>(state * n >> 32));
  }
  return places;
}

template <class T>
std::vector<T> fetched(const T* from, std::size_t n) {
  expect(cudaDeviceSynchronize() == cudaSuccess, "a kernel failed");
  std::vector<T> values(n);
  cudaMemcpy(values.data(), from, n * sizeof(T), cudaMemcpyDeviceToHost);
  return values;
}

/// The sum over a thread's chains after all steps, each from the value that `first` gives to its number.
template <class T, class First, class Link>
T chained(std::uint32_t thread, First first, Link link) {
  T sum = 0;
  for (std::uint32_t i = 0; i < kChains; ++i) {
    T value = first(thread * kChains + i);
    for (std::uint32_t k = 0; k < kSteps * kLinks; ++k) value = link(value);
    sum += value;
  }
  return sum;
}

void check_arithmetic(std::uint32_t* results) {
  const auto floats = reinterpret_cast<float*>(results);
  // So close to 1 that the values still differ after all steps.
  fused_multiply_adds_kernel<<<kBlocks, kCalibrationThreads>>>(kSteps, floats, 1.0009766F, 0.25F);
  std::vector<float> found = fetched(floats, kThreads);
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    const auto link = [](float x) { return std::fmaf(x, 1.0009766F, 0.25F); };
    expect(found[t] == chained<float>(
                           t, [](std::uint32_t i) { return static_cast<float>(i); }, link),
           "FMA");
  }
  special_functions_kernel<<<kBlocks, kCalibrationThreads>>>(kSteps, floats);
  found = fetched(floats, kThreads);
  // The reciprocal of the square root, again and again, comes to rest at 1.
  for (const float sum : found) expect(std::fabs(sum - kChains) < 1e-3F, "special functions");
  integer_products_kernel<<<kBlocks, kCalibrationThreads>>>(kSteps, results, 1664525, 1013904223);
  const std::vector<std::uint32_t> products = fetched(results, kThreads);
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    const auto link = [](std::uint32_t x) { return x * 1664525 + 1013904223; };
    expect(products[t] == chained<std::uint32_t>(
                              t, [](std::uint32_t i) { return i; }, link),
           "products");
  }
}

void check_shared_memory(std::uint32_t* results) {
  shared_loads_kernel<<<kBlocks, kCalibrationThreads>>>(kSteps, results);
  const std::vector<std::uint32_t> addresses = fetched(results, kThreads);
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < kChains; ++i) {
      const std::uint32_t start = i * kCalibrationThreads + t % kCalibrationThreads;
      sum += (start + 32 * kSteps * kLinks) % kLoadedWords * 4;
    }
    expect(addresses[t] == sum, "loads of shared memory");
  }
  shared_atomics_kernel<<<kBlocks, kCalibrationThreads>>>(kSteps, results);
  // Eight warps share a lane's counters.
  for (const std::uint32_t count : fetched(results, kThreads)) {
    expect(count == kSteps * kLinks * kCalibrationThreads / 32, "shared atomics");
  }
  random_shared_atomics_kernel<<<kBlocks, kCalibrationThreads>>>(kSteps, results);
  std::vector<std::uint32_t> expected(kThreads);
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    const std::uint32_t block = t / kCalibrationThreads * kCalibrationThreads;
    for (const std::uint32_t place : visits(t, kRandomCounters))
      ++expected[block + place % kCalibrationThreads];
  }
  expect(fetched(results, kThreads) == expected, "random shared atomics");
}

void check_memory(std::uint32_t* results) {
  std::uint32_t* memory = nullptr;
  cudaMalloc(&memory, kWords * sizeof(std::uint32_t));
  fill_kernel<<<kBlocks, kCalibrationThreads>>>(memory, kWords);
  std::vector<std::uint32_t> words = fetched(memory, kWords);
  for (std::uint32_t i = 0; i < kWords; ++i) expect(words[i] == mixed(i), "random bits");
  gathers_kernel<<<kBlocks, kCalibrationThreads>>>(kSteps, results, memory, kWords);
  const std::vector<std::uint32_t> sums = fetched(results, kThreads);
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    std::uint32_t sum = 0;
    for (const std::uint32_t place : visits(t, kWords)) sum += words[place];
    expect(sums[t] == sum, "gathers");
  }
  global_atomics_kernel<<<kBlocks, kCalibrationThreads>>>(kSteps, memory, kWords);
  for (std::uint32_t t = 0; t < kThreads; ++t) {
    for (const std::uint32_t place : visits(t, kWords)) ++words[place];
  }
  expect(fetched(memory, kWords) == words, "global atomics");
  cudaFree(memory);
}

}  // namespace

int main() {
  std::uint32_t* results = nullptr;
  cudaMalloc(&results, kThreads * sizeof(std::uint32_t));
  empty_kernel<<<1, 1>>>();
  check_arithmetic(results);
  check_shared_memory(results);
  check_memory(results);
  cudaFree(results);
  std::puts("measured work is done");
}
