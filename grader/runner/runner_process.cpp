#include "runner/runner_process.h"

#include <fcntl.h>
#include <immintrin.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <variant>
#include <vector>

#include "runner/message.h"
#include "runner/shared_memory.h"
#include "sandbox/file_descriptor.h"
#include "sandbox/program_files.h"
#include "text/printable.h"

namespace lockstep::runner {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using sandbox::FileDescriptor;

// Between the closing of a runner's socket and the end of its process: exit handlers, the kernel's clearing
// up.
constexpr milliseconds kGrace{500};

std::pair<FileDescriptor, FileDescriptor> open_socket_pair() {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::system_error(errno, std::generic_category(), "socketpair");
  }
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// The CUDA runtime, by the name that objects ask for (libcudart.so.13), and nothing else of its folder:
/// beside a toolkit's lie the libraries that submissions do without. Without a folder it is in one of the
/// system's.
std::vector<std::filesystem::path> runtime_libraries(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> folders{folder};
  if (folder.empty()) folders = {"/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib"};
  constexpr std::string_view kPrefix = "libcudart.so.";
  std::vector<std::filesystem::path> libraries;
  for (const std::filesystem::path& one : folders) {
    std::error_code none;
    for (const auto& file : std::filesystem::directory_iterator(one, none)) {
      const std::string name = file.path().filename();
      if (name.starts_with(kPrefix) && name.find('.', kPrefix.size()) == std::string::npos)
        libraries.push_back(file.path());
    }
    if (!libraries.empty()) break;
  }
  return libraries;
}

sandbox::Command runner_command(const RunnerProcess::Options& options, const sandbox::Mount& object,
                                int judge_end, int clock) {
  const sandbox::Mount executable{options.executable, "/lockstep/runner", false};
  const sandbox::Mount cudart{options.cudart_directory, "/lockstep/cudart", false};
  sandbox::Command command;
  command.own_files = true;
  command.arguments = {sandbox::seen_path(executable)};
  command.environment = {{"LD_LIBRARY_PATH", sandbox::seen_path(cudart)}, {"LC_ALL", "C.UTF-8"}};
  command.environment["LD_LIBRARY_PATH"].append(":").append(sandbox::kLibrariesInside);
  command.mounts = {executable, object};
  std::vector<std::filesystem::path> ours{options.executable};
  for (const std::filesystem::path& library : runtime_libraries(options.cudart_directory)) {
    command.mounts.push_back({library, cudart.inside / library.filename(), false});
    ours.push_back(library);
  }
  for (const std::filesystem::path& library : options.libraries) {
    command.mounts.push_back(
        {library, std::filesystem::path(sandbox::kLibrariesInside) / library.filename(), false});
    ours.push_back(library);
  }
  const std::vector<sandbox::Mount> further = sandbox::library_mounts(ours);
  command.mounts.insert(command.mounts.end(), further.begin(), further.end());
  for (const std::filesystem::path& folder : options.folders) {
    command.mounts.push_back({folder, folder, false});
    command.environment["LD_LIBRARY_PATH"].append(":").append(folder);
  }
  command.environment.insert(options.environment.begin(), options.environment.end());
  command.device_nodes = options.device_nodes;
  command.segments = options.segments;
  command.descriptors = {{judge_end, kJudgeDescriptor}, {clock, kClockDescriptor}};
  if (options.device_descriptor >= 0) {
    command.descriptors.emplace_back(options.device_descriptor, kDeviceDescriptor);
    command.environment["LOCKSTEP_DEVICE_FD"] = std::to_string(kDeviceDescriptor);
  }
  command.limits = options.limits;
  return command;
}

}  // namespace

struct RunnerProcess::State {
  State(const Options& options, std::pair<FileDescriptor, FileDescriptor> sockets)
      : object{options.object, "/lockstep/submission.so", false},
        whole_device(options.whole_device),
        socket(std::move(sockets.first)),
        process(runner_command(options, object, sockets.second.get(), clock.descriptor())) {}

