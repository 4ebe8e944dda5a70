#include "build/content_hash.h"

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>

namespace lockstep::build {

struct ContentHash::Context {
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> digest{EVP_MD_CTX_new(), EVP_MD_CTX_free};
};

ContentHash::ContentHash() : context_(std::make_unique<Context>()) {
  if (!context_->digest || EVP_DigestInit_ex(context_->digest.get(), EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("EVP_DigestInit_ex: SHA-256 is not available");
  }
}

ContentHash::~ContentHash() = default;

void ContentHash::add(const std::string& part) {
  const std::uint64_t size = part.size();
  if (EVP_DigestUpdate(context_->digest.get(), &size, sizeof size) != 1 ||
      EVP_DigestUpdate(context_->digest.get(), part.data(), part.size()) != 1) {
    throw std::runtime_error("EVP_DigestUpdate failed");
  }
}

std::string ContentHash::digest() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned size = 0;
  if (EVP_DigestFinal_ex(context_->digest.get(), bytes.data(), &size) != 1) {
    throw std::runtime_error("EVP_DigestFinal_ex failed");
  }
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    constexpr const char* kDigits = "0123456789abcdef";
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

}  // namespace lockstep::build
