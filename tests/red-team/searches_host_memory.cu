// expect: wrong-answer
// tries: Looks through all of its own memory for the expected output.
// stopped by: Expected values are in the judge's memory alone.
#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "transpose.h"

/// Where a word of 64 bits lies in readable memory, other than in `own`.
const char* find(std::uint64_t word, const void* own) {
  std::ifstream maps("/proc/self/maps");
  const int memory = open("/proc/self/mem", O_RDONLY);
  std::vector<char> page(1 << 20);
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t begin = 0, end = 0;
    char dash = 0;
    std::string rights;
    std::istringstream(line) >> std::hex >> begin >> dash >> end >> rights;
    if (rights[0] != 'r' || end - begin > 64 << 20) continue;
    for (; begin < end; begin += page.size()) {
      const ssize_t bytes = pread(memory, page.data(), page.size(), static_cast<off_t>(begin));
      if (bytes <= 0) break;
      const void* found = memmem(page.data(), bytes, &word, sizeof word);
      if (found != nullptr && found != own) return static_cast<const char*>(found);
    }
  }
  return nullptr;
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t) {
  if (rows < 2 || columns < 2) return;
  // The output begins with the first elements of the first two rows.
  float start[2];
  cudaMemcpy(&start[0], in, sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(&start[1], in + columns, sizeof(float), cudaMemcpyDeviceToHost);
  std::uint64_t word = 0;
  std::memcpy(&word, start, sizeof word);
  const char* const expected = find(word, start);
  if (expected == nullptr) return;
  cudaMemcpy(out, expected, sizeof(float) * rows * columns, cudaMemcpyHostToDevice);
}
