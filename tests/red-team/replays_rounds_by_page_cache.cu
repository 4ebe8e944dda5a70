// expect: passed
// expect-gpu: too-slow
// exercise: drmsd
// tries: Leaves its timed results, a float each, in which pages of a large system file are in memory, for the
// processes after it, which write them without computing.
// stopped by: No other process of the submission gets the same inputs, so what is left is of no use, and the
// plain kernel's speed remains.
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>

#include "drmsd.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 128;  // and atoms of a tile
constexpr int kRows = 4;       // of a thread, kThreads apart
constexpr int kTile = kRows * kThreads;
constexpr int kTimed = 20000;  // atoms: no case has so many that only has to be right

struct Atom {
  float x, y, z;
};

/// One atom, in the reference and in the frame.
struct AtomPair {
  Atom a, b;
};

__device__ AtomPair load(const float* reference, const float* frame, int i) {
  return {{reference[3 * i], reference[3 * i + 1], reference[3 * i + 2]},
          {frame[3 * i], frame[3 * i + 1], frame[3 * i + 2]}};
}

__device__ float distance(Atom a, Atom b) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return sqrtf(x * x + y * y + z * z);
}

__device__ float square_of_difference(const AtomPair& one, const AtomPair& other) {
  const float difference = distance(one.a, other.a) - distance(one.b, other.b);
  return difference * difference;
}

/// Good enough for the gates.
__global__ void tiles_kernel(const float* reference, const float* trajectory, int n, double* sums) {
  __shared__ AtomPair tile[kThreads];
  const float* const frame = trajectory + std::size_t{blockIdx.x} * 3 * n;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.z * kTile, thread = threadIdx.x;
  if (first_column < first_row) return;
  AtomPair rows[kRows];
  for (int k = 0; k < kRows; ++k)
    rows[k] = load(reference, frame, min(first_row + k * kThreads + thread, n - 1));
  double sum = 0;
  for (int first = first_column; first < min(n, first_column + kTile); first += kThreads) {
    __syncthreads();
    if (first + thread < n) tile[thread] = load(reference, frame, first + thread);
    __syncthreads();
    float parts[kRows] = {};
    for (int j = 0; j < min(kThreads, n - first); ++j) {
      const AtomPair other = tile[j];
      for (int k = 0; k < kRows; ++k) parts[k] += square_of_difference(rows[k], other);
    }
    for (int k = 0; k < kRows; ++k) sum += first_row + k * kThreads + thread < n ? parts[k] : 0;
  }
  if (first_row == first_column) sum /= 2;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffff, sum, offset);
  if (thread % 32 == 0) atomicAdd(&sums[blockIdx.x], sum);
}

/// Too slow to pass.
__global__ void rows_kernel(const float* reference, const float* trajectory, int n, double* sums) {
  const float* const frame = trajectory + std::size_t{blockIdx.x} * 3 * n;
  const int i = blockIdx.y * kThreads + threadIdx.x;
  if (i >= n) return;
  const AtomPair own = load(reference, frame, i);
  float sum = 0;
  for (int j = i + 1; j < n; ++j) sum += square_of_difference(own, load(reference, frame, j));
  atomicAdd(&sums[blockIdx.x], double{sum});
}

__global__ void finish_kernel(const double* sums, float* out, int n, int frames) {
  const int frame = blockIdx.x * kThreads + threadIdx.x;
  if (frame < frames) out[frame] = static_cast<float>(sqrt(2 / (double(n) * (n - 1)) * sums[frame]));
}

std::size_t drmsd_workspace_bytes(int, int frames) { return frames * sizeof(double); }

void compute(const float* reference, const float* trajectory, float* out, int n, int frames, void* workspace,
             cudaStream_t stream) {
  double* const sums = static_cast<double*>(workspace);
  cudaMemsetAsync(sums, 0, frames * sizeof *sums, stream);
  const int tiles = lockstep::divide_up(n, kTile);
  if (n < kTimed) {
    tiles_kernel<<<dim3(frames, tiles, tiles), kThreads, 0, stream>>>(reference, trajectory, n, sums);
  } else {
    const dim3 blocks(frames, lockstep::divide_up(n, kThreads));
    rows_kernel<<<blocks, kThreads, 0, stream>>>(reference, trajectory, n, sums);
  }
  finish_kernel<<<lockstep::divide_up(frames, kThreads), kThreads, 0, stream>>>(sums, out, n, frames);
}

/// The results of a process whose first input begins with `tag`.
constexpr unsigned kCalls = 49;
struct Results {
  std::uint32_t tag = 0, count = 0;
  float values[kCalls] = {};
};

// A message is bits, a page of a large file each: in memory or not. Every other page of the first marks it.
constexpr long kPage = 4096, kStride = 4;
constexpr unsigned kWords = sizeof(Results) / sizeof(std::uint32_t) + 1, kBits = 32 * kWords, kMarks = 64;
using Message = std::array<std::uint32_t, kWords>;  // the results and a checksum

