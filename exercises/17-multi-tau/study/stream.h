// Counts over TCP: what an instrument sends and what a server takes, with a queue of limited length between
// the connection and the work.
//
// All numbers are little-endian. The sender begins with 24 bytes: "LSCOUNTS", the version 1 and the number of
// sensors in 32 bits each, the length of an instant in seconds as a double, 0 where it is not known. Then
// packets: "PACK" and the number of instants in 32 bits, the number of instants before them in 64, and a
// frame of a byte for each sensor for each instant. A packet of no instants is the end. The server answers it
// by 16 bytes: "DONE", four of 0, and the number of instants that it has counted.
#pragma once

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "counts.h"

namespace lockstep::multi_tau_study {

using Clock = std::chrono::steady_clock;

inline constexpr std::string_view kStreamMagic = "LSCOUNTS", kPacketMagic = "PACK", kAnswerMagic = "DONE";
constexpr std::uint32_t kStreamVersion = 1;
constexpr std::size_t kStreamHeaderBytes = 24, kPacketHeaderBytes = 16, kAnswerBytes = 16;
/// Of the counts of one packet.
constexpr std::size_t kMaxPacketBytes = std::size_t{1} << 24;
constexpr std::size_t kMaxPacketInstants = std::size_t{1} << 20;
/// Longest instant, in seconds.
constexpr double kMaxInterval = 1e6;

/// What is wrong with a stream; the message is a sentence.
class StreamError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct StreamHeader {
  std::size_t sensors = 0;
  double interval = 0;  ///< seconds, 0 where it is not known
};

struct PacketHeader {
  std::size_t instants = 0;
  std::uint64_t elapsed = 0;  ///< instants before the packet
};

namespace detail {

template <class Number>
void put(std::string& bytes, Number number) {
  for (unsigned i = 0; i < sizeof number; ++i) bytes += static_cast<char>(number >> 8 * i & 0xff);
}

template <class Number>
Number get(std::string_view bytes, std::size_t at) {
  Number number = 0;
  for (unsigned i = 0; i < sizeof number; ++i)
    number |= static_cast<Number>(Number{static_cast<unsigned char>(bytes[at + i])} << 8 * i);
  return number;
}

}  // namespace detail

inline std::string bytes_of(const StreamHeader& header) {
  std::string bytes(kStreamMagic);
  detail::put(bytes, kStreamVersion);
  detail::put(bytes, static_cast<std::uint32_t>(header.sensors));
  detail::put(bytes, std::bit_cast<std::uint64_t>(header.interval));
  return bytes;
}

/// Of kStreamHeaderBytes bytes. Throws StreamError.
inline StreamHeader stream_header(std::string_view bytes) {
  if (!bytes.starts_with(kStreamMagic))
    throw StreamError("what the sender begins with, " +
                      study::in_quotes(bytes.substr(0, kStreamMagic.size())) + ", is not LSCOUNTS");
  const auto version = detail::get<std::uint32_t>(bytes, 8), sensors = detail::get<std::uint32_t>(bytes, 12);
  const auto interval = std::bit_cast<double>(detail::get<std::uint64_t>(bytes, 16));
  if (version != kStreamVersion)
    throw StreamError("the stream has version " + std::to_string(version) + ", and this program knows 1");
  if (sensors == 0 || sensors > kMaxSensors)
    throw StreamError("the stream has " + std::to_string(sensors) + " sensors, which is not from 1 to " +
                      std::to_string(kMaxSensors));
  if (!(interval >= 0 && interval <= kMaxInterval))
    throw StreamError("the length of an instant in the header is not from 0 to 1000000 seconds");
  return {sensors, interval};
}

inline std::string bytes_of(const PacketHeader& header) {
  std::string bytes(kPacketMagic);
  detail::put(bytes, static_cast<std::uint32_t>(header.instants));
  detail::put(bytes, header.elapsed);
  return bytes;
}

/// Of kPacketHeaderBytes bytes, where `elapsed` instants have come before. Throws StreamError.
inline PacketHeader packet_header(std::string_view bytes, std::size_t sensors, std::uint64_t elapsed) {
  if (!bytes.starts_with(kPacketMagic))
    throw StreamError("a packet begins with " + study::in_quotes(bytes.substr(0, kPacketMagic.size())) +
                      ", not PACK");
  const PacketHeader header{detail::get<std::uint32_t>(bytes, 4), detail::get<std::uint64_t>(bytes, 8)};
  if (header.elapsed != elapsed)
    throw StreamError("a packet follows on " + std::to_string(header.elapsed) + " instants, and " +
                      std::to_string(elapsed) + " have come");
  if (header.instants > kMaxPacketInstants || header.instants * sensors > kMaxPacketBytes)
    throw StreamError("a packet of " + std::to_string(header.instants) + " instants of " +
                      std::to_string(sensors) + " sensors is too long: at most 1048576 instants and 16 MiB");
  return header;
}

inline std::string answer_of(std::uint64_t instants) {
  std::string bytes(kAnswerMagic);
  detail::put(bytes, std::uint32_t{0});
  detail::put(bytes, instants);
  return bytes;
}

/// A TCP connection, or what waits for one.
class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  Socket& operator=(Socket&&) = delete;
  ~Socket() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  int descriptor() const { return descriptor_; }

