#include "misbehaviours.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace {

// In seconds; longer than any limit that a test sets, so that what a broken sandbox lets go ends by itself.
constexpr unsigned kLongestLife = 60;

void take_memory(std::size_t bytes) {
  mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
}

void touch_memory_without_end() {
  constexpr std::size_t kStep = 16 << 20;
  for (;;) take_memory(kStep);
}

int can_open(const char* path, int flags) {
  const int file = open(path, flags | O_CLOEXEC, 0600);
  if (file < 0) return 0;
  close(file);
  std::printf("opened %s\n", path);
  return 1;
}

}  // namespace

int add(int a, int b) { return a + b; }
float scale(float value, double factor) { return static_cast<float>(value * factor); }
double mixed(int a, float b, std::int64_t c, double d, const float* e) {
  return a + static_cast<double>(b) + static_cast<double>(c) + d + (e == nullptr ? 0.5 : 0.0);
}
std::size_t largest_size() { return std::numeric_limits<std::size_t>::max(); }
int signal_done_and_sleep(int time) {
  constexpr int kClock = 5;                    // its descriptor
  constexpr std::size_t kGo = 16, kDone = 32;  // words of 32 bits, each in a line of the cache of its own
  void* const memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, kClock, 0);
  if (memory == MAP_FAILED) return -1;
  auto* const words = static_cast<volatile std::uint32_t*>(memory);
  words[kDone] = words[kGo];
  return sleep_for_milliseconds(time);
}

int sleep_through_the_next_request(int time) {
  static int milliseconds;
  milliseconds = time;
  struct sigaction action {};
  action.sa_handler = [](int) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); };
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
  std::thread([caller = pthread_self()] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it has answered, and waits to be asked
    pthread_kill(caller, SIGUSR1);
  }).detach();
  return time;
}
int sleep_for_milliseconds(int time) {
  std::this_thread::sleep_for(std::chrono::milliseconds(time));
  return time;
}
void print_a_line() { std::printf("a line\n"); }

void exit_early() { std::exit(0); }
void exit_at_once() { _exit(7); }
void abort_now() { std::abort(); }
void read_device_address() {
  const volatile auto* address = reinterpret_cast<const volatile int*>(0x2000'0000'0000);
  std::printf("%d\n", *address);
}
void throw_an_error() { throw std::runtime_error("no\nluck"); }
void throw_a_number() { throw 42; }
void end_only_the_thread() { pthread_exit(nullptr); }
void stop_itself() { raise(SIGSTOP); }

