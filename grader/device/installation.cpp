#include "device/installation.h"

#include <cstdlib>
#include <stdexcept>

namespace lockstep::device {
namespace {

std::filesystem::path installation_root() {
  const char* chosen = std::getenv("LOCKSTEP_BUILD");
  if (chosen != nullptr && *chosen != '\0') return chosen;
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
}

std::filesystem::path existing(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) {
    throw std::runtime_error(path.string() + " is missing: this build of Lockstep is incomplete");
  }
  return path;
}

}  // namespace

std::filesystem::path installed_file(const std::string& name) { return existing(installation_root() / name); }

std::filesystem::path installed_program(const std::string& name) {
  return existing(installation_root() / "bin" / name);
}

std::filesystem::path installed_library_folder(const std::string& name) {
  return existing(installation_root() / "lib" / name);
}

}  // namespace lockstep::device
