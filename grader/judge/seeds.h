// Seeds of a judgement's parts, mixed from one: the same seed gives the same inputs, and no part's tells
// another's.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::judge {

/// Mixes a word, or a name, into a seed.
std::uint64_t mixed(std::uint64_t seed, std::uint64_t word);
std::uint64_t mixed(std::uint64_t seed, std::string_view name);

}  // namespace lockstep::judge
