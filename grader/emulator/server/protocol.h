// What travels on a connection to the device process: requests, each answered by one reply, in order.
//
// A request is a RequestHeader, its kind's plain struct below (if it has one), then bytes without
// structure: data of a copy, an image, a name. A reply is a ReplyHeader and its payload; when the status is
// not ok the payload is a sentence. Both ends are built together and run on one machine, so structs travel as
// they lie in memory. Copies longer than kPieceBytes are split by the caller, so that neither end holds more
// than a piece of them; so are copies and fills of more than kPieceRows rows, so that none keeps the device
// long.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "emulator/core/box.h"
#include "emulator/core/image.h"
#include "emulator/core/types.h"

namespace lockstep::emulator::server {

static_assert(std::endian::native == std::endian::little, "the protocol's integers are little-endian");

enum class RequestKind : std::uint32_t {
  // Both sides.
  hello,        ///< → HelloReply, then the device's name
  allocate,     ///< AllocateRequest, label → AddressReply
  free,         ///< RangeRequest
  write,        ///< WriteRequest, data
  read,         ///< RangeRequest → data
  fill,         ///< FillRequest
  synchronise,  ///< nothing; answers when everything before it is done
  // The program under test.
  copy,           ///< CopyRequest
  find_range,     ///< RangeRequest → RangeReply: the allocation around an address
  memory_info,    ///< → MemoryReply
  measure_image,  ///< the first 16 bytes of a fat binary → SizeReply
  load_image,     ///< a fat binary, or several, which are linked → IdReply
  unload_image,   ///< IdRequest
  find_kernel,    ///< NameRequest, mangled name → KernelReply, then ParameterLayout each
  find_symbol,    ///< NameRequest, mangled name → RangeReply
  launch,         ///< LaunchRequest, parameter block → what the device printed
  reset,          ///< frees everything that the client holds of the selected device
  map_host,       ///< RangeRequest: kernels reach this host allocation from now on
  select_device,  ///< IdRequest: which of several devices allocations, images and questions are for
  written_pages,  ///< RangeRequest → a byte for every page of the range: 1 when something was written to it
  note_host_program,  ///< NoteHostProgramRequest, name of the function of the runtime that was made to fail
  note_refusal,       ///< NoteRefusalRequest, name of a function of the runtime: that it refused the program
  // The owner of the process.
  mark_uninitialised,       ///< RangeRequest
  set_time_limit,           ///< LimitRequest, milliseconds
  set_client_memory_limit,  ///< LimitRequest, bytes
  take_observations,        ///< → observations_codec.h
  take_client_statistics,   ///< → ClientStatistics
  work_time,                ///< → TimeReply: what launches, copies and fills have used of processors
  trace_line,               ///< LimitRequest, the line; then the file's suffix
  show_stores_at_once,      ///< LimitRequest, 1 or 0
  hold_client,              ///< from the answer on, what the client asks is refused and counted as late
  admit_client,             ///< the end of that
  // The program under test: textures and surfaces.
  create_texture,  ///< TextureRequest → IdReply, the handle
  create_surface,  ///< SurfaceRequest → IdReply, the handle
  destroy_image,   ///< IdRequest, the handle of either
  // The program under test again.
  check_launch,  ///< LaunchRequest; refuses what launch would refuse
  write_box,     ///< BoxRequest, data
  read_box,      ///< BoxRequest → data
  fill_box,      ///< FillBoxRequest
};

/// The refusals of DeviceError in its order, then what ends a kernel: those stay.
enum class Status : std::uint32_t {
  ok,
  out_of_memory,
  invalid_value,
  invalid_address,
  invalid_image,
  no_ptx,
  unknown_symbol,
  invalid_configuration,
  out_of_resources,
  unsupported,
  malformed,  ///< a request that the protocol does not have
  illegal_address,
  misaligned_address,
  illegal_instruction,
  assertion,
  launch_timeout,
  launch_failure,
  unsupported_instruction,
};

inline bool is_sticky(Status status) { return status >= Status::illegal_address; }

inline constexpr std::uint32_t kMagic = 0x504B'434C;
/// Longest piece of a copy.
inline constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;
/// Most rows of a copy or fill that one request names.
inline constexpr std::uint64_t kPieceRows = std::uint64_t{1} << 20;
/// Longest request; images are the long ones. Longer ones end the connection.
inline constexpr std::uint64_t kMaxRequest = std::uint64_t{256} << 20;
/// Longest reply that a caller accepts.
inline constexpr std::uint64_t kMaxReply = std::uint64_t{32} << 20;
/// Longest name: mangled names of templates run to tens of kilobytes.
inline constexpr std::uint64_t kMaxName = std::uint64_t{64} << 10;
/// Devices that one process can be.
inline constexpr int kMaxDevices = 8;
/// Longest text that one launch prints; the rest is dropped and said to be.
inline constexpr std::uint64_t kMaxOutput = std::uint64_t{16} << 20;

struct RequestHeader {
  std::uint32_t magic = kMagic;
  RequestKind kind{};
  std::uint64_t sequence = 0;
  std::uint64_t bytes = 0;  ///< that follow
};

struct ReplyHeader {
  std::uint32_t magic = kMagic;
  Status status{};
  std::uint64_t sequence = 0;  ///< of the request
  std::uint64_t bytes = 0;
};

struct HelloReply {
  std::int32_t compute_major = 0, compute_minor = 0;
  std::int32_t multiprocessors = 0;
  std::int32_t threads_per_block = 0, threads_per_multiprocessor = 0;
  std::int32_t warp_lanes = 0;
  std::uint64_t shared_bytes_per_block = 0, shared_bytes_per_block_optin = 0,
                shared_bytes_per_multiprocessor = 0;
  std::uint64_t global_bytes = 0, constant_bytes = 0, l2_bytes = 0;
  std::uint64_t registers_per_block = 0;
  std::uint64_t devices = 1;
};

/// Who uses an allocation besides kernels.
enum class MemoryKind : std::uint64_t {
  device,
  managed,  ///< the program too, at the same address, in turns with the device
  host,     ///< pinned memory of the program; kernels do not reach it before map_host
};

struct AllocateRequest {
  std::uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
};

struct AddressReply {
  DeviceAddress address = 0;
};

struct RangeRequest {
  DeviceAddress address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t whole_bytes = 0;  ///< of the copy that this piece begins or continues, from `address` on
};

struct WriteRequest {
  DeviceAddress address = 0;
  std::uint64_t whole_bytes =
      0;  ///< as in RangeRequest: a copy that does not fit is refused before its first piece
};

struct FillRequest {
  DeviceAddress address = 0;
  std::uint64_t bytes = 0;
  std::uint64_t value = 0;
};

/// A part of a box. The whole of it is named, so that one that does not fit is refused before its first
/// part changes anything.
struct BoxRequest {
  BoxPlace place;
  BoxShape shape;
  BoxPart part;
};

struct FillBoxRequest {
  BoxRequest box;
  std::uint64_t value = 0;
};

struct CopyRequest {
  BoxPlace to, from;
  BoxShape shape;
  BoxPart part;
};

/// Why the runtime refused a call.
enum class RefusalReason : std::uint32_t {
  none,       ///< the error says it all
  told,       ///< the device had refused something
  range,      ///< memory that lies in no allocation, or not as a whole
  direction,  ///< of a copy: not what the pointers are
  null,       ///< a pointer
};

/// The device looks itself whether a range does not fit, and tells it in its own words.
struct NoteRefusalRequest {
  std::int32_t error = 0;  ///< cudaError_t
  RefusalReason reason{};
  RangeRequest range;
};

/// What host code has left in the program, and what it copied (cudart/streams/work_queues.h).
struct NoteHostProgramRequest {
  std::uint64_t ends = 0;                                    ///< 0: it begins
  std::uint64_t streams = 0, events = 0, registrations = 0;  ///< that there are
  std::uint64_t copied_bytes = 0, chained_bytes = 0;         ///< since the note before
};

struct RangeReply {
  DeviceAddress address = 0;
  std::uint64_t bytes = 0;  ///< 0: no such range
  std::uint64_t device = 0;
};

struct MemoryReply {
  std::uint64_t free_bytes = 0, total_bytes = 0;
};

struct TimeReply {
  std::uint64_t nanoseconds = 0;
};

struct SizeReply {
  std::uint64_t bytes = 0;
};

struct IdRequest {
  std::uint64_t id = 0;
};

struct IdReply {
  std::uint64_t id = 0;
};

struct NameRequest {
  std::uint64_t module = 0;
};

struct KernelReply {
  std::uint64_t kernel = 0;
  std::uint32_t parameter_count = 0, parameter_bytes = 0;
  std::uint32_t static_shared_bytes = 0, local_bytes = 0;
  std::uint32_t registers = 0, max_threads = 0;
  std::uint64_t uses_heap = 0;
  std::uint32_t cluster_x = 0, cluster_y = 0, cluster_z = 0;  ///< as compiled; zeros: the launch decides
};

struct LaunchRequest {
  std::uint64_t kernel = 0;
  Dim3 grid, block;
  std::uint64_t dynamic_shared_bytes = 0;
  std::uint64_t dynamic_shared_limit = 0;        ///< what the program allowed the kernel to ask for
  std::uint64_t reach = kEveryDevice;            ///< devices whose memory the kernel may access: DeviceMask
  std::uint64_t heap_bytes = kDefaultHeapBytes;  ///< of the heap that the first kernel with one makes
  Dim3 cluster{0, 0, 0};                         ///< zeros: as the kernel was compiled
  std::uint32_t cooperative = 0;
};

struct TextureRequest {
  Image image;
  Sampler sampler;
};

struct SurfaceRequest {
  Image image;
};

struct LimitRequest {
  std::uint64_t value = 0;
  std::uint64_t limited = 1;  ///< 0: no limit
};

}  // namespace lockstep::emulator::server
