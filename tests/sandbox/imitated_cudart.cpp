// Stands for the CUDA runtime: shows what the runner waits for after a call.
#include <cstdint>
#include <cstdio>

extern "C" int cudaDeviceSynchronize() {
  std::puts("synchronised");
  return 0;
}
extern "C" int cudaStreamCreateWithFlags(void** stream, unsigned flags) {
  static std::uint64_t streams[2] = {1000, 2000};  // a stream's number, so that one can be told from another
  static int created = 0;
  streams[created] += flags;
  *stream = &streams[created++];
  return 0;
}
extern "C" int cudaStreamSynchronize(void* stream) {
  std::printf("stream %d is done\n", static_cast<int>(*static_cast<std::uint64_t*>(stream)));
  return 0;
}
extern "C" int cudaGetLastError() { return 0; }
extern "C" const char* cudaGetErrorString(int) { return "an error"; }
