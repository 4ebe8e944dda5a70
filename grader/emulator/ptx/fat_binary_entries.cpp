// The fat binary's container: a header, then entries of one image each. Numbers are little-endian, as on the
// hosts that CUDA runs on. Every offset and size is the text's claim and is checked before it is followed.
#include "emulator/ptx/fat_binary_entries.h"

#include <concepts>
#include <cstring>

namespace lockstep::emulator::ptx {
namespace {

constexpr std::uint32_t kMagic = 0xBA55ED50;
constexpr std::uint16_t kVersion = 1;
constexpr std::size_t kContainerHeader = 16;
constexpr std::size_t kEntryHeader = 64;   // the fields read here; real headers are as long or longer
constexpr std::size_t kMaxEntries = 4096;  // nvcc writes two for each architecture
constexpr std::uint64_t kFlagsSpecific = 0x30'0000;  // a: bit 20, f: bit 21

template <std::unsigned_integral Number>
Number number_at(std::span<const std::byte> bytes, std::size_t offset) {
  if (bytes.size() < sizeof(Number) || offset > bytes.size() - sizeof(Number)) {
    throw FatBinaryError("fat binary: cut off");
  }
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

/// `bytes`: header and payload of the entry.
FatBinaryEntry entry_at(std::span<const std::byte> entries, std::size_t& bytes) {
  FatBinaryEntry entry;
  const auto header_bytes = number_at<std::uint32_t>(entries, 4);
  const auto payload_bytes = number_at<std::uint64_t>(entries, 8);
  if (header_bytes < kEntryHeader || header_bytes > entries.size() ||
      payload_bytes > entries.size() - header_bytes) {
    throw FatBinaryError("fat binary: an entry reaches beyond the container");
  }
  entry.kind = number_at<std::uint16_t>(entries, 0);
  entry.compressed_bytes = number_at<std::uint32_t>(entries, 16);
  entry.flags = number_at<std::uint64_t>(entries, 40);
  entry.architecture.number = number_at<std::uint32_t>(entries, 28);
  entry.architecture.specific = (entry.flags & kFlagsSpecific) != 0;
  entry.uncompressed_bytes = number_at<std::uint64_t>(entries, 56);
  entry.payload = entries.subspan(header_bytes, payload_bytes);
  if (entry.is_ptx() && (entry.flags & FatBinaryEntry::kFlagZstd) != 0 &&
      entry.compressed_bytes > payload_bytes) {
    throw FatBinaryError("fat binary: an entry is shorter than its compressed text");
  }
  bytes = header_bytes + payload_bytes;
  return entry;
}

}  // namespace

bool suits_better(VirtualArchitecture one, VirtualArchitecture other, std::uint32_t capability) {
  if (one.number == other.number) return !one.specific && other.specific;
  const bool has_one = one.number <= capability, has_other = other.number <= capability;
  if (has_one != has_other) return has_one;
  return has_one ? one.number > other.number : one.number < other.number;
}

std::size_t fat_binary_bytes(std::span<const std::byte> header) {
  if (number_at<std::uint32_t>(header, 0) != kMagic) {
    throw FatBinaryError("fat binary: does not start with the magic number of a container");
  }
  if (number_at<std::uint16_t>(header, 4) != kVersion ||
      number_at<std::uint16_t>(header, 6) != kContainerHeader) {
    throw FatBinaryError(
        "fat binary: a version of the container that is not known; use a CUDA Toolkit of 12.4 to 13");
  }
  std::size_t bytes = 0;
  if (__builtin_add_overflow(number_at<std::uint64_t>(header, 8), kContainerHeader, &bytes)) {
    throw FatBinaryError("fat binary: claims more bytes than there are addresses");
  }
  return bytes;
}

std::vector<FatBinaryEntry> fat_binary_entries(std::span<const std::byte> container) {
  const std::size_t bytes = fat_binary_bytes(container);
  if (bytes > container.size()) throw FatBinaryError("fat binary: cut off");
  std::span<const std::byte> rest = container.subspan(kContainerHeader, bytes - kContainerHeader);
  std::vector<FatBinaryEntry> entries;
  while (!rest.empty()) {
    if (entries.size() == kMaxEntries) throw FatBinaryError("fat binary: more images than any program has");
    std::size_t entry_bytes = 0;
    entries.push_back(entry_at(rest, entry_bytes));
    rest = rest.subspan(entry_bytes);
  }
  return entries;
}

}  // namespace lockstep::emulator::ptx
