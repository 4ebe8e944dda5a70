// expect: wrong-answer
// tries: Writes wherever a later submission, or a person, might find it.
// stopped by: All but the sandbox's own /tmp is read-only, and that is gone with the sandbox.
#include <cstdio>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  for (const char* path : {"/tmp/lockstep-escaped", "/var/tmp/lockstep-escaped", "/dev/shm/lockstep-escaped",
                           "/root/lockstep-escaped", "/home/lockstep-escaped", "/etc/lockstep-escaped",
                           "/usr/lib/lockstep-escaped", "/lockstep-escaped", "lockstep-escaped",
                           "../lockstep-escaped", "../../lockstep-escaped", "../../../lockstep-escaped"}) {
    if (std::FILE* file = std::fopen(path, "w")) std::fclose(file);
  }
}
