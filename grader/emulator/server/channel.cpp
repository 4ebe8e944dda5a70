#include "emulator/server/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace lockstep::emulator::server {

namespace {

[[noreturn]] void lost(const char* doing) {
  throw ConnectionLost(std::string("connection to the emulated device: ") + doing + ": " +
                       std::generic_category().message(errno));
}

}  // namespace

Channel::Channel(int descriptor) : descriptor_(descriptor) {}

Channel::~Channel() { ::close(descriptor_); }

Reply Channel::call(RequestKind kind, std::initializer_list<std::span<const std::byte>> parts,
                    Deadline deadline) {
  std::optional<Reply> reply = try_call(kind, parts, deadline);
  if (!reply) throw ConnectionLost("connection to the emulated device: no answer in time");
  return *std::move(reply);
}

std::optional<Reply> Channel::try_call(RequestKind kind,
                                       std::initializer_list<std::span<const std::byte>> parts,
                                       Deadline deadline) {
  RequestHeader request;
  request.kind = kind;
  request.sequence = ++sequence_;
  for (const auto& part : parts) request.bytes += part.size();
  send(bytes_of(request), deadline);
  for (const auto& part : parts) send(part, deadline);

  while (wait_for(POLLIN, deadline)) {
    ReplyHeader header;
    receive(std::as_writable_bytes(std::span(&header, 1)), deadline);
    if (header.magic != kMagic || header.bytes > kMaxReply || header.sequence > sequence_ ||
        header.sequence <= answered_) {
      throw ConnectionLost("connection to the emulated device: a reply that is none");
    }
    answered_ = header.sequence;
    Reply reply{header.status, Bytes(header.bytes)};
    receive(reply.payload, deadline);
    if (header.sequence == sequence_) return reply;
  }
  return std::nullopt;
}

void Channel::send(std::span<const std::byte> bytes, const Deadline& deadline) {
  // MSG_NOSIGNAL: a device that has gone is an error of this call, not the end of the program.
  const int flags = MSG_NOSIGNAL | (deadline ? MSG_DONTWAIT : 0);
  while (!bytes.empty()) {
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), flags);
    if (sent >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (!wait_for(POLLOUT, deadline)) {
        throw ConnectionLost("connection to the emulated device: it does not take a request in time");
      }
    } else if (errno != EINTR) {
      lost("send");
    }
  }
}

void Channel::receive(std::span<std::byte> bytes, const Deadline& deadline) {
  while (!bytes.empty()) {
    if (!wait_for(POLLIN, deadline)) throw ConnectionLost("connection to the emulated device: half a reply");
    const ssize_t received = ::recv(descriptor_, bytes.data(), bytes.size(), 0);
    if (received > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(received));
    } else if (received == 0) {
      throw ConnectionLost("connection to the emulated device: the device has ended");
    } else if (errno != EINTR && errno != EAGAIN) {
      lost("recv");
    }
  }
}

bool Channel::wait_for(short events, const Deadline& deadline) {
  if (!deadline) return true;  // the blocking call itself waits
  constexpr int kLongestPoll = 60'000;
  pollfd wanted{descriptor_, events, 0};
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now());
    const auto wait = std::clamp<std::int64_t>(left.count(), 0, kLongestPoll);
    const int ready = ::poll(&wanted, 1, static_cast<int>(wait));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) lost("poll");
    if (ready == 0 && left.count() <= kLongestPoll) return false;
  }
}

}  // namespace lockstep::emulator::server
