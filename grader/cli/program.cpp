#include "cli/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "sandbox/file_descriptor.h"

namespace lockstep::cli {
namespace {

constexpr int kNoSuchProgram = 127;  // as a shell says it

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments, ErrorOutput errors) {
  std::vector<char*> words;
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  const sandbox::FileDescriptor reading(ends[0]);
  sandbox::FileDescriptor writing(ends[1]);
  const sandbox::FileDescriptor nowhere(open("/dev/null", O_WRONLY | O_CLOEXEC));
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) {
    dup2(writing.get(), STDOUT_FILENO);
    dup2(errors == ErrorOutput::kept ? writing.get() : nowhere.get(), STDERR_FILENO);
    setenv("LC_ALL", "C", 1);
    execvp(words[0], words.data());
    _exit(kNoSuchProgram);
  }
  writing.reset();
  ProgramResult result;
  std::array<char, 4096> buffer{};
  for (;;) {
    const ssize_t count = read(reading.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    result.output.append(buffer.data(), static_cast<std::size_t>(count));
  }
  int wait_status = 0;
  while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR) {
  }
  result.status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
  return result;
}

}  // namespace lockstep::cli
