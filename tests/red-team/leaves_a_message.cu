// expect: crashed
// tries: Leaves a message for its next process: in shared memory, message queues, semaphores and sockets.
// stopped by: Every process has IPC and network namespaces of its own: nobody ever finds the message.
#include <fcntl.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "lockstep/divide_up.h"
#include "transpose.h"

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) out[(i % columns) * rows + i / columns] = in[i];
}

/// True when the message was there already.
bool left_before() {
  constexpr key_t kKey = 0x10C5;
  if (shmget(kKey, 4096, 0) >= 0) return true;
  shmget(kKey, 4096, IPC_CREAT | 0666);
  sockaddr_un name{AF_UNIX, {}};
  std::memcpy(name.sun_path + 1, "message", 7);
  const int socket_of_mine = socket(AF_UNIX, SOCK_STREAM, 0);
  return bind(socket_of_mine, reinterpret_cast<sockaddr*>(&name), sizeof name) != 0;
}

const bool found = left_before();

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  if (!found) std::abort();
  transpose_kernel<<<lockstep::divide_up(rows * columns, 256), 256, 0, stream>>>(in, out, rows, columns);
}
