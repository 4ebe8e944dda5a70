// The memory of this machine for inputs that the judge makes.
#pragma once

namespace lockstep::judge {

/// Bytes that can be had without swapping: free memory, and most of what caches files. Source:
/// /proc/meminfo; 0 where it does not say.
double free_host_memory();

/// As long as it lives, the only one, what this process frees stays its own, for what it allocates next: of
/// inputs of gigabytes that are made one after the other, most of the time would go to the pages that the
/// system gives and takes.
class KeptHostMemory {
 public:
  KeptHostMemory();
  ~KeptHostMemory();
  KeptHostMemory(const KeptHostMemory&) = delete;
  KeptHostMemory& operator=(const KeptHostMemory&) = delete;
};

}  // namespace lockstep::judge
