// Seeds of a judgement's parts, derived from one: the same seed gives the same inputs, and from a part's seed
// neither the whole's nor another part's can be computed.
//
// A submission learns some of them: the order of blocks shows the device's, an input its own call's. So they
// are derived by SHA-256 with a label; a generator's step can be undone.
#pragma once

#include <cstdint>
#include <string_view>

namespace lockstep::judge {

/// The seed of the part of `seed` that `label` names, such as "device".
std::uint64_t derived_seed(std::uint64_t seed, std::string_view label);

}  // namespace lockstep::judge
