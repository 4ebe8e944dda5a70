// lockstep-runner: the process that holds a student's code. Loads one shared object and calls its functions
// as the judge asks. It shares its address space with code that may do anything, so it holds nothing but the
// next request.
#include <dlfcn.h>
#include <ffi.h>
#include <immintrin.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/cuda_driver.h"
#include "runner/counted_calls.h"
#include "runner/event_clock.h"
#include "runner/judge_buffers.h"
#include "runner/message.h"

namespace {

using lockstep::course::ValueKind;
using namespace lockstep::runner;

/// The CUDA runtime that the object brought with it, found there and not by name from the object: the student
/// may define its names too. All null when the object uses no runtime.
struct Runtime {
  void* handle = nullptr;
  int (*synchronize)() = nullptr;
  int (*create_stream)(void** stream, unsigned flags) = nullptr;
  int (*synchronize_stream)(void* stream) = nullptr;
  int (*take_last_error)() = nullptr;
  const char* (*error_text)(int) = nullptr;
  int (*register_host)(void* memory, std::size_t bytes, unsigned flags) = nullptr;
  int (*unregister_host)(void* memory) = nullptr;
  // Of the emulated runtime alone.
  void (*begin_host_program)(unsigned failing_call, int streams_alternate) = nullptr;
  void (*end_host_program)() = nullptr;

  static Runtime of_loaded_object() {
    std::string path;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* found) {
          if (std::strstr(info->dlpi_name, "/libcudart.so") == nullptr) return 0;
          *static_cast<std::string*>(found) = info->dlpi_name;
          return 1;
        },
        &path);
    void* const handle = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (handle == nullptr) return {};
    return {handle,
            reinterpret_cast<int (*)()>(dlsym(handle, "cudaDeviceSynchronize")),
            reinterpret_cast<int (*)(void**, unsigned)>(dlsym(handle, "cudaStreamCreateWithFlags")),
            reinterpret_cast<int (*)(void*)>(dlsym(handle, "cudaStreamSynchronize")),
            reinterpret_cast<int (*)()>(dlsym(handle, "cudaGetLastError")),
            reinterpret_cast<const char* (*)(int)>(dlsym(handle, "cudaGetErrorString")),
            reinterpret_cast<int (*)(void*, std::size_t, unsigned)>(dlsym(handle, "cudaHostRegister")),
            reinterpret_cast<int (*)(void*)>(dlsym(handle, "cudaHostUnregister")),
            reinterpret_cast<void (*)(unsigned, int)>(dlsym(handle, "lockstep_begin_host_program")),
            reinterpret_cast<void (*)()>(dlsym(handle, "lockstep_end_host_program"))};
  }
};

class LoadedObject {
 public:
  Reply load(const LoadRequest& request) {
    handle_ = dlopen(request.object.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) return {Reply::Kind::load_failed, 0, dlerror()};
    functions_.clear();
    for (const std::string& name : request.linker_names) {
      void* const function = dlsym(handle_, name.c_str());
      if (function == nullptr) return {Reply::Kind::missing_function, functions_.size(), ""};
      functions_.push_back(function);
    }
    runtime_ = Runtime::of_loaded_object();
    return {};
  }

  Reply map(const MapRequest& request, int descriptor) {
    return of_device([&] {
      if (request.on_host) return map_on_host(request, descriptor);
      buffers_.update(request, descriptor);
      return Reply();
    });
  }

  Reply make_context() {
    return of_device([this] {
      buffers_.make_context();
      return Reply();
    });
  }

  /// `clock` is null except for timed calls.
  Reply call(CallRequest request, std::uint32_t sequence, ClockWords* clock);

  Reply settle() {
    if (runtime_.synchronize != nullptr) runtime_.synchronize();
    return {};
  }

 private:
  /// What `asks` replies, or the driver's error.
  static Reply of_device(const std::function<Reply()>& asks) {
    try {
      return asks();
    } catch (const std::exception& error) {
      return {Reply::Kind::device_error, 0, error.what()};
    }
  }
  /// The array is pinned, so that copies of it run beside other work.
  Reply map_on_host(const MapRequest& request, int descriptor);
  /// Makes calls, whose kernels the GPU counts if the judge asked for that and `may_launch`.
  void make(const std::function<void()>& calls, bool may_launch);
  /// Calls a host program, and leaves it to that to wait for what it has started.
  Reply call_host_program(const CallRequest& request, const std::function<void()>& make_call,
                          const ffi_arg& result);
  /// The stream that all calls are given: as a caller's would, it waits for no other. Null when there is no
  /// runtime.
  void* stream();
  /// Waits for what the calls have enqueued; an error of the runtime, or 0.
  int wait(bool whole_device);
  /// The text of `error`, or, when it is 0, of what the runtime remembers; empty when there is none.
  std::string text_of_error(int error);

