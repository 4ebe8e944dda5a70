// Observations survive the way between processes, whatever bytes their names hold.
#include <gtest/gtest.h>

#include "emulator/server/observations_codec.h"

namespace lockstep::emulator {
namespace {

TEST(ObservationsCodec, RoundTrip) {
  Observations sent;
  sent.launches = 3;
  sent.seconds = 0.125;
  LineCounters& line = sent.lines.emplace_back();
  line.line = {"scan.cu", 17};
  line.function = "_Z4scanPi";
  line.warps = std::uint64_t{1} << 60;
  line.shared_load = {1, 2, 3, 4};
  Finding& finding = sent.findings.emplace_back();
  finding.kind = Finding::Kind::race;
  finding.message = "not UTF-8: \xFF\xC0";
  finding.stack = {{"inner.h", 1}, {"scan.cu", 17}};
  finding.thread = {31, 1, 2};
  AccessTrace& trace = sent.traces.emplace_back();
  trace.addresses[31] = 0x2000'0000'0000;

  const Observations received = decode_observations(encode(sent));
  ASSERT_EQ(received.lines.size(), 1U);
  EXPECT_EQ(received.lines[0].line, line.line);
  EXPECT_EQ(received.lines[0].function, line.function);
  EXPECT_EQ(received.lines[0].warps, line.warps);
  EXPECT_EQ(received.lines[0].shared_load.ideal_units, 3U);
  ASSERT_EQ(received.findings.size(), 1U);
  EXPECT_EQ(received.findings[0].kind, Finding::Kind::race);
  EXPECT_EQ(received.findings[0].message, finding.message);
  EXPECT_EQ(received.findings[0].stack, finding.stack);
  EXPECT_EQ(received.findings[0].thread, finding.thread);
  ASSERT_EQ(received.traces.size(), 1U);
  EXPECT_EQ(received.traces[0].addresses, trace.addresses);
  EXPECT_EQ(received.launches, 3U);
  EXPECT_EQ(received.seconds, 0.125);
}

TEST(ObservationsCodec, RefusesOtherBytes) {
  const std::vector<std::byte> bytes(100, std::byte{0x9F});
  EXPECT_THROW(decode_observations(bytes), std::exception);
}

// Each byte begins an array of one item: a parser that recurses would leave its stack.
TEST(ObservationsCodec, RefusesWhatIsNestedDeeply) {
  const std::vector<std::byte> bytes(4'000'000, std::byte{0x81});
  EXPECT_THROW(decode_observations(bytes), std::exception);
}

TEST(ObservationsCodec, RefusesSizesBeyondItsEnd) {
  for (const int head : {0x5B, 0x7B, 0x9B, 0xBB}) {  // a string, a text, an array and a map of 2^63 items
    std::vector<std::byte> bytes{std::byte(head), std::byte{0x80}};
    bytes.resize(64);
    EXPECT_THROW(decode_observations(bytes), std::exception) << head;
  }
}

}  // namespace
}  // namespace lockstep::emulator
