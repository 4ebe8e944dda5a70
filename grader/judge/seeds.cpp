#include "judge/seeds.h"

#include <string>

#include "build/content_hash.h"

namespace lockstep::judge {

std::uint64_t derived_seed(std::uint64_t seed, std::string_view label) {
  build::ContentHash hash;
  hash.add("lockstep seed");
  hash.add(std::to_string(seed));
  hash.add(std::string(label));
  constexpr std::size_t kDigits = 16;  // of base 16: 64 bits
  return std::stoull(hash.digest().substr(0, kDigits), nullptr, 16);
}

}  // namespace lockstep::judge
