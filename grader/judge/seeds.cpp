#include "judge/seeds.h"

#include <fmt/ranges.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <system_error>

namespace lockstep::judge {
namespace {

/// The number in the last bytes, if all bytes before them are 0.
std::optional<std::uint64_t> number_of(const Seed& seed) {
  const auto first = seed.end() - sizeof(std::uint64_t);
  if (std::any_of(seed.begin(), first, [](std::uint8_t byte) { return byte != 0; })) return std::nullopt;
  std::uint64_t number = 0;
  for (auto byte = first; byte != seed.end(); ++byte) number = number << 8 | *byte;
  return number;
}

}  // namespace

Seed keyed_hash(std::string_view key, std::string_view text) {
  Seed hash{};
  unsigned size = hash.size();
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), hash.data(), &size) == nullptr ||
      size != hash.size())
    throw std::runtime_error("HMAC: SHA-256 is not available");
  return hash;
}

Seed seed_of(std::uint64_t number) {
  Seed seed{};
  for (auto byte = seed.rbegin(); number != 0; ++byte, number >>= 8)
    *byte = static_cast<std::uint8_t>(number);
  return seed;
}

Seed random_seed() {
  Seed seed{};
  // Asked for no more than 256 bytes, it gives all of them and is not interrupted.
  if (getrandom(seed.data(), seed.size(), 0) != static_cast<ssize_t>(seed.size()))
    throw std::system_error(errno, std::generic_category(), "getrandom");
  return seed;
}

std::string seed_text(const Seed& seed) {
  if (const auto number = number_of(seed)) return fmt::to_string(*number);
  return fmt::format("{:02x}", fmt::join(seed, ""));
}

std::optional<Seed> parse_seed(std::string_view text) {
  const auto fills = [](std::from_chars_result result, const char* end) {
    return result.ec == std::errc() && result.ptr == end;
  };
  Seed seed{};
  if (text.size() == 2 * seed.size()) {
    for (std::size_t i = 0; i < seed.size(); ++i) {
      const char* const digits = text.data() + 2 * i;
      if (!fills(std::from_chars(digits, digits + 2, seed[i], 16), digits + 2)) return std::nullopt;
    }
    return seed;
  }
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  if (!fills(std::from_chars(text.data(), end, number), end)) return std::nullopt;
  return seed_of(number);
}

Seed derived_seed(const Seed& seed, std::string_view label) {
  return keyed_hash({reinterpret_cast<const char*>(seed.data()), seed.size()}, label);
}

std::uint64_t derived_number(const Seed& seed, std::string_view label) {
  const Seed derived = derived_seed(seed, label);
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) number = number << 8 | derived[i];
  return number;
}

Seed seed_of_submission(std::string_view secret, std::string_view exercise, std::string_view digest) {
  return keyed_hash(secret, fmt::format("lockstep submission {} {}", exercise, digest));
}

std::string digest_of(const Seed& seed) {
  constexpr std::size_t kDigits = 16;
  return seed_text(derived_seed(seed, "lockstep digest")).substr(0, kDigits);
}

}  // namespace lockstep::judge