  void* handle_ = nullptr;
  std::vector<void*> functions_;
  Runtime runtime_;
  void* stream_ = nullptr;
  JudgeBuffers buffers_;
  CountedCalls counted_calls_;
};

void* LoadedObject::stream() {
  constexpr unsigned kNonBlocking = 1;  // cudaStreamNonBlocking
  // Without one the call that follows meets the same error, and reports it.
  if (stream_ == nullptr && runtime_.create_stream != nullptr) runtime_.create_stream(&stream_, kNonBlocking);
  return stream_;
}

int LoadedObject::wait(bool whole_device) {
  if (!whole_device && stream_ != nullptr && runtime_.synchronize_stream != nullptr)
    return runtime_.synchronize_stream(stream_);
  return runtime_.synchronize != nullptr ? runtime_.synchronize() : 0;
}

std::string LoadedObject::text_of_error(int error) {
  if (runtime_.take_last_error == nullptr || runtime_.error_text == nullptr) return {};
  const int last = runtime_.take_last_error();
  if (error == 0) error = last;
  return error == 0 ? std::string() : runtime_.error_text(error);
}

Reply LoadedObject::map_on_host(const MapRequest& request, int descriptor) {
  int error = 0;
  if (request.mapped_bytes != 0) {
    const HostArray& array = buffers_.add_host_array(request, descriptor);
    if (runtime_.register_host != nullptr)
      error = runtime_.register_host(array.pages(), array.mapped_bytes(), 0);
  } else if (const HostArray* array = buffers_.host_array(request.address)) {
    if (runtime_.unregister_host != nullptr) error = runtime_.unregister_host(array->pages());
    buffers_.remove_host_array(request.address);
  }
  if (error == 0) return {};
  return {Reply::Kind::device_error, 0, text_of_error(error)};
}

void LoadedObject::make(const std::function<void()>& calls, bool may_launch) {
  if (may_launch && CountedCalls::wanted()) {
    counted_calls_.make(calls);
  } else {
    calls();
  }
}

Reply LoadedObject::call_host_program(const CallRequest& request, const std::function<void()>& make_call,
                                      const ffi_arg& result) {
  text_of_error(0);  // what an earlier call has left
  if (runtime_.begin_host_program != nullptr)
    runtime_.begin_host_program(request.mode.failing_call, request.mode.streams_alternate ? 1 : 0);
  make(make_call, true);
  if (runtime_.end_host_program != nullptr) runtime_.end_host_program();
  std::string text = text_of_error(0);
  return {Reply::Kind::done, result & 0xFFFF'FFFF, std::move(text)};
}

ffi_type* type_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::none:
      return &ffi_type_void;
    case ValueKind::i32:
      return &ffi_type_uint32;
    case ValueKind::i64:
      return &ffi_type_uint64;
    case ValueKind::f32:
      return &ffi_type_float;
    case ValueKind::f64:
      return &ffi_type_double;
    case ValueKind::pointer:
    case ValueKind::stream:
      return &ffi_type_pointer;
  }
  return nullptr;
}

void wait_for_go(ClockWords& clock, std::uint32_t sequence) {
  clock.armed.store(sequence, std::memory_order_release);
  while (clock.go.load(std::memory_order_acquire) != sequence) _mm_pause();
}

