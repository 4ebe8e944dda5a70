// expect: memory-limit
// tries: Fills the machine with page tables: it reads a byte here and there of terabytes that it never
// writes, so that none of them is resident.
// stopped by: The sandbox counts page tables with the memory of the process tree.
// says: more host memory than it may
#include <sys/mman.h>
#include <unistd.h>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  constexpr std::size_t kBytes = std::size_t{64} << 40, kSpan = std::size_t{1} << 30;
  void* const memory = mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  madvise(memory, kBytes, MADV_NOHUGEPAGE);
  // Four processes, whose faults do not wait for each other.
  fork();
  fork();
  const volatile char* const bytes = static_cast<const volatile char*>(memory);
  // In ever new spans first, for which there is a table more; a table of the lowest level leads to 2 MiB.
  for (std::size_t first = 0; first < kSpan; first += std::size_t{2} << 20) {
    for (std::size_t at = first; at < kBytes; at += kSpan) static_cast<void>(bytes[at]);
  }
}
