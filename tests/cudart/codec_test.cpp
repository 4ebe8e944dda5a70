// Observations survive the way between processes, whatever bytes their names hold.
#include <gtest/gtest.h>

#include <cstring>
#include <utility>

#include "emulator/server/observations_codec.h"

namespace lockstep::emulator::server {
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
  finding = Finding::make(Finding::Cause::unordered_accesses);
  finding.space = Finding::Space::shared;
  finding.scope = Finding::Scope::warp;
  finding.access = Finding::Access::atomic;
  finding.other_access = Finding::Access::read;
  finding.other = Finding::Other::threads_of_warp;
  finding.other_number = 7;
  finding.width = 4;
  finding.address = 0x2000'0000'0004;
  finding.object = {"not UTF-8: \xFF\xC0", 0x2000'0000'0000, 64};
  finding.numbers = {-1, INT64_MAX};
  finding.name = "name";
  finding.detail = "detail";
  finding.reason = Finding::Cause::past_end;
  finding.of_virtual_call = finding.of_updates = finding.changed_atomically = true;
  finding.is_volatile = finding.sees_no_host_writes = true;
  finding.awaited = Finding::Awaited::lanes;
  finding.awaited_line = 9;
  finding.line = {"scan.cu", 17};
  finding.other_line = {"scan.cu", 18};
  finding.used_at = {"scan.cu", 19};
  finding.barrier = {{"scan.cu", 20}};
  finding.kernel = "_Z4scanPi";
  finding.block = {1, 2, 3};
  finding.block_shape = {4, 5, 6};
  finding.count = 8;
  finding.stack = {{"inner.h", 1}, {"scan.cu", 17}};
  finding.thread = {31, 1, 2};
  AccessTrace& trace = sent.traces.emplace_back();
  trace.addresses[31] = 0x2000'0000'0000;
  sent.shared_accesses = {{.units = 7, .function = "kernel"}};
  sent.global_accesses = {{.bytes = 32, .units = 8, .function = "kernel"}};
  sent.copied_to = {256, 512};
  sent.kernels = {{.kernel = "kernel", .grid = {3, 2, 1}, .block = {32, 8, 1}}};

  const Observations received = decode_observations(encode(sent));
  ASSERT_EQ(received.lines.size(), 1U);
  EXPECT_EQ(received.lines[0].line, line.line);
  EXPECT_EQ(received.lines[0].function, line.function);
  EXPECT_EQ(received.lines[0].warps, line.warps);
  EXPECT_EQ(received.lines[0].shared_load.ideal_units, 3U);
  ASSERT_EQ(received.findings.size(), 1U);
  EXPECT_EQ(received.findings[0], finding);
  ASSERT_EQ(received.traces.size(), 1U);
  EXPECT_EQ(received.traces[0].addresses, trace.addresses);
  ASSERT_EQ(received.shared_accesses.size(), 1U);
  EXPECT_EQ(received.shared_accesses[0].units, 7U);
  EXPECT_EQ(received.shared_accesses[0].function, "kernel");
  ASSERT_EQ(received.global_accesses.size(), 1U);
  EXPECT_EQ(received.global_accesses[0].units, 8U);
  EXPECT_EQ(received.copied_to, sent.copied_to);
  ASSERT_EQ(received.kernels.size(), 1U);
  EXPECT_EQ(received.kernels[0].grid, sent.kernels[0].grid);
  EXPECT_EQ(received.kernels[0].block, sent.kernels[0].block);
  EXPECT_EQ(received.launches, 3U);
  EXPECT_EQ(received.seconds, 0.125);
}

// The other end runs what a program sent: a judge must not look up rows that are not there.
TEST(ObservationsCodec, RefusesValuesThatNoEnumerationHas) {
  const auto received = [](const auto& change) {
    Observations sent;
    change(sent.findings.emplace_back());
    return decode_observations(encode(sent)).findings.at(0);
  };
  using F = Finding;
  const auto after = [](auto last) { return static_cast<decltype(last)>(static_cast<int>(last) + 1); };
  EXPECT_EQ(received([](F& f) { f.cause = F::kLastCause; }).kind, F::Kind::stale_read);
  EXPECT_EQ(received([](F& f) { f.kind = F::Kind::race; }).kind, F::Kind::out_of_bounds) << "by the cause";
  EXPECT_ANY_THROW(received([&](F& f) { f.cause = after(F::kLastCause); }));
  EXPECT_ANY_THROW(received([&](F& f) { f.cause = F::Cause{255}; }));
  EXPECT_ANY_THROW(received([&](F& f) { f.reason = after(F::kLastCause); }));
  EXPECT_ANY_THROW(received([&](F& f) { f.space = after(F::Space::surface); }));
  EXPECT_ANY_THROW(received([&](F& f) { f.scope = after(F::Scope::grid); }));
  EXPECT_ANY_THROW(received([&](F& f) { f.access = after(F::Access::atomic); }));
  EXPECT_ANY_THROW(received([&](F& f) { f.other_access = after(F::Access::atomic); }));
  EXPECT_ANY_THROW(received([&](F& f) { f.other = after(F::Other::other_blocks); }));
  EXPECT_ANY_THROW(received([&](F& f) { f.awaited = after(F::Awaited::cluster_barrier); }));
}

TEST(ObservationsCodec, RefusesAccessesOfNoWidth) {
  for (const std::uint32_t bytes : {0U, 3U, 64U}) {
    Observations sent;
    sent.shared_accesses = {{.bytes = bytes}};
    EXPECT_ANY_THROW(decode_observations(encode(sent))) << bytes;
    std::swap(sent.shared_accesses, sent.global_accesses);
    EXPECT_ANY_THROW(decode_observations(encode(sent))) << bytes;
  }
  Observations sent;
  sent.shared_accesses = {{.bytes = 32}};
  EXPECT_ANY_THROW(decode_observations(encode(sent)));
}

TEST(ObservationsCodec, RefusesOtherBytes) {
  const std::vector<std::byte> bytes(100, std::byte{0x9F});
  EXPECT_THROW(decode_observations(bytes), std::exception);
}

TEST(ObservationsCodec, RefusesWhatEndsEarlyOrGoesOn) {
  Observations sent;
  sent.lines.emplace_back().function = "kernel";
  sent.findings.emplace_back().stack = {{"inner.h", 1}, {"scan.cu", 17}};
  sent.shared_accesses.emplace_back();
  std::vector<std::byte> bytes = encode(sent);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(decode_observations(std::span(bytes).first(size)), std::exception) << size;
  }
  bytes.emplace_back();
  EXPECT_THROW(decode_observations(bytes), std::exception);
}

// A length that was sent is no reason to ask for so much memory.
TEST(ObservationsCodec, RefusesLengthsBeyondItsEnd) {
  for (const std::uint64_t length : {std::uint64_t{200}, std::uint64_t{1} << 40, UINT64_MAX}) {
    std::vector<std::byte> bytes(64);
    std::memcpy(bytes.data(), &length, sizeof(length));
    EXPECT_THROW(decode_observations(bytes), std::exception) << length;
  }
}

}  // namespace
}  // namespace lockstep::emulator::server
