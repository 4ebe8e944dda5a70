// What judge and runner say to each other over a socket pair: one packet a message, numbers as they lie in
// memory.
//
// The judge believes nothing that comes from the runner beyond "call k is done"; a reply that does not parse,
// or that answers another request, counts as the end of the runner.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "course/signature.h"
#include "runner/host_program_call.h"

namespace lockstep::runner {

/// The runner's ends, as descriptor numbers inside the sandbox.
inline constexpr int kJudgeDescriptor = 3;
inline constexpr int kDeviceDescriptor = 4;
inline constexpr int kClockDescriptor = 5;

inline constexpr std::size_t kMessageBytes = 32 << 10;  ///< at most, either way
inline constexpr std::size_t kReplyTextBytes = 4 << 10;

struct LoadRequest {
  std::string object;  ///< path in the sandbox
  std::vector<std::string> linker_names;
};

/// One call, or several in a row, and then a wait for the device.
struct CallRequest {
  std::uint32_t function = 0;  ///< index into LoadRequest::linker_names
  course::ValueKind result = course::ValueKind::none;
  std::uint32_t calls = 1;
  bool timed = false;         ///< wait for the judge's sign on ClockWords between request and reply
  bool by_events = false;     ///< reply with the nanoseconds that EventClock counts
  bool whole_device = true;   ///< wait for every stream, not just for the one that the calls were given
  bool host_program = false;  ///< wait for nothing, as the function has to; the emulated runtime watches it
  HostProgramCall mode;       ///< of a host program
  std::vector<course::ValueKind> kinds;  ///< one a parameter
  std::vector<std::uint64_t> words;      ///< [call][parameter]
};

/// Memory to map, whose descriptor comes with the packet; the words of later calls name it by the judge's
/// address.
struct MapRequest {
  bool on_host = false;  ///< pinned memory of the host; else of the device
  std::uint64_t address = 0;
  std::uint64_t mapped_bytes = 0;  ///< 0: unmap what was mapped under that address
  std::uint64_t offset = 0;        ///< of the buffer in the mapped memory
};

/// Asks the runner to wait for every stream.
struct SettleRequest {};

/// Asks the runner, before it has loaded anything, for the context that the submission's calls will use.
struct ContextRequest {};

/// Memory that judge and runner share during a timed call. The runner sets `armed` when it waits, the judge
/// then `go`, the runner at last `done`, each to the number of the request. Spinning costs less than a
/// socket, and always the same.
struct ClockWords {
  alignas(64) std::atomic<std::uint32_t> armed;
  alignas(64) std::atomic<std::uint32_t> go;
  alignas(64) std::atomic<std::uint32_t> done;
};

struct Reply {
  enum class Kind : std::uint32_t { done, missing_function, load_failed, threw, device_error };
  Kind kind = Kind::done;
  std::uint64_t value = 0;  ///< done: what the function returned, or its time; missing_function: its index
  std::string text;  ///< load_failed, threw, device_error; done: the error that the calls left behind, if any
};

/// The bytes of one message.
using Packet = std::string;

/// Writes the parts of a packet one after the other.
class PacketWriter {
 public:
  template <class T>
  void number(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    packet_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    packet_.append(value);
  }
  const Packet& packet() const { return packet_; }

 private:
  Packet packet_;
};

/// Reads them back; nothing once a part is not there.
class PacketReader {
 public:
  explicit PacketReader(std::string_view packet) : rest_(packet) {}
  template <class T>
  std::optional<T> number() {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>);
    if (rest_.size() < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_.remove_prefix(sizeof value);
    return value;
  }
  std::optional<bool> flag() {
    const auto value = number<std::uint8_t>();
    return value && *value <= 1 ? std::optional(*value == 1) : std::nullopt;
  }
  std::optional<std::string> text() {
    const auto size = number<std::uint32_t>();
    if (!size || rest_.size() < *size) return std::nullopt;
    const std::string value(rest_.substr(0, *size));
    rest_.remove_prefix(*size);
    return value;
  }
  bool at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

/// Every request and its reply carry the same number, counted by the judge.
Packet encode(std::uint32_t sequence, const LoadRequest& request);
Packet encode(std::uint32_t sequence, const CallRequest& request);
Packet encode(std::uint32_t sequence, const MapRequest& request);
Packet encode(std::uint32_t sequence, const SettleRequest& request);
Packet encode(std::uint32_t sequence, const ContextRequest& request);
Packet encode(std::uint32_t sequence, const Reply& reply);

/// What a packet says; exactly one of the five in a request. Nothing when it is malformed.
struct Request {
  std::uint32_t sequence = 0;
  std::optional<LoadRequest> load;
  std::optional<CallRequest> call;
  std::optional<MapRequest> map;
  std::optional<SettleRequest> settle;
  std::optional<ContextRequest> context;
};
std::optional<Request> decode_request(std::string_view packet);
std::optional<Reply> decode_reply(std::string_view packet, std::uint32_t sequence);

}  // namespace lockstep::runner
