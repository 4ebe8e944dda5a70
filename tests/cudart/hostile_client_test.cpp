// A client that says anything: the device answers or hangs up on it, and its owner does not notice.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <random>
#include <vector>

#include "emulator/server/channel.h"
#include "emulator/server/device_process.h"

namespace lockstep::emulator {
namespace {

using namespace std::chrono_literals;

class HostileClient : public testing::Test {
 protected:
  HostileClient() : device_(options()), buffer_(device_.allocate(kSecret.size(), "secret")) {
    device_.write(buffer_, std::as_bytes(std::span(kSecret)));
  }

  /// The owner's calls work, and its buffer holds what it wrote.
  void expect_control_works() {
    std::string content(kSecret.size(), '\0');
    device_.read(buffer_, std::as_writable_bytes(std::span(content)));
    EXPECT_EQ(content, kSecret);
    EXPECT_TRUE(device_.wait_idle(10s));
    EXPECT_TRUE(device_.alive());
  }

  void send_raw(std::span<const std::byte> bytes) {
    // The device may hang up in the middle.
    ::send(device_.client_descriptor(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }

  void expect_hung_up() {
    std::array<char, 4096> buffer{};
    ssize_t n = 0;
    while ((n = ::recv(device_.client_descriptor(), buffer.data(), buffer.size(), 0)) > 0) {
    }
    EXPECT_TRUE(n == 0 || errno == ECONNRESET);
  }

  Channel channel() { return Channel(::fcntl(device_.client_descriptor(), F_DUPFD_CLOEXEC, 0)); }

  Status status_of(Channel& client, Operation operation,
                   std::initializer_list<std::span<const std::byte>> parts) {
    return client.call(operation, parts, std::chrono::steady_clock::now() + 10s).status;
  }

  static DeviceProcess::Options options() {
    DeviceProcess::Options result;
    result.executable = DEVICE_EXECUTABLE;
    result.workers = 1;
    return result;
  }

  inline static const std::string kSecret = "belongs to the owner";
  DeviceProcess device_;
  DeviceAddress buffer_;
};

TEST_F(HostileClient, RandomBytes) {
  std::mt19937 random(20);
  std::vector<unsigned char> noise(1 << 16);
  for (auto& byte : noise) byte = static_cast<unsigned char>(random());
  send_raw(std::as_bytes(std::span(noise)));
  expect_hung_up();
  expect_control_works();
}

TEST_F(HostileClient, RandomPayloadsOfEveryOperation) {
  device_.set_client_memory_limit(64 << 20);
  std::mt19937 random(21);
  Channel client = channel();
  for (int i = 0; i < 3000; ++i) {
    std::vector<unsigned char> payload(random() % 120);
    for (auto& byte : payload) byte = static_cast<unsigned char>(random() % 4 == 0 ? random() : 0);
    const auto operation = static_cast<Operation>(random() % 30);
    client.call(operation, {std::as_bytes(std::span(payload))}, std::chrono::steady_clock::now() + 10s);
  }
  expect_control_works();
}

TEST_F(HostileClient, HugeSizeIsNotBelieved) {
  RequestHeader header;
  header.operation = Operation::load_image;
  header.bytes = std::uint64_t{1} << 60;
  send_raw(bytes_of(header));
  expect_hung_up();
  expect_control_works();
}

TEST_F(HostileClient, LongMessageOfAShortOperation) {
  RequestHeader header;
  header.operation = Operation::allocate;
  header.bytes = 64 << 20;
  send_raw(bytes_of(header));
  expect_hung_up();
  expect_control_works();
}

TEST_F(HostileClient, OperationsOfTheOwnerAreRefused) {
  Channel client = channel();
  const LimitRequest limit{1, 1};
  EXPECT_EQ(status_of(client, Operation::set_client_memory_limit, {bytes_of(limit)}), Status::malformed);
  EXPECT_EQ(status_of(client, Operation::take_observations, {}), Status::malformed);
  EXPECT_EQ(status_of(client, Operation::clear_error, {}), Status::malformed);
  EXPECT_EQ(status_of(client, Operation::set_time_limit, {bytes_of(limit)}), Status::malformed);
  EXPECT_EQ(status_of(client, static_cast<Operation>(9999), {}), Status::malformed);
  EXPECT_EQ(status_of(client, Operation::hello, {}), Status::ok);
  expect_control_works();
}

TEST_F(HostileClient, HalfAMessageHoldsNobodyUp) {
  RequestHeader header;
  header.operation = Operation::write;
  header.bytes = 1000;
  send_raw(bytes_of(header));
  send_raw(bytes_of(std::uint64_t{0}));
  expect_control_works();
  device_.close_client_descriptor();
  expect_control_works();
}

TEST_F(HostileClient, HalfAHeader) {
  const RequestHeader header;
  send_raw(bytes_of(header).first(5));
  expect_control_works();
}

TEST_F(HostileClient, UnreadRepliesHoldNobodyUp) {
  RequestHeader header;
  header.operation = Operation::read;
  header.bytes = sizeof(RangeRequest);
  const RangeRequest range{buffer_, 16, 16};
  Bytes request;
  append(request, bytes_of(header));
  append(request, bytes_of(range));
  int sent = 0;
  while (::send(device_.client_descriptor(), request.data(), request.size(), MSG_NOSIGNAL | MSG_DONTWAIT) >
         0) {
    ASSERT_LT(++sent, 10'000'000);
  }
  EXPECT_GT(sent, 100);
  expect_control_works();
}

TEST_F(HostileClient, OwnersBuffersCannotBeFreed) {
  Channel client = channel();
  const RangeRequest range{buffer_, 0, 0};
  EXPECT_NE(status_of(client, Operation::free, {bytes_of(range)}), Status::ok);
  EXPECT_EQ(status_of(client, Operation::reset, {}), Status::ok);
  expect_control_works();
}

TEST_F(HostileClient, MemoryIsLimited) {
  device_.set_client_memory_limit(1 << 20);
  Channel client = channel();
  const auto allocate = [&](std::uint64_t bytes) {
    return status_of(client, Operation::allocate, {bytes_of(AllocateRequest{bytes})});
  };
  EXPECT_EQ(allocate(2 << 20), Status::out_of_memory);
  EXPECT_EQ(allocate(UINT64_MAX), Status::out_of_memory);
  EXPECT_EQ(allocate(UINT64_MAX - 100), Status::out_of_memory);
  EXPECT_EQ(allocate(0), Status::invalid_value);
  int small = 0;
  while (allocate(1) == Status::ok) ASSERT_LT(++small, 100'000);
  EXPECT_EQ(small, (1 << 20) / 256);
  EXPECT_EQ(device_.take_client_statistics().allocated_bytes, std::uint64_t{1} << 20);
  // The owner is not bound by it.
  device_.free(device_.allocate(4 << 20, ""));
}

TEST_F(HostileClient, WhatItHeldIsReleasedWhenItGoes) {
  {
    Channel client = channel();
    EXPECT_EQ(status_of(client, Operation::allocate, {bytes_of(AllocateRequest{1 << 20})}), Status::ok);
    EXPECT_EQ(device_.take_client_statistics().allocated_bytes, std::uint64_t{1} << 20);
  }
  device_.close_client_descriptor();
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (device_.take_client_statistics().allocated_bytes != 0 &&
         std::chrono::steady_clock::now() < deadline) {
    ::usleep(1000);
  }
  EXPECT_EQ(device_.take_client_statistics().allocated_bytes, 0U);
  expect_control_works();
}

TEST_F(HostileClient, KernelsAndModulesOfNobody) {
  Channel client = channel();
  LaunchRequest launch;
  launch.kernel = 1;
  EXPECT_EQ(status_of(client, Operation::launch, {bytes_of(launch)}), Status::malformed);
  EXPECT_EQ(status_of(client, Operation::unload_image, {bytes_of(IdRequest{1})}), Status::malformed);
  EXPECT_EQ(
      status_of(client, Operation::find_kernel, {bytes_of(NameRequest{0}), bytes_of(std::string_view("k"))}),
      Status::malformed);
  expect_control_works();
}

TEST_F(HostileClient, BrokenImagesBecomeFindings) {
  Channel client = channel();
  const std::vector<std::byte> noise(5000, std::byte{0x42});
  EXPECT_NE(status_of(client, Operation::load_image, {noise}), Status::ok);
  EXPECT_NE(status_of(client, Operation::measure_image, {std::span(noise).first(16)}), Status::ok);
  const Observations observations = device_.take_observations();
  ASSERT_FALSE(observations.findings.empty());
  EXPECT_EQ(observations.findings[0].kind, Finding::Kind::bad_image);
  EXPECT_FALSE(observations.findings[0].message.empty());
  expect_control_works();
}

TEST_F(HostileClient, ReadsOfOwnersBuffersAreCounted) {
  Channel client = channel();
  EXPECT_EQ(status_of(client, Operation::read, {bytes_of(RangeRequest{buffer_ + 2, 5, 5})}), Status::ok);
  EXPECT_EQ(status_of(client, Operation::write, {bytes_of(WriteRequest{buffer_, 1}), bytes_of('b')}),
            Status::ok);
  const ClientStatistics statistics = device_.take_client_statistics();
  EXPECT_EQ(statistics.control_bytes_read, 5U);
  EXPECT_EQ(statistics.device_to_host_bytes, 5U);
  EXPECT_EQ(statistics.control_bytes_written, 1U);
}

}  // namespace
}  // namespace lockstep::emulator
