// What a program may ask of its device: requests of the client protocol in any order and with any numbers,
// among them addresses, modules and kernels that it has been given.
//
// Besides what the sanitizers see: when the client has gone, all that it held is free again, and the owner's
// buffer is where it was.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/server/session.h"
#include "hostile_numbers.h"

using namespace lockstep::emulator;
using namespace lockstep::emulator::server;

namespace {

constexpr std::size_t kBufferBytes = 1000;
constexpr std::size_t kMemoryLimit = std::size_t{16} << 20;
constexpr std::chrono::milliseconds kLongestLaunch{20};

/// Kernels that reach memory in many ways, by numbers that the launch brings.
constexpr std::string_view kCode = R"(.version 8.4
.target sm_90
.address_size 64
.extern .func (.param .b64 r) malloc (.param .b64 n);
.extern .func (.param .b32 status) vprintf(.param .b64 format, .param .b64 arguments);
.global .align 4 .b8 table[1000];
.const .align 4 .u32 one = 1;
.extern .shared .align 16 .b8 dynamic[];
.visible .entry store(.param .u64 to, .param .u64 from)
{
  .reg .b32 %r<4>; .reg .b64 %d<4>;
  ld.param.u64 %d1, [to]; ld.param.u64 %d2, [from];
  ld.u32 %r1, [%d2]; st.u32 [%d1], %r1; ret;
}
.visible .entry heap(.param .u64 bytes)
{
  .reg .b64 %d<4>; .reg .b32 %r<2>; .param .b64 n; .param .b64 r;
  ld.param.u64 %d1, [bytes]; st.param.b64 [n], %d1; call.uni (r), malloc, (n);
  ld.param.b64 %d2, [r]; st.u32 [%d2], 7; ret;
}
.visible .entry print(.param .u64 format, .param .u64 arguments)
{
  .reg .b64 %d<4>; .param .b64 a; .param .b64 b; .param .b32 s;
  ld.param.u64 %d1, [format]; ld.param.u64 %d2, [arguments];
  st.param.b64 [a], %d1; st.param.b64 [b], %d2; call.uni (s), vprintf, (a, b); ret;
}
.visible .entry sample(.param .u64 handle, .param .u64 at)
{
  .reg .b64 %d<4>; .reg .b32 %r<4>; .reg .f32 %f<6>;
  ld.param.u64 %d1, [handle]; ld.param.u32 %r1, [at]; ld.param.u32 %r2, [at+4];
  mov.b32 %f1, %r1; mov.b32 %f2, %r2;
  tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%d1, {%f1, %f2}];
  suld.b.2d.b32.zero {%r3}, [%d1, {%r1, %r2}];
  sust.b.2d.b32.zero [%d1, {%r1, %r2}], {%r3}; ret;
}
.visible .entry dynamic_end(.param .u64 at)
{
  .reg .b32 %r<4>; .reg .b64 %d<2>;
  ld.param.u64 %d1, [at]; cvt.u32.u64 %r1, %d1; mov.u32 %r2, dynamic; add.u32 %r1, %r1, %r2;
  st.shared.u32 [%r1], 1; ret;
}
)";
constexpr const char* kNames[] = {"store", "heap", "print", "sample", "dynamic_end", "table", "one", "none"};

/// A fat binary of one PTX text, not compressed.
Bytes fat_binary(std::string_view text) {
  const std::uint64_t payload = text.size() / 8 * 8 + 8;  // ends with a zero at least
  Bytes image(16 + 64 + payload);
  const auto put = [&](std::size_t at, auto number) { std::memcpy(&image[at], &number, sizeof number); };
  put(0, std::uint32_t{0xBA55ED50});
  put(4, std::uint16_t{1});
  put(6, std::uint16_t{16});
  put(8, std::uint64_t{64 + payload});
  put(16, std::uint16_t{1});
  put(20, std::uint32_t{64});
  put(24, payload);
  put(44, std::uint32_t{90});
  std::memcpy(&image[80], text.data(), text.size());
  return image;
}

