// Records are assembled in shared memory, two members at a time, the reference. Lecture: 04-coalescing.
// Bound: memory bandwidth. Every sector is moved once, in runs of 6 KiB, and no two lanes meet in a bank.
#include "coalescing_records.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;         // also records of a block
constexpr int kPairs = kMembers / 2;  // of a record

/// Of the five members before it.
__device__ std::uint32_t check_of(const Record& of) {
  return 31 * (31 * (31 * (31 * of.time + of.sender) + of.receiver) + of.length) + of.kind;
}

__global__ void assemble_kernel(const std::uint32_t* time, const std::uint32_t* sender,
                                const std::uint32_t* receiver, const std::uint32_t* length,
                                const std::uint32_t* kind, uint2* pairs, int n) {
  // Lanes that store 8 bytes each are served 16 at a time, each from two of the 32 banks. They are 3 pairs
  // apart, an odd number, so all 16 use different banks.
  __shared__ uint2 tile[kThreads * kPairs];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) {
    Record record = {time[i], sender[i], receiver[i], length[i], kind[i], 0};
    record.check = check_of(record);
    uint2* const to = tile + kPairs * threadIdx.x;
    to[0] = {record.time, record.sender};
    to[1] = {record.receiver, record.length};
    to[2] = {record.kind, record.check};
  }
  __syncthreads();  // a record is copied by three threads, which may have none of their own
  const int first = blockIdx.x * kThreads * kPairs;
  for (int pair = threadIdx.x; pair < kThreads * kPairs; pair += kThreads) {
    if (first + pair < n * kPairs) pairs[first + pair] = tile[pair];
  }
}

void coalescing_records(const std::uint32_t* time, const std::uint32_t* sender, const std::uint32_t* receiver,
                        const std::uint32_t* length, const std::uint32_t* kind, Record* records, int n,
                        cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const int blocks = lockstep::divide_up(n, kThreads);
  uint2* const pairs = reinterpret_cast<uint2*>(records);  // 24 bytes are a multiple of 8
  assemble_kernel<<<blocks, kThreads, 0, stream>>>(time, sender, receiver, length, kind, pairs, n);
  CHECK_CUDA(cudaGetLastError());
}