Reply LoadedObject::call(CallRequest request, std::uint32_t sequence, ClockWords* clock) {
  const std::size_t parameters = request.kinds.size();
  std::vector<ffi_type*> types;
  for (const ValueKind kind : request.kinds) types.push_back(type_of(kind));
  std::vector<void*> values;
  for (std::size_t i = 0; i < request.words.size(); ++i) {
    std::uint64_t& word = request.words[i];
    const ValueKind kind = request.kinds[i % parameters];
    if (kind == ValueKind::pointer) word = buffers_.translated(word);
    if (kind == ValueKind::stream) word = reinterpret_cast<std::uintptr_t>(stream());
    values.push_back(&word);
  }
  ffi_cif interface;
  if (request.function >= functions_.size() || values.size() != request.calls * parameters ||
      ffi_prep_cif(&interface, FFI_DEFAULT_ABI, static_cast<unsigned>(parameters), type_of(request.result),
                   types.data()) != FFI_OK) {
    std::fprintf(stderr, "lockstep-runner: the judge asked for a call that cannot be made\n");
    std::exit(EXIT_FAILURE);
  }
  const auto function = reinterpret_cast<void (*)()>(functions_[request.function]);
  ffi_arg result = 0;
  int error = 0;
  std::optional<EventClock> events;
  try {
    if (request.host_program) {
      return call_host_program(
          request, [&] { ffi_call(&interface, function, &result, values.data()); }, result);
    }
    if (request.by_events) events.emplace(runtime_.handle, stream());
    const std::function<void()> make_calls = [&] {
      if (events) events->begin();
      for (std::uint32_t i = 0; i < request.calls; ++i) {
        ffi_call(&interface, function, &result, values.data() + i * parameters);
      }
      if (events) events->end();
      error = wait(request.whole_device);
    };
    if (clock != nullptr) wait_for_go(*clock, sequence);
    // Before there are buffers there is no context, and nothing but a question for the size of a workspace.
    make(make_calls, buffers_.any_mapped());
    if (events && error == 0) result = events->nanoseconds();
  } catch (const std::exception& exception) {
    return {Reply::Kind::threw, 0, exception.what()};
  } catch (...) {
    return {Reply::Kind::threw, 0, "an exception that is no std::exception"};
  }
  if (clock != nullptr) clock->done.store(sequence, std::memory_order_release);
  // A question for the size of a workspace, which comes before all buffers, has nothing to do with the
  // device.
  const bool asks_device = buffers_.any_mapped() || !request.whole_device;
  std::string text = asks_device ? text_of_error(error) : "";
  if (buffers_.any_mapped() && !text.empty()) return {Reply::Kind::device_error, 0, std::move(text)};
  if (events) return {Reply::Kind::done, result, std::move(text)};
  if (request.result == ValueKind::none) result = 0;
  const bool narrow = request.result == ValueKind::i32 || request.result == ValueKind::f32;
  return {Reply::Kind::done, narrow ? result & 0xFFFF'FFFF : result, std::move(text)};
}

/// A packet and the descriptor that came with it, -1 when none did; nothing when the judge is done.
struct Received {
  std::string_view packet;
  int descriptor = -1;
};
std::optional<Received> receive(std::span<char> buffer) {
  iovec part{buffer.data(), buffer.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t bytes = 0;
  do {
    bytes = recvmsg(kJudgeDescriptor, &message, MSG_CMSG_CLOEXEC);
  } while (bytes < 0 && errno == EINTR);
  if (bytes <= 0) return std::nullopt;
  Received received{{buffer.data(), static_cast<std::size_t>(bytes)}};
  if (const cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr && header->cmsg_type == SCM_RIGHTS) {
    std::memcpy(&received.descriptor, CMSG_DATA(header), sizeof received.descriptor);
  }
  return received;
}

/// The clock's memory; null when the judge gave none.
ClockWords* map_clock() {
  void* const memory =
      mmap(nullptr, sizeof(ClockWords), PROT_READ | PROT_WRITE, MAP_SHARED, kClockDescriptor, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<ClockWords*>(memory);
}

/// On a GPU, which takes the driver 0.05 to 0.1 s: the judge has other things to do meanwhile.
void start_driver() {
  if (std::getenv("CUDA_VISIBLE_DEVICES") == nullptr) return;
  try {
    lockstep::device::CudaDriver::get();
  } catch (const lockstep::device::DriverError&) {
    // Who asks for a context is given the reason.
  }
}

}  // namespace

int main() {
  // Lines appear as they are printed, also when the next one crashes.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  start_driver();
  LoadedObject object;
  ClockWords* const clock = map_clock();
  std::array<char, kMessageBytes> buffer;
  // When the judge is done, the submission's destructors are of no interest.
  while (const auto received = receive(buffer)) {
    const auto request = decode_request(received->packet);
    if (!request || (request->call && request->call->timed && clock == nullptr)) _exit(EXIT_FAILURE);
    Reply reply;
    if (request->load) reply = object.load(*request->load);
    if (request->map) reply = object.map(*request->map, received->descriptor);
    if (request->settle) reply = object.settle();
    if (request->context) reply = object.make_context();
    if (request->call) {
      reply = object.call(*request->call, request->sequence, request->call->timed ? clock : nullptr);
    }
    if (received->descriptor >= 0) close(received->descriptor);
    std::fflush(nullptr);
    const Packet packet = encode(request->sequence, reply);
    if (send(kJudgeDescriptor, packet.data(), packet.size(), MSG_NOSIGNAL) < 0) _exit(EXIT_FAILURE);
  }
  _exit(EXIT_SUCCESS);
}