void spin() {
  for (volatile unsigned i = 0;;) i = i + 1;
}
void sleep_forever() {
  alarm(kLongestLife);
  for (;;) pause();
}
void allocate_without_end() { touch_memory_without_end(); }
void allocate_after_the_first_thread_has_ended() {
  std::thread(touch_memory_without_end).detach();
  pthread_exit(nullptr);
}
void fill_page_tables() {
  constexpr std::size_t kBytes = std::size_t{16} << 40, kBytesOfTable = std::size_t{2} << 20;
  void* const memory = mmap(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  madvise(memory, kBytes, MADV_NOHUGEPAGE);
  const volatile char* const bytes = static_cast<const volatile char*>(memory);
  for (std::size_t at = 0; at < kBytes; at += kBytesOfTable) static_cast<void>(bytes[at]);
}
void allocate_in_many_processes() {
  // Each takes little; together they take 320 MB.
  for (int i = 0; i < 10; ++i) {
    if (fork() == 0) {
      take_memory(32 << 20);
      sleep_forever();
    }
  }
  sleep_forever();
}
void fork_without_end() {
  // The bomb is far larger than any limit, and still too small to take the machine down where a sandbox
  // fails.
  constexpr int kMaxProcesses = 400;
  void* memory =
      mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  auto& processes = *new (memory) std::atomic<int>(1);
  alarm(kLongestLife);
  while (processes.fetch_add(1) < kMaxProcesses) {
    const pid_t child = fork();
    if (child == 0) alarm(kLongestLife);  // not inherited
    if (child < 0) {
      --processes;
      usleep(100);
    }
  }
  sleep_forever();
}
void start_threads_without_end() {
  constexpr int kMaxThreads = 2000;
  for (int i = 0; i < kMaxThreads; ++i) {
    try {
      std::thread(sleep_forever).detach();
    } catch (const std::system_error&) {
      usleep(100);
    }
  }
  sleep_forever();
}
void print_a_megabyte() {
  const std::string line(1023, 'x');
  for (int i = 0; i < 1024; ++i) std::puts(line.c_str());
}
void print_without_end() {
  for (;;) std::puts("and again");
}
int write_a_large_file() {
  std::signal(SIGXFSZ, SIG_IGN);
  const int file = open((std::string(std::getenv("TMPDIR")) + "/large").c_str(), O_CREAT | O_WRONLY, 0600);
  const std::vector<char> block(1 << 20, 'x');
  int megabytes = 0;
  while (megabytes < 64 && write(file, block.data(), block.size()) == static_cast<ssize_t>(block.size()))
    ++megabytes;
  return megabytes;
}
int fill_scratch() {
  const std::vector<char> block(1 << 20, 'x');
  int megabytes = 0;
  for (const char* folder : {"/tmp/", "/dev/shm/"}) {
    for (int i = 0; i < 64; ++i) {
      const int file = open((folder + std::to_string(i)).c_str(), O_CREAT | O_WRONLY, 0600);
      if (write(file, block.data(), block.size()) == static_cast<ssize_t>(block.size())) ++megabytes;
      close(file);
    }
  }
  return megabytes;
}
int open_many_files() {
  int opened = 0;
  while (opened < 4096 && open("/dev/null", O_RDONLY) >= 0) ++opened;
  return opened;
}

int write_outside() {
  int written = 0;
  for (const char* path :
       {"/lockstep-was-here", "/usr/lockstep-was-here", "/usr/lib/lockstep-was-here",
        "/dev/lockstep-was-here", "/etc/lockstep-was-here", "/lockstep/was-here", "/root/lockstep-was-here",
        "/home/lockstep-was-here", "/var/tmp/lockstep-was-here"}) {
    written += can_open(path, O_CREAT | O_WRONLY);
  }
  return written + can_open("/proc/self/exe", O_WRONLY);
}
int write_kernel_settings() {
  return can_open("/proc/sys/kernel/core_pattern", O_WRONLY) + can_open("/proc/sys/vm/swappiness", O_WRONLY) +
         can_open("/proc/sysrq-trigger", O_WRONLY) +
         can_open("/proc/sys/user/max_user_namespaces", O_WRONLY) +
         can_open("/proc/self/oom_score_adj", O_WRONLY);
}
int read_secrets() {
  return can_open("/etc/shadow", O_RDONLY) + can_open("/etc/passwd", O_RDONLY) +
         can_open("/root", O_RDONLY | O_DIRECTORY) + can_open("/home", O_RDONLY | O_DIRECTORY) +
         can_open("/var", O_RDONLY | O_DIRECTORY) + can_open("/sys", O_RDONLY | O_DIRECTORY) +
         can_open("/run", O_RDONLY | O_DIRECTORY);
}
int load_libraries() {
  const int has_cudart = dlopen("libcudart.so.13", RTLD_NOW) != nullptr ? 1 : 0;
  return has_cudart + (dlopen("libcublas.so.13", RTLD_NOW) != nullptr ? 2 : 0);
}

int read_process_one() {
  int opened = 0;
  for (const char* name :
       {"mem", "environ", "maps", "fd/0", "fd/1", "fd/3", "fd/4", "fd/5", "root", "cwd", "exe"}) {
    opened += can_open(("/proc/1/" + std::string(name)).c_str(), O_RDONLY);
  }
  return opened;
}
int signal_other_processes() {
  int reached = 0;
  kill(1, SIGKILL);  // accepted, and ignored by the kernel
  for (pid_t process = 2; process < 70000; ++process) {
    if (process != getpid() && kill(process, 0) == 0) ++reached;
  }
  return reached;
}
int trace_other_processes() {
  return (ptrace(PTRACE_ATTACH, 1, nullptr, nullptr) == 0) +
         (ptrace(PTRACE_SEIZE, getppid(), nullptr, nullptr) == 0);
}
int open_connections() {
  // An address of another machine, and a socket of this one that is named in no folder: the test listens
  // there.
  sockaddr_in elsewhere{};
  elsewhere.sin_family = AF_INET;
  elsewhere.sin_port = htons(9);
  inet_pton(AF_INET, "192.0.2.1", &elsewhere.sin_addr);
  const int datagram = socket(AF_INET, SOCK_DGRAM, 0);
  const bool out = connect(datagram, reinterpret_cast<const sockaddr*>(&elsewhere), sizeof elsewhere) == 0;
  close(datagram);

  sockaddr_un here{};
  here.sun_family = AF_UNIX;
  const char* name = std::getenv(kListeningVariable);
  if (name != nullptr) std::strncpy(here.sun_path + 1, name, sizeof here.sun_path - 2);
  const int stream = socket(AF_UNIX, SOCK_STREAM, 0);
  const bool in = connect(stream, reinterpret_cast<const sockaddr*>(&here), sizeof here) == 0;
  close(stream);
  return out + in;
}
int make_namespaces() { return (unshare(CLONE_NEWUSER) == 0) + (unshare(CLONE_NEWNS) == 0); }
int see_other_descriptors() {
  int others = 0;
  DIR* const folder = opendir("/proc/self/fd");
  while (const dirent* entry = readdir(folder)) {
    const int descriptor = std::atoi(entry->d_name);
    if (descriptor > 2 && descriptor != dirfd(folder)) {
      std::printf("descriptor %d\n", descriptor);
      ++others;
    }
  }
  closedir(folder);
  return others;
}
int use_keyrings() {
  int used = 0;
  for (const int keyring : {KEY_SPEC_SESSION_KEYRING, KEY_SPEC_USER_KEYRING, KEY_SPEC_USER_SESSION_KEYRING}) {
    used += syscall(SYS_add_key, "user", "lockstep-message", "word", 4, keyring) >= 0;
    used += syscall(SYS_keyctl, KEYCTL_SEARCH, keyring, "user", "lockstep-message", 0) >= 0;
  }
  return used;
}
int make_nameless_files() {
  const int file = memfd_create("lockstep-test", MFD_CLOEXEC);
  if (file >= 0) close(file);
  return file >= 0;
}
int make_segments() { return shmget(IPC_PRIVATE, 1 << 20, IPC_CREAT | 0600) >= 0; }
int use_calls_for_privileged_programs() {
  perf_event_attr counter{};
  counter.type = PERF_TYPE_SOFTWARE;
  counter.size = sizeof counter;
  counter.config = PERF_COUNT_SW_TASK_CLOCK;
  io_uring_params ring{};
  iovec nowhere{};
  const bool reads = process_vm_readv(getpid(), &nowhere, 1, &nowhere, 1, 0) >= 0;
  return (syscall(SYS_io_uring_setup, 1, &ring) >= 0) + (syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY) >= 0) +
         (syscall(SYS_perf_event_open, &counter, 0, -1, -1, 0) >= 0) +
         (socket(AF_VSOCK, SOCK_STREAM, 0) >= 0) + (socket(AF_NETLINK, SOCK_RAW, 0) >= 0) + reads;
}
int find_system_files() {
  int found = 0;
  for (const char* folder : {"/usr", "/bin", "/sbin", "/lib", "/etc"}) {
    DIR* const entries = opendir(folder);
    if (entries == nullptr) continue;
    std::printf("found %s\n", folder);
    ++found;
    closedir(entries);
  }
  return found;
}
void close_every_descriptor() {
  for (int descriptor = 0; descriptor < 1024; ++descriptor) close(descriptor);
  sleep_forever();
}
void kill_the_parent() {
  const pid_t parent = getppid();  // asked once: who takes its place is no part of the sandbox
  kill(parent, SIGKILL);
  kill(parent, SIGTERM);
  sleep_forever();
}
void stop_the_parent() {
  kill(getppid(), SIGSTOP);
  sleep_forever();
}
void leave_a_process_behind() {
  // Twice forked and in a session of its own: neither parent nor process group leads to it.
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    std::signal(SIGTERM, SIG_IGN);
    sleep_forever();
  }
  usleep(100'000);
}

namespace {
struct ForgedReply {
  std::uint32_t sequence, kind;
  std::uint64_t value;
  std::uint32_t text_bytes;
} __attribute__((packed));

void send_to_judge(const void* bytes, std::size_t size) {
  if (send(3, bytes, size, 0) < 0) std::perror("send");
}
}  // namespace

void write_nonsense() { send_to_judge("nonsense", 8); }
void write_a_long_message() {
  const std::vector<char> message(100 << 10, '\xFF');
  send_to_judge(message.data(), message.size());
}
void answer_in_advance() {
  // The call is number 2 of this runner (the first was to load), so this answers it and the one after.
  for (const std::uint32_t sequence : {2U, 3U}) {
    const ForgedReply reply{sequence, 0, 99, 0};
    send_to_judge(&reply, sizeof reply);
  }
}
void answer_the_wrong_request() {
  const ForgedReply reply{1000, 0, 99, 0};
  send_to_judge(&reply, sizeof reply);
}

int resize_the_clock() {
  constexpr int kClock = 5;  // its descriptor
  return (ftruncate(kClock, 0) == 0) + (ftruncate(kClock, 1 << 20) == 0) +
         (fallocate(kClock, 0, 0, 1 << 20) == 0);
}
