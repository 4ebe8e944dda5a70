// expect: wrong-answer
// tries: Writes over its object and its source while it is graded.
// stopped by: The source is read once, and the object is mounted read-only.
#include <unistd.h>

#include <cstdio>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  for (const char* place : {"/lockstep/submission.so", "/lockstep/runner", "/lockstep/cudart/libcudart.so.13",
                            "/submission/transpose.cu", "transpose.cu"}) {
    unlink(place);
    if (std::FILE* file = std::fopen(place, "w")) std::fclose(file);
  }
}
