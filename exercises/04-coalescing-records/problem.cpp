// What the judge knows of "coalescing-records": numbers of records at the edges, members that need all of
// their bits, four gates.
//
// The counters below are worked out for the rungs of solutions/04-coalescing-records. Sectors are those of 32
// records: the ideal is 5 arrays of 4 to read and 24 to write, 44 in all. Wavefronts are those beyond the
// fewest, for 32 records too.
//
//                 sectors                          wavefronts
//   per_record    (20 + 6 * 24) / 44 = 3.73        0
//   staged        1                                6
//   shifted       1                                0
//   reference     1                                0
//
// per_record has 6 stores of 24 sectors each, as 4 records take 3 of them. In staged lanes 16 apart are 96
// words apart, 3 * 32, and meet in a bank, in each of 6 stores.
//
// Other solutions, counted likewise: three stores of 8 bytes each straight to a record, (20 + 3 * 24) / 44 =
// 2.09 sectors. Tiles with 7 words for a record, with a word free after every 32, or with a row for each
// member, however long: 6 wavefronts or more, in the loads or in the stores. Members stored in another order
// by the second half of a warp, and shuffles without a tile: 0.
//
// The limit of 2 lies between 0 and 6, and leaves room for tiles in which a part of the accesses conflicts.
//
// Work of the largest case: 131 072 records are 4096 warps of 32, at about 100 instructions each less than
// half a million warp-instructions per call.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "coalescing_records.h"
#include "course/poison.h"
#include "course/problem.h"

namespace lockstep::coalescing_records_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Words = std::vector<std::uint32_t>;

static_assert(sizeof(Record) == kMembers * sizeof(std::uint32_t));

constexpr std::size_t kWords = kMembers;       ///< of a record
constexpr std::size_t kArrays = kMembers - 1;  ///< the check has none
constexpr std::array<const char*, kWords> kNames = {"time", "sender", "receiver", "length", "kind", "check"};

/// The arrays in the order of the members.
using Arrays = std::array<Words, kArrays>;
using Members = std::array<std::uint32_t, kArrays>;

std::uint32_t check_of(const Members& members) {
  std::uint32_t check = 0;
  for (const std::uint32_t member : members) check = 31 * check + member;
  return check;
}

std::uint32_t check_from_the_end(const Members& members) {
  std::uint32_t check = 0;
  for (std::size_t i = members.size(); i-- > 0;) check = 31 * check + members[i];
  return check;
}

std::uint32_t sum_of(const Members& members) {
  std::uint32_t sum = 0;
  for (const std::uint32_t member : members) sum += member;
  return sum;
}

std::uint32_t no_check(const Members&) { return never_written<std::uint32_t>(); }
std::uint32_t zero(const Members&) { return 0; }

/// The words of all records, with what `check` makes of the members.
Words records_of(const Arrays& arrays, std::uint32_t (*check)(const Members&)) {
  Words words;
  words.reserve(kWords * arrays[0].size());
  for (std::size_t i = 0; i < arrays[0].size(); ++i) {
    Members members{};
    for (std::size_t m = 0; m < kArrays; ++m) members[m] = arrays[m][i];
    words.insert(words.end(), members.begin(), members.end());
    words.push_back(check(members));
  }
  return words;
}

/// What is left where word w was written only if `written(w)`.
Words only(Words words, const std::function<bool(std::size_t)>& written) {
  for (std::size_t w = 0; w < words.size(); ++w)
    if (!written(w)) words[w] = never_written<std::uint32_t>();
  return words;
}

/// Member m of record i at `to(i, m)`, for the first `members` of each.
Words moved_to(const Words& right, std::size_t members,
               const std::function<std::size_t(std::size_t, std::size_t)>& to) {
  Words words(right.size(), never_written<std::uint32_t>());
  for (std::size_t i = 0; i < right.size() / kWords; ++i)
    for (std::size_t m = 0; m < members; ++m) words[to(i, m)] = right[kWords * i + m];
  return words;
}