  /// Up to `bytes` bytes; fewer where the other side has ended, or `error` says why nothing came.
  std::size_t receive(char* to, std::size_t bytes) const {
    std::size_t got = 0;
    while (got < bytes) {
      const ssize_t more = recv(descriptor_, to + got, bytes - got, 0);
      if (more < 0 && errno == EINTR) continue;
      if (more <= 0) break;
      got += static_cast<std::size_t>(more);
    }
    return got;
  }
  std::string receive(std::size_t bytes) const {
    std::string text(bytes, '\0');
    text.resize(receive(text.data(), bytes));
    return text;
  }
  /// Fewer also where more has not come by `until`.
  std::string receive(std::size_t bytes, Clock::time_point until) const {
    std::string text;
    while (text.size() < bytes) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
      pollfd wait{descriptor_, POLLIN, 0};
      const int ready = poll(&wait, 1, static_cast<int>(std::clamp<long long>(left, 0, 1'000'000)));
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0) break;
      std::string more(bytes - text.size(), '\0');
      const ssize_t got = recv(descriptor_, more.data(), more.size(), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      text.append(more, 0, static_cast<std::size_t>(got));
    }
    return text;
  }
  /// Nothing more is received or sent.
  void end() const { shutdown(descriptor_, SHUT_RDWR); }

 private:
  int descriptor_;
};

/// A host and a port, with brackets around an address of IPv6, which has colons itself.
inline std::string host_and_port(const std::string& host, const std::string& port) {
  return (host.find(':') == std::string::npos ? host : '[' + host + ']') + ':' + port;
}

/// Addresses of a host. Throws std::runtime_error.
inline std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(const std::string& host,
                                                                const std::string& port) {
  addrinfo hints{}, *found = nullptr;
  hints.ai_socktype = SOCK_STREAM;
  const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (error != 0)
    throw std::runtime_error(study::in_quotes(host) + " is no host that is known: " + gai_strerror(error));
  return {found, freeaddrinfo};
}

inline std::string message_of_errno() { return std::generic_category().message(errno); }

/// Kernel buffers of a connection: small ones, so that a sender soon waits for a slow reader.
inline void limit_buffer(int descriptor, int which) {
  constexpr int kBytes = 1 << 18;
  setsockopt(descriptor, SOL_SOCKET, which, &kBytes, sizeof kBytes);
}

/// Waits for one connection. `port` 0 takes any that is free.
class Listener {
 public:
  Listener(const std::string& host, unsigned port) : socket_(bound(host, port)) {
    if (listen(socket_.descriptor(), 1) != 0)
      throw std::runtime_error("nobody can be waited for: " + message_of_errno());
  }