/// A client that asks for what its input says.
class Client {
 public:
  Client(ServedDevice& served, DeviceAddress buffer, FuzzedDataProvider& input)
      : session_(served), input_(input), addresses_{buffer} {}
  ~Client() { session_.end(); }

  void run() {
    if (below(4) != 0) begin();
    constexpr unsigned kMaxRequests = 64;
    for (unsigned n = 0; n < kMaxRequests && input_.remaining_bytes() > 0; ++n) ask();
  }

 private:
  std::uint64_t number() { return hostile_number(input_); }
  std::uint32_t number_32() { return hostile_number_32(input_); }
  std::uint64_t below(std::uint64_t end) { return input_.ConsumeIntegralInRange<std::uint64_t>(0, end - 1); }
  /// One of those that the client has been given, or near one, or any number.
  std::uint64_t known(const std::vector<std::uint64_t>& all) {
    if (all.empty() || below(8) == 0) return number();
    return all[below(all.size())];
  }
  std::uint64_t address() { return known(addresses_) + (below(2) == 0 ? 0 : number()); }
  RangeRequest range() { return {address(), number(), number()}; }
  BoxPlace place() { return {address(), number(), number()}; }
  BoxShape shape() { return {number(), number(), number()}; }
  BoxPart part() { return {number(), number()}; }
  Dim3 dims(std::uint32_t usual) {
    if (below(4) == 0) return {number_32(), number_32(), number_32()};
    return {1 + static_cast<std::uint32_t>(below(usual)), 1, 1};
  }
  Image image() {
    Image image;
    image.address = address();
    image.width = number();
    image.height = number();
    image.depth = number();
    image.row_bytes = number();
    image.slice_bytes = number();
    image.format.kind = static_cast<TexelFormat::Kind>(below(4));
    image.format.bits = below(4) == 0 ? number_32() : 8U << below(3);
    image.format.channels = below(4) == 0 ? number_32() : 1U << below(3);
    image.shape = static_cast<Image::Shape>(below(9));
    return image;
  }
  Sampler sampler() {
    Sampler sampler;
    for (auto& outside : sampler.outside) outside = static_cast<Sampler::Outside>(below(5));
    sampler.linear = static_cast<std::uint32_t>(below(3));
    sampler.normalised_coordinates = static_cast<std::uint32_t>(below(3));
    sampler.normalised_values = static_cast<std::uint32_t>(below(3));
    return sampler;
  }
  LaunchRequest launch() {
    LaunchRequest request;
    request.kernel = known(kernels_);
    request.grid = dims(5);
    request.block = dims(64);
    request.dynamic_shared_bytes = number();
    request.dynamic_shared_limit = below(2) == 0 ? number() : UINT64_MAX;
    request.reach = below(8) == 0 ? number() : kEveryDevice;
    request.heap_bytes = below(2) == 0 ? number() : std::uint64_t{1} << 16;
    if (below(4) == 0) request.cluster = dims(4);
    request.cooperative = static_cast<std::uint32_t>(below(2));
    return request;
  }

  template <class... Parts>
  Answer send(RequestKind kind, const Parts&... parts) {
    Bytes payload;
    (append(payload, parts), ...);
    if (below(32) == 0) payload.resize(below(2 * payload.size() + 2));
    return session_.answer(kind, payload);
  }
  template <class T>
  void keep(const Answer& answer, std::vector<std::uint64_t>& known) {
    if (answer.status != Status::ok || answer.payload.size() < sizeof(T)) return;
    std::uint64_t given = 0;  // the first member of every such reply
    std::memcpy(&given, answer.payload.data(), sizeof given);
    known.push_back(given);
  }

  /// What a program has done before it can do much.
  void begin() {
    keep<IdReply>(send(RequestKind::load_image, fat_binary(kCode)), modules_);
    keep<AddressReply>(send(RequestKind::allocate, bytes_of(AllocateRequest{4096})), addresses_);
    if (modules_.empty()) return;
    for (const std::string_view name : kNames) {
      keep<KernelReply>(
          send(RequestKind::find_kernel, bytes_of(NameRequest{modules_.front()}), bytes_of(name)), kernels_);
    }
  }

