#include "emulator/server/elf_file.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>
#include <stdexcept>

namespace lockstep::emulator::server {

namespace {

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : stream_(path, std::ios::binary) {
    stream_.exceptions(std::ios::failbit | std::ios::badbit);
  }

  template <class T>
  T at(std::uint64_t offset) {
    T value;
    stream_.seekg(static_cast<std::streamoff>(offset));
    stream_.read(reinterpret_cast<char*>(&value), sizeof(T));
    return value;
  }

  std::string text_at(std::uint64_t offset) {
    std::string text;
    stream_.seekg(static_cast<std::streamoff>(offset));
    std::getline(stream_, text, '\0');
    return text;
  }

 private:
  std::ifstream stream_;
};

ElfFile read(Reader& reader) {
  const auto header = reader.at<Elf64_Ehdr>(0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB) {
    throw std::runtime_error("not an ELF file");
  }
  const auto section = [&](std::uint64_t index) {
    return reader.at<Elf64_Shdr>(header.e_shoff + index * sizeof(Elf64_Shdr));
  };
  ElfFile file;
  if (header.e_shoff == 0) return file;
  const Elf64_Shdr names = section(header.e_shstrndx);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr current = section(i);
    if (reader.text_at(names.sh_offset + current.sh_name) == ".nv_fatbin") file.device_code = true;
    if (current.sh_type != SHT_DYNAMIC) continue;
    const Elf64_Shdr strings = section(current.sh_link);
    for (std::uint64_t offset = 0; offset + sizeof(Elf64_Dyn) <= current.sh_size;
         offset += sizeof(Elf64_Dyn)) {
      const auto entry = reader.at<Elf64_Dyn>(current.sh_offset + offset);
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_NEEDED)
        file.needed.push_back(reader.text_at(strings.sh_offset + entry.d_un.d_val));
    }
  }
  return file;
}

}  // namespace

std::optional<ElfFile> read_elf(const std::filesystem::path& path) {
  try {
    Reader reader(path);
    return read(reader);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

}  // namespace lockstep::emulator::server