  /// The reply to a request, or the outcome when there is none that can be used.
  std::variant<Reply, Outcome> exchange(const Packet& request, milliseconds timeout, int descriptor = -1,
                                        const Patience& patience = {});
  /// Nothing, or the outcome when the request cannot be sent.
  std::optional<Outcome> say(const Packet& request, int descriptor);
  std::variant<Reply, Outcome> hear(Clock::time_point deadline, const Patience& patience = {});
  std::optional<Packet> receive(Clock::time_point deadline, bool& timed_out);
  /// Ends the process, whatever it does.
  Outcome end_now(Outcome::Kind kind, const std::string& message);
  /// The runner's end of the socket is gone, most likely because the process is.
  Outcome end_of_connection();
  /// What a reply to anything but a load means.
  Outcome outcome_of(const std::variant<Reply, Outcome>& answer);
  CallRequest call_request(const course::Signature& function, std::span<const std::uint64_t> words) const;

  const sandbox::Mount object;
  const bool whole_device;
  FileDescriptor socket;
  SharedMemory clock{"lockstep-clock", sizeof(ClockWords)};
  sandbox::Process process;
  std::vector<std::string> functions;  ///< linker names, in the order of the load request
  std::uint32_t sequence = 0;
  std::optional<Outcome> over;  ///< what every later request gets too
};

Outcome RunnerProcess::State::end_now(Outcome::Kind kind, const std::string& message) {
  socket.reset();
  process.kill();
  std::optional<sandbox::End> end;
  while (!end) end = process.wait(std::chrono::seconds(1));
  // Out of time is what every other excess looks like in the end: where the machine paused, both were found
  // at once.
  const bool other_limit =
      end->kind == sandbox::End::Kind::memory_limit || end->kind == sandbox::End::Kind::process_limit;
  if (kind == Outcome::Kind::time_limit && other_limit) kind = Outcome::Kind::ended;
  over = Outcome{.kind = kind, .message = message, .value = 0, .end = *end};
  return *over;
}

Outcome RunnerProcess::State::end_of_connection() {
  const auto end = process.wait(kGrace);
  if (!end) return end_now(Outcome::Kind::ended, "the submission closed a descriptor that is not its own");
  const bool out_of_time = end->kind == sandbox::End::Kind::time_limit;
  over = Outcome{.kind = out_of_time ? Outcome::Kind::time_limit : Outcome::Kind::ended,
                 .message = "",
                 .value = 0,
                 .end = *end};
  return *over;
}

// One packet; nothing when the runner has gone or `deadline` has passed.
std::optional<Packet> RunnerProcess::State::receive(Clock::time_point deadline, bool& timed_out) {
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
    pollfd ready{socket.get(), POLLIN, 0};
    const int found = poll(&ready, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30)));
    if (found < 0 && errno == EINTR) continue;
    timed_out = found == 0;
    if (found <= 0) return std::nullopt;
    Packet packet(kMessageBytes, '\0');
    // Without room for control data, so that descriptors which a submission sends along are dropped.
    const ssize_t bytes = recv(socket.get(), packet.data(), packet.size(), MSG_DONTWAIT);
    if (bytes < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (bytes <= 0) return std::nullopt;
    packet.resize(static_cast<std::size_t>(bytes));
    return packet;
  }
}

constexpr const char* kNonsense = "the submission wrote on a descriptor that is not its own";

