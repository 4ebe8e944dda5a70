// What the judge knows of "histogram": ranges that start and end anywhere, samples at the edges, and three
// gates.
//
// The counters below are worked out for the rungs of solutions/08-histogram, on the three measured cases, of
// which each gate takes the worst. Units: bytes of global memory in whole sectors, over the samples and the
// counts, each moved once; and wavefronts beyond the fewest possible, for every 32 samples.
//
//   global_atomics  words after Zipf: a request reads 4 sectors and updates some 19, so 23 / 4 = 5.8; the two
//                   values lie in one or two sectors, 1.2 to 3
//   the others      a block adds each of its counts once, and has at least 2^15 samples: 31 blocks of 1024
//                   counts add 0.06, the two values nothing
//   block_private   wavefronts. Lanes with one value are counted in one pass, values of one bank are not:
//                   words after Zipf take 2.78 passes per request, 1.78 beyond the fewest; two values at most
//                   1
//   wide_loads      the same: only loads differ
//   warp_private    the same, since the lanes that meet are of one warp
//   reduced_copies  the same wavefronts; 31 blocks store 4096 counts each, which are loaded again: 0.25 more
//                   bytes
//   sorted_warps    the same: lanes with one value no longer meet, and never cost a pass; others do
//   lane_private    0 with 32 columns. 4096 bins leave room for 8: two values take 1 when their rows share
//                   banks, else 0
//
// An H200 counts the same wavefronts (measurements/nvidia-h200/counters.json). The limit of 1.5 lies between
// what columns may take, whatever the samples, and what one counter a bin takes of words after Zipf.
//
// Work of the largest case: a million samples are 31 251 warps of 32, at 10 to 20 instructions each less than
// a million warp-instructions per call.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "course/numbers.h"
#include "course/problem.h"
#include "histogram.h"

namespace lockstep::histogram_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Samples = std::vector<std::uint32_t>;
using Counts = std::vector<unsigned long long>;

/// What a case asks for. `after` samples follow those to count: none where reading on shall be noticed.
struct Range {
  int sample_bytes = 1;
  int bins = 256;
  std::size_t first = 0, n = 0, after = 0;
};

