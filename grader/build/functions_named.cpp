// The functions that a compiled object defines, from its dynamic symbol table. The object is the student's,
// so libelf reads it: it checks every offset against the file.
#include <elf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>

#include <memory>

#include "build/submission_compiler.h"
#include "course/unqualified_name.h"
#include "sandbox/file_descriptor.h"
#include "text/demangled.h"

namespace lockstep::build {
namespace {

// As many as a message can hold: a symbol table may name the same function a hundred thousand times.
constexpr std::size_t kMaxFunctions = 8;

}  // namespace

std::vector<std::string> functions_named(const std::filesystem::path& object, const std::string& name) {
  std::vector<std::string> functions;
  if (elf_version(EV_CURRENT) == EV_NONE) return functions;
  const sandbox::FileDescriptor file(open(object.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return functions;
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_begin(file.get(), ELF_C_READ, nullptr), elf_end);
  for (Elf_Scn* section = elf_nextscn(elf.get(), nullptr); section != nullptr;
       section = elf_nextscn(elf.get(), section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_DYNSYM || header.sh_entsize == 0)
      continue;
    Elf_Data* const data = elf_getdata(section, nullptr);
    GElf_Sym symbol;
    for (int i = 0; gelf_getsym(data, i, &symbol) != nullptr; ++i) {
      if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
      const char* const symbol_name = elf_strptr(elf.get(), header.sh_link, symbol.st_name);
      if (symbol_name == nullptr) continue;
      // Compared before anything is demangled: the other symbols may be many, and long.
      if (course::unqualified_name(symbol_name) != name) continue;
      functions.push_back(text::demangled(symbol_name));
      if (functions.size() == kMaxFunctions) return functions;
    }
  }
  return functions;
}

}  // namespace lockstep::build
