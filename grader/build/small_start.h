// What a compilation of CUDA begins with where it needs nothing of <utility>: gcc.sh has it read before
// cuda_runtime.h, which includes <utility> for std::forward alone. With <type_traits>, <compare> and
// <concepts> that is a third of what nvcc's front ends read.
#define _GLIBCXX_UTILITY 1
#include <initializer_list>

namespace std {

template <class T>
struct lockstep_no_reference {
  typedef T type;
};
template <class T>
struct lockstep_no_reference<T&> {
  typedef T type;
};
template <class T>
struct lockstep_no_reference<T&&> {
  typedef T type;
};

template <class T>
constexpr T&& forward(typename lockstep_no_reference<T>::type& value) noexcept {
  return static_cast<T&&>(value);
}

}  // namespace std
