// The owner's side of a device process.
#include "emulator/server/device_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "emulator/server/channel.h"

namespace lockstep::emulator::server {
namespace {

using namespace std::chrono_literals;

DeviceProcess::Options options() {
  DeviceProcess::Options result;
  result.executable = DEVICE_EXECUTABLE;
  result.workers = 1;
  return result;
}

/// The process of the one device that this test has started.
pid_t child() {
  pid_t found = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream children(thread.path() / "children");
    for (pid_t one = 0; children >> one;) found = one;
  }
  return found;
}

TEST(DeviceProcess, CopiesOfSeveralPieces) {
  DeviceProcess device(options());
  std::vector<std::uint32_t> sent(1'000'003);
  std::iota(sent.begin(), sent.end(), 7U);
  const auto bytes = std::as_bytes(std::span(sent));
  const DeviceAddress address = device.allocate(bytes.size(), "input");
  EXPECT_GE(address, kGlobalBegin);
  EXPECT_LT(address, kGlobalEnd);
  device.write(address, bytes);
  std::vector<std::uint32_t> received(sent.size());
  device.read(address, std::as_writable_bytes(std::span(received)));
  EXPECT_EQ(received, sent);
  device.fill(address + 4, std::byte{0xAB}, 4);
  device.read(address, std::as_writable_bytes(std::span(received)).first(12));
  EXPECT_EQ(received[0], 7U);
  EXPECT_EQ(received[1], 0xABABABABU);
  EXPECT_EQ(received[2], 9U);
  device.free(address);
  EXPECT_THROW(device.read(address, std::as_writable_bytes(std::span(received))), DeviceError);
}

TEST(DeviceProcess, CopyThatDoesNotFitChangesNothing) {
  DeviceProcess device(options());
  constexpr std::size_t kBytes = 3 << 20;
  const DeviceAddress address = device.allocate(kBytes, "input");
  device.fill(address, std::byte{1}, kBytes);
  const std::vector<std::byte> longer(kBytes + 1, std::byte{2});
  EXPECT_THROW(device.write(address, longer), DeviceError);
  std::vector<std::byte> first(1);
  device.read(address, first);
  EXPECT_EQ(first[0], std::byte{1});
}

TEST(DeviceProcess, RefusalsAreDeviceErrors) {
  DeviceProcess device(options());
  EXPECT_THROW(device.free(kGlobalBegin + 12345), DeviceError);
  EXPECT_THROW(device.fill(kGlobalEnd - 16, std::byte{0}, 64), DeviceError);
  EXPECT_TRUE(device.alive());
}

TEST(DeviceProcess, MissingExecutable) {
  DeviceProcess::Options missing = options();
  missing.executable = "/no/such/lockstep-device";
  EXPECT_THROW(DeviceProcess{missing}, DeviceLost);
}

TEST(DeviceProcess, ExecutableThatIsNoDevice) {
  DeviceProcess::Options other = options();
  other.executable = "/bin/true";
  EXPECT_THROW(DeviceProcess{other}, DeviceLost);
}

TEST(DeviceProcess, DeathIsNoticed) {
  DeviceProcess device(options());
  EXPECT_TRUE(device.alive());
  ::kill(child(), SIGKILL);
  EXPECT_THROW(device.allocate(16, ""), DeviceLost);
  // The connection closes a moment before the process has ended.
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (device.alive() && std::chrono::steady_clock::now() < deadline) ::usleep(1000);
  EXPECT_FALSE(device.alive());
}

TEST(DeviceProcess, WaitIdleGivesUpAndTheConnectionStaysUsable) {
  DeviceProcess device(options());
  EXPECT_TRUE(device.wait_idle(10s));
  ::kill(child(), SIGSTOP);
  const auto before = std::chrono::steady_clock::now();
  EXPECT_FALSE(device.wait_idle(50ms));
  EXPECT_FALSE(device.wait_idle(50ms));
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
  ::kill(child(), SIGCONT);
  // The two late answers must not be taken for those of the calls that follow.
  const DeviceAddress address = device.allocate(4, "");
  EXPECT_GE(address, kGlobalBegin);
  EXPECT_TRUE(device.wait_idle(10s));
  device.free(address);
}

std::string file_of(pid_t pid, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(DeviceProcess, GivesUpWhatItDoesNotNeed) {
  DeviceProcess device(options());
  EXPECT_EQ(file_of(child(), "oom_score_adj"), "1000\n");
  EXPECT_THAT(file_of(child(), "limits"), testing::ContainsRegex("Max core file size +0 +0 "));
  EXPECT_THAT(file_of(child(), "status"), testing::HasSubstr("NoNewPrivs:\t1\n"));
  // An undumpable process's files belong to root.
  struct stat environment {};
  ASSERT_EQ(::stat(("/proc/" + std::to_string(child()) + "/environ").c_str(), &environment), 0);
  EXPECT_EQ(environment.st_uid, 0U);
}

// The filter of system calls (its threads share it): what the process does not need fails, such as opening
// files.
TEST(DeviceProcess, CanOnlyServeItsConnections) {
  DeviceProcess device(options());
  EXPECT_THAT(file_of(child(), "status"), testing::HasSubstr("Seccomp:\t2\n"));
}

TEST(DeviceProcess, EndsWithItsOwner) {
  pid_t pid = 0;
  {
    DeviceProcess device(options());
    pid = child();
  }
  EXPECT_EQ(::kill(pid, 0), -1);
}

/// A channel whose other end says what a test lets it say.
class HostileDevice : public testing::Test {
 protected:
  void send(const ReplyHeader& header) { EXPECT_GT(::send(theirs_, &header, sizeof header, 0), 0); }
  ~HostileDevice() override { ::close(theirs_); }

  std::array<int, 2> ends_ = [] {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    return ends;
  }();
  Channel channel_{ends_[0]};
  int theirs_ = ends_[1];
};

TEST_F(HostileDevice, ALongReplyIsNotWaitedFor) {
  send({.sequence = 1, .bytes = std::uint64_t{1} << 29});
  EXPECT_THROW(channel_.call(RequestKind::synchronise, {}, std::chrono::steady_clock::now() + 10s),
               ConnectionLost);
}

// Replies to requests that were given up are passed over, but each of them once.
TEST_F(HostileDevice, TheSameReplyAgainAndAgainIsNoAnswer) {
  EXPECT_FALSE(channel_.try_call(RequestKind::synchronise, {}, std::chrono::steady_clock::now() + 1ms));
  for (int i = 0; i < 8; ++i) send({.sequence = 1});
  EXPECT_THROW(channel_.call(RequestKind::synchronise, {}, std::chrono::steady_clock::now() + 10s),
               ConnectionLost);
}

}  // namespace
}  // namespace lockstep::emulator::server
