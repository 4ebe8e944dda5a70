// What a runner writes of its counters, and what a submission might write in its place.
#include <gmock/gmock.h>

#include "device/hardware_counters.h"

namespace lockstep::device {
namespace {

emulator::LineCounters numbered_launch() {
  emulator::LineCounters launch;
  launch.function = "_Z6kernelPKf";
  std::uint64_t value = 1;
  for (const result::ComparedCounter& counter : result::kComparedCounters) counter.of(launch) = value *= 7;
  return launch;
}

TEST(CounterText, ComesBackAsItWent) {
  const CountedLaunches counted =
      decode_launches(encode_launch(numbered_launch()) + encode_launch(numbered_launch()));
  EXPECT_EQ(counted.failure, "");
  ASSERT_EQ(counted.launches.size(), 2U);
  EXPECT_EQ(counted.launches[1].function, "_Z6kernelPKf");
  for (const result::ComparedCounter& counter : result::kComparedCounters)
    EXPECT_EQ(counter.of(counted.launches[1]), counter.of(numbered_launch())) << counter.name;
}

TEST(CounterText, AFailureIsTold) {
  const std::string text = encode_launch(numbered_launch()) + encode_failure("cuptiX: WORDS");
  EXPECT_EQ(decode_launches(text).failure, "cuptiX: WORDS");
}

TEST(CounterText, NonsenseIsAFailure) {
  const std::string good = encode_launch(numbered_launch());
  for (const std::string& text :
       {std::string("nonsense\n"), std::string("launch 1 2 3 name\n"), good + "launch -1" + good.substr(8),
        good.substr(0, good.size() - 1), std::string(1000, '\0'), std::string("\n"),
        "launch 99999999999999999999999" + good.substr(8)}) {
    EXPECT_EQ(decode_launches(text).failure, "the runner's counters make no sense") << text;
  }
  EXPECT_EQ(decode_launches("").failure, "");
}

}  // namespace
}  // namespace lockstep::device