  unsigned port() const {
    sockaddr_storage address{};
    socklen_t bytes = sizeof address;
    getsockname(socket_.descriptor(), reinterpret_cast<sockaddr*>(&address), &bytes);
    return address.ss_family == AF_INET6 ? ntohs(reinterpret_cast<sockaddr_in6&>(address).sin6_port)
                                         : ntohs(reinterpret_cast<sockaddr_in&>(address).sin_port);
  }

  /// With signs of life, so that a machine that has died is noticed within minutes.
  Socket accept() const {
    while (true) {
      const int descriptor = ::accept(socket_.descriptor(), nullptr, nullptr);
      if (descriptor < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
      if (descriptor < 0) throw std::runtime_error("no connection: " + message_of_errno());
      constexpr int kOn = 1, kIdleSeconds = 30, kProbeSeconds = 10;
      setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &kOn, sizeof kOn);
      setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPIDLE, &kIdleSeconds, sizeof kIdleSeconds);
      setsockopt(descriptor, IPPROTO_TCP, TCP_KEEPINTVL, &kProbeSeconds, sizeof kProbeSeconds);
      return Socket(descriptor);
    }
  }

 private:
  static Socket bound(const std::string& host, unsigned port) {
    const auto found = addresses(host, std::to_string(port));
    Socket socket(::socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, found->ai_protocol));
    constexpr int kOn = 1;
    setsockopt(socket.descriptor(), SOL_SOCKET, SO_REUSEADDR, &kOn, sizeof kOn);
    limit_buffer(socket.descriptor(), SO_RCVBUF);  // connections inherit it
    if (bind(socket.descriptor(), found->ai_addr, found->ai_addrlen) != 0)
      throw std::runtime_error("port " + std::to_string(port) + " of " + host +
                               " cannot be had: " + message_of_errno());
    return socket;
  }

  Socket socket_;
};

struct Stream {
  Socket socket;
  StreamHeader header;
};

/// The first connection that begins with the header of a stream, within `limit`. `refuse` is told what is
/// wrong with those before it, which are closed.
template <class Refuse>
Stream accepted_stream(const Listener& listener, Clock::duration limit, Refuse refuse) {
  while (true) {
    Socket socket = listener.accept();
    const std::string begin = socket.receive(kStreamHeaderBytes, Clock::now() + limit);
    try {
      if (begin.size() < kStreamHeaderBytes)
        throw StreamError("the sender ended or waited after " + std::to_string(begin.size()) +
                          " of the 24 bytes that a stream begins with");
      return {std::move(socket), stream_header(begin)};
    } catch (const StreamError& error) {
      refuse(std::string(error.what()));
    }
  }
}

/// Throws std::runtime_error where nobody listens.
inline Socket connected(const std::string& host, const std::string& port) {
  const auto found = addresses(host, port);
  for (const addrinfo* address = found.get(); address != nullptr; address = address->ai_next) {
    Socket socket(::socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC, address->ai_protocol));
    if (socket.descriptor() < 0) continue;
    limit_buffer(socket.descriptor(), SO_SNDBUF);
    if (connect(socket.descriptor(), address->ai_addr, address->ai_addrlen) == 0) return socket;
  }
  throw std::runtime_error("no server answers at " + host_and_port(host, port) + ": " + message_of_errno());
}

/// Sends, and keeps the time for which the receiver did not take what was sent.
class Sender {
 public:
  explicit Sender(const Socket& socket) : socket_(socket) {}

  /// Throws StreamError where the server has closed the connection.
  void send(const char* bytes, std::size_t count) {
    while (count > 0) {
      const ssize_t sent = ::send(socket_.descriptor(), bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent >= 0) {
        bytes += sent, count -= static_cast<std::size_t>(sent);
        continue;
      }
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK)
        throw StreamError("the server has closed the connection: " + message_of_errno());
      const Clock::time_point from = Clock::now();
      pollfd wait{socket_.descriptor(), POLLOUT, 0};
      poll(&wait, 1, -1);
      const std::chrono::duration<double> waited = Clock::now() - from;
      held_ += waited.count(), longest_ = std::max(longest_, waited.count());
    }
  }
  void send(const std::string& bytes) { send(bytes.data(), bytes.size()); }

  double held_seconds() const { return held_; }
  double longest_seconds() const { return longest_; }

 private:
  const Socket& socket_;
  double held_ = 0, longest_ = 0;
};

