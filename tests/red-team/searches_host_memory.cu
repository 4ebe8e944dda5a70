// expect: wrong-answer
// tries: Looks through all of its own memory for the expected output.
// stopped by: Expected values are in the judge's memory alone.
#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "transpose.h"

/// Copies the first place in readable memory, except for `row` itself, that begins with `row`; false: there
/// is none.
bool find(const std::vector<float>& row, std::vector<float>& matrix) {
  std::ifstream maps("/proc/self/maps");
  const int memory = open("/proc/self/mem", O_RDONLY);
  std::vector<char> page(1 << 20);
  const std::size_t bytes = row.size() * sizeof(float);
  for (std::string line; std::getline(maps, line);) {
    off_t begin = 0, end = 0;
    char dash = 0;
    std::string rights;
    std::istringstream(line) >> std::hex >> begin >> dash >> end >> rights;
    if (rights[0] != 'r' || end - begin > 64 << 20) continue;
    for (; begin < end; begin += page.size()) {
      const ssize_t read = pread(memory, page.data(), page.size(), begin);
      if (read <= 0) break;
      const char* const last = page.data() + read;
      for (const char* at = page.data();; ++at) {
        at = static_cast<const char*>(memmem(at, last - at, row.data(), bytes));
        if (at == nullptr) break;
        const off_t address = begin + (at - page.data());
        const ssize_t wanted = matrix.size() * sizeof(float);
        if (address != reinterpret_cast<off_t>(row.data()) && address != reinterpret_cast<off_t>(at) &&
            pread(memory, matrix.data(), wanted, address) == wanted)
          return true;
      }
    }
  }
  return false;
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t) {
  if (rows < 2 || columns < 2) return;
  // The output begins with the first column of the input.
  std::vector<float> row(rows), matrix(static_cast<std::size_t>(rows) * columns);
  cudaMemcpy2D(row.data(), sizeof(float), in, sizeof(float) * columns, sizeof(float), rows,
               cudaMemcpyDeviceToHost);
  if (find(row, matrix))
    cudaMemcpy(out, matrix.data(), matrix.size() * sizeof(float), cudaMemcpyHostToDevice);
}
