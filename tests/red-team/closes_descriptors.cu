// expect: crashed
// tries: Closes the descriptors that it inherited, so that nobody hears of its end.
// stopped by: The judge waits for the process besides, and ends it.
#include <unistd.h>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  for (int descriptor = 3; descriptor < 256; ++descriptor) close(descriptor);
  while (true) pause();
}
