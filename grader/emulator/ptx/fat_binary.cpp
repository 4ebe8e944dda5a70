// PTX out of the container's entries, plain or decompressed. What a compressed text claims of its size is
// believed only as far as the stream yields it.
#include "emulator/ptx/fat_binary.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace lockstep::emulator::ptx {
namespace {

/// Of all images together; what nvcc makes of the largest libraries has a few MiB. A decompressor that must
/// look back farther than that needs memory for it.
constexpr int kWindowBits = 25;
constexpr std::size_t kMaxContainers = 4096;
constexpr std::size_t kLargestText = std::size_t{1} << kWindowBits;

std::string text_of(std::span<const std::byte> bytes) {
  if (bytes.size() > kLargestText) throw FatBinaryError("fat binary: PTX of more than 32 MiB");
  std::string text(bytes.size(), '\0');
  if (!bytes.empty()) std::memcpy(text.data(), bytes.data(), bytes.size());
  return text;
}

std::string decompressed(std::span<const std::byte> bytes, std::uint64_t claimed) {
  if (claimed > kLargestText) throw FatBinaryError("fat binary: PTX of more than 32 MiB");
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (!context ||
      ZSTD_isError(ZSTD_DCtx_setParameter(context.get(), ZSTD_d_windowLogMax, kWindowBits)) != 0) {
    throw FatBinaryError("fat binary: no memory to decompress PTX");
  }
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

PtxImage image_of(const FatBinaryEntry& entry) {
  if ((entry.flags & FatBinaryEntry::kFlagLz4) != 0) {
    throw FatBinaryError(
        "fat binary: its PTX is compressed by lz4, which the emulated device does not read; build with nvcc "
        "--compress-mode=size, or with -no-compress");
  }
  PtxImage image;
  image.architecture = entry.architecture;
  if ((entry.flags & FatBinaryEntry::kFlagZstd) != 0) {
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

std::vector<std::span<const std::byte>> containers_with_ptx(std::span<const std::byte> fat_binaries) {
  std::vector<std::span<const std::byte>> containers;
  std::span<const std::byte> rest = fat_binaries;
  do {
    const std::size_t bytes = fat_binary_bytes(rest);
    if (bytes > rest.size()) throw FatBinaryError("fat binary: cut off");
    const std::vector<FatBinaryEntry> entries = fat_binary_entries(rest);
    if (std::ranges::any_of(entries, &FatBinaryEntry::is_ptx)) {
      if (containers.size() == kMaxContainers)
        throw FatBinaryError("fat binary: more files than any program has");
      containers.push_back(rest.first(bytes));
    }
    rest = rest.subspan(bytes);
  } while (!rest.empty());
  if (containers.empty()) containers.push_back(fat_binaries);
  return containers;
}

std::vector<PtxImage> ptx_images(std::span<const std::byte> container) {
  std::vector<PtxImage> images;
  std::size_t text_bytes = 0;
  for (const FatBinaryEntry& entry : fat_binary_entries(container)) {
    if (!entry.is_ptx()) continue;
    images.push_back(image_of(entry));
    text_bytes += images.back().text.size();
    if (text_bytes > kLargestText) throw FatBinaryError("fat binary: PTX of more than 32 MiB");
  }
  if (images.empty()) {
    throw FatBinaryError(
        "fat binary: holds no PTX, only machine code for particular GPUs; build with "
        "-gencode arch=compute_90,code=compute_90");
  }
  return images;
}

}  // namespace lockstep::emulator::ptx