/// What copies by a block leave out. A thread copies `unit` words at a time.
void add_copies(Mistakes<std::uint32_t>& mistakes, const Words& right, std::size_t unit) {
  const std::size_t n = right.size() / kWords;
  mistakes.add(
      fmt::format("of the {} words of the records, those from {} on were never written", right.size(),
                  unit * n),
      only(right, [=](std::size_t w) { return w < unit * n; }),
      "Compare what counts words with 6 * n, and what counts records with n. And let threads without a "
      "record take part in the copy: where they return before it, their share is left out.");
  for (const std::size_t threads : std::array<std::size_t, 6>{32, 64, 128, 256, 512, 1024}) {
    mistakes.add(
        fmt::format("of every {} words only the first {} were written", kWords * threads, unit * threads),
        only(right, [=](std::size_t w) { return w % (kWords * threads) < unit * threads; }),
        "Let each thread copy more than once: the records of a block have more words than it has threads.");
    const std::size_t last = n / threads * threads;  // the first record of the last block
    mistakes.add("the last block has left out words: those that threads without a record should have copied",
                 only(right,
                      [=](std::size_t w) {
                        return w < kWords * last || (w - kWords * last) / unit % threads < n - last;
                      }),
                 "Let all threads of a block take part in the copy, those without a record too.");
  }
}

std::vector<KnownMistake> known_mistakes(const Arrays& arrays) {
  const std::size_t n = arrays[0].size();
  if (n == 0) return {};
  const Words right = records_of(arrays, check_of);
  Mistakes mistakes(right);
  const char* const rule = "Begin with the time: for each member that follows, multiply by 31 and add it.";
  mistakes.add("the members are right, and no check was written", records_of(arrays, no_check),
               "A record has six words: write the check after the kind.");
  mistakes.add("the members are right, and every check is 0", records_of(arrays, zero), rule);
  mistakes.add("every check is the plain sum of the five members", records_of(arrays, sum_of), rule);
  mistakes.add("every check is computed from the last member to the first",
               records_of(arrays, check_from_the_end), rule);
  mistakes.add("it is still a structure of arrays: word i of row m is member m of record i",
               moved_to(right, kWords, [n](std::size_t i, std::size_t m) { return m * n + i; }),
               "Member m of record i is word 6 * i + m.");
  mistakes.add("the records begin 5 words after each other, and not 6",
               moved_to(right, kArrays, [](std::size_t i, std::size_t m) { return kArrays * i + m; }),
               "Member m of record i is word 6 * i + m: a record has six words, with its check.");
  for (const std::size_t unit : std::array<std::size_t, 3>{1, 2, 4}) add_copies(mistakes, right, unit);
  return mistakes.known();
}

Call make_call(const Arrays& arrays) {
  Output records;
  records.type = ElementType::u32;
  records.expected = bytes_of(records_of(arrays, check_of));
  records.position = [](std::size_t word) {
    return fmt::format("{} of record {}", kNames.at(word % kWords), word / kWords);
  };
  records.known_mistakes = [arrays] { return known_mistakes(arrays); };
  Call call;
  for (std::size_t m = 0; m < kArrays; ++m) call.input(kNames.at(m), arrays.at(m));
  call.output("records", std::move(records)).scalar("n", static_cast<int>(arrays[0].size())).stream();
  return call;
}

