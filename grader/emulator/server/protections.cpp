#include "emulator/server/protections.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <string_view>

namespace lockstep::emulator {

void protect_process() {
  // Before the process is made undumpable, which gives its files below /proc to root.
  constexpr std::string_view kFirstToGo = "1000";
  const int file = ::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file >= 0) {
    [[maybe_unused]] const ssize_t written = ::write(file, kFirstToGo.data(), kFirstToGo.size());
    ::close(file);
  }
  const rlimit none{0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

}  // namespace lockstep::emulator