std::optional<Outcome> RunnerProcess::State::say(const Packet& request, int descriptor) {
  if (over) return over;
  bool timed_out = false;
  // Nothing may be waiting: the runner speaks only when asked.
  if (receive(Clock::now(), timed_out)) return end_now(Outcome::Kind::ended, kNonsense);
  iovec part{const_cast<char*>(request.data()), request.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    std::memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
  }
  if (sendmsg(socket.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return end_of_connection();
  return std::nullopt;
}

std::variant<Reply, Outcome> RunnerProcess::State::hear(Clock::time_point deadline,
                                                        const Patience& patience) {
  constexpr milliseconds kLookAgain{100};
  const auto latest = deadline + patience.more;
  bool timed_out = false;
  auto packet = receive(deadline, timed_out);
  while (timed_out && Clock::now() < latest && patience.is_due())
    packet = receive(Clock::now() + kLookAgain, timed_out);
  if (timed_out) return end_now(Outcome::Kind::time_limit, "");
  if (!packet) return end_of_connection();
  auto reply = decode_reply(*packet, sequence);
  if (!reply) return end_now(Outcome::Kind::ended, kNonsense);
  return *std::move(reply);
}

std::variant<Reply, Outcome> RunnerProcess::State::exchange(const Packet& request, milliseconds timeout,
                                                            int descriptor, const Patience& patience) {
  if (auto failed = say(request, descriptor)) return *failed;
  return hear(Clock::now() + timeout, patience);
}

Outcome RunnerProcess::State::outcome_of(const std::variant<Reply, Outcome>& answer) {
  if (const auto* outcome = std::get_if<Outcome>(&answer)) return *outcome;
  const auto& reply = std::get<Reply>(answer);
  switch (reply.kind) {
    case Reply::Kind::done:
      return {.kind = Outcome::Kind::done,
              .message = text::printable(reply.text),
              .value = reply.value,
              .end = {}};
    case Reply::Kind::threw:
      return {.kind = Outcome::Kind::threw, .message = text::printable(reply.text), .value = 0, .end = {}};
    case Reply::Kind::device_error:
      return {
          .kind = Outcome::Kind::device_error, .message = text::printable(reply.text), .value = 0, .end = {}};
    case Reply::Kind::load_failed:
    case Reply::Kind::missing_function:
      break;
  }
  return end_now(Outcome::Kind::ended, "the runner's reply makes no sense");
}

CallRequest RunnerProcess::State::call_request(const course::Signature& function,
                                               std::span<const std::uint64_t> words) const {
  const auto found = std::find(functions.begin(), functions.end(), function.linker_name);
  const std::size_t parameters = function.parameters.size();
  const std::size_t calls = parameters == 0 ? 1 : words.size() / parameters;
  if (found == functions.end() || calls == 0 || words.size() != calls * parameters) {
    throw std::logic_error("RunnerProcess: " + function.declaration +
                           " was not loaded, or has other parameters");
  }
  CallRequest request;
  request.function = static_cast<std::uint32_t>(found - functions.begin());
  request.result = function.result;
  request.calls = static_cast<std::uint32_t>(calls);
  request.whole_device = whole_device;
  for (const course::Parameter& parameter : function.parameters) request.kinds.push_back(parameter.kind);
  request.words.assign(words.begin(), words.end());
  return request;
}

RunnerProcess::RunnerProcess(const Options& options)
    : state_(std::make_unique<State>(options, open_socket_pair())) {}

RunnerProcess::~RunnerProcess() = default;

Outcome RunnerProcess::make_context(milliseconds timeout) {
  return state_->outcome_of(state_->exchange(encode(++state_->sequence, ContextRequest()), timeout));
}

Outcome RunnerProcess::load(std::span<const course::Signature> functions, milliseconds timeout) {
  LoadRequest request{sandbox::seen_path(state_->object), {}};
  for (const course::Signature& function : functions) request.linker_names.push_back(function.linker_name);
  state_->functions = request.linker_names;
  const auto answer = state_->exchange(encode(++state_->sequence, request), timeout);
  if (const auto* outcome = std::get_if<Outcome>(&answer)) return *outcome;
  const auto& reply = std::get<Reply>(answer);
  switch (reply.kind) {
    case Reply::Kind::done:
      return {};
    case Reply::Kind::load_failed:
      return {
          .kind = Outcome::Kind::load_failed, .message = text::printable(reply.text), .value = 0, .end = {}};
    case Reply::Kind::missing_function:
      if (reply.value >= functions.size()) break;
      return {.kind = Outcome::Kind::missing_function,
              .message = "the submission does not define " + functions[reply.value].declaration,
              .value = 0,
              .end = {}};
    case Reply::Kind::threw:
    case Reply::Kind::device_error:
      break;
  }
  return state_->end_now(Outcome::Kind::ended, "the runner's reply makes no sense");
}

Outcome RunnerProcess::call(const course::Signature& function, std::span<const std::uint64_t> words,
                            milliseconds timeout, const Patience& patience) {
  const CallRequest request = state_->call_request(function, words);
  return state_->outcome_of(state_->exchange(encode(++state_->sequence, request), timeout, -1, patience));
}

Outcome RunnerProcess::call_host_program(const course::Signature& function,
                                         std::span<const std::uint64_t> words, const HostProgramCall& mode,
                                         milliseconds timeout, const Patience& patience) {
  CallRequest request = state_->call_request(function, words);
  request.host_program = true;
  request.mode = mode;
  return state_->outcome_of(state_->exchange(encode(++state_->sequence, request), timeout, -1, patience));
}

RunnerProcess::TimedOutcome RunnerProcess::timed_calls(const course::Signature& function,
                                                       std::span<const std::uint64_t> words,
                                                       milliseconds timeout,
                                                       const std::function<void()>& look, bool by_events) {
  CallRequest request = state_->call_request(function, words);
  request.timed = true;
  request.by_events = by_events;
  ClockWords& clock = *static_cast<ClockWords*>(state_->clock.memory());
  const auto asked = Clock::now(), deadline = asked + timeout;
  if (auto failed = state_->say(encode(++state_->sequence, request), -1)) return {*failed};
  // A reply, or the end, before its time ends the wait as well.
  const auto reached = [&](const std::atomic<std::uint32_t>& word) {
    constexpr int kSpinsPerLook = 1 << 14;
    for (int spins = 1;; ++spins) {
      if (word.load(std::memory_order_acquire) == state_->sequence) return true;
      _mm_pause();
      if (spins % kSpinsPerLook != 0) continue;
      pollfd ready{state_->socket.get(), POLLIN, 0};
      if (poll(&ready, 1, 0) > 0 || Clock::now() >= deadline) return false;
    }
  };
  std::chrono::nanoseconds time{0}, arming{0};
  if (reached(clock.armed)) {
    const auto begin = Clock::now();
    arming = begin - asked;
    clock.go.store(state_->sequence, std::memory_order_release);
    // A reply without the sign is looked at as well; after the deadline the device may not answer.
    if (reached(clock.done) || Clock::now() < deadline) look();
    time = Clock::now() - begin;
  }
  TimedOutcome timed{state_->outcome_of(state_->hear(deadline)), time, arming};
  if (by_events) timed.on_device = std::chrono::nanoseconds(timed.outcome.value);
  return timed;
}

Outcome RunnerProcess::settle(milliseconds timeout, const Patience& patience) {
  const Packet request = encode(++state_->sequence, SettleRequest{});
  return state_->outcome_of(state_->exchange(request, timeout, -1, patience));
}

Outcome RunnerProcess::map(std::uint64_t address, std::size_t mapped_bytes, std::size_t offset,
                           int descriptor, milliseconds timeout) {
  const MapRequest request{.address = address, .mapped_bytes = mapped_bytes, .offset = offset};
  return state_->outcome_of(state_->exchange(encode(++state_->sequence, request), timeout, descriptor));
}

Outcome RunnerProcess::unmap(std::uint64_t address, milliseconds timeout) {
  return state_->outcome_of(
      state_->exchange(encode(++state_->sequence, MapRequest{.address = address}), timeout));
}

Outcome RunnerProcess::map_on_host(std::uint64_t address, std::size_t mapped_bytes, std::size_t offset,
                                   int descriptor, milliseconds timeout) {
  const MapRequest request{
      .on_host = true, .address = address, .mapped_bytes = mapped_bytes, .offset = offset};
  return state_->outcome_of(state_->exchange(encode(++state_->sequence, request), timeout, descriptor));
}

Outcome RunnerProcess::unmap_on_host(std::uint64_t address, milliseconds timeout) {
  const MapRequest request{.on_host = true, .address = address};
  return state_->outcome_of(state_->exchange(encode(++state_->sequence, request), timeout));
}

const std::string& RunnerProcess::output() const { return state_->process.output(); }

bool RunnerProcess::output_truncated() const { return state_->process.output_truncated(); }

}  // namespace lockstep::runner
