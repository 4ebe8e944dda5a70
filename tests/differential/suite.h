// What a kernel of the suite is: its name, what it is given and what it leaves. The macros at the end declare
// one in a line; a static object then adds it to the list that the program runs.
//
// Names of kernels are not mangled, so that profilers and the emulated device call them as this suite does.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "inputs.h"

namespace lockstep::differential {

/// Threads of an element-by-element kernel, each of which has its own operands.
constexpr unsigned kRows = 1024;
constexpr unsigned kThreads = 128;

struct Shape {
  unsigned blocks = 1, threads = 32;
  unsigned dynamic_shared = 0;  ///< bytes
  unsigned cluster = 1;         ///< blocks
};

/// How far an approximate result is from the true one, in units of what PTX allows: at most 1 is right, and
/// NaN is wrong. Operands and result are given as double.
using Error = double (*)(double a, double b, double result);

struct Test {
  const char* name = nullptr;
  const char* file = nullptr;
  const void* kernel = nullptr;  ///< (const void* in, void* out, std::uint64_t object)
  Shape shape;
  std::vector<std::byte> inputs;
  unsigned rows = 0, columns = 1;  ///< of the outputs: column by column
  unsigned element_bytes = 4;
  /// Of an approximate kernel, one per column; its operands are float, or double where an element has 8
  /// bytes.
  std::vector<Error> errors;
  std::uint64_t (*make_object)() = nullptr;  ///< a texture or surface
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

template <class Input, class Result>
bool add_elementwise(const char* name, const char* file, const void* kernel, unsigned columns,
                     std::vector<Error> errors = {}) {
  tests().push_back({name,
                     file,
                     kernel,
                     {kRows / kThreads, kThreads},
                     operands<Input>(name, kRows),
                     kRows,
                     columns,
                     sizeof(Result),
                     std::move(errors)});
  return true;
}

/// `words` of 32 bits go in, and `rows` elements in each of `columns` come out.
inline bool add_kernel(const char* name, const char* file, const void* kernel, Shape shape, unsigned words,
                       unsigned rows, unsigned columns = 1, unsigned element_bytes = 4,
                       std::uint64_t (*make_object)() = nullptr) {
  tests().push_back(
      {name, file, kernel, shape, random_words(name, words), rows, columns, element_bytes, {}, make_object});
  return true;
}

}  // namespace lockstep::differential

/// ELEMENTWISE(name, Input, Result, columns) { r[0] = a + b; … }: one thread per element, with three
/// operands.
#define ELEMENTWISE(name, Input, Result, columns) LOCKSTEP_ELEMENTWISE(name, Input, Result, columns, {})

/// The same for approximate functions; behind the number of columns, the Error of each.
#define APPROXIMATE(name, Input, columns, ...) \
  LOCKSTEP_ELEMENTWISE(name, Input, Input, columns, (std::vector<lockstep::differential::Error>{__VA_ARGS__}))

#define LOCKSTEP_ELEMENTWISE(name, Input, Result, columns, errors)                                     \
  static __device__ __forceinline__ void name##_of(Input a, Input b, Input c, Result* r);              \
  extern "C" __global__ void name(const Input* in, Result* out) {                                      \
    constexpr unsigned rows = lockstep::differential::kRows;                                           \
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                          \
    Result r[columns];                                                                                 \
    name##_of(in[i], in[i + rows], in[i + 2 * rows], r);                                               \
    for (unsigned k = 0; k < (columns); ++k) out[k * rows + i] = r[k];                                 \
  }                                                                                                    \
  static const bool name##_added = lockstep::differential::add_elementwise<Input, Result>(             \
      #name, __FILE__, reinterpret_cast<const void*>(&name), columns, errors);                         \
  static __device__ __forceinline__ void name##_of([[maybe_unused]] Input a, [[maybe_unused]] Input b, \
                                                   [[maybe_unused]] Input c, Result* r)

/// KERNEL(name, words, rows, columns, blocks, threads, …) { out[threadIdx.x] = in[threadIdx.x]; }: any kernel
/// over words of 32 bits; behind the shape's blocks and threads, its dynamic shared memory and the size of
/// clusters.
#define KERNEL(name, words, rows, columns, ...)                                                             \
  extern "C" __global__ void name(const std::uint32_t* in, std::uint32_t* out);                             \
  static const bool name##_added =                                                                          \
      lockstep::differential::add_kernel(#name, __FILE__, reinterpret_cast<const void*>(&name),             \
                                         lockstep::differential::Shape{__VA_ARGS__}, words, rows, columns); \
  extern "C" __global__ void name([[maybe_unused]] const std::uint32_t* in, std::uint32_t* out)

/// The same with a texture or surface, which `make` makes.
#define OBJECT_KERNEL(name, make, rows, columns, threads)                                               \
  extern "C" __global__ void name(const std::uint32_t* in, std::uint32_t* out, std::uint64_t object);   \
  static const bool name##_added = lockstep::differential::add_kernel(                                  \
      #name, __FILE__, reinterpret_cast<const void*>(&name), lockstep::differential::Shape{1, threads}, \
      1024, rows, columns, 4, make);                                                                    \
  extern "C" __global__ void name([[maybe_unused]] const std::uint32_t* in, std::uint32_t* out,         \
                                  std::uint64_t object)