  void ask() {
    using enum RequestKind;
    const auto kind = static_cast<RequestKind>(below(static_cast<std::uint64_t>(fill_box) + 2));
    const std::string name = kNames[below(std::size(kNames))];
    switch (kind) {
      case allocate:
        return keep<AddressReply>(
            send(kind, bytes_of(AllocateRequest{number(), static_cast<MemoryKind>(below(4))})), addresses_);
      case free:
      case find_range:
      case map_host:
      case written_pages:
      case read:
        send(kind, bytes_of(range()));
        return;
      case write:
        send(kind, bytes_of(WriteRequest{address(), number()}), Bytes(below(300), std::byte{1}));
        return;
      case fill:
        send(kind, bytes_of(FillRequest{address(), number(), number()}));
        return;
      case copy:
        send(kind, bytes_of(CopyRequest{place(), place(), shape(), part()}));
        return;
      case write_box: {
        const BoxRequest request{place(), shape(), part()};
        send(kind, bytes_of(request), Bytes(std::min<std::uint64_t>(request.part.bytes, 300)));
        return;
      }
      case read_box:
        send(kind, bytes_of(BoxRequest{place(), shape(), part()}));
        return;
      case fill_box:
        send(kind, bytes_of(FillBoxRequest{{place(), shape(), part()}, number()}));
        return;
      case load_image:
        return keep<IdReply>(send(kind, fat_binary(kCode)), modules_);
      case unload_image:
        send(kind, bytes_of(IdRequest{known(modules_)}));
        return;
      case find_kernel:
        return keep<KernelReply>(
            send(kind, bytes_of(NameRequest{known(modules_)}), bytes_of(std::string_view(name))), kernels_);
      case find_symbol:
        return keep<RangeReply>(
            send(kind, bytes_of(NameRequest{known(modules_)}), bytes_of(std::string_view(name))), addresses_);
      case RequestKind::launch: {
        const std::uint64_t arguments[] = {below(2) == 0 ? known(images_) : address(), address()};
        send(kind, bytes_of(this->launch()), std::as_bytes(std::span(arguments)).first(8 * (1 + below(2))));
        return;
      }
      case check_launch:
        send(kind, bytes_of(this->launch()));
        return;
      case create_texture:
        return keep<IdReply>(send(kind, bytes_of(TextureRequest{image(), sampler()})), images_);
      case create_surface:
        return keep<IdReply>(send(kind, bytes_of(SurfaceRequest{image()})), images_);
      case destroy_image:
        send(kind, bytes_of(IdRequest{known(images_)}));
        return;
      case note_refusal:
        send(kind,
             bytes_of(NoteRefusalRequest{static_cast<std::int32_t>(below(800)),
                                         static_cast<RefusalReason>(below(5)), range()}),
             bytes_of(std::string_view("cudaMemcpy")));
        return;
      case select_device:
        send(kind, bytes_of(IdRequest{below(4)}));
        return;
      default: {
        const std::vector<std::uint8_t> noise = input_.ConsumeBytes<std::uint8_t>(below(64));
        send(kind, std::as_bytes(std::span(noise)));
      }
    }
  }

  ClientSession session_;
  FuzzedDataProvider& input_;
  std::vector<std::uint64_t> addresses_, modules_, kernels_, images_;
};

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static ServedDevice* served = [] {
    DeviceOptions options;
    options.workers = 2;
    options.properties.global_bytes = std::size_t{64} << 20;
    auto* made = new ServedDevice(options, 2);
    made->client_memory_limit = kMemoryLimit;
    made->note_refusals = made->check_leaks = true;
    return made;
  }();
  static const DeviceAddress buffer = served->device.allocate(kBufferBytes, "the owner's");
  static const std::size_t free_bytes = served->device.free_bytes();
  served->sticky = Status::ok;
  served->device.set_deadline(std::chrono::steady_clock::now() + kLongestLaunch);
  FuzzedDataProvider input(data, size);
  Client(*served, buffer, input).run();
  served->findings.clear();
  served->device.take_observations();
  require(served->statistics.allocated_bytes == 0);
  require(served->device.free_bytes() == free_bytes);
  require(served->device.allocation(buffer)->address == buffer);
  return 0;
}
