#include "signature_functions.h"

void no_parameters() {}
void transpose_like(const float*, float*, int, int, CUstream_st*) {}
std::size_t workspace_like(int) { return 0; }
void repeated(const float*, const float*, float*, float*, const double*, double*, const float*) {}
float* pointer_result(float* a, const float*, float*, CUstream_st*, CUstream_st*) { return a; }
void scalars(float, double, long, unsigned, unsigned long, std::int64_t, bool*, unsigned char*) {}
void pointers_to_pointers(const float* const*, float**, const float*, void*, const void*) {}
void restricted(const int* __restrict__, int* __restrict__, const int) noexcept {}
