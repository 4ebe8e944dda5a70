// Interface between the grader and kernels.cu of the exercise "predictions", with the sizes at which the
// grader calls each function. You neither call nor write any of them.
#pragma once

#include <cuda_runtime_api.h>

// All pointers are to device memory and start at a multiple of 256 bytes; buffers do not overlap. What is
// const is not changed. The kernels have no guard where their functions are called with whole blocks alone.

/// Each thread loads the element after its own: out[i] = in[i + 1].
///
/// @param in      n + 1 numbers
/// @param out     n numbers
/// @param n       2048
/// @param stream  on which all the work is enqueued
void shifted(const int* in, int* out, int n, cudaStream_t stream);

/// Each thread loads every eighth element: out[i] = in[8 · i].
///
/// @param in      8 · n numbers
/// @param out     n numbers
/// @param n       2048
/// @param stream  on which all the work is enqueued
void apart(const int* in, int* out, int n, cudaStream_t stream);

/// Each thread loads every third element: out[i] = in[3 · i].
///
/// @param in      3 · n numbers
/// @param out     n numbers
/// @param n       2048
/// @param stream  on which all the work is enqueued
void thirds(const int* in, int* out, int n, cudaStream_t stream);

/// Transposes 32 × 32 numbers: out[32 · c + r] = in[32 · r + c].
///
/// @param in      1024 numbers
/// @param out     1024 numbers
/// @param stream  on which all the work is enqueued
void columns(const int* in, int* out, cudaStream_t stream);

/// The same as columns(), with rows of 34 numbers in shared memory.
///
/// @param in      1024 numbers
/// @param out     1024 numbers
/// @param stream  on which all the work is enqueued
void padded(const int* in, int* out, cudaStream_t stream);

/// Every fourth thread copies its element: out[i] = in[i] where i % 4 is 0, and 0 elsewhere.
///
/// @param in      n numbers
/// @param out     n numbers
/// @param n       2048
/// @param stream  on which all the work is enqueued
void fourths(const int* in, int* out, int n, cudaStream_t stream);

/// Doubles n elements, with a guard against threads beyond the end: out[i] = 2 · in[i].
///
/// @param in      n numbers
/// @param out     n numbers
/// @param n       1000
/// @param stream  on which all the work is enqueued
void guarded(const int* in, int* out, int n, cudaStream_t stream);

/// Lane l of each warp adds up l numbers: out[i] is the sum of the first i % 32 numbers of `in`.
///
/// @param in      32 numbers
/// @param out     n numbers
/// @param n       2048
/// @param stream  on which all the work is enqueued
void rounds(const int* in, int* out, int n, cudaStream_t stream);

/// Launches as many blocks as one multiprocessor holds at once, each with 46 000 bytes of shared memory.
/// Their first threads double n elements: out[i] = 2 · in[i].
///
/// @param in      n numbers
/// @param out     n numbers
/// @param n       1000, which is fewer than the threads
/// @param stream  on which all the work is enqueued
void resident(const int* in, int* out, int n, cudaStream_t stream);
