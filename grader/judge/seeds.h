// Seeds of a judgement's parts, derived from one: the same seed gives the same inputs, and from a part's seed
// neither the whole's nor another part's can be computed.
//
// A submission learns some of what is made of them: the order of blocks shows the device's number. Seeds have
// 256 bits, so that nobody tries them all; parts are derived by HMAC-SHA-256 with a label.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lockstep::judge {

using Seed = std::array<std::uint8_t, 32>;

/// The seed that a number of one's own choice stands for.
Seed seed_of(std::uint64_t number);
/// Drawn by the system. Throws std::runtime_error where it has no random bytes.
Seed random_seed();

/// As `grade --seed` takes it: the number it stands for, or 64 hexadecimal digits.
std::string seed_text(const Seed& seed);
/// Nothing where the text is neither.
std::optional<Seed> parse_seed(std::string_view text);

/// HMAC-SHA-256 of `text` under a key of any length, which the other functions here derive seeds by.
Seed keyed_hash(std::string_view key, std::string_view text);
/// The seed of the part of `seed` that `label` names, such as "inputs".
Seed derived_seed(const Seed& seed, std::string_view label);
/// A number in its place where no more is needed: what is made of it is no input, or nobody's but the
/// judge's.
std::uint64_t derived_number(const Seed& seed, std::string_view label);

/// The seed of one submission to one exercise among those of a class: who does not know `secret` computes it
/// neither from the submission's text, of which `digest` is that, nor from another's seed.
Seed seed_of_submission(std::string_view secret, std::string_view exercise, std::string_view digest);
/// What may be shown of a seed that must not be: 16 hexadecimal digits, by which it is known again.
std::string digest_of(const Seed& seed);

}  // namespace lockstep::judge
