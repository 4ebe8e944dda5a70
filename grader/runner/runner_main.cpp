// lockstep-runner: the process that holds a student's code. Loads one shared object and calls its functions
// as the judge asks. It shares its address space with code that may do anything, so it holds nothing but the
// next request.
#include <dlfcn.h>
#include <ffi.h>
#include <link.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string>

#include "runner/message.h"

namespace {

using lockstep::course::ValueKind;
using namespace lockstep::runner;

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
    synchronize_ = find_synchronize();
    return {};
  }

  Reply call(CallRequest request) const;

 private:
  // From the runtime that the object brought with it, and not by name from the object: the student may define
  // that name too. Null when the object uses no runtime.
  static int (*find_synchronize())() {
    std::string runtime;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* found) {
          if (std::strstr(info->dlpi_name, "/libcudart.so") == nullptr) return 0;
          *static_cast<std::string*>(found) = info->dlpi_name;
          return 1;
        },
        &runtime);
    void* const handle = runtime.empty() ? nullptr : dlopen(runtime.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (handle == nullptr) return nullptr;
    return reinterpret_cast<int (*)()>(dlsym(handle, "cudaDeviceSynchronize"));
  }

  void* handle_ = nullptr;
  std::vector<void*> functions_;
  int (*synchronize_)() = nullptr;
};

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

Reply LoadedObject::call(CallRequest request) const {
  std::vector<ffi_type*> types;
  std::vector<void*> values;
  for (std::size_t i = 0; i < request.kinds.size(); ++i) {
    types.push_back(type_of(request.kinds[i]));
    values.push_back(&request.words[i]);
  }
  ffi_cif interface;
  if (request.function >= functions_.size() ||
      ffi_prep_cif(&interface, FFI_DEFAULT_ABI, static_cast<unsigned>(types.size()), type_of(request.result),
                   types.data()) != FFI_OK) {
    std::fprintf(stderr, "lockstep-runner: the judge asked for a call that cannot be made\n");
    std::exit(EXIT_FAILURE);
  }
  ffi_arg result = 0;
  try {
    ffi_call(&interface, reinterpret_cast<void (*)()>(functions_[request.function]), &result, values.data());
    if (synchronize_ != nullptr) synchronize_();
  } catch (const std::exception& error) {
    return {Reply::Kind::threw, 0, error.what()};
  } catch (...) {
    return {Reply::Kind::threw, 0, "an exception that is no std::exception"};
  }
  if (request.result == ValueKind::none) result = 0;
  const bool narrow = request.result == ValueKind::i32 || request.result == ValueKind::f32;
  return {Reply::Kind::done, narrow ? result & 0xFFFF'FFFF : result, ""};
}

}  // namespace

int main() {
  // Lines appear as they are printed, also when the next one crashes.
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  LoadedObject object;
  std::array<char, kMessageBytes> buffer;
  for (;;) {
    const ssize_t bytes = recv(kJudgeDescriptor, buffer.data(), buffer.size(), 0);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0)
      _exit(EXIT_SUCCESS);  // the judge is done; the submission's destructors are of no interest
    const auto request = decode_request({buffer.data(), static_cast<std::size_t>(bytes)});
    if (!request) _exit(EXIT_FAILURE);
    const Reply reply = request->load ? object.load(*request->load) : object.call(*request->call);
    std::fflush(nullptr);
    const Packet packet = encode(request->sequence, reply);
    if (send(kJudgeDescriptor, packet.data(), packet.size(), MSG_NOSIGNAL) < 0) _exit(EXIT_FAILURE);
  }
}
