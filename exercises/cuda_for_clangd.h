// What clangd reads before a file of CUDA: every declaration that nvcc's headers have, in a form that clang
// takes. Nothing is compiled with it.
//
// clang brings a wrapper for nvcc's headers that fits those of its own time: clang 14 knows CUDA up to 11.5
// and stops at the textures that CUDA 12 took away. So .clangd leaves the wrapper out (-nocudainc), and this
// file reads the headers as a host compiler would, with every function for host and device alike. What is
// lost: clangd does not say that a kernel calls a function of the host; nvcc does.
#pragma once

// Operators of the host; clang's own <new> would define them once more.
#include <new>
#define __CLANG_CUDA_WRAPPERS_NEW

// The C library's functions, which kernels may call. <math.h> of the C++ library would bring others first.
#pragma clang force_cuda_host_device begin
#define _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <math.h>
#include <stdlib.h>
#undef _GLIBCXX_INCLUDE_NEXT_C_HEADERS
#include <stdio.h>
#include <string.h>
#include <time.h>
#pragma clang force_cuda_host_device end
#include <cmath>
#include <cstdlib>
#include <utility>

#include <math.h>

#pragma clang force_cuda_host_device begin
#include <cuda_runtime_api.h>  // without __CUDACC__, so that __device__ and the like are empty

// In place of crt/math_functions.h, which declares anew what <cmath> has as constexpr.
#define __MATH_FUNCTIONS_H__
#define LOCKSTEP_EXTREMES(type) \
  type min(type, type);         \
  type max(type, type);
LOCKSTEP_EXTREMES(int)
LOCKSTEP_EXTREMES(unsigned)
LOCKSTEP_EXTREMES(long)
LOCKSTEP_EXTREMES(unsigned long)
LOCKSTEP_EXTREMES(long long)
LOCKSTEP_EXTREMES(unsigned long long)
LOCKSTEP_EXTREMES(float)
LOCKSTEP_EXTREMES(double)
#undef LOCKSTEP_EXTREMES
// Functions that the C library does not have.
#define LOCKSTEP_FUNCTION(name, ...) \
  double name(__VA_ARGS__);          \
  float name##f(__VA_ARGS__);
LOCKSTEP_FUNCTION(rsqrt, double)
LOCKSTEP_FUNCTION(rcbrt, double)
LOCKSTEP_FUNCTION(sinpi, double)
LOCKSTEP_FUNCTION(cospi, double)
LOCKSTEP_FUNCTION(erfinv, double)
LOCKSTEP_FUNCTION(erfcinv, double)
LOCKSTEP_FUNCTION(erfcx, double)
LOCKSTEP_FUNCTION(normcdf, double)
LOCKSTEP_FUNCTION(normcdfinv, double)
LOCKSTEP_FUNCTION(rhypot, double, double)
LOCKSTEP_FUNCTION(norm3d, double, double, double)
LOCKSTEP_FUNCTION(rnorm3d, double, double, double)
LOCKSTEP_FUNCTION(norm4d, double, double, double, double)
LOCKSTEP_FUNCTION(rnorm4d, double, double, double, double)
#undef LOCKSTEP_FUNCTION
void sincospi(double, double*, double*);
void sincospif(float, float*, float*);

// Kernels' own variables and functions. clang has a __syncthreads of its own, for the device alone.
#define __CUDACC__
#define __CUDACC_VER_MAJOR__ CUDART_VERSION / 1000
#define __CUDACC_VER_MINOR__ CUDART_VERSION % 1000 / 10
#define __syncthreads lockstep_syncthreads
#include <cuda_runtime.h>
#pragma clang force_cuda_host_device end

#undef __global__
#undef __device__
#undef __host__
#undef __launch_bounds__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device)) __attribute__((host))
#define __host__ __attribute__((host))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