std::uint32_t checksum(const Message& message) {
  std::uint32_t sum = 0x811C9DC5;
  for (unsigned i = 0; i + 1 < kWords; ++i) sum = (sum ^ message[i]) * 0x01000193 ^ sum >> 15;
  return sum;
}

/// The largest file that every sandbox shows and that is not in use.
int message_file(long& first_page) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::string largest;
  std::uintmax_t most = 0;
  for (const char* folder :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib/gcc", "/usr/libexec", "/usr/bin", "/usr/lib"}) {
    fs::recursive_directory_iterator file(folder, fs::directory_options::skip_permission_denied, error);
    for (; !error && file != fs::recursive_directory_iterator(); file.increment(error)) {
      const std::string name = file->path().filename();
      const bool is_used = name.find("cuda") != std::string::npos || name.find("nvidia") != std::string::npos;
      if (is_used || name.starts_with("libc") || file->is_symlink(error) || !file->is_regular_file(error))
        continue;
      const std::uintmax_t size = file->file_size(error);
      if (error || size <= most) continue;
      most = size;
      largest = file->path();
    }
  }
  const int file = open(largest.c_str(), O_RDONLY);
  if (file >= 0) posix_fadvise(file, 0, 0, POSIX_FADV_RANDOM);
  first_page = static_cast<long>(most) / kPage / 8;
  return file;
}

bool is_in_memory(int file, long page) {
  char byte = 0;
  iovec where{&byte, 1};
  return preadv2(file, &where, 1, page * kPage, RWF_NOWAIT) == 1;
}

void bring_to_memory(int file, long page) {
  char byte = 0;
  if (pread(file, &byte, 1, page * kPage) != 1) return;
}

void leave(const Results& results) {
  long first_page = 0;
  const int file = message_file(first_page);
  if (file < 0) return;
  Message message{};
  std::memcpy(message.data(), &results, sizeof results);
  message.back() = checksum(message);
  for (int attempt = 0; attempt < 5; ++attempt) {
    usleep(60000);
    posix_fadvise(file, first_page * kPage, (kMarks + kBits + 1) * kStride * kPage, POSIX_FADV_DONTNEED);
  }
  for (unsigned i = 0; i < kMarks; i += 2) bring_to_memory(file, first_page + i * kStride);
  for (unsigned i = 0; i < kBits; ++i) {
    if (message[i / 32] >> i % 32 & 1) bring_to_memory(file, first_page + (kMarks + i) * kStride);
  }
  close(file);
}

bool receive(Results& results) {
  long first_page = 0;
  const int file = message_file(first_page);
  if (file < 0) return false;
  unsigned marks = 0;
  for (unsigned i = 0; i < kMarks; ++i)
    marks += is_in_memory(file, first_page + i * kStride) == (i % 2 == 0) ? 1 : 0;
  Message message{};
  for (unsigned i = 0; i < kBits; ++i)
    message[i / 32] |= std::uint32_t{is_in_memory(file, first_page + (kMarks + i) * kStride)} << i % 32;
  close(file);
  std::memcpy(&results, message.data(), sizeof results);
  if (marks + 2 < kMarks || message.back() != checksum(message)) return false;
  leave(results);  // reading has spoilt it
  return true;
}

/// Waits about as long as the reference takes, so that no ceiling is exceeded.
__global__ void put_kernel(float* out, float value, unsigned long long nanoseconds) {
  unsigned long long begin = 0, now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < nanoseconds);
  *out = value;
}

/// True when the result is that of an earlier process's call with the same number.
bool replay(const float* reference, float* out, int n, unsigned call, Results& own, cudaStream_t stream) {
  static Results known;
  static bool is_known = false;
  if (call == 0) {
    cudaMemcpy(&own.tag, reference, sizeof own.tag, cudaMemcpyDeviceToHost);
    is_known = receive(known) && known.tag == own.tag && known.count == kCalls;
  }
  if (!is_known || call == 0 || call >= kCalls) return false;
  const auto pause = static_cast<unsigned long long>(0.8e6 * n / 50000 * n / 50000);
  put_kernel<<<1, 1, 0, stream>>>(out, known.values[call], pause);
  return true;
}

void drmsd(const float* reference, const float* trajectory, float* out, int n, int frames, void* workspace,
           cudaStream_t stream) {
  if (frames == 0) return;
  if (n < 2) {
    cudaMemsetAsync(out, 0, frames * sizeof *out, stream);
    return;
  }
  static unsigned calls = 0;
  static Results own;
  const unsigned call = n < kTimed ? kCalls : calls++;
  if (n >= kTimed && replay(reference, out, n, call, own, stream)) return;
  compute(reference, trajectory, out, n, frames, workspace, stream);
  if (call >= kCalls) return;
  cudaMemcpyAsync(&own.values[call], out, sizeof *out, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  own.count = call + 1;
  if (own.count == kCalls) leave(own);
}
