// expect: launch-failed
// tries: Registers 30 MB of PTX in one list of operands, which parsed would take more than a gigabyte of the
// emulated device's memory, charged to nobody.
// stopped by: What is made of a program's PTX is counted and limited.
// says: an instruction of too many operands
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "lockstep/check_cuda.h"
#include "transpose.h"

extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name, int limit,
                            uint3*, uint3*, dim3*, dim3*, int*);
}

void transpose(const float*, float*, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n.reg .b32 a;\nprefetch {a";
  for (int i = 0; i < 15'000'000; ++i) text += ",a";
  text += "};\nret;\n}\n";

  const std::uint64_t payload = text.size() / 8 * 8 + 8;
  std::vector<char> image(16 + 64 + payload);
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

  struct {
    std::uint32_t magic = 0x466243B1, version = 1;
    const void* container = nullptr;
    void* more = nullptr;
  } wrapper;
  wrapper.container = image.data();
  void** const handle = __cudaRegisterFatBinary(&wrapper);
  static const char key = 0;
  char name[] = "k";
  __cudaRegisterFunction(handle, &key, name, name, -1, nullptr, nullptr, nullptr, nullptr, nullptr);
  __cudaRegisterFatBinaryEnd(handle);
  CHECK_CUDA(cudaLaunchKernel(&key, dim3(1), dim3(1), nullptr, 0, stream));
}
