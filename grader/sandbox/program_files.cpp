#include "sandbox/program_files.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "sandbox/file_descriptor.h"

namespace lockstep::sandbox {
namespace {

namespace fs = std::filesystem;

/// Named in every program for Linux on x86-64 (its psABI, "Program Interpreter").
constexpr const char* kLinker = "/lib64/ld-linux-x86-64.so.2";

void check_call(int error, const char* what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

/// What the linker prints of an object's libraries: a line each, "NAME => PATH (ADDRESS)".
std::string linker_list(const fs::path& object) {
  std::array<int, 2> ends{};
  check_call(pipe2(ends.data(), O_CLOEXEC) < 0 ? errno : 0, "pipe2");
  const FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);
  posix_spawn_file_actions_t files;
  check_call(posix_spawn_file_actions_init(&files), "posix_spawn_file_actions_init");
  posix_spawn_file_actions_adddup2(&files, writing.get(), STDOUT_FILENO);
  std::array<std::string, 3> words{kLinker, "--list", object.string()};
  std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(), nullptr};
  pid_t process = -1;
  const int error = posix_spawn(&process, kLinker, &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  check_call(error, kLinker);
  writing.reset();
  std::string text;
  std::array<char, 4096> buffer;
  for (ssize_t bytes = 0; (bytes = read(reading.get(), buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<std::size_t>(bytes));
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  if (status != 0)
    throw std::runtime_error(object.string() + ": the dynamic linker cannot list its libraries");
  return text;
}

/// By the names that objects ask for.
std::map<std::string, fs::path> find_libraries(const fs::path& object) {
  std::map<std::string, fs::path> libraries;
  std::istringstream lines(linker_list(object));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t arrow = line.find(" => ");
    const std::size_t end = line.rfind(" (0x");
    if (arrow == std::string::npos) continue;  // the linker itself, and what the kernel brings
    const std::string name = line.substr(line.find_first_not_of('\t'), arrow - line.find_first_not_of('\t'));
    const std::size_t begin = arrow + std::string_view(" => ").size();
    if (end == std::string::npos || end < begin)
      throw std::runtime_error(object.string() + " needs the library " + name + ", which is not there");
    libraries[name] = line.substr(begin, end - begin);
  }
  return libraries;
}

const std::map<std::string, fs::path>& libraries_of(const fs::path& object) {
  static std::mutex mutex;
  static std::map<fs::path, std::map<std::string, fs::path>> known;
  const std::lock_guard lock(mutex);
  const auto found = known.find(object);
  return found != known.end() ? found->second : known.emplace(object, find_libraries(object)).first->second;
}

}  // namespace

std::vector<Mount> library_mounts(const std::vector<fs::path>& objects) {
  std::map<std::string, fs::path> all;
  for (const fs::path& object : objects) all.insert(libraries_of(object).begin(), libraries_of(object).end());
  std::vector<Mount> mounts{{kLinker, kLinker}};
  for (const auto& [name, path] : all) {
    if (name != kLinker) mounts.push_back({path, fs::path(kLibrariesInside) / name});
  }
  return mounts;
}

}  // namespace lockstep::sandbox
