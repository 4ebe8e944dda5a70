#include "emulator/server/device_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <initializer_list>
#include <system_error>
#include <utility>
#include <vector>

#include "emulator/server/channel.h"
#include "emulator/server/observations_codec.h"

namespace lockstep::emulator::server {

namespace {

using namespace std::chrono_literals;

/// How long a call may stay without an answer. A kernel may be running in front of it; owners of programs
/// that are not trusted set a time limit below this one.
constexpr auto kAnswerTimeout = 120s;

std::chrono::steady_clock::time_point soon() { return std::chrono::steady_clock::now() + kAnswerTimeout; }

/// Descriptors that the device finds its connections under.
constexpr int kControlInside = 3;
constexpr int kClientInside = 4;

void check(int error, const char* call) {
  if (error != 0) {
    throw DeviceLost(std::string("starting the emulated device: ") + call + ": " +
                     std::generic_category().message(error));
  }
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }

 private:
  int value_;
};

/// A copy whose number is none of those that the device uses, so that placing one cannot overwrite the other.
int moved_up(int descriptor) {
  const Descriptor low(descriptor);
  const int high = ::fcntl(low.get(), F_DUPFD_CLOEXEC, kClientInside + 1);
  check(high < 0 ? errno : 0, "fcntl");
  return high;
}

std::pair<int, int> socket_pair() {
  std::array<int, 2> ends{};
  check(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) < 0 ? errno : 0, "socketpair");
  return {ends[0], moved_up(ends[1])};
}

std::vector<std::string> command_line(const DeviceProcess::Options& options) {
  std::vector<std::string> words = {options.executable.string(),
                                    "--control-fd",
                                    std::to_string(kControlInside),
                                    "--client-fd",
                                    std::to_string(kClientInside),
                                    "--workers",
                                    std::to_string(options.workers),
                                    "--memory",
                                    std::to_string(options.global_bytes),
                                    "--seed",
                                    std::to_string(options.seed),
                                    "--multiprocessors",
                                    std::to_string(options.multiprocessors)};
  if (options.devices != 1) {
    words.emplace_back("--devices");
    words.push_back(std::to_string(options.devices));
  }
  if (!options.checks) words.emplace_back("--no-checks");
  if (options.note_refusals) words.emplace_back("--note-refusals");
  if (options.check_leaks) words.emplace_back("--check-leaks");
  return words;
}

/// A child of this process.
class ChildHost final : public DeviceHost {
 public:
  ChildHost(std::vector<std::string> words, const std::vector<std::pair<int, int>>& descriptors) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);

    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    check(::posix_spawn_file_actions_init(&files), "posix_spawn_file_actions_init");
    check(::posix_spawnattr_init(&attributes), "posix_spawnattr_init");
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    int last = STDERR_FILENO;
    for (const auto& [ours, theirs] : descriptors) {
      ::posix_spawn_file_actions_adddup2(&files, ours, theirs);
      last = std::max(last, theirs);
    }
    ::posix_spawn_file_actions_addclosefrom_np(&files, last + 1);
    // A process group of its own: Ctrl-C at the terminal is for the program, which may handle it.
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setflags(&attributes,
                               POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    const int error = ::posix_spawn(&pid_, arguments[0], &files, &attributes, arguments.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&files);
    check(error, arguments[0]);
  }
  ~ChildHost() override {
    ::kill(pid_, SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  ChildHost(const ChildHost&) = delete;
  ChildHost& operator=(const ChildHost&) = delete;

  bool alive() override {
    // WNOWAIT leaves the ended process to the destructor, so that its number is not used again before.
    siginfo_t info{};
    return ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0;
  }

 private:
  pid_t pid_ = -1;
};

DeviceError::Code code_of(Status status) {
  switch (status) {
    case Status::out_of_memory:
      return DeviceError::Code::out_of_memory;
    case Status::invalid_address:
      return DeviceError::Code::invalid_address;
    case Status::invalid_image:
      return DeviceError::Code::invalid_image;
    case Status::no_ptx:
      return DeviceError::Code::no_ptx;
    case Status::unknown_symbol:
      return DeviceError::Code::unknown_symbol;
    case Status::invalid_configuration:
      return DeviceError::Code::invalid_configuration;
    case Status::out_of_resources:
      return DeviceError::Code::out_of_resources;
    case Status::unsupported:
      return DeviceError::Code::unsupported;
    default:
      return DeviceError::Code::invalid_value;
  }
}

template <class T>
T unpacked(const Bytes& payload) {
  try {
    return MessageReader(payload).take<T>();
  } catch (const MalformedMessage& error) {
    throw DeviceLost(std::string("the emulated device answers nonsense: ") + error.what());
  }
}

}  // namespace

DeviceProcess::DeviceProcess(const Options& options, const StartDevice& start) {
  const auto [control, control_inside] = socket_pair();
  control_ = std::make_unique<Channel>(control);
  std::optional<Descriptor> control_end(control_inside);
  const auto [client, client_inside] = socket_pair();
  Descriptor client_end(client);
  std::optional<Descriptor> inner_client_end(client_inside);
  const std::vector<std::pair<int, int>> descriptors{{control_inside, kControlInside},
                                                     {client_inside, kClientInside}};
  const std::vector<std::string> words = command_line(options);
  host_ = start ? start(words, descriptors) : std::make_unique<ChildHost>(words, descriptors);
  // The device's ends must be open nowhere else, or neither side would see the other go.
  control_end.reset();
  inner_client_end.reset();
  request(RequestKind::synchronise, {});
  client_ = client_end.release();
}

