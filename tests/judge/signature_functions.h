// Functions of many signatures, whose names the compiler mangles and a test checks.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUstream_st;

void no_parameters();
void transpose_like(const float* in, float* out, int rows, int columns, CUstream_st* stream);
std::size_t workspace_like(int n);
// Repeated types are abbreviated: const float* here is S_, S0_, …
void repeated(const float* a, const float* b, float* c, float* d, const double* e, double* f, const float* g);
// Counted from another start if the result counted, which it does not.
float* pointer_result(float* a, const float* b, float* c, CUstream_st* s, CUstream_st* t);
void scalars(float a, double b, long c, unsigned d, unsigned long e, std::int64_t f, bool* g,
             unsigned char* h);
void pointers_to_pointers(const float* const* a, float** b, const float* c, void* d, const void* e);
void restricted(const int* __restrict__ in, int* __restrict__ out, const int n) noexcept;
