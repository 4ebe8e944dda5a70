// Two contenders in a race; who runs is printed in a line of its own.
#include "race.h"

__global__ void count_kernel(int* calls) { ++*calls; }

int main() {
  int* calls = nullptr;
  CHECK_CUDA(cudaMalloc(&calls, sizeof(int)));
  peers::Race race("n = 1");
  for (const char* const name : {"first", "second"}) {
    race.add(name, [calls, name] {
      count_kernel<<<1, 1>>>(calls);
      std::printf("runs\t%s\n", name);
    });
  }
  race.run();
  race.tell_difference("second", "what differs", 0.25);
}
