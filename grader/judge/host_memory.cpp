#include "judge/host_memory.h"

#include <malloc.h>

#include <climits>
#include <fstream>
#include <limits>
#include <string>

namespace lockstep::judge {

double free_host_memory() {
  std::ifstream file("/proc/meminfo");  // a line for each figure, such as "MemAvailable:   20451696 kB"
  for (std::string name; file >> name; file.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    double kibibytes = 0;
    if (name == "MemAvailable:" && file >> kibibytes) return 1024 * kibibytes;
  }
  return 0;
}

KeptHostMemory::KeptHostMemory() {
  mallopt(M_ARENA_MAX, 1);  // others hold no blocks as large
  mallopt(M_MMAP_THRESHOLD, INT_MAX);
  mallopt(M_TRIM_THRESHOLD, -1);  // never
}

KeptHostMemory::~KeptHostMemory() {
  constexpr int kDefault = 128 * 1024;  // of glibc, for both
  mallopt(M_MMAP_THRESHOLD, kDefault);
  mallopt(M_TRIM_THRESHOLD, kDefault);
  malloc_trim(0);
}

}  // namespace lockstep::judge
