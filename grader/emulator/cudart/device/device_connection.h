// The program's connection to its emulated device, made at the first call that needs it.
#pragma once

#include <sys/types.h>

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "emulator/cudart/errors/failure.h"
#include "emulator/server/channel.h"

namespace lockstep::emulator::cudart {

/// The calling thread's device, as cudaSetDevice chose it.
int& current_device();

/// Another device for as long as this lives.
class SelectedDevice {
 public:
  explicit SelectedDevice(int device) : before_(std::exchange(current_device(), device)) {}
  ~SelectedDevice() { current_device() = before_; }
  SelectedDevice(const SelectedDevice&) = delete;
  SelectedDevice& operator=(const SelectedDevice&) = delete;

 private:
  int before_;
};

class DeviceConnection {
 public:
  /// One request and the payload of its answer. Throws Failure for every other status than ok.
  server::Bytes request(server::RequestKind kind, std::initializer_list<std::span<const std::byte>> parts);

  template <class T>
  T ask(server::RequestKind kind, std::initializer_list<std::span<const std::byte>> parts) {
    return server::MessageReader(request(kind, parts)).take<T>();
  }

  const server::HelloReply& properties();
  int device_count() { return static_cast<int>(properties().devices); }
  /// Throws Failure unless there is a device of this number.
  void check_number(int number);
  const std::string& name();

  /// Whether a kernel's failure that the program has seen still answers every request. Asks the device, whose
  /// owner may have cleared it.
  bool failed();
  /// Throws that failure if so.
  void throw_if_failed();

 private:
  server::Channel& channel();

  std::unique_ptr<server::Channel> channel_;
  pid_t owner_ = 0;
  int selected_ = 0;  ///< device that the other end takes requests to be for
  bool kernel_failed_ = false;
  server::HelloReply properties_;
  std::string name_;
};

}  // namespace lockstep::emulator::cudart
