// expect: wrong-answer
// tries: Starts the runner once more, with this library loaded before all others (LD_PRELOAD): its recvmsg
// answers each request at once.
// stopped by: From these answers nothing follows but that the judge looks at the output.
#include <dlfcn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "transpose.h"

/// In place of the C library's, for a runner that is started with it.
extern "C" ssize_t recvmsg(int judge, msghdr* message, int flags) {
  std::uint32_t request = 2;  // the number of the one that waits for its answer; to load it was the first
  while (true) {
    const std::uint32_t done[5] = {request};  // its number, then zeros
    if (send(judge, done, sizeof done, 0) < 0) std::abort();
    mmsghdr received{*message, 0};
    recvmmsg(judge, &received, 1, flags, nullptr);
    if (received.msg_len == 0) return 0;
    request = *static_cast<const std::uint32_t*>(message->msg_iov->iov_base);
  }
}

void transpose(const float*, float*, int, int, cudaStream_t) {
  Dl_info self;
  if (dladdr(reinterpret_cast<const void*>(transpose), &self) == 0) return;
  setenv("LD_PRELOAD", self.dli_fname, 1);
  setenv("ASAN_OPTIONS", "verify_asan_link_order=0", 1);  // a runner under sanitizers would refuse
  char* const arguments[] = {const_cast<char*>("/proc/self/exe"), nullptr};
  execv(arguments[0], arguments);
  std::abort();
}
