// expect: passed
// expect-gpu: wrong-answer
// tries: Queues timed work behind three milliseconds of sleep, and has the runner wait for none of it: its
// table of imported functions (GOT) leads to a function of the submission's.
// stopped by: The clock stops when the judge has seen samples of the outputs, whatever the runner answers.
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  if (first_row + y < rows && first_column + x < columns) {
    tile[y][x] = in[(first_row + y) * columns + first_column + x];
  }
  __syncthreads();
  if (first_column + y < columns && first_row + x < rows) {
    out[(first_column + y) * rows + first_row + x] = tile[x][y];
  }
}

/// More elements than any case has that only has to be right.
bool is_timed(int rows, int columns) { return rows * columns > 1 << 22; }

bool waits = true;

cudaError_t wait_unless_timed() { return waits ? cudaDeviceSynchronize() : cudaSuccess; }

void* find_function(void* library, const char* name) {
  if (std::strcmp(name, "cudaDeviceSynchronize") == 0) return reinterpret_cast<void*>(wait_unless_timed);
  return dlsym(library, name);
}

/// Where the running program keeps the address of a function that it imports.
void** entry_of(const char* function) {
  const auto* const program = static_cast<const link_map*>(dlopen(nullptr, RTLD_NOW));
  const auto find = [&](ElfW(Sxword) tag) {
    const ElfW(Dyn)* one = program->l_ld;
    while (one->d_tag != tag && one->d_tag != DT_NULL) ++one;
    return one->d_un.d_val;
  };
  const auto* const names = reinterpret_cast<const char*>(find(DT_STRTAB));
  const auto* const symbols = reinterpret_cast<const ElfW(Sym)*>(find(DT_SYMTAB));
  const auto* const relocations = reinterpret_cast<const ElfW(Rela)*>(find(DT_JMPREL));
  for (std::size_t i = 0; i < find(DT_PLTRELSZ) / sizeof *relocations; ++i) {
    if (std::strcmp(names + symbols[ELF64_R_SYM(relocations[i].r_info)].st_name, function) == 0)
      return reinterpret_cast<void**>(program->l_addr + relocations[i].r_offset);
  }
  std::abort();
}

/// When the library is loaded, which is before the runner looks for the runtime's functions.
const bool hooked = [] {
  void** const entry = entry_of("dlsym");
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  void* const start = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(entry) / page * page);
  if (mprotect(start, page, PROT_READ | PROT_WRITE) != 0) std::abort();
  *entry = reinterpret_cast<void*>(find_function);
  return true;
}();

void sleep_a_little(void*) { std::this_thread::sleep_for(std::chrono::milliseconds(3)); }

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  waits = !is_timed(rows, columns);
  if (!waits) cudaLaunchHostFunc(stream, sleep_a_little, nullptr);
  const dim3 grid(lockstep::divide_up(columns, kTile), lockstep::divide_up(rows, kTile));
  transpose_kernel<<<grid, dim3(kTile, kTile), 0, stream>>>(in, out, rows, columns);
}
