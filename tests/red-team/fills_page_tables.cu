// expect: memory-limit
// tries: Fills the machine with page tables: it reads a byte here and there of terabytes of which it writes
// one byte, so that almost none of them is resident, and has the tables copied by fork.
// stopped by: The sandbox counts page tables with the memory of the process tree.
// says: more host memory than it may
#include <sys/mman.h>
#include <unistd.h>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  // A byte of each span needs two tables of 4 KiB: 64 MiB of tables.
  constexpr std::size_t kSpan = std::size_t{1} << 30, kBytes = 8192 * kSpan;
  constexpr int kForks = 5;
  void* const memory =
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  madvise(memory, kBytes, MADV_NOHUGEPAGE);
  volatile char* const bytes = static_cast<volatile char*>(memory);
  bytes[0] = 1;  // Only of memory that has been written does fork copy the tables.
  for (std::size_t at = kSpan; at < kBytes; at += kSpan) static_cast<void>(bytes[at]);
  // 32 processes, 2 GiB of tables. Copies are faster than faults, which wait for each other.
  for (int i = 0; i < kForks; ++i) fork();
  while (true) pause();
}