std::uint32_t largest_sample(const Range& range) { return range.sample_bytes == 1 ? 0xFF : 0xFFFF'FFFF; }

Counts counts_of(std::span<const std::uint32_t> samples, int bins) {
  Counts counts(static_cast<std::size_t>(bins));
  for (const std::uint32_t sample : samples) {
    if (sample < counts.size()) ++counts[sample];
  }
  return counts;
}

// --- samples ---

Samples uniform(const Range& range, std::size_t n, Random& random) {
  Samples samples(n);
  for (auto& sample : samples) sample = static_cast<std::uint32_t>(random.integer(0, range.bins - 1));
  return samples;
}

/// No two are equal, so n is at most bins.
Samples all_different(const Range& range, std::size_t n, Random& random) {
  Samples values(static_cast<std::size_t>(range.bins));
  std::iota(values.begin(), values.end(), 0);
  for (std::size_t i = 0; i < n; ++i) std::swap(values[i], values[i + random.bits() % (values.size() - i)]);
  values.resize(n);
  return values;
}

/// One in four has no bin; half of these lie just beyond the last.
Samples with_strays(const Range& range, std::size_t n, Random& random) {
  const auto bins = static_cast<std::uint32_t>(range.bins);
  Samples samples = uniform(range, n, random);
  for (auto& sample : samples) {
    if (random.integer(0, 3) != 0) continue;
    const bool just_beyond = random.integer(0, 1) == 0;
    sample =
        bins +
        (just_beyond ? 0 : static_cast<std::uint32_t>(random.bits() % (largest_sample(range) - bins + 1)));
  }
  return samples;
}

Samples all_equal(const Range& range, std::size_t n, Random& random) {
  return Samples(n, static_cast<std::uint32_t>(random.integer(0, range.bins - 1)));
}

Samples two_values(const Range& range, std::size_t n, Random& random) {
  const std::array<std::uint32_t, 2> values = {
      static_cast<std::uint32_t>(random.integer(0, range.bins / 2 - 1)),
      static_cast<std::uint32_t>(random.integer(range.bins / 2, range.bins - 1))};
  Samples samples(n);
  for (auto& sample : samples) sample = values[random.bits() >> 63];
  return samples;
}

/// Value v comes in proportion to 1 / (v + 1), as words do in a text. Source: Zipf's law.
Samples zipf(const Range& range, std::size_t n, Random& random) {
  std::vector<double> up_to(static_cast<std::size_t>(range.bins));
  double sum = 0;
  for (std::size_t value = 0; value < up_to.size(); ++value) {
    sum += 1 / static_cast<double>(value + 1);
    up_to[value] = sum;
  }
  Samples samples(n);
  for (auto& sample : samples) {
    // The product stays below the last sum, as uniform() does below 1.
    const auto found =
        std::upper_bound(up_to.begin(), up_to.end(), static_cast<double>(random.uniform()) * sum);
    sample = static_cast<std::uint32_t>(found - up_to.begin());
  }
  return samples;
}

Samples sorted(const Range& range, std::size_t n, Random& random) {
  Samples samples = uniform(range, n, random);
  const Counts counts = counts_of(samples, range.bins);
  auto end = samples.begin();
  for (std::size_t value = 0; value < counts.size(); ++value)
    end = std::fill_n(end, counts[value], static_cast<std::uint32_t>(value));
  return samples;
}

// --- calls ---

std::vector<KnownMistake> known_mistakes(const Samples& all, const Range& range, const Counts& expected) {
  const std::span<const std::uint32_t> array(all), chosen = array.subspan(range.first, range.n);
  const auto per_vector = static_cast<std::size_t>(16 / range.sample_bytes);
  Counts clamped = expected, doubled = expected, low_bytes(expected.size());
  for (const std::uint32_t sample : chosen) {
    if (sample >= clamped.size()) ++clamped.back();
    if (sample % 256 < low_bytes.size()) ++low_bytes[sample % 256];
  }
  for (auto& count : doubled) count *= 2;
  Mistakes mistakes(expected);
  mistakes.add("all counts are 0: nothing has been counted", Counts(expected.size()),
               "Add what the blocks have counted to `counts`.");
  mistakes.add("the samples counted are the first n of the array: `first` says where to begin",
               counts_of(array.first(range.n), range.bins),
               "Let sample i be samples[first + i], whatever the size of a sample: `first` counts samples.");
  mistakes.add("all samples from `first` on were counted, not n of them",
               counts_of(array.subspan(range.first), range.bins), "Let the samples end at first + n.");
  mistakes.add("the last samples are missing, those after the last whole 16 bytes",
               counts_of(chosen.first(range.n - range.n % per_vector), range.bins),
               "Count the samples behind the last whole vector one by one.");
  mistakes.add("samples beyond the last bin were counted into the last bin; they have none", clamped,
               "Count a sample only where it is less than `bins`.");
  mistakes.add("only the lowest byte of each sample was looked at", low_bytes,
               "Read the samples as unsigned int where sample_bytes is 4.");
  mistakes.add("every count is twice what it should be: each sample was counted two times", doubled,
               "Look for two loops that go over the same samples, or cells that are added twice.");
  return mistakes.known();
}

/// Whether samples were missed or counted again.
Remark remark_on_sum(std::span<const std::byte> right_bytes, std::span<const std::byte> found_bytes) {
  const Counts expected = numbers_of<Counts::value_type>(right_bytes),
               found = numbers_of<Counts::value_type>(found_bytes);
  const auto right = std::accumulate(expected.begin(), expected.end(), 0ULL);
  const auto counted = std::accumulate(found.begin(), found.end(), 0ULL);
  const auto largest = *std::max_element(found.begin(), found.end());
  if (largest >> 40 != 0) return {};  // what is no count
  if (counted > right) {
    return {fmt::format("all counts add up to {}, and only {} samples have a bin: some were counted more "
                        "than once. Does each sample belong to one thread of one block?",
                        counted, right),
            "Let each thread begin at its own number in the grid, blockIdx.x * blockDim.x + threadIdx.x, and "
            "step by the number of all threads, gridDim.x * blockDim.x; vectors, where you read them, "
            "likewise."};
  }
  if (counted < right) {
    return {fmt::format("all counts add up to {}, and {} samples have a bin: some were not counted", counted,
                        right),
            "Let each sample belong to a thread, also those at the ends that fill no vector, and let each "
            "block add all of its cells to the result."};
  }
  return {};
}

Output counts_output(const Counts& expected, std::function<std::vector<KnownMistake>()> mistakes) {
  Output counts;
  counts.type = ElementType::u64;
  counts.expected = bytes_of(expected);
  counts.position = [](std::size_t bin) { return "bin " + std::to_string(bin); };
  counts.known_mistakes = std::move(mistakes);
  counts.remark = remark_on_sum;
  return counts;
}

/// All arguments after the samples.
Call with_counts(Call call, const Range& range, Output counts) {
  call.scalar("sample_bytes", range.sample_bytes).scalar("first", range.first).scalar("n", range.n);
  call.output("counts", std::move(counts)).scalar("bins", range.bins).stream();
  return call;
}

Call make_call(const Range& range, Samples made) {
  const auto shared = std::make_shared<const Samples>(std::move(made));  // known mistakes need them too
  const Samples& all = *shared;
  const Counts expected = counts_of(std::span(all).subspan(range.first, range.n), range.bins);
  Call call;
  if (range.sample_bytes == 1) {
    call.input("samples", std::vector<unsigned char>(all.begin(), all.end()));
  } else {
    call.input("samples", all);
  }
  return with_counts(std::move(call), range, counts_output(expected, [shared, range, expected] {
                       return known_mistakes(*shared, range, expected);
                     }));
}

void draw_uniform_bytes(std::span<std::byte> bytes, Random& random) {
  std::array<std::uint32_t, 1024> words;
  while (!bytes.empty()) {
    const std::size_t n = std::min(bytes.size(), sizeof words);
    random.words(std::span(words).first((n + sizeof words[0] - 1) / sizeof words[0]));
    std::memcpy(bytes.data(), words.data(), n);
    bytes = bytes.subspan(n);
  }
}

/// Uniform bytes, in a tenth of the memory that `uniform` and make_call() take for them: a measurement of
/// speed makes many such calls at once. No mistake is known of them.
Call make_byte_call(const Range& range, Random& random) {
  Bytes all(range.n);
  draw_uniform_bytes(all, random);
  Counts counts(256);
  for (const std::byte one : all) ++counts[std::to_integer<std::size_t>(one)];
  Call call;
  call.input("samples", std::move(all));
  return with_counts(std::move(call), range, counts_output(counts, {}));
}

/// Bytes that nearly repeat after a prime number of uniform ones, so that 2^31 of them are made in a second.
/// The range begins within the first of these and ends with the array.
Call make_long_call(const Range& range, Random& random) {
  constexpr std::size_t kPeriod = 1'000'003, kMaxInt = (std::size_t{1} << 31) - 1;
  Samples period = uniform(range, kPeriod, random);
  Bytes all(range.first + range.n);
  std::transform(period.begin(), period.end(), all.begin(),
                 [](std::uint32_t sample) { return static_cast<std::byte>(sample); });
  for (std::size_t made = kPeriod; made < all.size();) {
    const auto more = static_cast<std::ptrdiff_t>(std::min(made, all.size() - made));
    std::copy_n(all.begin(), more, all.begin() + static_cast<std::ptrdiff_t>(made));
    made += static_cast<std::size_t>(more);
  }
  std::rotate(period.begin(), period.begin() + static_cast<std::ptrdiff_t>(range.first), period.end());
  const Counts of_a_period = counts_of(period, range.bins);
  const auto counts_of_first = [&](std::size_t n) {
    Counts counts = counts_of(std::span(period).first(n % kPeriod), range.bins);
    for (std::size_t bin = 0; bin < counts.size(); ++bin) counts[bin] += n / kPeriod * of_a_period[bin];
    return counts;
  };
  Counts expected = counts_of_first(range.n), counts_of_int = counts_of_first(kMaxInt);
  // Some are others: who counts one period and multiplies is wrong.
  for (int change = 0; change < 1000; ++change) {
    const std::size_t i = range.first + random.bits() % range.n;
    const auto before = std::to_integer<std::size_t>(all[i]);
    const auto after = static_cast<std::size_t>(random.integer(0, range.bins - 1));
    all[i] = static_cast<std::byte>(after);
    for (Counts* counts : {&expected, &counts_of_int}) {
      if (counts == &counts_of_int && i - range.first >= kMaxInt) continue;
      --(*counts)[before];
      ++(*counts)[after];
    }
  }
  constexpr const char* kCountInSize = "Number the samples by std::size_t, as `n` does.";
  Mistakes mistakes(expected);
  mistakes.add("all counts are 0: more than 2^31 - 1 samples, as an int, are a negative number of them",
               Counts(expected.size()), kCountInSize);
  mistakes.add("only the first 2^31 - 1 samples were counted: that is where an int ends", counts_of_int,
               kCountInSize);
  Call call;
  call.input("samples", std::move(all));
  return with_counts(std::move(call), range,
                     counts_output(expected, [mistakes] { return mistakes.known(); }));
}

using Values = Samples (*)(const Range&, std::size_t, Random&);

/// Values with and without a bin in turn, so that no two neighbours are equal.
Samples surroundings(const Range& range, std::size_t n, Random& random) {
  const int values = std::min(range.bins + 1, 256);
  Samples samples(n);
  std::iota(samples.begin(), samples.end(), static_cast<std::uint32_t>(random.integer(0, values - 1)));
  for (auto& sample : samples) sample %= static_cast<std::uint32_t>(values);
  return samples;
}

/// Samples that do not count lie around those that do: a mistake about the range changes the counts.
Samples surrounded(const Range& range, Values values, Random& random) {
  if (range.first == 0 && range.after == 0) return values(range, range.n, random);
  Samples all = surroundings(range, range.first, random);
  for (const Samples& part : {values(range, range.n, random), surroundings(range, range.after, random)}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

std::string name_of(const Range& range) {
  std::string name = range.sample_bytes == 1 ? "bytes" : "words";
  if (range.first != 0) name += " from " + std::to_string(range.first);
  return name + ", n = " + std::to_string(range.n) + ", bins = " + std::to_string(range.bins);
}

Case make_case(const Range& range, std::string purpose, std::function<Call(Random&)> prepare) {
  Case made;
  made.name = name_of(range);
  made.purpose = std::move(purpose);
  made.prepare = std::move(prepare);
  const auto samples = static_cast<double>(range.n);
  made.cost = {.elements = samples,
               .global_bytes = samples * range.sample_bytes +
                               range.bins * static_cast<double>(sizeof(unsigned long long))};
  return made;
}

Case make_case(const Range& range, std::string purpose, Values values = uniform) {
  return make_case(range, std::move(purpose), [range, values](Random& random) {
    return make_call(range, surrounded(range, values, random));
  });
}

Case make_long_case(const Range& range, std::string purpose) {
  return once(make_case(range, std::move(purpose),
                        [range](Random& random) { return make_long_call(range, random); }));
}

/// All 256 values, all equally often.
Case make_byte_case(std::size_t n, std::string purpose) {
  const Range range{.n = n};
  Case made =
      make_case(range, std::move(purpose), [range](Random& random) { return make_byte_call(range, random); });
  made.prepare_inputs = [range](Random& random) {
    Call call;
    if (range.n % sizeof(std::uint32_t) == 0) {
      call.drawn_words<WordMap::word>("samples", random);
    } else {
      call.drawn_input("samples", [&random](std::span<std::byte> part) { draw_uniform_bytes(part, random); });
    }
    return with_counts(std::move(call), range, counts_output({}, {}));
  };
  return made;
}

Range bytes(std::size_t n, int bins = 256, std::size_t first = 0, std::size_t after = 0) {
  return {.sample_bytes = 1, .bins = bins, .first = first, .n = n, .after = after};
}

Range words(std::size_t n, int bins, std::size_t first = 0, std::size_t after = 0) {
  return {.sample_bytes = 4, .bins = bins, .first = first, .n = n, .after = after};
}

Problem make_problem() {
  Problem problem;
  problem.name = "histogram";
  problem.title = "Count how often each value occurs";
  problem.lesson =
      "updates that meet wait for each other: give blocks, and then lanes, counters of their own";
  problem.function = LOCKSTEP_SIGNATURE(histogram);
  problem.cases = {
      make_case(bytes(0), "no samples: every count is 0"),
      make_case(words(1, 1, 2, 2), "one sample in the middle of an array, and one bin"),
      make_case(bytes(31), "one less than a warp; all samples differ", all_different),
      make_case(words(32, 999), "exactly one warp; all samples differ", all_different),
      make_case(bytes(33), "one more than a warp; all samples differ", all_different),
      make_case(bytes(1023, 255), "a byte too large for the last bin is not counted", with_strays),
      make_case(words(1024, 1000), "words of any 32 bits, many of them without a bin", with_strays),
      make_case(words(1025, 4096), "one more than a block of 1024, and more bins than samples"),
      make_case(bytes(7919, 256, 13, 29), "a range that starts and ends at odd addresses"),
      make_case(bytes(9, 256, 4, 3), "a range shorter than 16 bytes, within them"),
      make_case(words(7919, 4096, 3, 2), "words that start and end within 16 bytes", with_strays),
      make_case(words(20011, 256), "words of few bins: their other bytes are no samples"),
      make_case(bytes(65536, 2), "two bins, and bytes that have none", with_strays),
      make_case(bytes(262147), "sorted: neighbouring lanes hold the same", sorted),
      make_case(words(131101, 4096), "sorted words", sorted),
      make_case(bytes(300007), "bytes after Zipf: few values come often", zipf),
      make_case(bytes(1000003, 256, 1, 15), "all samples are equal: counters of 8 bits overflow", all_equal),
      make_case(words(262144, 1000, 1, 1), "all words are equal", all_equal),
      wide(measured(make_case(bytes(1000033), "two values: many lanes of a warp hold the same", two_values))),
      wide(measured(
          make_case(words(1000003, 1024), "words after Zipf: some values come often, most seldom", zipf))),
      measured(make_case(words(524309, 4096), "two values, and more bins than 32 columns have room for",
                         two_values)),
  };
  constexpr std::size_t kMany = std::size_t{1} << 27;
  problem.gpu_cases = {make_long_case(bytes(16 * kMany + 11, 256, 5), "more samples than an int can number")};
  problem.speed = {
      .sizes = {make_byte_case(1 << 18, "less than 2^15 samples for each multiprocessor"),
                make_byte_case(1 << 21, "a block for every other multiprocessor"),
                make_byte_case(1 << 24, "bytes that lie in the caches"),
                make_byte_case(kMany, "more bytes than any cache holds")},
      .larger = {make_byte_case(2 * kMany, "a quarter of a gibibyte"),
                 make_byte_case(16 * kMany + 7, "more samples than a 32-bit index can name")},
      .variations = {named("bytes, all equal", make_case(bytes(kMany), "one counter", all_equal)),
                     named("bytes, two values", make_case(bytes(kMany), "two counters", two_values)),
                     named("bytes after Zipf", make_case(bytes(kMany), "few values come often", zipf)),
                     named("bytes, sorted", make_case(bytes(kMany), "neighbours are equal", sorted)),
                     named("bytes from the third on",
                           make_case(bytes(kMany - 5, 256, 3, 2), "vectors start and end within an array")),
                     named("words, 1024 bins", make_case(words(kMany, 1024), "more bins")),
                     named("words, 1024 bins, all equal",
                           make_case(words(kMany, 1024), "one counter of many", all_equal)),
                     named("words, 1024 bins, after Zipf",
                           make_case(words(kMany, 1024), "some values come often, most seldom", zipf)),
                     named("words, 4096 bins", make_case(words(kMany, 4096), "the most bins"))},
      .reference = {.first_ratio = 0.0017}};
  problem.gates = {
      global_sectors_gate(
          1.5,
          {.scattered = "Let neighbouring lanes read neighbouring samples.",
           .again = "Read each sample once, whatever its bin.",
           .atomics = "Let a block count in shared memory, and add each of its counts to the result once, "
                      "after many thousand samples. Every update of global memory moves sectors there and "
                      "back.",
           .merging = "Start fewer blocks, though as many as there are multiprocessors, and let each count "
                      "more samples before it adds its counts to the result."}),
      shared_wavefronts_gate(
          1.5,
          {.loads_and_stores =
               "Let every lane keep to a bank of its own, which is one word of 4 bytes in 32. "
               "Lanes that use different words of one bank wait for each other. Where each thread adds up "
               "a row of counters, let it begin at another column than its neighbours, and go round.",
           .atomics =
               "Give each bin a row of 32 counters, one for each lane, or as many as fit where 32 do not, so "
               "that a lane's bank does not depend on its sample. As long as 32 would fit, fewer help "
               "little, as lanes with different values still meet in a bank. 32 counters of 4 bytes for each "
               "of 1024 bins are 128 KiB. More than 48 KiB a block gets as extern __shared__ memory, whose "
               "size is the launch's third argument and which cudaFuncSetAttribute has allowed before."}),
      // Blocks of all shared memory are as many as there are multiprocessors: 4 here, and a single block
      // is 1.
      parallelism_gate(
          3, "Start a block or more for each multiprocessor, and let each count a part of the samples."),
  };
  problem.hints = {
      "An ordinary `counts[sample]++` is a read, an addition and a write. Two threads that do it at the same "
      "time may read the same number, and one of them is lost. atomicAdd does all three in one.",
      "Count in shared memory first: clear one counter a bin, wait for the block, count with atomicAdd, wait "
      "again, and add each counter to `counts` with one atomicAdd. Blocks merge in any order, so that "
      "addition is atomic too.",
      "Merging costs a block `bins` updates. Start only as many blocks as the device holds at a time, fewer "
      "when there are few samples, and let each go through the array in steps as wide as the grid.",
      "32 samples of one warp fall into 32 banks at random, and some bank gets three or four counters: "
      "copies for each warp change nothing, as it is the lanes of one warp that meet. Let "
      "cells[bin * 32 + lane] be the counter of a bin and a lane: then its bank is the lane. For 4096 bins "
      "there is room for 8 such columns; then four lanes share one.",
      "A lane that reads one byte makes a request of 32 bytes. Read 16 bytes per lane as uint4, from the "
      "first address that is a multiple of 16 on; count the samples before it and after the last vector one "
      "by one. More than 48 KiB of shared memory a block gets by cudaFuncSetAttribute.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::histogram_problem
