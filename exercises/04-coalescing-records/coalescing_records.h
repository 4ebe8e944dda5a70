// Interface of the exercise "coalescing-records". The grader calls this function; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// What is sent on of a message, together in 24 bytes.
struct Record {
  std::uint32_t time, sender, receiver, length, kind;
  std::uint32_t check;  ///< computed from the five others
};

/// The members of a Record, all of them of 4 bytes.
inline constexpr int kMembers = 6;

/// Turns a structure of arrays into an array of structures. For 0 ≤ i < n the first five members of
/// records[i] become time[i], sender[i], receiver[i], length[i] and kind[i], and the last one
///
///     check = 31 · (31 · (31 · (31 · time + sender) + receiver) + length) + kind
///
/// of these five, modulo 2^32, which is what unsigned numbers of 32 bits do by themselves.
///
/// @param time, sender, receiver, length, kind  device memory, n numbers each; must not be changed
/// @param records  device memory, n records; overlaps none of the others
/// @param n        how many records, 0 or more; kMembers × n fits in an int
/// @param stream   on which all the work is enqueued
///
/// All buffers start at a multiple of 256 bytes.
void coalescing_records(const std::uint32_t* time, const std::uint32_t* sender, const std::uint32_t* receiver,
                        const std::uint32_t* length, const std::uint32_t* kind, Record* records, int n,
                        cudaStream_t stream);
