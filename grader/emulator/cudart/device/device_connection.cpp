#include "emulator/cudart/device/device_connection.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "emulator/server/device_process.h"

namespace lockstep::emulator::cudart {

using server::RequestKind;

namespace {

/// The inherited descriptor, or -1 with a hint on the first call.
int inherited_descriptor() {
  const char* text = std::getenv(server::kClientDescriptorVariable);
  if (text != nullptr) {
    char* end = nullptr;
    const long descriptor = std::strtol(text, &end, 10);
    if (end != text && *end == '\0' && descriptor >= 0 &&
        ::fcntl(static_cast<int>(descriptor), F_GETFD) >= 0) {
      return static_cast<int>(descriptor);
    }
  }
  static const bool hinted = [] {
    std::fputs("lockstep: no emulated device here; run the program under `./lockstep emulate`\n", stderr);
    return true;
  }();
  static_cast<void>(hinted);
  return -1;
}

}  // namespace

int& current_device() {
  thread_local int device = 0;
  return device;
}

server::Bytes DeviceConnection::request(RequestKind kind,
                                        std::initializer_list<std::span<const std::byte>> parts) {
  server::Reply reply;
  try {
    server::Channel& other_end = channel();
    if (selected_ != current_device()) {
      const server::IdRequest wanted{static_cast<std::uint64_t>(current_device())};
      if (other_end.call(RequestKind::select_device, {server::bytes_of(wanted)}).status ==
          server::Status::ok) {
        selected_ = current_device();
      }
    }
    reply = other_end.call(kind, parts);
  } catch (const server::ConnectionLost&) {
    throw Failure{cudaErrorDevicesUnavailable};
  }
  kernel_failed_ = server::is_sticky(reply.status);
  if (reply.status != server::Status::ok) {
    throw Failure{code_of(reply.status), kernel_failed_, server::RefusalReason::told};
  }
  return std::move(reply.payload);
}

const server::HelloReply& DeviceConnection::properties() {
  channel();
  return properties_;
}

const std::string& DeviceConnection::name() {
  channel();
  return name_;
}

void DeviceConnection::check_number(int number) {
  if (number < 0 || number >= device_count()) throw Failure{cudaErrorInvalidDevice};
}

bool DeviceConnection::failed() {
  try {
    throw_if_failed();
  } catch (const Failure&) {
    return kernel_failed_;
  }
  return false;
}

void DeviceConnection::throw_if_failed() {
  if (kernel_failed_) request(RequestKind::synchronise, {});
}

server::Channel& DeviceConnection::channel() {
  // A child of fork shares the connection; two speakers on it would garble it.
  if (channel_ && ::getpid() != owner_) throw Failure{cudaErrorInitializationError};
  if (channel_) return *channel_;
  const int descriptor = inherited_descriptor();
  if (descriptor < 0) throw Failure{cudaErrorNoDevice};
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  auto channel = std::make_unique<server::Channel>(descriptor);
  try {
    const server::Reply hello = channel->call(RequestKind::hello, {});
    server::MessageReader reader(hello.payload);
    properties_ = reader.take<server::HelloReply>();
    name_ = reader.take_name(server::kMaxName);
  } catch (const std::runtime_error&) {
    throw Failure{cudaErrorDevicesUnavailable};
  }
  owner_ = ::getpid();
  channel_ = std::move(channel);
  return *channel_;
}

}  // namespace lockstep::emulator::cudart
