// expect: wrong-answer
// tries: Lets a seccomp filter turn the runner's reads from the judge into the signal SIGSYS, and answers in
// its handler that the call is done.
// stopped by: From that answer nothing follows but that the judge looks at the output.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>

#include "transpose.h"

constexpr int kJudge = 3;           // its descriptor
constexpr std::uint32_t kCall = 1;  // a request to call, in the second word of a packet

/// In place of recvmsg: answers all requests to call, and leaves the others to the runner.
void receive(int, siginfo_t*, void* context) {
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  auto* const message = reinterpret_cast<msghdr*>(registers[REG_RSI]);
  const auto* const words = static_cast<const std::uint32_t*>(message->msg_iov->iov_base);
  while (true) {
    mmsghdr received{*message, 0};
    recvmmsg(kJudge, &received, 1, static_cast<int>(registers[REG_RDX]), nullptr);
    registers[REG_RAX] = received.msg_len;
    if (received.msg_len == 0 || words[1] != kCall) {
      *message = received.msg_hdr;
      return;
    }
    const std::uint32_t done[5] = {words[0]};  // the request's number, then zeros
    if (send(kJudge, done, sizeof done, 0) < 0) std::abort();
  }
}

/// When the library is loaded.
const bool trapped = [] {
  struct sigaction action {};
  action.sa_sigaction = receive;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSYS, &action, nullptr);
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_recvmsg, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kJudge, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(filter), filter};
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}();

/// Nobody calls it.
void transpose(const float*, float*, int, int, cudaStream_t) { std::abort(); }
