// Preloaded into compilers: memory that they map for their own allocators, cicc's jemalloc and GCC's garbage
// collector, is asked for in large pages, as GLIBC_TUNABLES asks for malloc's. A compilation has half as many
// page faults then (docs/decisions/0042-large-pages-for-compilers.md).
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

extern "C" {

/// As mmap(2). Advice that the system does not take changes nothing, errno included.
[[gnu::visibility("default")]] void* mmap(void* address, std::size_t bytes, int protection, int flags,
                                          int file, off_t offset) noexcept {
  // A large page has 2 MiB. Mappings that follow each other become one area, so a little less counts as well.
  constexpr std::size_t kWorthwhile = std::size_t{1} << 20;
  const long mapped = syscall(SYS_mmap, address, bytes, protection, flags, file, offset);
  if (mapped == -1) return MAP_FAILED;
  void* const begin = reinterpret_cast<void*>(mapped);
  if (file == -1 && bytes >= kWorthwhile) {
    const int before = errno;
    madvise(begin, bytes, MADV_HUGEPAGE);
    errno = before;
  }
  return begin;
}

[[gnu::visibility("default"), gnu::alias("mmap")]] void* mmap64(void* address, std::size_t bytes,
                                                                int protection, int flags, int file,
                                                                off_t offset) noexcept;

}  // extern "C"
