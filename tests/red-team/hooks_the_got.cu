// expect: wrong-answer
// tries: Has the runner wait for nothing: its table of imported functions (GOT) leads to a function of the
// submission's in place of those that wait for the device and for a stream.
// stopped by: Whatever the runner answers, the judge reads the output at once, and unfinished work is not
// in it.
#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "lockstep/divide_up.h"
#include "transpose.h"

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) out[(i % columns) * rows + i / columns] = in[i];
}

cudaError_t wait_for_nothing() { return cudaSuccess; }

void* find_function(void* library, const char* name) {
  const bool waits =
      std::strcmp(name, "cudaDeviceSynchronize") == 0 || std::strcmp(name, "cudaStreamSynchronize") == 0;
  if (waits) return reinterpret_cast<void*>(wait_for_nothing);
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

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  transpose_kernel<<<lockstep::divide_up(rows * columns, 256), 256, 0, stream>>>(in, out, rows, columns);
}
