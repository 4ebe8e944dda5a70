// How much memory this machine has left for inputs that the judge makes.
#pragma once

namespace lockstep::judge {

/// Bytes that can be had without swapping: free memory, and most of what caches files. Source:
/// /proc/meminfo; 0 where it does not tell.
double free_host_memory();

}  // namespace lockstep::judge
