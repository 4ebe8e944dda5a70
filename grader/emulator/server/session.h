// The two sides of a device: what either may ask of it, and what they share.
//
// The client side is the program under test and may be hostile: it reaches only modules and kernels that it
// loaded, frees only what it allocated, and holds no more memory than it is allowed. Whatever it sends is
// answered.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "emulator/device.h"
#include "emulator/server/device_process.h"
#include "emulator/server/leak_check.h"
#include "emulator/server/message.h"
#include "emulator/server/protocol.h"
#include "emulator/server/shared_contents.h"

namespace lockstep::emulator::server {

/// Whether such a request reads or writes the device's memory, whatever lies there.
bool is_copy_or_fill(RequestKind kind);

/// The device and what both sides see of it.
struct ServedDevice {
  /// `count` devices of the same kind share one address space.
  explicit ServedDevice(const DeviceOptions& options, int count = 1)
      : device_count(count),
        global_bytes(options.properties.global_bytes),
        device(together(options, count)) {}

  /// Notes a refusal that the device itself does not observe. Equal ones are merged.
  void add_finding(Finding finding);

  const int device_count;
  const std::size_t global_bytes;  ///< of each
  Device device;
  Status sticky = Status::ok;  ///< what a kernel ended with; the client gets nothing else from then on
  std::vector<Finding> findings;
  std::map<DeviceAddress, std::uint64_t> control_allocations;  ///< base and size
  ClientStatistics statistics;
  /// Constructors of the program run before its owner has come to set a limit.
  std::size_t client_memory_limit = std::size_t{1} << 30;
  bool client_held = false;
  std::chrono::nanoseconds work_time{0};  ///< of processors, for launches, copies and fills
  std::uint64_t copied_sectors = 0;       ///< by the client's copies and fills since the last observations
  std::set<DeviceAddress> copied_to;      ///< its owner's allocations that these wrote to
  bool note_refusals = false;             ///< calls that the runtime refused the client become findings
  bool check_leaks = false;               ///< so does memory that the client never frees

 private:
  static DeviceOptions together(DeviceOptions options, int count) {
    options.properties.global_bytes *= static_cast<std::size_t>(count);
    return options;
  }
};

/// What a request was refused for: the error's own finding, or its text under the cause `otherwise`.
Finding refused_finding(const DeviceError& error, Finding::Cause otherwise);

struct Answer {
  Status status = Status::ok;
  Bytes payload;
};

class Session {
 public:
  explicit Session(ServedDevice& served) : served_(served) {}
  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Answers one request; refusals and malformed payloads are answers too.
  virtual Answer answer(RequestKind kind, std::span<const std::byte> payload);

  /// The other end has gone.
  virtual void end() = 0;

 protected:
  virtual Bytes perform(RequestKind kind, MessageReader& request) = 0;
  /// The operations that both sides have.
  Bytes perform_common(RequestKind kind, MessageReader& request);
  /// A copy that does not fit is refused as a whole, as on hardware, before its first piece changes anything.
  void check_whole(DeviceAddress address, std::uint64_t whole_bytes) const;
  /// Hooks of those, for what the device has done: a request that it refused counts for nothing. What a write
  /// brings that the device did not have is asked before it.
  virtual void after_read(DeviceAddress address, std::span<const std::byte> found) = 0;
  virtual std::uint64_t news_in(DeviceAddress address, std::span<const std::byte> brought) = 0;
  virtual void after_write(DeviceAddress address, std::uint64_t bytes, std::uint64_t news) = 0;
  virtual void after_fill(const FillRequest& request) = 0;

  ServedDevice& served_;
  std::optional<Finding> refused_;  ///< why the latest request was not done; nothing where it was

 private:
  Bytes hello() const;
  Answer refuse(Status status, Finding why, const char* sentence);
};

class ControlSession final : public Session {
 public:
  using Session::Session;
  void end() override {}

