// The signature of a function that a submission must define, taken from the exercise's own header.
//
// A problem names its functions with LOCKSTEP_SIGNATURE(transpose). The compiler supplies the parameter
// types, from which come the linker's name (to look the function up in a shared object) and the calling
// convention (to call it from the runner, which knows no exercise). Source: Itanium C++ ABI, 5.1, name
// mangling.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <vector>

struct CUstream_st;

namespace lockstep::course {

/// How a value travels in a call.
enum class ValueKind : std::uint8_t { none, i32, i64, f32, f64, pointer, stream };

struct Parameter {
  ValueKind kind = ValueKind::none;
  bool read_only = false;  ///< a pointer to const
};

struct Signature {
  std::string name;  ///< as in source, such as "transpose"
  std::string
      declaration;  ///< for messages, such as "void transpose(const float*, float*, int, int, cudaStream_t)"
  std::string linker_name;  ///< such as "_Z9transposePKfPfiiP11CUstream_st"
  ValueKind result = ValueKind::none;
  std::vector<Parameter> parameters;
};

namespace detail {

template <class T>
constexpr Parameter parameter_of() {
  using Value = std::remove_cv_t<T>;
  if constexpr (std::is_void_v<Value>) {
    return {ValueKind::none, false};
  } else if constexpr (std::is_same_v<Value, CUstream_st*>) {
    return {ValueKind::stream, false};
  } else if constexpr (std::is_pointer_v<Value>) {
    return {ValueKind::pointer, std::is_const_v<std::remove_pointer_t<Value>>};
  } else if constexpr (std::is_same_v<Value, float>) {
    return {ValueKind::f32, false};
  } else if constexpr (std::is_same_v<Value, double>) {
    return {ValueKind::f64, false};
  } else if constexpr ((std::is_integral_v<Value> || std::is_enum_v<Value>)&&sizeof(Value) == 4) {
    return {ValueKind::i32, false};
  } else {
    static_assert(std::is_integral_v<Value> && sizeof(Value) == 8,
                  "an exercise's parameters are pointers, streams, float, double, and 4- or 8-byte integers");
    return {ValueKind::i64, false};
  }
}

/// `arguments_type` is the encoding of void(Arguments...), `result_type` that of the result. They come apart
/// because a function's linker name leaves its result out, and with it what later parameters might
/// abbreviate.
Signature make_signature(std::string name, const char* arguments_type, const char* result_type,
                         ValueKind result, std::vector<Parameter> parameters);

}  // namespace detail

template <class Result, class... Arguments>
Signature signature_of(const char* name, Result (*)(Arguments...)) {
  return detail::make_signature(name, typeid(void(Arguments...)).name(), typeid(Result).name(),
                                detail::parameter_of<Result>().kind, {detail::parameter_of<Arguments>()...});
}

/// A demangled name as a CUDA programmer would write it: "f(float const*, CUstream_st*)" becomes
/// "f(const float*, cudaStream_t)".
std::string readable(std::string_view demangled);

}  // namespace lockstep::course

/// Signature of a function with C++ linkage declared in an exercise's header. The function need not be
/// defined.
#define LOCKSTEP_SIGNATURE(function) \
  ::lockstep::course::signature_of(#function, static_cast<decltype(&function)>(nullptr))
