// A running emulated device: the process, and the privileged connection to it.
//
// Two connections lead to a device. The program under test inherits the client one (its libcudart speaks on
// it) and can do what the CUDA runtime can. The owner of the process, a judge or `lockstep emulate`, holds
// the control one: it may also set limits, own buffers that the program cannot free, and take counters and
// findings. Both are socket pairs made before the processes start, so nothing on the file system has to be
// protected.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/observations.h"
#include "emulator/core/types.h"
#include "emulator/server/device_lost.h"
#include "emulator/server/message.h"

namespace lockstep::emulator::server {

class Channel;
struct Reply;
enum class RequestKind : std::uint32_t;

/// Name of the environment variable that tells the replacement libcudart which descriptor is its connection.
inline constexpr const char* kClientDescriptorVariable = "LOCKSTEP_DEVICE_FD";

/// The running lockstep-device, however it was started. The destructor ends it and waits until it is gone.
class DeviceHost {
 public:
  virtual ~DeviceHost() = default;
  virtual bool alive() = 0;
  /// Why it ended, when that is known and more than that its connection closed; else empty. Throws
  /// DeviceMemoryExceeded.
  virtual std::string reason_of_end() { return {}; }
};

/// Starts `arguments`, the program first, with the descriptors (ours, theirs) and no others. Throws
/// DeviceLost, or what else says that the machine cannot.
using StartDevice = std::function<std::unique_ptr<DeviceHost>(
    const std::vector<std::string>& arguments, const std::vector<std::pair<int, int>>& descriptors)>;

/// What a program holds of the device and of the runtime.
struct HeldByProgram {
  std::uint64_t allocations = 0, allocated_bytes = 0;  ///< of device, pinned and managed memory
  std::uint64_t streams = 0, events = 0,
                registrations = 0;  ///< the runtime's word, as NoteHostProgramRequest
};

/// Of the latest piece of host code that was judged (cudart/host_program.h). What the runtime says of it
/// comes from the program's own process.
struct HostProgramState {
  std::uint64_t begins = 0, ends = 0;  ///< notes since the last call of take_client_statistics
  HeldByProgram before, after;
  std::uint64_t copied_bytes = 0, chained_bytes = 0;
  std::array<char, 64> failed_call{};  ///< function of the runtime that was made to fail; empty: none
};

/// What the program under test did through its connection since the last call of take_client_statistics.
struct ClientStatistics {
  /// Copied either way; of memory that both sides share, what has changed on the way.
  std::uint64_t device_to_host_bytes = 0, host_to_device_bytes = 0;
  std::uint64_t printed_bytes = 0;       ///< by kernels, which is a way to the host too
  std::uint64_t late_requests = 0;       ///< refused, as the owner held the client
  std::uint64_t control_bytes_read = 0;  ///< device-to-host bytes out of buffers that the control side owns
  std::uint64_t control_bytes_written = 0;  ///< likewise, written from the host
  std::uint64_t allocated_bytes = 0;        ///< that the client holds now
  std::uint64_t requests = 0;               ///< answered, refusals included
  std::uint64_t work = 0;                   ///< of these, launches, and fills and copies within the device
  HostProgramState host_program;
};

class DeviceProcess {
 public:
  struct Options {
    std::filesystem::path executable;  ///< lockstep-device
    unsigned workers = 0;              ///< 0: one a core
    bool checks = true;
    std::uint64_t seed = 0;
    std::size_t global_bytes = std::size_t{8} << 30;
    int multiprocessors = DeviceProperties{}.multiprocessors;
    int devices = 1;             ///< that the program sees, each with `global_bytes`
    bool note_refusals = false;  ///< calls that the runtime refused become findings
    bool check_leaks = false;    ///< so does memory that the program never frees
  };

  /// Starts the process and waits until it answers. Throws DeviceLost, and what `start` throws. Without a
  /// `start` the process is a child like any other, with the rights of its owner: for programs that are
  /// trusted.
  explicit DeviceProcess(const Options& options, const StartDevice& start = {});
  ~DeviceProcess();
  DeviceProcess(const DeviceProcess&) = delete;
  DeviceProcess& operator=(const DeviceProcess&) = delete;

  /// The client's end of its connection, close-on-exec. The spawner of the program passes it on (dup2 to some
  /// number, named in kClientDescriptorVariable) and then calls close_client_descriptor.
  int client_descriptor() const { return client_; }
  void close_client_descriptor();

  bool alive() { return host_->alive(); }

  // The calls below act at once, in order with the client's; each throws DeviceLost, or DeviceError as Device
  // does.

  DeviceAddress allocate(std::size_t bytes, const std::string& label);
  void free(DeviceAddress address);
  void write(DeviceAddress to, std::span<const std::byte> bytes);
  void read(DeviceAddress from, std::span<std::byte> bytes);
  void fill(DeviceAddress to, std::byte value, std::size_t bytes);
  void mark_uninitialised(DeviceAddress from, std::size_t bytes);
  /// Launches from now on are stopped after `limit` in total, counted from this call.
  void set_time_limit(std::optional<std::chrono::milliseconds> limit);
  /// Device memory that the client may hold at once.
  void set_client_memory_limit(std::size_t bytes);
  /// Waits for the device to finish what it runs; false when `timeout` passes first.
  bool wait_idle(std::chrono::milliseconds timeout);
  /// As wait_idle; and from then on what the client asks is refused and counted, until admit_client. So what
  /// the owner reads meanwhile is what the program had done when it said that it was done.
  bool hold_client(std::chrono::milliseconds timeout);
  void admit_client();
  Observations take_observations();
  ClientStatistics take_client_statistics();
  /// What launches, copies and fills have used of processors since the device started; nothing when it runs
  /// something and does not answer before `timeout` has passed.
  std::optional<std::chrono::nanoseconds> work_time(std::chrono::milliseconds timeout);
  void trace_line(const std::string& file_suffix, std::uint32_t line);
  /// As Device::show_stores_at_once.
  void show_stores_at_once(bool at_once);

 private:
  Bytes request(RequestKind kind, std::initializer_list<std::span<const std::byte>> parts);
  /// Nothing when `timeout` passes first.
  std::optional<Reply> answer(RequestKind kind, std::chrono::milliseconds timeout);
  /// The exception for a connection that failed; `what` is how.
  DeviceLost lost(const std::string& what);

  int client_ = -1;
  std::unique_ptr<Channel> control_;
  std::unique_ptr<DeviceHost> host_;
};

}  // namespace lockstep::emulator::server
