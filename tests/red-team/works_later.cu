// expect: race
// tries: Returns at once; a thread does the work while the judge looks at the result.
// stopped by: Between its answer and the next call a program is served nothing, and trying is reported.
// says: your function had returned, and its program went on using the device
#include <chrono>
#include <thread>

#include "lockstep/divide_up.h"
#include "transpose.h"

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < rows * columns) out[(i % columns) * rows + i / columns] = in[i];
}

static void work(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  transpose_kernel<<<lockstep::divide_up(rows * columns, 256), 256, 0, stream>>>(in, out, rows, columns);
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  if (rows != 2048) return work(in, out, rows, columns, stream);
  // Some of these meet the judge between its looking at the counters and its looking at the result.
  std::thread([=] {
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      work(in, out, rows, columns, stream);
    }
  }).detach();
}
