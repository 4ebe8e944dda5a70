// fails: shared-wavefronts
// at: tile[threadIdx.x] = record;
// fails: shared-passes
// at: tile[threadIdx.x] = record;
// Records are assembled in shared memory, one thread each, and copied in the order of memory. Lecture:
// 04-coalescing.
// Bound: lanes 16 apart are 96 words apart in the tile, so two of them meet in a bank.
#include "coalescing_records.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;  // also records of a block

/// Of the five members before it.
__device__ std::uint32_t check_of(const Record& of) {
  return 31 * (31 * (31 * (31 * of.time + of.sender) + of.receiver) + of.length) + of.kind;
}

__global__ void assemble_kernel(const std::uint32_t* time, const std::uint32_t* sender,
                                const std::uint32_t* receiver, const std::uint32_t* length,
                                const std::uint32_t* kind, std::uint32_t* words, int n) {
  __shared__ Record tile[kThreads];
  const std::uint32_t* const tile_words = &tile[0].time;
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) {
    Record record = {time[i], sender[i], receiver[i], length[i], kind[i], 0};
    record.check = check_of(record);
    tile[threadIdx.x] = record;
  }
  __syncthreads();  // a record is copied by six threads, which may have none of their own
  // Unsigned: the last tile may end beyond the largest int.
  const unsigned first = blockIdx.x * kThreads * kMembers, end = n * kMembers;
  for (int word = threadIdx.x; word < kThreads * kMembers; word += kThreads) {
    if (first + word < end) words[first + word] = tile_words[word];
  }
}

void coalescing_records(const std::uint32_t* time, const std::uint32_t* sender, const std::uint32_t* receiver,
                        const std::uint32_t* length, const std::uint32_t* kind, Record* records, int n,
                        cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const int blocks = lockstep::divide_up(n, kThreads);
  std::uint32_t* const words = reinterpret_cast<std::uint32_t*>(records);
  assemble_kernel<<<blocks, kThreads, 0, stream>>>(time, sender, receiver, length, kind, words, n);
  CHECK_CUDA(cudaGetLastError());
}
