// A client that says anything: the device answers or hangs up on it, and its owner does not notice.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <random>
#include <sstream>
#include <vector>

#include "emulator/server/channel.h"
#include "emulator/server/device_process.h"

namespace lockstep::emulator::server {
namespace {

using namespace std::chrono_literals;

/// A fat binary of one PTX text, not compressed.
Bytes fat_binary(const std::string& code) {
  const std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n" + code;
  const std::uint64_t payload = text.size() / 8 * 8 + 8;  // ends with a zero at least
  Bytes image(16 + 64 + payload);
  const auto put = [&](std::size_t at, auto number) { std::memcpy(&image[at], &number, sizeof number); };
  put(0, std::uint32_t{0xBA55ED50});
  put(4, std::uint16_t{1});
  put(6, std::uint16_t{16});
  put(8, std::uint64_t{64 + payload});
  put(16, std::uint16_t{1});
  put(20, std::uint32_t{64});
  put(24, payload);
  put(44, std::uint32_t{90});
  std::memcpy(&image[80], text.data(), text.size());
  return image;
}

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

  Status status_of(Channel& client, RequestKind kind,
                   std::initializer_list<std::span<const std::byte>> parts) {
    return client.call(kind, parts, std::chrono::steady_clock::now() + 10s).status;
  }

