// The judge's own kernels, checked on the emulated device: exit status 0, or 1 and what does not hold.
#include "device/judge_kernels.cu"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "judge/keyed_random.h"
#include "lockstep/check_cuda.h"

namespace {

using Bytes = std::vector<unsigned char>;

void check(bool holds, const char* what, std::size_t of) {
  if (holds) return;
  std::printf("%s: %zu\n", what, of);
  std::exit(1);
}

template <class T>
T* on_device(const std::vector<T>& values) {
  T* memory = nullptr;
  CHECK_CUDA(cudaMalloc(&memory, values.size() * sizeof(T) + 1));
  CHECK_CUDA(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return memory;
}

template <class T>
std::vector<T> on_host(const T* memory, std::size_t n) {
  std::vector<T> values(n);
  CHECK_CUDA(cudaMemcpy(values.data(), memory, n * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

Bytes counting(std::size_t n) {
  Bytes bytes(n);
  for (std::size_t i = 0; i < n; ++i) bytes[i] = static_cast<unsigned char>(i * 7 + i / 256 + 1);
  return bytes;
}

std::uint64_t address_of(const void* memory) { return reinterpret_cast<std::uint64_t>(memory); }

/// As Vault::take_samples does, into memory that holds `before` everywhere; together with another sample.
Bytes sample_of(const Bytes& bytes, unsigned char before, std::uint64_t seed) {
  constexpr unsigned kChunks = 64, kChunkBytes = 4096, kThreads = 128;
  unsigned char* const to = on_device(Bytes(kChunks * kChunkBytes, before));
  unsigned char* const other = on_device(Bytes(kChunks * kChunkBytes));
  const lockstep::device::Sampling* const samplings = on_device(std::vector<lockstep::device::Sampling>{
      {address_of(other), address_of(on_device(counting(5000))), 5000, seed + 1},
      {address_of(to), address_of(on_device(bytes)), bytes.size(), seed}});
  gather_chunks<<<dim3(kChunks, 2), kThreads>>>(samplings, kChunkBytes);
  CHECK_CUDA(cudaGetLastError());
  return on_host(to, kChunks * kChunkBytes);
}

void check_samples() {
  // What is no longer than a chunk is looked at whole, whatever the memory of the sample held before.
  for (const std::size_t n : {0, 1, 4, 7, 8, 9, 12, 1000, 4088, 4092, 4095, 4096}) {
    const Bytes bytes = counting(n), sample = sample_of(bytes, 0xEE, n);
    check(std::equal(bytes.begin(), bytes.end(), sample.begin()), "a short array is not in its sample", n);
  }
  // Of longer ones each chunk comes from one place, and the whole sample is filled.
  for (const std::size_t n : {4104, 100'000, 1'000'001}) {
    const Bytes bytes = counting(n);
    check(sample_of(bytes, 0, n) == sample_of(bytes, 0xEE, n), "a part of the sample is not filled", n);
    const Bytes sample = sample_of(bytes, 0, n);
    check(std::search(bytes.begin(), bytes.end(), sample.begin(), sample.begin() + 4096) != bytes.end(),
          "a chunk is not of the array", n);
    check(n < 5000 || sample_of(bytes, 0, n) != sample_of(bytes, 0, n + 1), "the seed changes nothing", n);
  }
}

unsigned long long wrong_of(float found, float expected, double absolute, double relative) {
  unsigned long long* const wrong = on_device(std::vector<unsigned long long>{0});
  count_wrong_f32<<<1, 32>>>(on_device(std::vector{found}), on_device(std::vector{expected}), 1, absolute,
                             relative, wrong);
  CHECK_CUDA(cudaGetLastError());
  return on_host(wrong, 1).front();
}

void check_comparison() {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  check(wrong_of(1, 1, 0, 0) == 0, "equal", __LINE__);
  check(wrong_of(1.1F, 1, 0, 0) == 1, "exact", __LINE__);
  check(wrong_of(1.1F, 1, 0.2, 0) == 0, "within the tolerance", __LINE__);
  check(wrong_of(1.1F, 1, 0, 0.05) == 1, "beyond the tolerance", __LINE__);
  for (const float odd : {nan, infinity, -infinity}) {
    check(wrong_of(odd, 1, 1, 1) == 1, "found is no number", __LINE__);
    check(wrong_of(1, odd, 1, 1) == 1, "expected is no number", __LINE__);
    check(wrong_of(odd, odd, 1, 1) == (std::isnan(odd) ? 1 : 0), "both are none", __LINE__);
  }
  check(wrong_of(-infinity, infinity, 1, 1) == 1, "the other infinity", __LINE__);
}

void check_filling() {
  for (const std::size_t n : {1, 15, 16, 17, 1000, 100'003}) {
    const Bytes bytes = counting(n);
    const std::uint64_t from = address_of(on_device(bytes));
    unsigned char* const filled = on_device(Bytes(n));
    unsigned char* const poisoned = on_device(Bytes(n));
    const lockstep::device::Filling* const fillings = on_device(
        std::vector<lockstep::device::Filling>{{address_of(filled), from, n}, {address_of(poisoned), 0, n}});
    constexpr unsigned kBlocks = 4, kThreads = 256;
    fill_buffers<<<2 * kBlocks, kThreads>>>(fillings, kBlocks, 0xCDCDCDCD);
    CHECK_CUDA(cudaGetLastError());
    check(on_host(filled, n) == bytes, "not filled", n);
    check(on_host(poisoned, n) == Bytes(n, 0xCD), "not poisoned", n);
  }
}

/// Of an array, and of others beside it, what libcrypto's AES makes.
template <lockstep::course::WordMap map>
void check_drawing_of(std::uint64_t first_word, std::size_t n, std::uint32_t parameter) {
  using Element = decltype(lockstep::course::element_of<map>(0, 0));
  constexpr Element kBefore = Element(77);
  lockstep::judge::Seed key;
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<unsigned char>(31 * i + n + first_word);
  lockstep::judge::KeyedRandom random(key);
  for (std::uint64_t i = 0; i < first_word; ++i) random.word();
  std::vector<Element> expected(n);
  for (Element& one : expected) one = lockstep::course::element_of<map>(random.word(), parameter);
  expected.push_back(kBefore);

  Element* const to = on_device(std::vector<Element>(n + 1, kBefore));
  lockstep::device::Drawing one{.to = address_of(to),
                                .elements = n,
                                .first_word = first_word,
                                .map = map,
                                .parameter = parameter,
                                .key = {}};
  std::memcpy(one.key.data(), key.data(), key.size());
  lockstep::device::Drawing other = one;
  other.to = address_of(on_device(std::vector<Element>(n + 1)));
  other.key[7] ^= 1;
  draw_words<<<dim3(2, 2), 256>>>(on_device(std::vector{other, one}));
  CHECK_CUDA(cudaGetLastError());
  const std::vector<Element> found = on_host(to, n + 1);
  check(std::memcmp(found.data(), expected.data(), (n + 1) * sizeof(Element)) == 0,
        "the device draws otherwise than the host, in the map of this number", static_cast<std::size_t>(map));
}

void check_sums() {
  for (const std::size_t n : {0, 1, 31, 32, 33, 1000, 100'001}) {
    std::vector<float> in(n);
    double expected = 0;
    for (std::size_t i = 0; i < n; ++i) {
      in[i] = static_cast<float>((i * 7919) % 100'003) * 0x1p-17F;
      expected += static_cast<double>(in[i]);
    }
    double* const sum = on_device(std::vector{0.0});
    add_up_floats<<<3, 256>>>(on_device(in), n, sum);
    CHECK_CUDA(cudaGetLastError());
    check(on_host(sum, 1)[0] == expected, "a sum of floats is wrong", n);
  }
}

void check_drawing() {
  using lockstep::course::WordMap;
  for (const std::uint64_t first_word : {0, 1, 3, 4, 4099}) {
    for (const std::size_t n : {0, 1, 2, 5, 1023, 5000}) check_drawing_of<WordMap::word>(first_word, n, 0);
    check_drawing_of<WordMap::any_float>(first_word, 3001, 0);
    check_drawing_of<WordMap::signed_integer>(first_word, 3001, 0);
    check_drawing_of<WordMap::fraction>(first_word, 3001, 100'003);
    for (const std::uint32_t distance : {0, 4, 1024})
      check_drawing_of<WordMap::byte_with_flag>(first_word, 3001, distance);
  }
}

}  // namespace

int main() {
  check_samples();
  check_comparison();
  check_filling();
  check_drawing();
  check_sums();
}
