// expect: crashed
// tries: Fills the disk through a file in its private folder.
// stopped by: Files have a limit, and /tmp in the sandbox is memory of bounded size.
// says: larger file than it may
#include <cstdio>
#include <vector>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  const std::vector<char> block(1 << 20, 'x');
  std::FILE* file = std::fopen("/tmp/large", "w");
  for (int i = 0; i < 1024; ++i) std::fwrite(block.data(), 1, block.size(), file);
  std::fclose(file);
}
