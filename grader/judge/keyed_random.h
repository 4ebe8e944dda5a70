// The judge's source of inputs: AES-256 in counter mode, keyed by a seed that no submission knows.
//
// A submission sees gigabytes of what comes from it, and can compute neither the key nor one further value.
// Bound: AES of the processor, as fast as a simple generator on any of this century's second decade.
#pragma once

#include <memory>

#include "judge/seeds.h"
#include "lockstep/random.h"

struct evp_cipher_ctx_st;

namespace lockstep::judge {

class KeyedRandom final : public Random {
 public:
  /// Throws std::runtime_error where libcrypto has no AES.
  explicit KeyedRandom(const Seed& key);

 private:
  void refill(Words words) override;

  std::unique_ptr<evp_cipher_ctx_st, void (*)(evp_cipher_ctx_st*)> context_;
};

}  // namespace lockstep::judge
