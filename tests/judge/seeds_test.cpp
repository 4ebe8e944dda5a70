// Secret inputs differ with every call, a seed gives the same on every machine, and what a submission can
// learn of one part reveals nothing of another.
#include "judge/seeds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "judge/keyed_random.h"

namespace lockstep::judge {
namespace {

TEST(Seeds, EveryPartMatters) {
  std::set<Seed> seeds;
  for (const std::uint64_t seed : {0, 1, 2}) {
    for (const char* name : {"", "a", "b", "ab", "ba"}) {
      for (const char* call : {"call 0", "call 1"})
        seeds.insert(derived_seed(derived_seed(seed_of(seed), name), call));
    }
  }
  EXPECT_EQ(seeds.size(), 30U);
}

// HMAC-SHA-256 of "device" under a key of 32 zeros, by another program.
TEST(Seeds, AreTheSameOnEveryMachine) {
  EXPECT_EQ(seed_text(derived_seed(seed_of(0), "device")),
            "7d75aa8f5a6bdabec6a6bdc014d219eff848b959b8181d646335369651174d63");
  EXPECT_EQ(derived_number(seed_of(0), "device"), 0x7D75AA8F5A6BDABEU);
}

TEST(Seeds, AreReadAsTheyAreTold) {
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{42}, ~std::uint64_t{0}}) {
    EXPECT_EQ(seed_text(seed_of(number)), std::to_string(number));
    EXPECT_EQ(parse_seed(std::to_string(number)), seed_of(number));
  }
  const Seed drawn = derived_seed(seed_of(1), "any");
  EXPECT_EQ(seed_text(drawn).size(), 64U);
  EXPECT_EQ(parse_seed(seed_text(drawn)), drawn);
  for (const char* text : {"", "-1", "1 ", " 1", "0x1", "18446744073709551616", "1.5", "seed"})
    EXPECT_EQ(parse_seed(text), std::nullopt) << text;
  EXPECT_EQ(parse_seed(seed_text(drawn).substr(1)), std::nullopt);
  EXPECT_EQ(parse_seed(seed_text(drawn).substr(1) + 'g'), std::nullopt);
}

TEST(Seeds, AreDrawnWithAllTheirBits) {
  Seed ones{}, zeros{};
  for (int i = 0; i < 64; ++i) {
    const Seed drawn = random_seed();
    for (std::size_t byte = 0; byte < drawn.size(); ++byte) {
      ones[byte] |= drawn[byte];
      zeros[byte] |= static_cast<std::uint8_t>(~drawn[byte]);
    }
  }
  EXPECT_THAT(ones, testing::Each(0xFF));
  EXPECT_THAT(zeros, testing::Each(0xFF));
}

TEST(Seeds, ASubmissionsOwnTellsNothingOfAnothers) {
  const std::string secret = "a secret of a class";
  const Seed own = seed_of_submission(secret, "transpose", "12ab");
  EXPECT_EQ(own, seed_of_submission(secret, "transpose", "12ab"));
  EXPECT_NE(own, seed_of_submission(secret, "scan", "12ab"));
  EXPECT_NE(own, seed_of_submission(secret, "transpose", "12ac"));
  EXPECT_NE(own, seed_of_submission("another secret of it", "transpose", "12ab"));
  EXPECT_EQ(digest_of(own).size(), 16U);
  EXPECT_EQ(seed_text(own).find(digest_of(own)), std::string::npos);
  EXPECT_NE(digest_of(own), digest_of(seed_of_submission(secret, "scan", "12ab")));
}

std::string first_bytes(const Seed& key) {
  KeyedRandom random(key);
  std::string text;
  for (int i = 0; i < 4; ++i) {
    for (std::uint64_t word = random.bits(), byte = 0; byte < 8; ++byte, word >>= 8) {
      constexpr const char* kDigits = "0123456789abcdef";
      text += kDigits[word >> 4 & 15];
      text += kDigits[word & 15];
    }
  }
  return text;
}

// AES-256 of blocks 0 and 1. Source: NIST, AESAVS, appendix B (GFSbox, VarTxt) for a key of zeros and a block
// of zeros; the second by another program.
TEST(KeyedRandom, IsAesInCounterMode) {
  EXPECT_EQ(first_bytes(Seed{}), "dc95c078a2408989ad48a21492842087530f8afbc74536b9a963b4f1c4cb738b");
}

TEST(KeyedRandom, GoesOnBeyondWhatItMakesAtOnce) {
  KeyedRandom random(seed_of(1));
  std::set<std::uint64_t> seen;
  constexpr std::size_t kDraws = 10'000;
  for (std::size_t i = 0; i < kDraws; ++i) seen.insert(random.bits());
  EXPECT_EQ(seen.size(), kDraws);
}

/// The state after a step of SplitMix64 that gave `bits`: every step can be undone.
std::uint64_t state_that_gave(std::uint64_t bits) {
  const auto unshifted = [](std::uint64_t z, int shift) {
    std::uint64_t value = z;
    for (int known = shift; known < 64; known += shift) value = z ^ (value >> shift);
    return value;
  };
  const auto inverse = [](std::uint64_t odd) {
    std::uint64_t value = 1;
    for (int i = 0; i < 6; ++i) value *= 2 - odd * value;
    return value;
  };
  std::uint64_t z = unshifted(bits, 31) * inverse(0x94D049BB133111EB);
  z = unshifted(z, 27) * inverse(0xBF58476D1CE4E5B9);
  return unshifted(z, 30);
}

/// Whether a number reveals the one that follows it, to who takes the source for SplitMix64.
bool tells_the_next(Random& random) {
  const std::uint64_t first = random.bits();
  return SplitMix64(state_that_gave(first)).bits() == random.bits();
}

TEST(KeyedRandom, TellsNothingOfWhatFollows) {
  SplitMix64 simple(42);
  KeyedRandom keyed(seed_of(42));
  ASSERT_TRUE(tells_the_next(simple)) << "the attack works where it should";
  EXPECT_FALSE(tells_the_next(keyed));
}

}  // namespace
}  // namespace lockstep::judge
