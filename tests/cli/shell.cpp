#include "shell.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace lockstep::test {

Ran run(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen failed: " + command);
  Ran ran;
  std::array<char, 4096> buffer{};
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), pipe))
    ran.output.append(buffer.data(), count);
  const int status = pclose(pipe);
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ran;
}

void link_course(const std::filesystem::path& source, const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(source)) {
    const std::filesystem::path name = entry.path().filename();
    if (!name.string().starts_with('.')) std::filesystem::create_symlink(entry.path(), folder / name);
  }
}

std::string contents_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TemporaryFolder::TemporaryFolder() {
  std::string name =
      (std::filesystem::temp_directory_path() / "lockstep test XXXXXX").string();  // with spaces, on purpose
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed: " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

void TemporaryFolder::write(const std::string& name, const std::string& contents, bool executable) const {
  const std::filesystem::path file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << contents;
  if (executable) std::filesystem::permissions(file, std::filesystem::perms::owner_all);
}

}  // namespace lockstep::test
