// What an executable says of itself: the little of the ELF format that tells how it was linked.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::emulator::server {

struct ElfFile {
  std::vector<std::string> needed;  ///< shared libraries, by soname
  bool device_code = false;         ///< nvcc put kernels in it (a section .nv_fatbin)
};

/// Nothing when the file is no 64-bit little-endian ELF file that can be read to its end.
std::optional<ElfFile> read_elf(const std::filesystem::path& path);

}  // namespace lockstep::emulator::server
