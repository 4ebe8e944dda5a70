// fails: global-sectors
// at: records[i] = record;
// Records are written by one thread each. Lecture: 04-coalescing.
// Bound: the same word of the next record is 24 bytes further on, so 32 words touch 24 sectors, six times
// over.
#include "coalescing_records.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;

/// Of the five members before it.
__device__ std::uint32_t check_of(const Record& of) {
  return 31 * (31 * (31 * (31 * of.time + of.sender) + of.receiver) + of.length) + of.kind;
}

__global__ void assemble_kernel(const std::uint32_t* time, const std::uint32_t* sender,
                                const std::uint32_t* receiver, const std::uint32_t* length,
                                const std::uint32_t* kind, Record* records, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;  // the last block may reach beyond the records
  Record record = {time[i], sender[i], receiver[i], length[i], kind[i], 0};
  record.check = check_of(record);
  records[i] = record;
}

void coalescing_records(const std::uint32_t* time, const std::uint32_t* sender, const std::uint32_t* receiver,
                        const std::uint32_t* length, const std::uint32_t* kind, Record* records, int n,
                        cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const int blocks = lockstep::divide_up(n, kThreads);
  assemble_kernel<<<blocks, kThreads, 0, stream>>>(time, sender, receiver, length, kind, records, n);
  CHECK_CUDA(cudaGetLastError());
}
