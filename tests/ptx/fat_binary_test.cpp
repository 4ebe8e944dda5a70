// Fat binaries as nvcc writes them, and as nobody should.
#include "emulator/ptx/fat_binary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "ptx_test_support.h"

namespace lockstep::emulator::ptx {
namespace {

std::vector<std::byte> bytes_of_text(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::vector<std::byte> container(const std::string& name) { return bytes_of_text(made(name + ".fatbin")); }

template <typename Number>
void set(std::vector<std::byte>& bytes, std::size_t offset, Number number) {
  ASSERT_LE(offset + sizeof number, bytes.size());
  std::memcpy(bytes.data() + offset, &number, sizeof number);
}

std::string message_of(const std::vector<std::byte>& bytes) {
  try {
    ptx_images(bytes);
  } catch (const FatBinaryError& error) {
    return error.what();
  }
  return "";
}

void expect_refused(const std::vector<std::byte>& bytes, const char* part) {
  EXPECT_NE(message_of(bytes).find(part), std::string::npos) << part << " in: " << message_of(bytes);
}

// Offsets of the first entry's fields in a container.
constexpr std::size_t kHeaderBytes = 16 + 4, kPayloadBytes = 16 + 8, kCompressedBytes = 16 + 16,
                      kFlags = 16 + 40, kUncompressedBytes = 16 + 56;

TEST(FatBinary, EveryCompressionGivesTheSameText) {
  const std::string plain = ptx_images(container("plain")).at(0).text;
  EXPECT_NE(plain.find(".version"), std::string::npos);
  EXPECT_NE(plain.find("scan_kernel"), std::string::npos);
  EXPECT_EQ(plain.find('\0'), std::string::npos);
  EXPECT_NO_THROW(parse(plain));
  for (const char* name : {"default", "compress_all"}) {
    const auto images = ptx_images(container(name));
    ASSERT_EQ(images.size(), 1u) << name;
    EXPECT_EQ(images[0].architecture.number, 90u) << name;
    EXPECT_NE(container(name).size(), container("plain").size()) << name << " is not compressed";
    EXPECT_EQ(images[0].text, plain) << name;
  }
}

TEST(FatBinary, SizeIsReadFromSixteenBytes) {
  const auto whole = container("default");
  EXPECT_EQ(fat_binary_bytes(std::span(whole).first(16)), whole.size());
  auto longer = whole;
  longer.resize(whole.size() + 100);
  EXPECT_EQ(ptx_images(longer).size(), 1u) << "what follows the container is not its business";
}

TEST(FatBinary, SeveralImagesAndMachineCode) {
  const auto images = ptx_images(container("two_images"));
  ASSERT_EQ(images.size(), 2u);
  EXPECT_EQ(images[0].architecture.number + images[1].architecture.number, 170u);
  expect_refused(container("machine_code"), "-gencode arch=compute_90,code=compute_90");
}

TEST(FatBinary, EntriesSayWhatTheyWereCompiledFor) {
  const auto bytes = container("specific");
  std::vector<std::pair<std::uint32_t, bool>> architectures;
  for (const FatBinaryEntry& entry : fat_binary_entries(bytes)) {
    if (entry.is_ptx()) architectures.emplace_back(entry.architecture.number, entry.architecture.specific);
  }
  std::ranges::sort(architectures);
  const std::vector<std::pair<std::uint32_t, bool>> expected = {{90, false}, {90, true}, {100, true}};
  EXPECT_EQ(architectures, expected);
}

TEST(FatBinary, TheBestForADeviceIsTheNewestThatItHas) {
  const VirtualArchitecture order[] = {{90, false},  {90, true},  {89, false},  {75, false},
                                       {100, false}, {100, true}, {120, false}, {120, true}};
  for (const VirtualArchitecture& one : order) {
    for (const VirtualArchitecture& other : order) {
      EXPECT_EQ(suits_better(one, other, 90), &one < &other) << one.number << ' ' << other.number;
    }
  }
  EXPECT_TRUE(suits_better({100, false}, {90, false}, 100)) << "as the device has it";
}

TEST(FatBinary, Lz4IsRefusedWithTheRemedy) { expect_refused(container("speed"), "--compress-mode=size"); }

TEST(FatBinary, DamageIsNamed) {
  const auto good = container("default");
  const auto damaged = [&](std::size_t offset, auto number) {
    auto bytes = good;
    set(bytes, offset, number);
    return bytes;
  };
  expect_refused({}, "cut off");
  expect_refused(damaged(0, 0x12345678u), "magic");
  expect_refused(damaged(4, std::uint16_t{2}), "version");
  expect_refused(damaged(6, std::uint16_t{8}), "version");
  expect_refused(damaged(8, ~std::uint64_t{0}), "more bytes");
  expect_refused(damaged(8, std::uint64_t{good.size()}), "cut off");
  expect_refused(damaged(8, std::uint64_t{0}), "no PTX");
  expect_refused(damaged(8, std::uint64_t{7}), "cut off");
  expect_refused(damaged(kHeaderBytes, 0u), "beyond");
  expect_refused(damaged(kHeaderBytes, 0xFFFFFFFFu), "beyond");
  expect_refused(damaged(kPayloadBytes, ~std::uint64_t{0}), "beyond");
  expect_refused(damaged(kPayloadBytes, std::uint64_t{8}), "shorter");
  expect_refused(damaged(kCompressedBytes, 0xFFFFFFFFu), "shorter");
  expect_refused(damaged(kCompressedBytes, 10u), "damaged");
  expect_refused(damaged(kUncompressedBytes, std::uint64_t{1} << 40), "32 MiB");
  expect_refused(damaged(kUncompressedBytes, std::uint64_t{100}), "damaged");
  expect_refused(damaged(kUncompressedBytes, std::uint64_t{1} << 24), "damaged");
  expect_refused(damaged(kFlags, std::uint64_t{0x2011}), "lz4");
  for (std::size_t size = 0; size < good.size(); size += size < 200 ? 1 : 97) {
    EXPECT_NE(message_of({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}), "") << size;
  }
}

// Each takes memory, and a container of the largest request has room for four millions.
TEST(FatBinary, NumberOfImagesIsLimited) {
  constexpr std::size_t kEntry = 64, kMax = 4096;
  const auto of_entries = [](std::size_t n) {
    std::vector<std::byte> bytes(16 + n * kEntry);
    set(bytes, 0, 0xBA55ED50U);
    set(bytes, 4, std::uint16_t{1});
    set(bytes, 6, std::uint16_t{16});
    set(bytes, 8, std::uint64_t{n * kEntry});
    for (std::size_t i = 0; i < n; ++i) set(bytes, 16 + i * kEntry + 4, std::uint32_t{kEntry});
    return bytes;
  };
  expect_refused(of_entries(kMax), "no PTX");
  expect_refused(of_entries(kMax + 1), "more images than any program has");
}

}  // namespace
}  // namespace lockstep::emulator::ptx
