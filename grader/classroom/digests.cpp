#include "classroom/digests.h"

#include <fmt/ranges.h>
#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <stdexcept>

#include "judge/seeds.h"

namespace lockstep::classroom {
namespace {

using Digest = std::array<std::uint8_t, 32>;

std::string hexadecimal(const Digest& digest) { return fmt::format("{:02x}", fmt::join(digest, "")); }

}  // namespace

std::string sha256_of(std::string_view text) {
  Digest digest{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("EVP_Digest: SHA-256 is not available");
  return hexadecimal(digest);
}

std::string new_class_secret() {
  const judge::Seed seed = judge::random_seed();
  return {seed.begin(), seed.end()};
}

std::string grading_secret(std::string_view class_secret, std::string_view student,
                           std::string_view exercise) {
  // Neither a student's id, the name of a file, nor an exercise's name holds a slash.
  const std::string label = fmt::format("lockstep class {}/{}", exercise, student);
  return hexadecimal(judge::keyed_hash(class_secret, label));
}

}  // namespace lockstep::classroom