DeviceProcess::~DeviceProcess() {
  host_.reset();
  close_client_descriptor();
}

void DeviceProcess::close_client_descriptor() {
  if (client_ >= 0) ::close(std::exchange(client_, -1));
}

DeviceLost DeviceProcess::lost(const std::string& what) {
  const std::string reason = host_->reason_of_end();
  return DeviceLost(reason.empty() ? what : reason);
}

/// One request of the control side, with its failures as the exceptions that the header promises.
Bytes DeviceProcess::request(RequestKind kind, std::initializer_list<std::span<const std::byte>> parts) {
  Reply reply;
  try {
    reply = control_->call(kind, parts, soon());
  } catch (const ConnectionLost& error) {
    throw lost(error.what());
  }
  if (reply.status == Status::ok) return std::move(reply.payload);
  const std::string sentence(reinterpret_cast<const char*>(reply.payload.data()), reply.payload.size());
  if (reply.status == Status::malformed)
    throw DeviceLost("the emulated device refuses a request: " + sentence);
  throw DeviceError(code_of(reply.status), sentence);
}

DeviceAddress DeviceProcess::allocate(std::size_t bytes, const std::string& label) {
  const AllocateRequest wanted{bytes};
  return unpacked<AddressReply>(request(RequestKind::allocate, {bytes_of(wanted), bytes_of(label)})).address;
}

void DeviceProcess::free(DeviceAddress address) {
  request(RequestKind::free, {bytes_of(RangeRequest{address, 0, 0})});
}

void DeviceProcess::write(DeviceAddress to, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min<std::size_t>(bytes.size(), kPieceBytes));
    request(RequestKind::write, {bytes_of(WriteRequest{to, bytes.size()}), piece});
    to += piece.size();
    bytes = bytes.subspan(piece.size());
  }
}

void DeviceProcess::read(DeviceAddress from, std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min<std::size_t>(bytes.size(), kPieceBytes));
    const Bytes data = request(RequestKind::read, {bytes_of(RangeRequest{from, piece.size(), bytes.size()})});
    if (data.size() != piece.size()) throw DeviceLost("the emulated device answers a read with another size");
    std::copy(data.begin(), data.end(), piece.begin());
    from += piece.size();
    bytes = bytes.subspan(piece.size());
  }
}

void DeviceProcess::fill(DeviceAddress to, std::byte value, std::size_t bytes) {
  request(RequestKind::fill, {bytes_of(FillRequest{to, bytes, std::to_integer<std::uint64_t>(value)})});
}

void DeviceProcess::mark_uninitialised(DeviceAddress from, std::size_t bytes) {
  request(RequestKind::mark_uninitialised, {bytes_of(RangeRequest{from, bytes, bytes})});
}

void DeviceProcess::set_time_limit(std::optional<std::chrono::milliseconds> limit) {
  LimitRequest wanted{0, 0};
  if (limit) wanted = {static_cast<std::uint64_t>(std::max<std::int64_t>(limit->count(), 0)), 1};
  request(RequestKind::set_time_limit, {bytes_of(wanted)});
}

void DeviceProcess::set_client_memory_limit(std::size_t bytes) {
  request(RequestKind::set_client_memory_limit, {bytes_of(LimitRequest{bytes, 1})});
}

bool DeviceProcess::wait_idle(std::chrono::milliseconds timeout) {
  return answer(RequestKind::synchronise, timeout).has_value();
}

bool DeviceProcess::hold_client(std::chrono::milliseconds timeout) {
  return answer(RequestKind::hold_client, timeout).has_value();
}

void DeviceProcess::admit_client() { request(RequestKind::admit_client, {}); }

std::optional<Reply> DeviceProcess::answer(RequestKind kind, std::chrono::milliseconds timeout) {
  try {
    return control_->try_call(kind, {}, std::chrono::steady_clock::now() + timeout);
  } catch (const ConnectionLost& error) {
    throw lost(error.what());
  }
}

Observations DeviceProcess::take_observations() {
  const Bytes payload = request(RequestKind::take_observations, {});
  try {
    return decode_observations(payload);
  } catch (const std::exception& error) {
    throw DeviceLost(std::string("the emulated device answers nonsense: ") + error.what());
  }
}

ClientStatistics DeviceProcess::take_client_statistics() {
  return unpacked<ClientStatistics>(request(RequestKind::take_client_statistics, {}));
}

std::optional<std::chrono::nanoseconds> DeviceProcess::work_time(std::chrono::milliseconds timeout) {
  const std::optional<Reply> reply = answer(RequestKind::work_time, timeout);
  if (!reply) return std::nullopt;
  return std::chrono::nanoseconds(unpacked<TimeReply>(reply->payload).nanoseconds);
}

void DeviceProcess::show_stores_at_once(bool at_once) {
  request(RequestKind::show_stores_at_once, {bytes_of(LimitRequest{at_once ? 1U : 0U, 1})});
}

void DeviceProcess::trace_line(const std::string& file_suffix, std::uint32_t line) {
  request(RequestKind::trace_line, {bytes_of(LimitRequest{line, 1}), bytes_of(file_suffix)});
}

}  // namespace lockstep::emulator::server
