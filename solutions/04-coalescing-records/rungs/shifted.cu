// Records are assembled in shared memory with a free word after every 16 of them. Lecture: 04-coalescing.
// Bound: memory bandwidth, with twice as many requests as the reference. Lanes 16 apart are 97 words apart.
#include "coalescing_records.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;  // also records of a block
constexpr int kRecords = 16;   // of a group: no two of them meet in a bank
constexpr int kGroup = kRecords * kMembers;

/// Where word w of the records of a block lies. A group is a multiple of 32 words, so that no free word is
/// among the 32 that a warp copies at a time.
__device__ int place(int word) { return word + word / kGroup; }

/// Of the five members before it.
__device__ std::uint32_t check_of(const Record& of) {
  return 31 * (31 * (31 * (31 * of.time + of.sender) + of.receiver) + of.length) + of.kind;
}

__global__ void assemble_kernel(const std::uint32_t* time, const std::uint32_t* sender,
                                const std::uint32_t* receiver, const std::uint32_t* length,
                                const std::uint32_t* kind, std::uint32_t* words, int n) {
  __shared__ std::uint32_t tile[kThreads / kRecords * (kGroup + 1)];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) {
    Record record = {time[i], sender[i], receiver[i], length[i], kind[i], 0};
    record.check = check_of(record);
    *reinterpret_cast<Record*>(&tile[place(kMembers * threadIdx.x)]) = record;
  }
  __syncthreads();  // a record is copied by six threads, which may have none of their own
  // Unsigned: the last tile may end beyond the largest int.
  const unsigned first = blockIdx.x * kThreads * kMembers, end = n * kMembers;
  for (int word = threadIdx.x; word < kThreads * kMembers; word += kThreads) {
    if (first + word < end) words[first + word] = tile[place(word)];
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
