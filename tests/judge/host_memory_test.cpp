// What the judge takes for free memory, beside what the machine has.
#include "judge/host_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace lockstep::judge {
namespace {

TEST(HostMemory, FreeIsSomeOfWhatTheMachineHas) {
  const double all =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  EXPECT_GT(free_host_memory(), 0);
  EXPECT_LT(free_host_memory(), all);
}

}  // namespace
}  // namespace lockstep::judge
