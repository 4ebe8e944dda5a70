// What the judge asks of a device. Two kinds answer: the emulated one, and a GPU.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "course/poison.h"
#include "device/gpu_lock.h"
#include "device/gpu_monitor.h"
#include "emulator/core/observations.h"
#include "emulator/server/device_lost.h"
#include "emulator/server/device_process.h"
#include "result/result.h"
#include "sandbox/file_descriptor.h"

namespace lockstep::device {

/// The machine has no device of the wanted kind; what() is a sentence with the remedy.
class DeviceUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The device of a session is gone, and perhaps because it needed more memory than it may have. Of the kinds
/// that there are only the emulated one is lost so.
using emulator::server::DeviceLost;
using emulator::server::DeviceMemoryExceeded;

using emulator::server::HostProgramState;

/// A GPU has no memory left for a buffer; what() names the call.
class OutOfMemory : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Kind { automatic, gpu, emulated };

using course::kPoisonByte;

/// What a runner needs of the machine to use the device, besides its programs and libraries.
struct RunnerNeeds {
  int descriptor = -1;  ///< that the runner inherits, or -1; close_runner_descriptor when it has
  std::string
      cudart_directory;  ///< folder with the libcudart that the runner is to load; empty: the toolkit's
  std::vector<std::filesystem::path> libraries;              ///< that the runtime opens by name
  std::vector<std::filesystem::path> device_nodes, folders;  ///< that the runner may use and read
  std::map<std::string, std::string> environment;
  bool segments = false;         ///< System V segments
  std::size_t memory_bytes = 0;  ///< host memory that the runtime takes in the runner's process, at most
};

/// A buffer that the runner must map before its next call, or, without a descriptor, unmap.
struct BufferUpdate {
  std::uint64_t address = 0;  ///< as allocate() returned it; the runner knows the buffer by it
  std::size_t mapped_bytes = 0;
  std::size_t offset = 0;  ///< of the buffer in the mapped memory
  sandbox::FileDescriptor descriptor;
};

class Calibrator;
class Vault;

/// What a runner did with the device besides launches.
struct RunnerUse {
  std::uint64_t host_reads = 0;     ///< bytes that left the device: copied to the host, or printed by kernels
  std::uint64_t printed = 0;        ///< of these, the printed ones
  std::uint64_t host_writes = 0;    ///< bytes that came to the device: copied from the host, or filled in
  std::uint64_t late_requests = 0;  ///< made while the runner was held
  std::uint64_t work = 0;           ///< launches, and fills and copies within the device
  HostProgramState host_program;    ///< of RunnerProcess::call_host_program
};

/// One device context, made for one runner and thrown away with it. Buffers belong to the judge. What asks
/// the device for something throws DeviceLost when it is gone.
class Session {
 public:
  virtual ~Session() = default;

  /// Throws OutOfMemory.
  virtual std::uint64_t allocate(std::size_t bytes, const std::string& label) = 0;
  virtual void free(std::uint64_t address) = 0;
  virtual void write(std::uint64_t to, std::span<const std::byte> bytes) = 0;
  virtual void read(std::uint64_t from, std::span<std::byte> bytes) = 0;
  /// Fills a buffer with kPoisonByte, and has checks treat it as never written.
  virtual void poison(std::uint64_t from, std::size_t bytes) = 0;

  /// Limits what the submission may run and hold from now on.
  virtual void set_limits(std::chrono::milliseconds time, std::size_t memory_bytes) = 0;
  /// Waits until nothing runs any more. From then on until admit_runner what the runner asks of the device is
  /// refused. False when `timeout` passes first; the session is of no use then.
  virtual bool hold_runner(std::chrono::milliseconds timeout) = 0;
  virtual void admit_runner() = 0;
  /// Whether a device that itself stops what runs too long (set_limits) works, or has since the last call: on
  /// a busy machine it stops later. Launches, copies and fills are work; what allocates or asks for an event
  /// again and again is not. Never on a GPU, where the judge alone stops.
  virtual bool is_still_running() { return false; }
  /// Counters and findings since the last call. Empty counters where the device does not count. Throws
  /// DeviceUnavailable where it should and cannot.
  virtual emulator::Observations take_observations() = 0;
  /// Asks for the accesses of following launches at one line of source to come back in Observations::traces,
  /// where the device can record them.
  virtual void trace_line(const std::string& file, unsigned line) = 0;
  /// Whether work that the stream of a call does not wait for stays undone until the runner waits for it.
  virtual bool leaves_work_undone() const = 0;
  /// Whether from now on the device shows every store to all blocks at once, which a GPU may do and need
  /// not; else it shows a program that relies on it what it risks. Nothing on a GPU.
  virtual void show_stores_at_once(bool at_once) = 0;
  /// Since the last call; nothing where the device cannot count.
  virtual RunnerUse take_runner_use() = 0;

  virtual RunnerNeeds runner_needs() const = 0;
  virtual void close_runner_descriptor() = 0;
  /// What has changed since the last call; nothing where the runner shares no memory with the judge.
  virtual std::vector<BufferUpdate> take_buffer_updates() = 0;
};

class TimingDevice;

/// What runs submissions, so that the judge can check what they compute. The emulated device also counts what
/// kernels do; a GPU is a TimingDevice.
class Device {
 public:
  virtual ~Device() = default;
  virtual result::DeviceDescription description() const = 0;
  virtual int multiprocessors() const = 0;
  virtual std::unique_ptr<Session> open(std::uint64_t seed) = 0;
  /// The device itself where it times what it runs. Null where it counts instead.
  virtual TimingDevice* timing() { return nullptr; }
};

/// A device on which time is measured: a GPU, which runs native code and which judgements must share.
class TimingDevice : public Device {
 public:
  TimingDevice* timing() final { return this; }
  /// That submissions need native code for, 90 for 9.0.
  virtual int compute_capability() const = 0;
  /// Bytes that nobody has allocated.
  virtual std::size_t free_memory() const = 0;
  /// What the context of a runner takes of that, with room to spare.
  virtual std::size_t context_bytes() const = 0;
  /// Keeps other judgements from running on the same GPU as long as the result lives; waits for those that
  /// run now, after a call of `waiting`. Taken before a session is opened, given back after it is closed.
  virtual GpuLock lock(const std::function<void()>& waiting) = 0;
  /// Clocks, temperature and what slows the GPU down now; nothing where the driver does not say.
  virtual std::optional<GpuState> gpu_state() const = 0;
  /// Memory that only the judge reaches.
  virtual std::unique_ptr<Vault> open_vault() = 0;
  /// What measures the device's ceilings, as long as the device lives.
  virtual std::unique_ptr<Calibrator> open_calibrator() = 0;
};

/// Opens the device of a kind; automatic means the GPU if this machine has a usable one, else the emulated
/// device. Throws DeviceUnavailable.
std::unique_ptr<Device> make_device(Kind kind);

/// The emulated device with as many multiprocessors as some GPU has: what a program launches often depends
/// on their number, and with it what is counted.
std::unique_ptr<Device> make_emulated_device(int multiprocessors);

/// The GPU of this machine. Throws DeviceUnavailable.
std::unique_ptr<TimingDevice> make_gpu();

/// The GPU, with sessions whose observations hold its own counters, a kernel each; `cupti` is the path of the
/// CUPTI library. For display only: the runner reads them. Throws DeviceUnavailable.
std::unique_ptr<TimingDevice> make_counting_gpu(const std::filesystem::path& cupti);

}  // namespace lockstep::device
