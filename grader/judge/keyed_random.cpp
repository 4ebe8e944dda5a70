#include "judge/keyed_random.h"

#include <openssl/evp.h>

#include <array>
#include <bit>
#include <stdexcept>

namespace lockstep::judge {

static_assert(std::endian::native == std::endian::little,
              "words are the bytes of the stream, low ones first");

KeyedRandom::KeyedRandom(const Seed& key) : context_(EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free) {
  // A key has one stream, which begins at block 0.
  constexpr std::array<unsigned char, 16> kFirstBlock{};
  if (!context_ ||
      EVP_EncryptInit_ex(context_.get(), EVP_aes_256_ctr(), nullptr, key.data(), kFirstBlock.data()) != 1) {
    throw std::runtime_error("EVP_EncryptInit_ex: AES-256 in counter mode is not available");
  }
}

void KeyedRandom::refill(Words words) {
  static constexpr std::array<unsigned char, Words::extent * sizeof(std::uint32_t)> kZeros{};
  auto* const bytes = reinterpret_cast<unsigned char*>(words.data());
  int written = 0;
  if (EVP_EncryptUpdate(context_.get(), bytes, &written, kZeros.data(), static_cast<int>(kZeros.size())) != 1)
    throw std::runtime_error("EVP_EncryptUpdate failed");
}

}  // namespace lockstep::judge
