// The procedures of the exercise "resampling", one after the other on the host: what its judge is held
// against, and what the tables of quality are made from. Written from the task, apart from the judge's own.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <vector>

#include "../../exercises/21-resampling/resampling.h"
#include "lockstep/random.h"

namespace lockstep::test {

struct Procedure {
  enum class Kind : std::uint8_t { metropolis, c1, c2, megopolis, systematic };
  std::string name;
  Kind kind = Kind::metropolis;
  unsigned segment = 0;  ///< weights; of C1 and C2
};

inline std::vector<Procedure> procedures() {
  using Kind = Procedure::Kind;
  return {{"Metropolis", Kind::metropolis}, {"C1-128", Kind::c1, 32},   {"C2-128", Kind::c2, 32},
          {"C1-2048", Kind::c1, 512},       {"C2-2048", Kind::c2, 512}, {"Megopolis", Kind::megopolis},
          {"systematic", Kind::systematic}};
}

/// Places of the weight proposed at one step by one particle, and the word that decides; n: nobody.
struct Proposed {
  unsigned particle, word;
};

inline Proposed proposed_by(const Procedure& procedure, unsigned n, std::uint64_t seed, unsigned i,
                            unsigned step) {
  using Kind = Procedure::Kind;
  const auto word = [&](Use use, unsigned index, unsigned at) {
    return random_words(seed, use, index, at / 4).word[at % 4];
  };
  if (procedure.kind == Kind::metropolis) {
    const Words both = random_words(seed, Use::chain, i, step / 2);
    return step % 2 == 0 ? Proposed{index_of(both.word[0], n), both.word[1]}
                         : Proposed{index_of(both.word[2], n), both.word[3]};
  }
  const unsigned own = word(Use::within, i, step);
  if (procedure.kind == Kind::megopolis) {
    const unsigned padded = (n + 31) / 32 * 32, shift = index_of(word(Use::shift, 0, step), padded);
    return {std::min((i / 32 + shift / 32) * 32 % padded + (i + shift) % 32, n), own};
  }
  const unsigned at = procedure.kind == Kind::c2 ? step : 0;
  const unsigned segment = index_of(word(Use::segment, i / 32, at), n) / procedure.segment;
  const unsigned first = segment * procedure.segment;
  return {first + place_of(own, std::min(procedure.segment, n - first)), own};
}

inline std::vector<int> systematic_ancestors(const std::vector<float>& weights, std::uint64_t seed) {
  const auto n = static_cast<std::uint64_t>(weights.size());
  std::vector<std::uint64_t> up_to;
  std::uint64_t sum = 0;
  // The largest of n weights comes to less than 2^(62 - log2 n), rounded down, and to no less than the half.
  int exponent = 0, bits = 0;
  if (n != 0) std::frexp(*std::max_element(weights.begin(), weights.end()), &exponent);
  while (n >> (bits + 1) != 0) ++bits;
  for (const float weight : weights)
    up_to.push_back(sum += static_cast<std::uint64_t>(
                        std::floor(std::ldexp(static_cast<long double>(weight), 62 - bits - exponent))));
  std::vector<int> ancestors;
  const std::uint64_t spacing = n == 0 ? 0 : sum / n;
  const Words words = random_words(seed, Use::points, 0, 0);
  // The upper half of a product of 64 bits by 64, from halves.
  const std::uint64_t low = words.word[1] * (spacing & 0xffffffff);
  const std::uint64_t high = words.word[0] * (spacing & 0xffffffff),
                      crossed = words.word[1] * (spacing >> 32);
  const std::uint64_t middle = (low >> 32) + (high & 0xffffffff) + (crossed & 0xffffffff);
  const std::uint64_t offset =
      words.word[0] * (spacing >> 32) + (high >> 32) + (crossed >> 32) + (middle >> 32);
  for (std::uint64_t k = 0; k < n; ++k) {
    const auto found = std::upper_bound(up_to.begin(), up_to.end(), offset + k * spacing);
    ancestors.push_back(spacing == 0 ? static_cast<int>(k) : static_cast<int>(found - up_to.begin()));
  }
  return ancestors;
}

inline std::vector<int> ancestors_by(const Procedure& procedure, const std::vector<float>& weights, int steps,
                                     std::uint64_t seed) {
  if (procedure.kind == Procedure::Kind::systematic) return systematic_ancestors(weights, seed);
  const auto n = static_cast<unsigned>(weights.size());
  std::vector<int> ancestors(n);
  for (unsigned i = 0; i < n; ++i) {
    unsigned at = i;
    for (unsigned step = 0; step < static_cast<unsigned>(steps); ++step) {
      const Proposed next = proposed_by(procedure, n, seed, i, step);
      if (next.particle < n && !(uniform_of(next.word) * weights[at] > weights[next.particle]))
        at = next.particle;
    }
    ancestors[i] = static_cast<int>(at);
  }
  return ancestors;
}

inline double normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - static_cast<double>(random.uniform())));
  return radius * std::cos(2 * std::numbers::pi * static_cast<double>(random.uniform()));
}

/// φ(x - y) of n normal particles x.
inline std::vector<float> likelihoods(std::size_t n, double y, Random& random) {
  std::vector<float> weights;
  for (std::size_t i = 0; i < n; ++i) {
    const double distance = normal(random) - y;
    weights.push_back(
        static_cast<float>(std::exp(-distance * distance / 2) / std::sqrt(2 * std::numbers::pi)));
  }
  return weights;
}

/// ln 0.01 / ln(1 - E[w] / max w), for the weights above.
inline int published_steps(double y) {
  return static_cast<int>(
      std::ceil(std::log(0.01) / std::log1p(-std::exp(-y * y / 4) / std::numbers::sqrt2)));
}

}  // namespace lockstep::test
