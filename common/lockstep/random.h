// Random numbers for inputs: the same seed gives the same values on every machine.
//
// What the judge hands to a submission comes from judge::KeyedRandom, whose values do not reveal what follows
// them. Those of SplitMix64 do: it is for tests, measurements and programs of one's own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace lockstep {

/// Draws numbers from the words that a source makes, many at a time.
class Random {
 public:
  Random(const Random&) = delete;
  Random& operator=(const Random&) = delete;
  virtual ~Random() = default;

  /// 32 random bits.
  std::uint32_t word() {
    if (next_ == kWordsAtOnce) {
      refill(words_);
      ++refills_;
      next_ = 0;
    }
    return words_[next_++];
  }

  /// How many have been drawn so far, by whatever function.
  std::uint64_t words_drawn() const { return refills_ * kWordsAtOnce - (kWordsAtOnce - next_); }

  /// The same as word(), many at a time.
  void words(std::span<std::uint32_t> to) {
    const std::size_t left = std::min(to.size(), kWordsAtOnce - next_);
    std::copy_n(words_.begin() + static_cast<std::ptrdiff_t>(next_), left, to.begin());
    next_ += left;
    for (to = to.subspan(left); to.size() >= kWordsAtOnce; to = to.subspan(kWordsAtOnce)) {
      refill(to.first<kWordsAtOnce>());
      ++refills_;
    }
    for (std::uint32_t& one : to) one = word();
  }

  /// 64 random bits.
  std::uint64_t bits() {
    const std::uint64_t low = word();
    return std::uint64_t{word()} << 32 | low;
  }

  /// Uniform in [0, 1) with 24 random bits, exact in float.
  float uniform() { return static_cast<float>(word() >> 8) * 0x1p-24F; }

  /// Uniform in [low, high], both included.
  std::int32_t integer(std::int32_t low, std::int32_t high) {
    const auto range = static_cast<std::uint64_t>(static_cast<std::int64_t>(high) - low + 1);
    return static_cast<std::int32_t>(low + static_cast<std::int64_t>(word() * range >> 32));
  }

  std::vector<float> floats(std::size_t n, float low = -1.0F, float high = 1.0F) {
    std::vector<float> values(n);
    for (float& value : values) value = low + (high - low) * uniform();
    return values;
  }

  std::vector<std::int32_t> integers(std::size_t n, std::int32_t low, std::int32_t high) {
    std::vector<std::int32_t> values(n);
    for (std::int32_t& value : values) value = integer(low, high);
    return values;
  }

 protected:
  static constexpr std::size_t kWordsAtOnce = 1024;
  using Words = std::span<std::uint32_t, kWordsAtOnce>;

  Random() = default;

 private:
  virtual void refill(Words words) = 0;

  std::array<std::uint32_t, kWordsAtOnce> words_;
  std::size_t next_ = kWordsAtOnce;
  std::uint64_t refills_ = 0;
};

template <class T>
void shuffle(std::vector<T>& values, Random& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.bits() % i]);
}

/// 64 random bits per step from a 64-bit state, which 16 bytes of output reveal. Source: Steele, Lea and
/// Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
class SplitMix64 final : public Random {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

 private:
  void refill(Words words) override {
    for (std::size_t i = 0; i < words.size(); i += 2) {
      std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
      z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
      z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
      z ^= z >> 31;
      words[i] = static_cast<std::uint32_t>(z);
      words[i + 1] = static_cast<std::uint32_t>(z >> 32);
    }
  }

  std::uint64_t state_;
};

}  // namespace lockstep
