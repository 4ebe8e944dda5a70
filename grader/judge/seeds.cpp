#include "judge/seeds.h"

#include "lockstep/random.h"

namespace lockstep::judge {

std::uint64_t mixed(std::uint64_t seed, std::uint64_t word) {
  // One step of the generator spreads every bit of the seed before the word comes in, another one after it.
  return Random(Random(seed).bits() ^ word).bits();
}

std::uint64_t mixed(std::uint64_t seed, std::string_view name) {
  for (const char c : name) seed = mixed(seed, static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  return mixed(seed, name.size());
}

}  // namespace lockstep::judge
