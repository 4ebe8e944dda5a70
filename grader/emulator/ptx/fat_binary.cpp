// The fat binary's container: a header, then entries of one image each. Numbers are little-endian, as on the
// hosts that CUDA runs on. Every offset and size is the text's claim and is checked before it is followed.
#include "emulator/ptx/fat_binary.h"

#include <zstd.h>

#include <concepts>
#include <cstring>
#include <memory>

namespace lockstep::emulator::ptx {
namespace {

constexpr std::uint32_t kMagic = 0xBA55ED50;
constexpr std::uint16_t kVersion = 1;
constexpr std::size_t kContainerHeader = 16;
constexpr std::size_t kEntryHeader = 64;  // the fields read here; real headers are as long or longer
constexpr std::uint16_t kPtx = 1;
constexpr std::uint64_t kFlagLz4 = 0x2000;
constexpr std::uint64_t kFlagZstd = 0x8000;
/// Of all images together. Parsed, PTX takes about 36 times its text; what nvcc makes of the largest
/// libraries has a few MiB.
constexpr std::size_t kLargestText = std::size_t{32} << 20;

template <std::unsigned_integral Number>
Number number_at(std::span<const std::byte> bytes, std::size_t offset) {
  if (bytes.size() < sizeof(Number) || offset > bytes.size() - sizeof(Number)) {
    throw FatBinaryError("fat binary: cut off");
  }
  Number number;
  std::memcpy(&number, bytes.data() + offset, sizeof number);
  return number;
}

std::string text_of(std::span<const std::byte> bytes) {
  if (bytes.size() > kLargestText) throw FatBinaryError("fat binary: PTX of more than 32 MiB");
  std::string text(bytes.size(), '\0');
  if (!bytes.empty()) std::memcpy(text.data(), bytes.data(), bytes.size());
  return text;
}

std::string decompressed(std::span<const std::byte> bytes, std::uint64_t claimed) {
  if (claimed > kLargestText) throw FatBinaryError("fat binary: PTX of more than 32 MiB");
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (!context) throw FatBinaryError("fat binary: no memory to decompress PTX");
  // The text grows with what the stream really yields: a claimed size alone costs nothing.
  std::string text;
  std::string chunk(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer input{bytes.data(), bytes.size(), 0};
  for (std::size_t left = 1; left != 0;) {
    ZSTD_outBuffer output{chunk.data(), chunk.size(), 0};
    const std::size_t consumed = input.pos;
    left = ZSTD_decompressStream(context.get(), &output, &input);
    if (ZSTD_isError(left) != 0) {
      throw FatBinaryError(std::string("fat binary: compressed PTX is damaged: ") + ZSTD_getErrorName(left));
    }
    text.append(chunk.data(), output.pos);
    const bool stuck = output.pos == 0 && input.pos == consumed;
    if (text.size() > claimed || (left != 0 && stuck)) {
      throw FatBinaryError("fat binary: compressed PTX is damaged: it is not as long as it says");
    }
  }
  if (text.size() != claimed) {
    throw FatBinaryError("fat binary: compressed PTX is damaged: it is not as long as it says");
  }
  return text;
}

struct Entry {
  std::uint16_t kind = 0;
  std::uint32_t architecture = 0;
  std::uint64_t flags = 0;
  std::uint64_t compressed_bytes = 0;
  std::uint64_t uncompressed_bytes = 0;
  std::span<const std::byte> payload;  ///< padded
  std::size_t bytes = 0;               ///< header and payload
};

Entry entry_at(std::span<const std::byte> entries) {
  Entry entry;
  const auto header_bytes = number_at<std::uint32_t>(entries, 4);
  const auto payload_bytes = number_at<std::uint64_t>(entries, 8);
  if (header_bytes < kEntryHeader || header_bytes > entries.size() ||
      payload_bytes > entries.size() - header_bytes) {
    throw FatBinaryError("fat binary: an entry reaches beyond the container");
  }
  entry.kind = number_at<std::uint16_t>(entries, 0);
  entry.compressed_bytes = number_at<std::uint32_t>(entries, 16);
  entry.architecture = number_at<std::uint32_t>(entries, 28);
  entry.flags = number_at<std::uint64_t>(entries, 40);
  entry.uncompressed_bytes = number_at<std::uint64_t>(entries, 56);
  entry.payload = entries.subspan(header_bytes, payload_bytes);
  entry.bytes = header_bytes + payload_bytes;
  return entry;
}

PtxImage image_of(const Entry& entry) {
  if ((entry.flags & kFlagLz4) != 0) {
    throw FatBinaryError(
        "fat binary: its PTX is compressed by lz4, which the emulated device does not read; build with nvcc "
        "--compress-mode=size, or with -no-compress");
  }
  PtxImage image;
  image.architecture = entry.architecture;
  if ((entry.flags & kFlagZstd) != 0) {
    if (entry.compressed_bytes > entry.payload.size()) {
      throw FatBinaryError("fat binary: an entry is shorter than its compressed text");
    }
    image.text = decompressed(entry.payload.first(entry.compressed_bytes), entry.uncompressed_bytes);
  } else {
    image.text = text_of(entry.payload);
  }
  // Entries are padded with zeros, and the text itself ends with one.
  const std::size_t end = image.text.find('\0');
  if (end != std::string::npos) image.text.resize(end);
  return image;
}

}  // namespace

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

std::vector<PtxImage> ptx_images(std::span<const std::byte> container) {
  const std::size_t bytes = fat_binary_bytes(container);
  if (bytes > container.size()) throw FatBinaryError("fat binary: cut off");
  std::span<const std::byte> entries = container.subspan(kContainerHeader, bytes - kContainerHeader);
  std::vector<PtxImage> images;
  std::size_t text_bytes = 0;
  while (!entries.empty()) {
    const Entry entry = entry_at(entries);
    if (entry.kind == kPtx) {
      images.push_back(image_of(entry));
      text_bytes += images.back().text.size();
      if (text_bytes > kLargestText) throw FatBinaryError("fat binary: PTX of more than 32 MiB");
    }
    entries = entries.subspan(entry.bytes);
  }
  if (images.empty()) {
    throw FatBinaryError(
        "fat binary: holds no PTX, only machine code for particular cards; build with "
        "-gencode arch=compute_90,code=compute_90");
  }
  return images;
}

}  // namespace lockstep::emulator::ptx
