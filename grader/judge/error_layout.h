// Where the wrong elements of an output lie, when they lie in a pattern that a launch or an index can cause.
#pragma once

#include <cstddef>
#include <span>

namespace lockstep::judge {

struct ErrorLayout {
  enum class Kind {
    scattered,      ///< no pattern
    everywhere,     ///< (nearly) all elements
    from,           ///< (nearly) all from `first` on
    after_block,    ///< likewise, and `first` is a multiple of a warp
    partial_block,  ///< likewise, and what follows `first` is a last block that is only partly filled
    stride,         ///< exactly every `step`th from `first` on
  };
  Kind kind = Kind::scattered;
  std::size_t first = 0;
  std::size_t step = 1;
};

/// `wrong` holds the indices of the wrong elements in ascending order, at least one, all below `n`.
ErrorLayout layout_of(std::span<const std::size_t> wrong, std::size_t n);

}  // namespace lockstep::judge