std::uint32_t any_word(Random& random) { return random.word(); }
std::uint32_t end_of_the_type(Random& random) { return random.integer(0, 1) == 0 ? 0 : 0xFFFF'FFFF; }

Case make_case(int n, std::string purpose, std::uint32_t (*draw)(Random&) = any_word) {
  Case made;
  made.name = fmt::format("n = {}", n);
  made.purpose = std::move(purpose);
  made.prepare = [n, draw](Random& random) {
    Arrays arrays;
    for (Words& array : arrays) {
      array.resize(static_cast<std::size_t>(n));
      for (std::uint32_t& word : array) word = draw(random);
    }
    return make_call(arrays);
  };
  made.cost = {.elements = static_cast<double>(n),
               .global_bytes = n * static_cast<double>((kArrays + kWords) * sizeof(std::uint32_t))};
  return made;
}

Problem make_problem() {
  Problem problem;
  problem.name = "coalescing-records";
  problem.title = "Assemble records from arrays of their members";
  problem.lesson = "stores a record apart use many sectors of global memory, or few banks of shared memory";
  problem.function = LOCKSTEP_SIGNATURE(coalescing_records);
  problem.points = 7;
  problem.cases = {
      make_case(0, "no records: a grid without blocks cannot be launched"),
      make_case(1, "a single record"),
      make_case(31, "one less than a warp"),
      make_case(32, "exactly one warp"),
      make_case(33, "one more than a warp"),
      make_case(257, "one more than a block of 256"),
      make_case(1000, "members that are 0 or 2^32 - 1", end_of_the_type),
      make_case(1023, "one less than a block of 1024"),
      make_case(1024, "exactly one block of 1024"),
      make_case(1025, "one more than a block of 1024"),
      make_case(1365, "an odd number: neither arrays nor records end with a whole vector of 16 bytes"),
      make_case(7919, "a prime"),
      measured(make_case(100003, "a large prime: the last block is not full")),
      wide(measured(make_case(131072, "many whole blocks"))),
  };
  problem.gates = {
      global_sectors_gate(
          1.25, {.scattered = "Let the lanes of a warp store consecutive words: put the records of a block "
                              "together in shared memory, and copy them from there in the order of memory.",
                 .again = "Read each array once and write each record once."}),
      shared_wavefronts_gate(
          2,
          {.loads_and_stores =
               "Keep the lanes that store the same member out of each other's banks. With 6 words for a "
               "record, lanes 16 apart are 96 words apart, a multiple of 32. With 7 they would not meet, but "
               "then 32 consecutive words of the output have gaps in the tile, and the lanes that copy them "
               "meet.",
           .rows = "Let words that are side by side in the output be side by side in the tile, 32 at a "
                   "time. A row for each member, or a word left free after each record, makes the "
                   "lanes that copy consecutive words meet in a bank: change when, where or how wide "
                   "the members are stored, and leave the copy as it is."}),
      // 192 words stored and loaded once are 12; staged has 18, and so have two halves of a warp that take
      // turns.
      shared_passes_gate(
          15, "records", 1,
          "Let all lanes of a warp store in one request, to different banks. Two requests of half a "
          "warp take as long as one in which two lanes meet in each bank."),
      // Blocks of 1024 are 128 of them. A single block is 1.
      parallelism_gate(3, "Give each block some hundred records, and start as many blocks as that takes."),
  };
  problem.hints = {
      "Give each thread one record: i = blockIdx.x * blockDim.x + threadIdx.x, for i below n. It reads five "
      "words, each of which its neighbours read side by side, computes the check and writes records[i]. "
      "Look at `lockstep profile coalescing-records`: the loads are ideal, and the stores touch 24 sectors "
      "for 32 words.",
      "A block of 256 threads makes 256 records, which are 1536 consecutive words of the output. Let each "
      "thread put its record into a tile in shared memory; after a barrier thread t copies words t, t + 256, "
      "t + 512 and so on. All threads take part in that, also those without a record, and words from 6 * n "
      "on are left out.",
      "Lane l stores member m at word 6 * l + m of the tile, which lies in bank (6 * l + m) mod 32. Lanes l "
      "and l + 16 are 96 words apart, and meet. A word left free after each record separates them, but then "
      "the copy reads 32 words out of a piece of 37, and meets too. Where may a free word stand such that no "
      "32 words that are copied together have it between them? Or is there a way without a free word?",
      "Three ways. Leave one word free after every 16 records: word w of the records lies at w + w / 96, and "
      "96 is a multiple of 32. Or let the lanes from 16 on store the members in another order, by "
      "choosing value and place and not by a branch, such that they use odd banks when the others use even "
      "ones. Or store two members at once, as a uint2: a request "
      "of 8 bytes per lane is served in two halves of 16 lanes, and a record is 3 such pairs long, which is "
      "odd.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::coalescing_records_problem