struct Packet {
  std::vector<unsigned char> counts;
  std::size_t instants = 0;
  Clock::time_point arrived{};  ///< its last byte
  bool has_waited = false;      ///< another was being worked on
};

/// Of `count` values in ascending order the place of the least that at least `share` of them do not exceed.
inline std::size_t place_of(double share, std::size_t count) {
  const double values = std::ceil(share * static_cast<double>(count));
  return static_cast<std::size_t>(std::clamp(values, 1.0, static_cast<double>(count))) - 1;
}

/// Between the thread that receives and the one that works. When it is full, the first waits and reads no
/// further, so that TCP holds the sender back.
class PacketQueue {
 public:
  explicit PacketQueue(std::size_t most) : most_(most) {}

  /// False when nobody takes packets any more.
  bool push(Packet packet) {
    std::unique_lock lock(mutex_);
    packet.has_waited = is_busy_ || !packets_.empty();
    changed_.wait(lock, [this] { return packets_.size() < most_ || is_cancelled_; });
    if (is_cancelled_) return false;
    packets_.push_back(std::move(packet));
    changed_.notify_all();
    return true;
  }
  /// Nothing at the end. The packet before is then done.
  std::optional<Packet> pop() {
    std::unique_lock lock(mutex_);
    is_busy_ = false;
    changed_.wait(lock, [this] { return !packets_.empty() || has_ended_; });
    if (packets_.empty()) return std::nullopt;
    Packet packet = std::move(packets_.front());
    packets_.pop_front();
    is_busy_ = true;
    changed_.notify_all();
    return packet;
  }
  /// No more packets follow; `error` says why, unless the stream has ended as it should.
  void end(std::string error) {
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    error_ = std::move(error);
    changed_.notify_all();
  }
  void cancel() {
    const std::lock_guard lock(mutex_);
    is_cancelled_ = true;
    changed_.notify_all();
  }
  /// Once pop() has returned nothing.
  const std::string& error() const { return error_; }

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Packet> packets_;
  bool is_busy_ = false, has_ended_ = false, is_cancelled_ = false;
  std::string error_;
};

/// Receives packets into a queue until the stream ends, and ends the queue.
inline void receive_packets(const Socket& socket, std::size_t sensors, PacketQueue& queue) {
  std::uint64_t elapsed = 0, number = 1;
  const auto fewer = [&number](std::size_t got, std::size_t wanted, const std::string& what) {
    return StreamError("the sender ended within packet " + std::to_string(number) + ", after " +
                       std::to_string(got) + " of the " + std::to_string(wanted) + " bytes of its " + what);
  };
  try {
    for (;; ++number) {
      const std::string header_bytes = socket.receive(kPacketHeaderBytes);
      if (header_bytes.empty())
        throw StreamError("the sender ended after " + std::to_string(number - 1) +
                          " packets, without the packet that says so");
      if (header_bytes.size() < kPacketHeaderBytes)
        throw fewer(header_bytes.size(), kPacketHeaderBytes, "header");
      const PacketHeader header = packet_header(header_bytes, sensors, elapsed);
      if (header.instants == 0) return queue.end("");
      Packet packet{std::vector<unsigned char>(header.instants * sensors), header.instants};
      const std::size_t got =
          socket.receive(reinterpret_cast<char*>(packet.counts.data()), packet.counts.size());
      if (got < packet.counts.size()) throw fewer(got, packet.counts.size(), "counts");
      packet.arrived = Clock::now();
      elapsed += header.instants;
      if (!queue.push(std::move(packet))) return;
    }
  } catch (const std::exception& error) {
    queue.end(error.what());
  }
}

}  // namespace lockstep::multi_tau_study