  /// Loads the text, finds its kernel `k` and launches one thread of it; the first status that is not ok.
  Status status_of_kernel(Channel& client, const std::string& code) {
    const Reply image =
        client.call(RequestKind::load_image, {fat_binary(code)}, std::chrono::steady_clock::now() + 30s);
    if (image.status != Status::ok) return image.status;
    const NameRequest name{MessageReader(image.payload).take<IdReply>().id};
    const Reply kernel =
        client.call(RequestKind::find_kernel, {bytes_of(name), bytes_of(std::string_view("k"))},
                    std::chrono::steady_clock::now() + 30s);
    if (kernel.status != Status::ok) return kernel.status;
    LaunchRequest launch;
    launch.kernel = MessageReader(kernel.payload).take<KernelReply>().kernel;
    return status_of(client, RequestKind::launch, {bytes_of(launch)});
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
    std::vector<unsigned char> payload(random() % 160);
    for (auto& byte : payload) byte = static_cast<unsigned char>(random() % 4 == 0 ? random() : 0);
    const auto kind = static_cast<RequestKind>(random() % 40);
    client.call(kind, {std::as_bytes(std::span(payload))}, std::chrono::steady_clock::now() + 10s);
  }
  expect_control_works();
}

TEST_F(HostileClient, HugeSizeIsNotBelieved) {
  RequestHeader header;
  header.kind = RequestKind::load_image;
  header.bytes = std::uint64_t{1} << 60;
  send_raw(bytes_of(header));
  expect_hung_up();
  expect_control_works();
}

TEST_F(HostileClient, LongMessageOfAShortOperation) {
  RequestHeader header;
  header.kind = RequestKind::allocate;
  header.bytes = 64 << 20;
  send_raw(bytes_of(header));
  expect_hung_up();
  expect_control_works();
}

TEST_F(HostileClient, OperationsOfTheOwnerAreRefused) {
  Channel client = channel();
  const LimitRequest limit{1, 1};
  EXPECT_EQ(status_of(client, RequestKind::set_client_memory_limit, {bytes_of(limit)}), Status::malformed);
  EXPECT_EQ(status_of(client, RequestKind::take_observations, {}), Status::malformed);
  EXPECT_EQ(status_of(client, RequestKind::admit_client, {}), Status::malformed);
  EXPECT_EQ(status_of(client, RequestKind::set_time_limit, {bytes_of(limit)}), Status::malformed);
  EXPECT_EQ(status_of(client, static_cast<RequestKind>(9999), {}), Status::malformed);
  EXPECT_EQ(status_of(client, RequestKind::hello, {}), Status::ok);
  expect_control_works();
}

TEST_F(HostileClient, HalfAMessageHoldsNobodyUp) {
  RequestHeader header;
  header.kind = RequestKind::write;
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
  header.kind = RequestKind::read;
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
  EXPECT_NE(status_of(client, RequestKind::free, {bytes_of(range)}), Status::ok);
  EXPECT_EQ(status_of(client, RequestKind::reset, {}), Status::ok);
  expect_control_works();
}

TEST_F(HostileClient, MemoryIsLimited) {
  device_.set_client_memory_limit(1 << 20);
  Channel client = channel();
  const auto allocate = [&](std::uint64_t bytes) {
    return status_of(client, RequestKind::allocate, {bytes_of(AllocateRequest{bytes})});
  };
  EXPECT_EQ(allocate(2 << 20), Status::out_of_memory);
  EXPECT_EQ(allocate(UINT64_MAX), Status::out_of_memory);
  EXPECT_EQ(allocate(UINT64_MAX - 100), Status::out_of_memory);
  EXPECT_EQ(allocate(0), Status::invalid_value);
  int small = 0;
  while (allocate(1) == Status::ok) ASSERT_LT(++small, 100'000);
  EXPECT_EQ(small, (1 << 20) / 4096);
  EXPECT_EQ(device_.take_client_statistics().allocated_bytes, std::uint64_t{1} << 20);
  // The owner is not bound by it.
  device_.free(device_.allocate(4 << 20, ""));
}

TEST_F(HostileClient, WhatItHeldIsReleasedWhenItGoes) {
  {
    Channel client = channel();
    EXPECT_EQ(status_of(client, RequestKind::allocate, {bytes_of(AllocateRequest{1 << 20})}), Status::ok);
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
  EXPECT_EQ(status_of(client, RequestKind::launch, {bytes_of(launch)}), Status::malformed);
  EXPECT_EQ(status_of(client, RequestKind::check_launch, {bytes_of(launch)}), Status::malformed);
  EXPECT_EQ(status_of(client, RequestKind::check_launch, {}), Status::malformed);
  EXPECT_EQ(status_of(client, RequestKind::unload_image, {bytes_of(IdRequest{1})}), Status::malformed);
  EXPECT_EQ(status_of(client, RequestKind::find_kernel,
                      {bytes_of(NameRequest{0}), bytes_of(std::string_view("k"))}),
            Status::malformed);
  expect_control_works();
}

TEST_F(HostileClient, BrokenImagesBecomeFindings) {
  Channel client = channel();
  const std::vector<std::byte> noise(5000, std::byte{0x42});
  EXPECT_NE(status_of(client, RequestKind::load_image, {noise}), Status::ok);
  EXPECT_NE(status_of(client, RequestKind::measure_image, {std::span(noise).first(16)}), Status::ok);
  const Observations observations = device_.take_observations();
  ASSERT_FALSE(observations.findings.empty());
  EXPECT_EQ(observations.findings[0].kind, Finding::Kind::bad_image);
  EXPECT_FALSE(observations.findings[0].detail.empty());
  expect_control_works();
}

TEST_F(HostileClient, ReadsOfOwnersBuffersAreCounted) {
  Channel client = channel();
  EXPECT_EQ(status_of(client, RequestKind::read, {bytes_of(RangeRequest{buffer_ + 2, 5, 5})}), Status::ok);
  EXPECT_EQ(status_of(client, RequestKind::write, {bytes_of(WriteRequest{buffer_, 1}), bytes_of('b')}),
            Status::ok);
  const ClientStatistics statistics = device_.take_client_statistics();
  EXPECT_EQ(statistics.control_bytes_read, 5U);
  EXPECT_EQ(statistics.device_to_host_bytes, 5U);
  EXPECT_EQ(statistics.control_bytes_written, 1U);
  EXPECT_EQ(statistics.host_to_device_bytes, 1U);
}

TEST_F(HostileClient, ImagesBesideTheFirstAreCounted) {
  Channel client = channel();
  const Bytes image = fat_binary(".global .u32 data = 7;\n.visible .entry k() { ret; }\n");
  for (const std::size_t counted : {std::size_t{0}, image.size(), image.size()}) {
    EXPECT_EQ(status_of(client, RequestKind::load_image, {image}), Status::ok);
    EXPECT_EQ(device_.take_client_statistics().host_to_device_bytes, counted);
  }
}

TEST_F(HostileClient, OfSharedMemoryWhatHasChangedIsCounted) {
  Channel client = channel();
  const auto allocate = [&](MemoryKind kind) {
    const Reply reply = client.call(RequestKind::allocate, {bytes_of(AllocateRequest{4096, kind})},
                                    std::chrono::steady_clock::now() + 10s);
    return MessageReader(reply.payload).take<AddressReply>().address;
  };
  const auto copied = [&] {
    const ClientStatistics statistics = device_.take_client_statistics();
    return std::pair(statistics.host_to_device_bytes, statistics.device_to_host_bytes);
  };
  const auto write = [&](DeviceAddress to, const std::vector<std::byte>& data) {
    EXPECT_EQ(status_of(client, RequestKind::write, {bytes_of(WriteRequest{to, data.size()}), data}),
              Status::ok);
  };
  const auto read = [&](DeviceAddress from, std::uint64_t bytes) {
    EXPECT_EQ(status_of(client, RequestKind::read, {bytes_of(RangeRequest{from, bytes, bytes})}), Status::ok);
  };
  const std::vector<std::byte> page(4096, std::byte{7});
  for (const MemoryKind kind : {MemoryKind::managed, MemoryKind::host}) {
    const DeviceAddress shared = allocate(kind);
    write(shared, page);
    EXPECT_EQ(copied(), std::pair(4096UL, 0UL));
    read(shared, 4096);
    write(shared, page);
    EXPECT_EQ(copied(), std::pair(0UL, 0UL)) << "both know it";
    std::vector<std::byte> changed = page;
    changed[100] = std::byte{8};
    write(shared, changed);
    EXPECT_EQ(copied(), std::pair(32UL, 0UL)) << "a sector";
    // What another than the program writes, such as a kernel.
    device_.write(shared + 96, std::as_bytes(std::span("a kernel")));
    read(shared, 4096);
    EXPECT_EQ(copied(), std::pair(0UL, 32UL));
    read(shared, 4096);
    EXPECT_EQ(copied(), std::pair(0UL, 0UL));
  }
  const DeviceAddress own = allocate(MemoryKind::device);
  write(own, page);
  write(own, page);
  read(own, 4096);
  EXPECT_EQ(copied(), std::pair(8192UL, 4096UL)) << "copies are counted as they are asked for";
  const FillRequest fill{own, 4096, 0};
  EXPECT_EQ(status_of(client, RequestKind::fill, {bytes_of(fill)}), Status::ok);
  EXPECT_EQ(copied(), std::pair(1UL, 0UL)) << "the host has passed one byte";
}

TEST_F(HostileClient, WhatPagesTellIsCounted) {
  Channel client = channel();
  EXPECT_EQ(status_of(client, RequestKind::written_pages, {bytes_of(RangeRequest{buffer_, 5, 5})}),
            Status::ok);
  const std::uint64_t told = device_.take_client_statistics().device_to_host_bytes;
  EXPECT_GT(told, 0U);
  EXPECT_LE(told, 8U) << "one run of written pages has two ends";
}

TEST_F(HostileClient, MemoryIsLimitedBeforeTheOwnerHasSetALimit) {
  Channel client = channel();
  EXPECT_EQ(status_of(client, RequestKind::allocate, {bytes_of(AllocateRequest{std::uint64_t{6} << 30})}),
            Status::out_of_memory);
  EXPECT_EQ(status_of(client, RequestKind::allocate, {bytes_of(AllocateRequest{1 << 20})}), Status::ok);
}

TEST_F(HostileClient, VariablesAreChargedToItsMemory) {
  device_.set_client_memory_limit(64 << 20);
  Channel client = channel();
  const auto load = [&](const std::string& code) {
    return status_of(client, RequestKind::load_image, {fat_binary(code)});
  };
  EXPECT_EQ(load(".global .align 4 .b8 large[3221225472];\n"), Status::out_of_memory);
  EXPECT_EQ(load(".global .align 4 .b8 half[33554432];\n"), Status::ok);
  EXPECT_EQ(device_.take_client_statistics().allocated_bytes, std::uint64_t{32} << 20);
  EXPECT_EQ(load(".global .align 4 .b8 more[33554436];\n"), Status::out_of_memory);
  EXPECT_EQ(status_of(client, RequestKind::allocate, {bytes_of(AllocateRequest{(32 << 20) + 1})}),
            Status::out_of_memory);
  const Observations observations = device_.take_observations();
  ASSERT_EQ(observations.findings.size(), 2U);
  EXPECT_NE(observations.findings[0].detail.find("the variable large has 3221225472 bytes"),
            std::string::npos);
  EXPECT_EQ(load(".global .align 4 .b8 other_half[33554432];\n"), Status::ok);
  EXPECT_EQ(status_of(client, RequestKind::reset, {}), Status::ok);
  EXPECT_EQ(device_.take_client_statistics().allocated_bytes, 0U);
  EXPECT_EQ(load(".global .align 4 .b8 more[33554436];\n"), Status::ok);
  expect_control_works();
}

TEST_F(HostileClient, TextOfItsModulesIsLimited) {
  Channel client = channel();
  const auto load = [&](std::size_t bytes) {
    return status_of(client, RequestKind::load_image, {fat_binary(std::string(bytes, ' '))});
  };
  EXPECT_EQ(load(33 << 20), Status::no_ptx);
  EXPECT_EQ(load(20 << 20), Status::ok);
  EXPECT_EQ(load(20 << 20), Status::out_of_memory);
  EXPECT_EQ(load(10 << 20), Status::ok);
  for (const Finding& finding : device_.take_observations().findings) {
    EXPECT_EQ(finding.kind, Finding::Kind::bad_image);
    EXPECT_NE(finding.detail.find("PTX"), std::string::npos) << finding.detail;
  }
  expect_control_works();
}

TEST_F(HostileClient, SharedVariablesThatWrapAroundAreAFinding) {
  Channel client = channel();
  EXPECT_EQ(status_of_kernel(client,
                             ".visible .entry k()\n{ .reg .b32 %r<5>;\n"
                             ".shared .align 1 .b8 a[2147483648]; .shared .align 1 .b8 b[2147482624];\n"
                             ".shared .align 1 .b8 c[2048];\n"
                             "mov.u32 %r1, a; mov.u32 %r2, b; mov.u32 %r3, %reserved_smem_offset_1;\n"
                             "mov.u32 %r4, c; ret; }\n"),
            Status::invalid_image);
  const Observations observations = device_.take_observations();
  ASSERT_EQ(observations.findings.size(), 1U);
  EXPECT_EQ(observations.findings[0].kind, Finding::Kind::bad_image);
  EXPECT_EQ(observations.findings[0].detail,
            "k uses too much shared memory: 2147483648 bytes with the variable a, which has 2147483648");
  expect_control_works();
}

TEST_F(HostileClient, CodeThatTakesManyTimesItsTextIsRefused) {
  Channel client = channel();
  const auto repeated = [](std::string text, std::string_view part, std::size_t times) {
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
  };
  const auto kernel = [](const std::string& code) {
    return ".entry k()\n{ .reg .b32 a;\n" + code + "ret; }\n";
  };
  constexpr std::size_t kMany = 15'000'000;
  EXPECT_EQ(status_of_kernel(client, kernel(repeated("prefetch {a", ",a", kMany) + "};")),
            Status::invalid_image);
  EXPECT_EQ(status_of_kernel(client, kernel(repeated("T: L: .branchtargets T", ",T", kMany) + ";")),
            Status::invalid_image);
  EXPECT_EQ(status_of_kernel(client, kernel(repeated("", "x;", kMany))), Status::invalid_image);
  for (const Finding& finding : device_.take_observations().findings) {
    EXPECT_EQ(finding.kind, Finding::Kind::bad_image);
    EXPECT_TRUE(finding.detail.ends_with("an instruction of too many operands") ||
                finding.detail.ends_with("takes more memory than the emulated device has for it"))
        << finding.detail;
  }
  // Of all modules together.
  const Bytes large = fat_binary(kernel(repeated("", "x;", 700'000)));
  EXPECT_EQ(status_of(client, RequestKind::load_image, {large}), Status::ok);
  EXPECT_EQ(status_of(client, RequestKind::load_image, {large}), Status::invalid_image);
  EXPECT_EQ(status_of(client, RequestKind::reset, {}), Status::ok);
  EXPECT_EQ(status_of(client, RequestKind::load_image, {large}), Status::ok);
  expect_control_works();
}

// What is counted decides gates and limits: sums of refused sizes could lead around 2^64 to any number.
TEST_F(HostileClient, RefusedRequestsCountForNothing) {
  Channel client = channel();
  const std::uint64_t huge = std::uint64_t{1} << 63;
  EXPECT_NE(status_of(client, RequestKind::fill, {bytes_of(FillRequest{buffer_, huge, 0})}), Status::ok);
  EXPECT_NE(status_of(client, RequestKind::fill, {bytes_of(FillRequest{0, 64, 0})}), Status::ok);
  EXPECT_NE(status_of(client, RequestKind::read, {bytes_of(RangeRequest{buffer_, 64, 64})}), Status::ok);
  EXPECT_NE(status_of(client, RequestKind::read, {bytes_of(RangeRequest{buffer_, 64, 1})}), Status::ok);
  EXPECT_NE(status_of(client, RequestKind::write, {bytes_of(WriteRequest{buffer_, 1}), Bytes(64)}),
            Status::ok);
  const BoxRequest box{{buffer_, 5, 0}, {2, 400, 1}, {0, 6}};
  EXPECT_NE(status_of(client, RequestKind::read_box, {bytes_of(box)}), Status::ok);
  EXPECT_NE(status_of(client, RequestKind::write_box, {bytes_of(box), Bytes(6)}), Status::ok);
  EXPECT_EQ(device_.take_observations().copied_sectors, 0U);
  const ClientStatistics statistics = device_.take_client_statistics();
  EXPECT_EQ(statistics.device_to_host_bytes, 0U);
  EXPECT_EQ(statistics.control_bytes_read, 0U);
  EXPECT_EQ(statistics.control_bytes_written, 0U);
  expect_control_works();
}

TEST_F(HostileClient, TangledBranchesAreAFindingInBoundedTime) {
  Channel client = channel();
  std::ostringstream code;
  code << ".visible .entry k()\n{ .reg .b32 %r<3>; .reg .pred %p<3>;\n";
  constexpr int kLoops = 60'000;
  for (int i = 0; i < kLoops; ++i) code << 'L' << i << ": add.u32 %r1,%r1,1;\n";
  for (int i = kLoops; i-- > 0;) code << "@%p1 bra L" << i << ";\n";
  code << "ret; }\n";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(status_of_kernel(client, code.str()), Status::invalid_image);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  const Observations observations = device_.take_observations();
  ASSERT_EQ(observations.findings.size(), 1U);
  EXPECT_EQ(observations.findings[0].kind, Finding::Kind::bad_image);
  EXPECT_EQ(observations.findings[0].detail, "k: its branches are too tangled for the emulated device");
  expect_control_works();
}

TEST_F(HostileClient, NamesOfFilesAreLimited) {
  Channel client = channel();
  EXPECT_EQ(status_of_kernel(client, ".file 1 \"" + std::string(100'000, 'f') + "\"\n"),
            Status::invalid_image);
  expect_control_works();
}

TEST_F(HostileClient, LinesWithoutEndAreCountedInBoundedSpace) {
  Channel client = channel();
  constexpr std::uint64_t kLines = 20'000;
  std::ostringstream code;
  code << ".file 1 \"" << std::string(4096, 'f') << "\"\n.visible .entry k()\n{ .reg .b32 %r<3>;\n";
  for (std::uint64_t i = 1; i <= kLines; ++i) code << ".loc 1 " << i << " 1\nadd.u32 %r1,%r1,1;\n";
  code << "ret; }\n";
  EXPECT_EQ(status_of_kernel(client, code.str()), Status::ok);
  const Observations observations = device_.take_observations();
  EXPECT_LT(observations.lines.size(), 10'000U);
  std::uint64_t warps = 0;
  for (const LineCounters& line : observations.lines) warps += line.warps;
  EXPECT_EQ(warps, observations.warp_instructions);
  EXPECT_EQ(warps, kLines + 1);  // and ret
  expect_control_works();
}

TEST_F(HostileClient, LongSentencesAreCut) {
  Channel client = channel();
  const std::string name(60'000, 'n');
  EXPECT_EQ(status_of_kernel(client, ".global .align 4 .b8 " + name + "[17179869184];\n"),
            Status::out_of_memory);
  const Observations observations = device_.take_observations();
  ASSERT_EQ(observations.findings.size(), 1U);
  EXPECT_EQ(observations.findings[0].detail.size(), 4096U);
  expect_control_works();
}

TEST_F(HostileClient, IsRefusedAndCountedWhileItIsHeld) {
  Channel client = channel();
  EXPECT_TRUE(device_.hold_client(10s));
  EXPECT_EQ(status_of(client, RequestKind::write, {bytes_of(WriteRequest{buffer_, 1}), bytes_of('x')}),
            Status::launch_failure);
  EXPECT_EQ(status_of(client, RequestKind::hello, {}), Status::launch_failure);
  expect_control_works();
  device_.admit_client();
  EXPECT_EQ(status_of(client, RequestKind::hello, {}), Status::ok);
  EXPECT_EQ(device_.take_client_statistics().late_requests, 2U);
  EXPECT_EQ(device_.take_client_statistics().late_requests, 0U);
}

TEST_F(HostileClient, MemoryIsMappedAndAskedAboutOnlyWhereItIsItsOwn) {
  Channel client = channel();
  const auto ask = [&](RequestKind kind, DeviceAddress address, std::uint64_t bytes) {
    return status_of(client, kind, {bytes_of(RangeRequest{address, bytes, bytes})});
  };
  EXPECT_EQ(ask(RequestKind::map_host, buffer_, 1), Status::invalid_value);
  EXPECT_EQ(ask(RequestKind::map_host, kGlobalBegin + 12345, 1), Status::invalid_value);
  EXPECT_EQ(ask(RequestKind::written_pages, kGlobalEnd - 1, UINT64_MAX), Status::invalid_address);
  EXPECT_EQ(ask(RequestKind::written_pages, buffer_, UINT64_MAX), Status::invalid_address);
  EXPECT_EQ(ask(RequestKind::written_pages, 12345, 0), Status::ok);
  const AllocateRequest strange{4096, static_cast<MemoryKind>(77)};
  EXPECT_EQ(status_of(client, RequestKind::allocate, {bytes_of(strange)}), Status::malformed);
  EXPECT_EQ(device_.take_client_statistics().allocated_bytes, 0U);
  expect_control_works();
}

TEST_F(HostileClient, SelectsOnlyDevicesThatThereAre) {
  Channel client = channel();
  for (const std::uint64_t device : {std::uint64_t{1}, std::uint64_t{8}, UINT64_MAX}) {
    EXPECT_EQ(status_of(client, RequestKind::select_device, {bytes_of(IdRequest{device})}),
              Status::invalid_value);
  }
  EXPECT_EQ(status_of(client, RequestKind::select_device, {bytes_of(IdRequest{0})}), Status::ok);
}

TEST_F(HostileClient, HeapOfItsKernelsIsChargedToItsMemory) {
  device_.set_client_memory_limit(64 << 20);
  Channel client = channel();
  const std::string code =
      ".extern .func (.param .b64 r) malloc (.param .b64 n);\n"
      ".visible .entry k()\n{ .reg .b64 %d<2>; .param .b64 n; .param .b64 r;\n"
      "st.param.b64 [n], 100; call.uni (r), malloc, (n); ret; }\n";
  const Reply image = client.call(RequestKind::load_image, {fat_binary(code)});
  ASSERT_EQ(image.status, Status::ok);
  const NameRequest name{MessageReader(image.payload).take<IdReply>().id};
  const Reply kernel =
      client.call(RequestKind::find_kernel, {bytes_of(name), bytes_of(std::string_view("k"))});
  ASSERT_EQ(kernel.status, Status::ok);
  LaunchRequest launch;
  launch.kernel = MessageReader(kernel.payload).take<KernelReply>().kernel;
  for (const std::uint64_t bytes : {std::uint64_t{1} << 30, UINT64_MAX, UINT64_MAX / 4 + 1}) {
    launch.heap_bytes = bytes;
    EXPECT_EQ(status_of(client, RequestKind::launch, {bytes_of(launch)}), Status::out_of_memory) << bytes;
  }
  EXPECT_EQ(device_.take_client_statistics().allocated_bytes, 0U);
  launch.heap_bytes = 1 << 20;
  EXPECT_EQ(status_of(client, RequestKind::launch, {bytes_of(launch)}), Status::ok);
  EXPECT_EQ(device_.take_client_statistics().allocated_bytes, std::uint64_t{4} << 20);
  EXPECT_EQ(status_of(client, RequestKind::reset, {}), Status::ok);
  EXPECT_EQ(device_.take_client_statistics().allocated_bytes, 0U);
  expect_control_works();
}

TEST_F(HostileClient, PagesSayWhatWasWrittenToThem) {
  Channel client = channel();
  const AllocateRequest wanted{2 * kPageBytes + 1, MemoryKind::managed};
  const Reply allocated = client.call(RequestKind::allocate, {bytes_of(wanted)});
  ASSERT_EQ(allocated.status, Status::ok);
  const DeviceAddress address = MessageReader(allocated.payload).take<AddressReply>().address;
  EXPECT_EQ(address % kPageBytes, 0U);
  const auto pages = [&] {
    return client.call(RequestKind::written_pages, {bytes_of(RangeRequest{address, wanted.bytes, 0})})
        .payload;
  };
  EXPECT_EQ(pages(), Bytes({std::byte{0}, std::byte{0}, std::byte{0}}));
  EXPECT_EQ(status_of(client, RequestKind::fill, {bytes_of(FillRequest{address + 2 * kPageBytes, 1, 0})}),
            Status::ok);
  EXPECT_EQ(status_of(client, RequestKind::fill, {bytes_of(FillRequest{address + kPageBytes - 1, 1, 0})}),
            Status::ok);
  EXPECT_EQ(pages(), Bytes({std::byte{1}, std::byte{0}, std::byte{1}}));
}

/// A request for a texture over `bytes` bytes of memory, as a line of them.
TextureRequest texture_over(DeviceAddress address, std::uint64_t bytes) {
  TextureRequest request;
  request.image.address = address;
  request.image.width = bytes;
  request.image.format.bits = 8;
  return request;
}

TEST_F(HostileClient, TexturesShowOnlyWhatIsAllocated) {
  Channel client = channel();
  const auto create = [&](const TextureRequest& request) {
    return status_of(client, RequestKind::create_texture, {bytes_of(request)});
  };
  EXPECT_EQ(create(texture_over(buffer_, kSecret.size())), Status::ok);
  EXPECT_EQ(create(texture_over(buffer_, kSecret.size() + 1)), Status::invalid_address);
  EXPECT_EQ(create(texture_over(kGlobalBegin + (std::uint64_t{1} << 39), 1)), Status::invalid_address);
  EXPECT_EQ(create(texture_over(UINT64_MAX, 2)), Status::invalid_address);
  EXPECT_EQ(create(texture_over(buffer_, UINT64_MAX)), Status::invalid_value);
  TextureRequest wrapping = texture_over(buffer_, 1);
  wrapping.image.shape = Image::Shape::volume;
  wrapping.image.depth = 2;
  wrapping.image.slice_bytes = UINT64_MAX - 7;
  EXPECT_EQ(create(wrapping), Status::invalid_value);
  TextureRequest mode = texture_over(buffer_, 1);
  mode.sampler.outside[1] = static_cast<Sampler::Outside>(0xFFFF'FFFF);
  EXPECT_EQ(create(mode), Status::invalid_value);
  const TextureRequest good = texture_over(buffer_, 1);
  EXPECT_EQ(status_of(client, RequestKind::create_texture, {bytes_of(good).first(50)}), Status::malformed);
  EXPECT_EQ(status_of(client, RequestKind::create_texture, {bytes_of(good), bytes_of(good)}),
            Status::malformed);
  expect_control_works();
}

TEST_F(HostileClient, ObjectsOfNobodyAreNotDestroyed) {
  Channel client = channel();
  for (const std::uint64_t handle : {std::uint64_t{0}, std::uint64_t{1}, buffer_, UINT64_MAX}) {
    EXPECT_EQ(status_of(client, RequestKind::destroy_image, {bytes_of(IdRequest{handle})}),
              Status::invalid_value);
  }
  const Reply made =
      client.call(RequestKind::create_surface, {bytes_of(SurfaceRequest{texture_over(buffer_, 1).image})});
  ASSERT_EQ(made.status, Status::ok);
  const IdRequest handle{MessageReader(made.payload).take<IdReply>().id};
  EXPECT_EQ(status_of(client, RequestKind::destroy_image, {bytes_of(handle)}), Status::ok);
  EXPECT_EQ(status_of(client, RequestKind::destroy_image, {bytes_of(handle)}), Status::invalid_value);
  expect_control_works();
}

TEST_F(HostileClient, ItsTexturesAreLimitedAndGoWithIt) {
  Channel client = channel();
  const TextureRequest request = texture_over(buffer_, 1);
  int made = 0;
  while (status_of(client, RequestKind::create_texture, {bytes_of(request)}) == Status::ok)
    ASSERT_LT(++made, 100'000);
  EXPECT_EQ(made, 1 << 16);
  EXPECT_EQ(status_of(client, RequestKind::reset, {}), Status::ok);
  EXPECT_EQ(status_of(client, RequestKind::create_texture, {bytes_of(request)}), Status::ok);
  expect_control_works();
}

TEST_F(HostileClient, CopiesAndFillsAreCountedInSectors) {
  const DeviceAddress large = device_.allocate(4096, "large");
  device_.fill(large, std::byte{1}, 4096);
  Channel client = channel();
  EXPECT_EQ(status_of(client, RequestKind::fill, {bytes_of(FillRequest{large, 64, 0})}), Status::ok);
  EXPECT_EQ(status_of(client, RequestKind::fill, {bytes_of(FillRequest{large + 31, 2, 0})}), Status::ok);
  EXPECT_EQ(status_of(client, RequestKind::copy,
                      {bytes_of(CopyRequest{{large}, {large + 2048}, {1024}, {0, 1024}})}),
            Status::ok);
  const Observations observations = device_.take_observations();
  EXPECT_EQ(observations.copied_sectors, 2U + 2U + 32U + 32U);
  EXPECT_EQ(observations.copied_to, std::vector<std::uint64_t>{large}) << "the allocation, wherever in it";
  EXPECT_EQ(device_.take_observations().copied_sectors, 0U);
  EXPECT_TRUE(device_.take_observations().copied_to.empty());
}

TEST_F(HostileClient, NotesOfHostProgramsHoldNoTextOfTheClient) {
  Channel client = channel();
  const auto note = [&](const NoteHostProgramRequest& request, std::string_view failed_call) {
    return status_of(client, RequestKind::note_host_program, {bytes_of(request), bytes_of(failed_call)});
  };
  EXPECT_EQ(note({.ends = 1}, "you passed"), Status::malformed);
  EXPECT_EQ(note({.ends = 1}, std::string(60'000, 'c')), Status::malformed);
  EXPECT_EQ(device_.take_client_statistics().host_program.ends, 0U);
  EXPECT_EQ(note({.ends = 0}, ""), Status::ok);
  const AllocateRequest wanted{1000};
  EXPECT_EQ(status_of(client, RequestKind::allocate, {bytes_of(wanted)}), Status::ok);
  EXPECT_EQ(note({.ends = 1, .streams = 3, .copied_bytes = 8}, "cudaMemcpy"), Status::ok);
  const HostProgramState state = device_.take_client_statistics().host_program;
  EXPECT_EQ(state.begins, 1U);
  EXPECT_EQ(state.ends, 1U);
  EXPECT_EQ(state.after.allocations, state.before.allocations + 1) << "the device counts them itself";
  EXPECT_EQ(state.after.streams, 3U);
  EXPECT_EQ(state.copied_bytes, 8U);
  EXPECT_STREQ(state.failed_call.data(), "cudaMemcpy");
}

constexpr std::int32_t kInvalidValue = 1;  // cudaErrorInvalidValue

/// A device that reports refused calls.
class NotedRefusals : public testing::Test {
 protected:
  Status note(const NoteRefusalRequest& refusal, std::string_view function) {
    return client_.call(RequestKind::note_refusal, {bytes_of(refusal), bytes_of(function)}).status;
  }
  std::vector<Finding> told() { return device_.take_observations().findings; }
  /// A finding of a call of cudaMemcpy.
  static Finding refused(Finding::Cause cause) {
    Finding finding = Finding::make(cause);
    finding.name = "cudaMemcpy";
    finding.numbers = {kInvalidValue};
    return finding;
  }
  /// The same of a range beside the buffer; `address` counts from its start.
  static Finding refused_range(Finding::Cause reason, std::uint64_t address, std::uint64_t bytes,
                               const std::string& name) {
    Finding finding = refused(Finding::Cause::refused_range);
    finding.reason = reason;
    finding.address = address;
    finding.width = bytes;
    finding.object = {name, 0, 100};
    return finding;
  }

  static DeviceProcess::Options options() {
    DeviceProcess::Options result;
    result.executable = DEVICE_EXECUTABLE;
    result.workers = 1;
    result.note_refusals = true;
    return result;
  }
  DeviceProcess device_{options()};
  DeviceAddress buffer_ = device_.allocate(100, "in");
  Channel client_{::fcntl(device_.client_descriptor(), F_DUPFD_CLOEXEC, 0)};
};

TEST_F(NotedRefusals, HoldNoTextOfTheClient) {
  EXPECT_EQ(note({kInvalidValue}, "you passed"), Status::malformed);
  EXPECT_EQ(note({kInvalidValue}, "cudaMemcpy: all is well"), Status::malformed);
  EXPECT_EQ(note({kInvalidValue}, ""), Status::malformed);
  EXPECT_EQ(note({kInvalidValue}, std::string(60'000, 'c')), Status::malformed);
  EXPECT_EQ(note({123456}, "cudaMemcpy"), Status::malformed);
  EXPECT_EQ(note({-1}, "cudaMemcpy"), Status::malformed);
  EXPECT_EQ(client_.call(RequestKind::note_refusal, {bytes_of(std::string_view("cudaMemcpy"))}).status,
            Status::malformed);
  EXPECT_TRUE(told().empty());
  EXPECT_EQ(note({kInvalidValue}, "cudaMemcpy"), Status::ok);
  EXPECT_EQ(note({kInvalidValue, static_cast<RefusalReason>(99)}, "cudaMemcpy"), Status::ok);
  Finding twice = refused(Finding::Cause::refused_call);
  twice.count = 2;
  EXPECT_EQ(told(), std::vector{twice});
}

TEST_F(NotedRefusals, TellOfRangesWhatTheDeviceSees) {
  const auto note_range = [&](DeviceAddress address, std::uint64_t bytes) {
    EXPECT_EQ(note({kInvalidValue, RefusalReason::range, {address, bytes, bytes}}, "cudaMemcpy"), Status::ok);
  };
  note_range(buffer_, 104);
  EXPECT_EQ(told(), std::vector{refused_range(Finding::Cause::whole_past_end, 0, 104, "")});
  note_range(buffer_ + 100, 8);
  EXPECT_EQ(told(), std::vector{refused_range(Finding::Cause::just_past_end, 100, 8, "in")});
  note_range(buffer_, 100);  // which fits, whatever the client says
  EXPECT_EQ(told(), std::vector{refused(Finding::Cause::refused_call)});
  note_range(UINT64_MAX, UINT64_MAX);
  note_range(0, UINT64_MAX);
  EXPECT_EQ(told().size(), 2U);
}

TEST_F(NotedRefusals, TellOnceWhatTheDeviceRefused) {
  EXPECT_EQ(client_.call(RequestKind::read, {bytes_of(RangeRequest{buffer_, 50, 101})}).status,
            Status::invalid_address);
  const NoteRefusalRequest told_before{kInvalidValue, RefusalReason::told};
  EXPECT_EQ(note(told_before, "cudaMemcpy"), Status::ok);
  EXPECT_EQ(note(told_before, "cudaFree"), Status::ok);
  Finding free = refused(Finding::Cause::refused_call);
  free.name = "cudaFree";
  EXPECT_EQ(told(), (std::vector{refused_range(Finding::Cause::whole_past_end, 0, 101, ""), free}));
}

TEST_F(NotedRefusals, LeaveRoomForOtherFindings) {
  for (std::uint64_t i = 1; i <= 1100; ++i) {
    ASSERT_EQ(note({kInvalidValue, RefusalReason::range, {buffer_, 100 + i, 0}}, "cudaMemcpy"), Status::ok);
  }
  const std::vector<std::byte> noise(5000, std::byte{0x42});
  EXPECT_NE(client_.call(RequestKind::load_image, {noise}).status, Status::ok);
  const Observations seen = device_.take_observations();
  ASSERT_EQ(seen.findings.size(), 1001U);
  EXPECT_EQ(seen.findings.back().kind, Finding::Kind::bad_image);
}

TEST_F(HostileClient, BoxesThatAreNoneAreRefused) {
  Channel client = channel();
  const Reply allocated = client.call(RequestKind::allocate, {bytes_of(AllocateRequest{4096})});
  const DeviceAddress own = MessageReader(allocated.payload).take<AddressReply>().address;
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 62;
  struct Wrong {
    std::uint64_t pitch, slice;
    BoxShape shape;
    BoxPart part;
  };
  const Wrong wrongs[] = {
      {0, 0, {4, 1U << 20, 1}, {0, 64}},   // a row upon itself, again and again
      {0, 0, {0, kHuge, kHuge}, {0, 64}},  // rows of nothing
      {4, 0, {4, 2, kHuge}, {0, 64}},      // a slice upon itself
      {4, 16, {4, 0, 1}, {0, 64}},
      {4, 16, {4, 1, 0}, {0, 64}},
      {kHuge, kHuge, {4, 5, 1}, {0, 16}},  // pitches whose products go round
      {4, kHuge, {4, 1, 5}, {0, 16}},
      {UINT64_MAX, UINT64_MAX, {4, 2, 2}, {0, 16}},
      {8, 0, {4, UINT64_MAX, 1}, {0, 64}},
      {4, 4, {kHuge, 4, 4}, {0, 64}},
      {8, 0, {4, 513, 1}, {0, 4}},     // one row too many for the allocation
      {8, 0, {4, 512, 1}, {2048, 4}},  // parts that the box does not have
      {8, 0, {4, 512, 1}, {UINT64_MAX - 1, 4}},
      {8, 0, {4, 512, 1}, {2, 2048}},
  };
  for (const Wrong& wrong : wrongs) {
    const BoxPlace place{own, wrong.pitch, wrong.slice};
    const BoxRequest box{place, wrong.shape, wrong.part};
    const Bytes data(wrong.part.bytes);
    EXPECT_NE(status_of(client, RequestKind::write_box, {bytes_of(box), data}), Status::ok);
    EXPECT_NE(status_of(client, RequestKind::read_box, {bytes_of(box)}), Status::ok);
    EXPECT_NE(status_of(client, RequestKind::fill_box, {bytes_of(FillBoxRequest{box, 1})}), Status::ok);
    const BoxPlace whole{own, 4, 4};
    const CopyRequest to{place, whole, wrong.shape, wrong.part}, from{whole, place, wrong.shape, wrong.part};
    EXPECT_NE(status_of(client, RequestKind::copy, {bytes_of(to)}), Status::ok);
    EXPECT_NE(status_of(client, RequestKind::copy, {bytes_of(from)}), Status::ok);
  }
  // Longer than one request may be, and of other bytes than came.
  const BoxRequest long_one{{own, 1, 1}, {1, 1, 1}, {0, server::kPieceBytes + 1}};
  EXPECT_EQ(status_of(client, RequestKind::read_box, {bytes_of(long_one)}), Status::malformed);
  EXPECT_EQ(status_of(client, RequestKind::fill_box, {bytes_of(FillBoxRequest{long_one, 1})}),
            Status::malformed);
  const BoxRequest good{{own, 8, 0}, {4, 512, 1}, {0, 8}};
  EXPECT_EQ(status_of(client, RequestKind::write_box, {bytes_of(good), bytes_of(std::uint32_t{1})}),
            Status::malformed);
  EXPECT_EQ(status_of(client, RequestKind::write_box, {bytes_of(good), bytes_of(std::uint64_t{1})}),
            Status::ok);
  EXPECT_EQ(status_of(client, RequestKind::copy, {}), Status::malformed);
  expect_control_works();
}

TEST_F(HostileClient, RowsOfOwnersBuffersAreCountedWithoutWhatLiesBetween) {
  Channel client = channel();
  const BoxRequest rows{{buffer_, 5, 0}, {2, 4, 1}, {1, 6}};
  const Reply read = client.call(RequestKind::read_box, {bytes_of(rows)});
  ASSERT_EQ(read.status, Status::ok);
  Bytes expected;
  append(expected, bytes_of(std::string_view("egs to")));  // of "belongs to the owner"
  EXPECT_EQ(read.payload, expected);
  const BoxRequest one{{buffer_, 5, 0}, {1, 2, 1}, {0, 2}};
  EXPECT_EQ(status_of(client, RequestKind::write_box, {bytes_of(one), bytes_of(std::uint16_t{0x6762})}),
            Status::ok);
  const ClientStatistics statistics = device_.take_client_statistics();
  EXPECT_EQ(statistics.device_to_host_bytes, 6U);
  EXPECT_EQ(statistics.control_bytes_read, 6U);
  EXPECT_EQ(statistics.control_bytes_written, 2U);
  EXPECT_EQ(statistics.requests, 2U);
  expect_control_works();
}

TEST_F(HostileClient, CopiesOfRowsAreCountedInSectorsOfEachRow) {
  const DeviceAddress large = device_.allocate(4096, "large");
  device_.fill(large, std::byte{1}, 4096);
  Channel client = channel();
  const CopyRequest gather{{large + 2048, 4, 0}, {large, 64, 0}, {4, 16, 1}, {0, 64}};
  EXPECT_EQ(status_of(client, RequestKind::copy, {bytes_of(gather)}), Status::ok);
  const FillBoxRequest fill{{{large + 30, 64, 0}, {4, 3, 1}, {0, 12}}, 7};
  EXPECT_EQ(status_of(client, RequestKind::fill_box, {bytes_of(fill)}), Status::ok);
  EXPECT_EQ(device_.take_observations().copied_sectors, 16U + 16U + 3U * 2U);
}

}  // namespace
}  // namespace lockstep::emulator::server
