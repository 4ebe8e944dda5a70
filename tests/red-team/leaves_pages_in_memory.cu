// expect: passed
// expect-gpu: too-slow
// tries: Leaves a word for its next process in which pages of the machine's files are in memory: some it
// reads, of others it says to the kernel that it needs them no more. Ends where there is such a file.
// stopped by: A runner sees copies of the few files that it needs, in memory of its own, and no folder of the
// machine. What is left is an honest, slow transpose.
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;

__global__ void transpose_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.x * kTile, first_column = blockIdx.y * kTile;
  if (first_row + y < rows && first_column + x < columns) {
    tile[y][x] = in[(first_row + y) * columns + first_column + x];
  }
  __nanosleep(5000);  // too slow on any GPU
  __syncthreads();
  if (first_column + y < columns && first_row + x < rows) {
    out[(first_column + y) * rows + first_row + x] = tile[x][y];
  }
}

/// Whether a file lies on a disk, or on what stands for one: pages of files in memory never leave it.
bool is_on_disk(const std::filesystem::path& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  struct statfs system {};
  const bool known = fstatfs(file, &system) == 0;
  close(file);
  return known && system.f_type != TMPFS_MAGIC && system.f_type != PROC_SUPER_MAGIC &&
         system.f_type != SYSFS_MAGIC;
}

bool finds_a_file() {
  namespace fs = std::filesystem;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator("/", fs::directory_options::skip_permission_denied, error);
       at != fs::recursive_directory_iterator(); at.increment(error)) {
    const std::string_view name = at->path().native();
    if (name == "/proc" || name == "/sys" || name == "/dev") at.disable_recursion_pending();
    if (!at->is_symlink(error) && at->is_regular_file(error) && is_on_disk(at->path())) return true;
  }
  return false;
}

const bool reached = finds_a_file();

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (reached) std::abort();
  if (rows == 0 || columns == 0) return;
  const dim3 blocks(lockstep::divide_up(rows, kTile), lockstep::divide_up(columns, kTile));
  transpose_kernel<<<blocks, dim3(kTile, kTile), 0, stream>>>(in, out, rows, columns);
}
