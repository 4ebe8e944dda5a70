// What the judge of "host-program" expects, compared with the kernel of the interface, in the shifts in which
// the header states it.
#include <gtest/gtest.h>

#include <vector>

#include "problem_access.h"

namespace lockstep::test::host_program_test {
namespace {

TEST(HostProgram, ExpectsWhatTheGivenKernelWrites) {
  for (const course::Case& one : problem("host-program").cases) {
    SCOPED_TRACE(one.name);
    SplitMix64 random(7);
    const course::Call call = one.prepare(random);
    const auto in = input<std::uint32_t>(call, "in"), out = expected<std::uint32_t>(call);
    ASSERT_EQ(in.size(), static_cast<std::size_t>(scalar(call, "n")));
    ASSERT_EQ(out.size(), in.size());
    for (std::size_t i = 0; i < in.size(); ++i) {
      std::uint32_t value = in[i];
      value = (value ^ value >> 16) * 0x7FEB352DU;
      value = (value ^ value >> 15) * 0x846CA68BU;
      ASSERT_EQ(out[i], value ^ value >> 16) << "element " << i;
    }
    EXPECT_TRUE(argument(call, "in").on_host && argument(call, "out").on_host);
  }
}

}  // namespace
}  // namespace lockstep::test::host_program_test