 protected:
  Bytes perform(RequestKind kind, MessageReader& request) override;
  void after_read(DeviceAddress, std::span<const std::byte>) override {}
  std::uint64_t news_in(DeviceAddress, std::span<const std::byte>) override { return 0; }
  void after_write(DeviceAddress, std::uint64_t, std::uint64_t) override {}
  void after_fill(const FillRequest&) override {}

 private:
  Bytes allocate(MessageReader& request);
  Bytes take_observations();
};

class ClientSession final : public Session {
 public:
  using Session::Session;
  /// After a failed kernel every answer is that failure; likewise while the owner
  /// holds the client.
  Answer answer(RequestKind kind, std::span<const std::byte> payload) override;
  /// Releases what the client holds.
  void end() override;

 protected:
  Bytes perform(RequestKind kind, MessageReader& request) override;
  void after_read(DeviceAddress address, std::span<const std::byte> found) override;
  std::uint64_t news_in(DeviceAddress address, std::span<const std::byte> brought) override;
  void after_write(DeviceAddress address, std::uint64_t bytes, std::uint64_t news) override;
  void after_fill(const FillRequest& request) override;

 private:
  struct Allocation {
    std::uint64_t charged = 0;  ///< bytes
    int device = 0;
    bool shared = false;  ///< with the program, and so with every device: it outlives a reset of one of them
  };
  struct Module {
    ModuleBytes bytes;
    int device = 0;
  };

  Bytes allocate(const AllocateRequest& request);
  DeviceAddress allocate_kind(const AllocateRequest& request);
  void map_host(DeviceAddress address);
  Bytes written_pages(const RangeRequest& range);
  void count_read(DeviceAddress address, std::uint64_t bytes, std::uint64_t learned);
  void free(DeviceAddress address);
  Bytes load_image(std::span<const std::byte> image);
  void unload_image(std::uint64_t id);
  std::uint64_t allowed_bytes() const;
  Bytes find_kernel(MessageReader& request);
  Bytes find_symbol(MessageReader& request);
  Bytes launch(MessageReader& request);
  void make_heap(std::uint64_t bytes);
  Bytes create_texture(const TextureRequest& request);
  Bytes create_surface(const SurfaceRequest& request);
  Bytes own_image(ImageHandle handle);
  void destroy_image(ImageHandle handle);
  void destroy_images();
  void check_launch(const LaunchRequest& wanted);
  /// Calls `launching`; what the device refuses becomes a finding too.
  Bytes launched(const LaunchRequest& wanted,
                 const std::function<Bytes(Device::KernelId, const LaunchConfiguration&)>& launching);
  void check_box(const BoxPlace& place, const BoxShape& shape, const BoxPart& part) const;
  void note_refusal(const NoteRefusalRequest& note, const std::string& function);
  void note_host_program(const NoteHostProgramRequest& note, const std::string& failed_call);
  void add_finding_of(const std::string& kernel, Finding finding);
  Finding refused_range(const RangeRequest& range) const;
  Device::ModuleId owned_module(std::uint64_t id) const;
  /// Where the owner's allocation begins that the address lies in.
  std::optional<DeviceAddress> control_allocation_at(DeviceAddress address) const;
  bool belongs_to_control(DeviceAddress address) const;
  void note_copy_to(DeviceAddress address);
  void select_device(std::uint64_t device);
  void reset(int device);
  void charge(int device, std::uint64_t bytes);
  std::optional<Allocation> allocation_around(DeviceAddress address) const;

  std::map<DeviceAddress, Allocation> allocations_;  ///< by base
  SharedContents shared_;
  LeakCheck leaks_;
  std::map<Device::ModuleId, Module> modules_;
  bool has_loaded_image_ = false;
  std::map<Device::KernelId, Device::ModuleId> kernels_;
  std::uint64_t heap_bytes_ = 0;  ///< that the kernels' heap is charged; 0: there is none yet
  int heap_device_ = 0;
  int selected_ = 0;                               ///< device
  std::array<std::uint64_t, kMaxDevices> held_{};  ///< bytes charged, by device
  std::set<ImageHandle> images_;
  std::optional<Finding> last_refusal_;  ///< of memory; until it is noted
};

}  // namespace lockstep::emulator::server
