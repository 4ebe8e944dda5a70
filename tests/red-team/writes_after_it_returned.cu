// expect: crashed
// exercise: host-program
// tries: Returns at once, and lets a thread of its own write the result a little later.
// stopped by: The judge compares what the arrays hold when the function returns, and then takes the arrays
// away: the write of the thread ends its process.
#include <chrono>
#include <thread>

#include "host_program.h"

cudaError_t host_program(const std::uint32_t* in, std::uint32_t* out, int n) {
  std::thread([=] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (int i = 0; i < n; ++i) {
      std::uint32_t value = in[i];
      value = (value ^ value >> 16) * 0x7FEB352DU;
      value = (value ^ value >> 15) * 0x846CA68BU;
      out[i] = value ^ value >> 16;
    }
  }).detach();
  return cudaSuccess;
}
