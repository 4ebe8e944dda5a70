// divide_up(a, b): how many pieces of size b cover a, such as the blocks of a grid.
#pragma once

namespace lockstep {

/// ⌈a / b⌉ for a ≥ 0 and b > 0; does not overflow near the largest int, as (a + b - 1) / b does.
constexpr int divide_up(int a, int b) { return a / b + (a % b != 0 ? 1 : 0); }

}  // namespace lockstep
