#include "emulator/server/emulate.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>

#include "emulator/server/elf_file.h"
#include "text/printable.h"

namespace lockstep::emulator::server {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr int kWrongUse = 2;
constexpr int kDeviceFailed = 3;
constexpr int kBySignal = 128;  ///< and the signal's number, as in a shell
constexpr int kSegmentationFault = kBySignal + SIGSEGV;

void print_line(const std::string& line) {
  std::fprintf(stderr, "lockstep: %s\n", text::printable(line).c_str());
}

/// Why the program cannot be run here, with the remedy; nothing when it can.
std::optional<std::string> obstacle(const EmulateOptions& options) {
  const std::string name = options.program.string();
  std::error_code error;
  if (!fs::exists(options.program, error)) return name + ": no such file";
  if (fs::is_directory(options.program, error)) return name + ": a folder, not a program";
  if (::access(name.c_str(), X_OK) != 0) return name + ": not executable; `chmod +x` it if it is a program";
  const std::optional<ElfFile> elf = read_elf(options.program);
  if (!elf) return std::nullopt;  // a script may start programs that do use the device
  for (const std::string& library : elf->needed) {
    if (!library.starts_with("libcudart.so.")) continue;
    if (fs::exists(options.cudart_directory / library, error)) return std::nullopt;
    return name + ": built for " + library + ", another version of the CUDA runtime than this one; " +
           "build it with the CUDA Toolkit that Lockstep was built with";
  }
  if (!elf->device_code) return std::nullopt;
  return name + ": the CUDA runtime is linked into the program, so it cannot be replaced; " +
         "build it with `nvcc -cudart shared -gencode arch=compute_90,code=compute_90 -lineinfo`";
}

std::vector<std::string> environment(const EmulateOptions& options, int device_descriptor) {
  constexpr std::string_view kLibraryPath = "LD_LIBRARY_PATH=";
  const std::string kConnection = std::string(kClientDescriptorVariable) + '=';
  std::string library_path = std::string(kLibraryPath) + fs::absolute(options.cudart_directory).string();
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    if (text.starts_with(kLibraryPath)) {
      library_path += ':' + std::string(text.substr(kLibraryPath.size()));
    } else if (!text.starts_with(kConnection)) {
      variables.emplace_back(text);
    }
  }
  variables.push_back(library_path);
  variables.push_back(kConnection + std::to_string(device_descriptor));
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  for (std::string& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

/// Ctrl-C and Ctrl-\ are for the program, which shares the terminal; they must not end us before the report.
class TerminalSignalsIgnored {
 public:
  TerminalSignalsIgnored() {
    interrupt_ = ::signal(SIGINT, SIG_IGN);
    quit_ = ::signal(SIGQUIT, SIG_IGN);
  }
  ~TerminalSignalsIgnored() {
    ::signal(SIGINT, interrupt_);
    ::signal(SIGQUIT, quit_);
  }
  TerminalSignalsIgnored(const TerminalSignalsIgnored&) = delete;
  TerminalSignalsIgnored& operator=(const TerminalSignalsIgnored&) = delete;

 private:
  sighandler_t interrupt_, quit_;
};

/// Throws std::system_error when the program cannot be started.
pid_t start(const EmulateOptions& options, int device_descriptor) {
  std::vector<std::string> words = {options.program.string()};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  std::vector<std::string> variables = environment(options, device_descriptor);

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawnattr_init(&attributes);
  // A descriptor placed on itself loses close-on-exec.
  ::posix_spawn_file_actions_adddup2(&files, device_descriptor, device_descriptor);
  sigset_t terminal;
  ::sigemptyset(&terminal);
  ::sigaddset(&terminal, SIGINT);
  ::sigaddset(&terminal, SIGQUIT);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  ::posix_spawnattr_setsigdefault(&attributes, &terminal);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, words[0].c_str(), &files, &attributes, pointers(words).data(),
                                  pointers(variables).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw std::system_error(error, std::generic_category(), words[0]);
  return pid;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  }
  return WIFSIGNALED(status) ? kBySignal + WTERMSIG(status) : WEXITSTATUS(status);
}

std::optional<Observations> report(DeviceProcess& device, const EmulateOptions& options, int status) {
  // A program that was killed may have left a kernel running. After any other the device only clears away
  // what the program held, which takes its time on a busy machine.
  const std::chrono::seconds patience = status > kBySignal ? 1s : 60s;
  if (!device.wait_idle(patience)) {
    print_line("a kernel was still running when the program ended; its findings are lost");
    return std::nullopt;
  }
  Observations observations = device.take_observations();
  std::size_t mistakes = 0;
  const auto is_stale = [](const Finding& finding) { return finding.kind == Finding::Kind::stale_read; };
  const auto tell = [&](const Finding& finding) {
    std::fprintf(stderr, "lockstep: %s", options.text_of(finding).c_str());
  };
  for (const Finding& finding : observations.findings) {
    if (is_stale(finding)) continue;
    tell(finding);
    ++mistakes;
  }
  // Many programs do well with old values. One that fails may have them to thank for it.
  if (status != 0 && mistakes != observations.findings.size()) {
    for (const Finding& finding : observations.findings) {
      if (is_stale(finding)) tell(finding);
    }
    print_line(
        "a stale read is no mistake where an old value does no harm. Else a fence must stand between the "
        "store and what signals it, and one between the look at the signal and the read, or all be one word");
  }
  if (mistakes != 0) {
    print_line(std::to_string(mistakes) + (mistakes == 1 ? " finding" : " findings") +
               " of the emulated device");
  }
  return observations;
}

}  // namespace

int emulate(const EmulateOptions& options) {
  std::optional<Observations> seen;
  return emulate(options, seen);
}

int emulate(const EmulateOptions& options, std::optional<Observations>& seen) {
  if (const auto reason = obstacle(options)) {
    print_line(*reason);
    return kWrongUse;
  }
  try {
    DeviceProcess device(options.device);
    device.set_client_memory_limit(options.device.global_bytes);
    if (options.trace) device.trace_line(options.trace->file, options.trace->line);
    device.set_time_limit(options.time_limit);
    const TerminalSignalsIgnored ignored;
    const pid_t program = start(options, device.client_descriptor());
    device.close_client_descriptor();
    const int status = wait_for(program);
    seen = report(device, options, status);
    if (status == kSegmentationFault) {
      print_line(
          "host code of the program made a segmentation fault; a pointer to the device does that when the "
          "host reads or writes through it: use cudaMemcpy");
    }
    return status;
  } catch (const DeviceLost& error) {
    print_line(error.what());
    return kDeviceFailed;
  } catch (const std::system_error& error) {
    print_line(error.what());
    return kWrongUse;
  }
}

}  // namespace lockstep::emulator::server
