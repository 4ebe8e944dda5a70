// What the judge knows of "resampling": seven procedures that draw exactly determined ancestors, weights that
// at the edges, and three gates.
//
// Which words decide what is part of the task, so a call has one right answer for each procedure. The judge
// finds out at a few particles which of them a submission follows, and then holds every particle against it.
// Of a chain's timed calls, whose oracle would take minutes, it looks at particles that only it knows.
//
// The counters below are worked out for the rungs of solutions/21-resampling on the measured case. Units:
// bytes of global memory a particle and step, in whole sectors; what is done once a particle adds 8 / 16 or
// more.
//
//   metropolis    reads two weights anywhere, 32 + 32 = 64; the first it has may be its neighbour's: less
//   kept_weight   one weight, 32, and what it begins with
//   c1_2048       32 places in 64 sectors, 64 (1 - (63/64)^32) = 25.3 sectors of 32 bytes for 32 lanes; so
//                 has c2_2048
//   c1_128        four sectors for 32 lanes, 4; so have c2_128 and megopolis
//   systematic    16 bytes per particle, not a step: 16 / 16 = 1, and more where lanes store single copies in
//                 sectors of their own; so has coarsened, whose lanes store farther apart
//   searched      1: neighbouring lanes store neighbouring ancestors; so has the reference
//
// The limit of 8 lies between a warp that reads one line and a warp that reads all over its segment.
//
// Work of the largest case: 100 003 particles of 16 steps are 50 000 warp-steps of 40 to 90 instructions, at
// most 5 million warp-instructions per call.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numbers>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "course/numbers.h"
#include "course/problem.h"
#include "resampling.h"

namespace lockstep::resampling_problem {
namespace {

using lockstep::Random;
using lockstep::SplitMix64;
using namespace lockstep::course;

using Ancestors = std::vector<int>;

constexpr unsigned kWarp = 32;
constexpr int kMeasuredSteps = 16;
/// Chains of more steps in all are looked at here and there.
constexpr std::size_t kStepsToCheckAll = std::size_t{1} << 22;

/// One call: what goes in, and the ancestors of systematic resampling.
struct Task {
  std::vector<float> weights;
  int steps = 0;
  std::uint64_t seed = 0;
  std::uint64_t secret = 0;  ///< which particles are looked at, where not all are
  Ancestors systematic;

  unsigned n() const { return static_cast<unsigned>(weights.size()); }
};

// --- the procedures ---

/// Who is proposed at one step of one particle's chain, and how likely the chain moves; n: nobody.
struct Proposal {
  std::uint64_t particle = 0;
  unsigned word = 0;
};

/// The random words of a chain. random_words() gives four, of which chains take one or two a step: the last
/// four of each use are kept.
class DrawnWords {
 public:
  explicit DrawnWords(std::uint64_t seed) : seed_(seed) {}

  /// Word k of those that a use has for an index, as random_words() gives them block after block.
  unsigned word(Use use, unsigned index, unsigned k) {
    Kept& kept = kept_[static_cast<std::size_t>(use)];
    const unsigned block = k / 4;
    if (kept.index != index || kept.block != block)
      kept = {index, block, random_words(seed_, use, index, block)};
    return kept.words.word[k % 4];
  }

 private:
  struct Kept {
    unsigned index = 0, block = ~0U;  // no chain is so long
    Words words{};
  };

  std::uint64_t seed_;
  std::array<Kept, 5> kept_;
};

Proposal metropolis(const Task& task, DrawnWords& words, unsigned i, unsigned step) {
  return {index_of(words.word(Use::chain, i, 2 * step), task.n()), words.word(Use::chain, i, 2 * step + 1)};
}

Proposal within_segment(const Task& task, DrawnWords& words, unsigned i, unsigned step, unsigned drawn_at,
                        unsigned segment) {
  const unsigned any = index_of(words.word(Use::segment, i / kWarp, drawn_at), task.n());
  const unsigned first = any - any % segment, size = std::min(segment, task.n() - first);
  const unsigned word = words.word(Use::within, i, step);
  return {first + place_of(word, size), word};
}

template <unsigned kSegment>
Proposal c1(const Task& task, DrawnWords& words, unsigned i, unsigned step) {
  return within_segment(task, words, i, step, 0, kSegment);
}

template <unsigned kSegment>
Proposal c2(const Task& task, DrawnWords& words, unsigned i, unsigned step) {
  return within_segment(task, words, i, step, step, kSegment);
}

Proposal megopolis(const Task& task, DrawnWords& words, unsigned i, unsigned step) {
  const unsigned warps = task.n() / kWarp + (task.n() % kWarp != 0 ? 1 : 0);
  const unsigned shift = index_of(words.word(Use::shift, 0, step), warps * kWarp);
  const std::uint64_t warp = (std::uint64_t{i} / kWarp + shift / kWarp) % warps;
  return {warp * kWarp + (i % kWarp + shift % kWarp) % kWarp, words.word(Use::within, i, step)};
}

using Chain = Proposal (*)(const Task&, DrawnWords&, unsigned i, unsigned step);
struct NamedChain {
  Chain proposes;
  const char* name;
};
constexpr std::array<NamedChain, 6> kChains = {{{metropolis, "Metropolis"},
                                                {c2<32>, "C2 with segments of 32 weights"},
                                                {c2<512>, "C2 with segments of 512 weights"},
                                                {c1<32>, "C1 with segments of 32 weights"},
                                                {c1<512>, "C1 with segments of 512 weights"},
                                                {megopolis, "Megopolis"}}};

std::vector<std::string> names_of_chains() {
  std::vector<std::string> names;
  for (const NamedChain& chain : kChains) names.emplace_back(chain.name);
  return names;
}

int ancestor_of(const Task& task, Chain chain, unsigned i) {
  DrawnWords words(task.seed);
  std::uint64_t at = i;
  for (int step = 0; step < task.steps; ++step) {
    const auto [proposed, word] = chain(task, words, i, static_cast<unsigned>(step));
    if (proposed < task.n() && uniform_of(word) * task.weights[at] <= task.weights[proposed]) at = proposed;
  }
  return static_cast<int>(at);
}

Ancestors ancestors_of(const Task& task, Chain chain) {
  Ancestors ancestors;
  for (unsigned i = 0; i < task.n(); ++i) ancestors.push_back(ancestor_of(task, chain, i));
  return ancestors;
}

Ancestors themselves(unsigned n) {
  Ancestors ancestors(n);
  std::iota(ancestors.begin(), ancestors.end(), 0);
  return ancestors;
}

/// Weights times 2^places, without what is less than 1.
std::vector<std::uint64_t> fixed_point(const std::vector<float>& weights, int places) {
  std::vector<std::uint64_t> integers;
  integers.reserve(weights.size());
  for (const float weight : weights)
    integers.push_back(static_cast<std::uint64_t>(std::ldexp(double{weight}, places)));
  return integers;
}

/// Integers in proportion to the weights, except for what is less than one of them.
std::vector<std::uint64_t> fixed_point(const std::vector<float>& weights) {
  if (weights.empty()) return {};
  const float largest = *std::max_element(weights.begin(), weights.end());
  return fixed_point(weights, places_of(largest, static_cast<int>(weights.size())));
}

std::uint64_t first_point(std::uint64_t spacing, std::uint64_t seed) {
  const Words words = random_words(seed, Use::points, 0, 0);
  __extension__ using Product = unsigned __int128;
  const std::uint64_t bits = std::uint64_t{words.word[0]} << 32 | words.word[1];
  return static_cast<std::uint64_t>(Product{bits} * spacing >> 64);
}

/// Whose is a point that lies just where the stretch of one particle ends, and that of the next begins.
enum class Between : std::uint8_t { next, one_before };

/// The n points at an offset that `seed` decides, and every `spacing` from there on, walk along the weights.
Ancestors systematic(const std::vector<std::uint64_t>& integers, std::uint64_t seed,
                     Between between = Between::next) {
  const std::size_t n = integers.size();
  const std::uint64_t total = std::accumulate(integers.begin(), integers.end(), std::uint64_t{0});
  const std::uint64_t spacing = n == 0 ? 0 : total / n;
  if (spacing == 0) return themselves(static_cast<unsigned>(n));
  std::uint64_t point = first_point(spacing, seed);
  Ancestors ancestors;
  ancestors.reserve(n);
  std::uint64_t sum = 0;
  for (std::size_t j = 0; j < n; ++j) {
    sum += integers[j];
    const std::uint64_t end = between == Between::next ? sum : sum + 1;
    for (; ancestors.size() < n && point < end; point += spacing) ancestors.push_back(static_cast<int>(j));
  }
  return ancestors;
}

// --- which procedure was followed ---

/// The chain that most of a few particles follow; null: systematic resampling.
const NamedChain* followed(const Task& task, const Ancestors& found) {
  constexpr unsigned kLookedAt = 64;
  const unsigned step = std::max(task.n() / kLookedAt, 1U);
  const NamedChain* best = nullptr;
  int most = 0;
  for (unsigned i = 0; i < task.n(); i += step) most += found[i] == task.systematic[i] ? 1 : 0;
  // Chains come last: who agrees with none is shown what Metropolis would have drawn.
  for (auto chain = kChains.rbegin(); chain != kChains.rend(); ++chain) {
    int agreeing = 0;
    for (unsigned i = 0; i < task.n(); i += step)
      agreeing += found[i] == ancestor_of(task, chain->proposes, i) ? 1 : 0;
    if (agreeing < most) continue;
    most = agreeing;
    best = &*chain;
  }
  return best;
}

/// The ancestors of a procedure, and what its name alone does not say to a student who passes with it.
Answer answer(const Ancestors& ancestors, const std::string& procedure) {
  std::string remark = fmt::format("The ancestors are those of {}.", procedure);
  if (procedure.starts_with("C1"))
    remark +=
        " Its bias stays, however many steps there are: a warp never leaves its segment, which is drawn "
        "whatever its particles weigh. The bias of C2, Megopolis and Metropolis vanishes with more steps, "
        "and systematic resampling has next to none.";
  return {bytes_of(ancestors), procedure, remark};
}

Answer nearest_answer(const Task& task, std::span<const std::byte> bytes) {
  Ancestors found = numbers_of<int>(bytes);
  if (found == task.systematic) return answer(found, "systematic resampling");
  const NamedChain* chain = followed(task, found);
  if (chain == nullptr) return answer(task.systematic, "systematic resampling");
  if (std::size_t{task.n()} * static_cast<std::size_t>(task.steps) <= kStepsToCheckAll)
    return answer(ancestors_of(task, chain->proposes), chain->name);
  constexpr int kLookedAt = 4096;
  SplitMix64 random(task.secret);
  const auto correct = [&](unsigned i) { found[i] = ancestor_of(task, chain->proposes, i); };
  for (int k = 0; k < kLookedAt; ++k) correct(static_cast<unsigned>(random.bits() % task.n()));
  for (unsigned i = 0; i < task.n(); ++i) {
    if (found[i] < 0 || static_cast<unsigned>(found[i]) >= task.n()) correct(i);
  }
  return answer(found, chain->name);
}

/// Metropolis by the words of each pair's first step.
Proposal with_words_reused(const Task& task, DrawnWords& words, unsigned i, unsigned step) {
  return metropolis(task, words, i, step - step % 2);
}

/// Metropolis by the remainder of a word, where index_of scales it.
Proposal with_remainder(const Task& task, DrawnWords& words, unsigned i, unsigned step) {
  return {words.word(Use::chain, i, 2 * step) % task.n(), words.word(Use::chain, i, 2 * step + 1)};
}

/// Gives the ancestors by the chain of Metropolis with a mistake in it.
template <class Moves>
auto mistaken(const Task& task, int steps, Moves moves, Chain proposes = metropolis) {
  return [&task, steps, moves, proposes](std::size_t i) {
    DrawnWords words(task.seed);
    std::uint64_t at = i;
    for (int step = 0; step < steps; ++step) {
      const auto [proposed, word] =
          proposes(task, words, static_cast<unsigned>(i), static_cast<unsigned>(step));
      if (moves(uniform_of(word), task.weights[at], task.weights[proposed])) at = proposed;
    }
    return static_cast<int>(at);
  };
}

/// Unless its ancestors, which `next` gives one by one, are those of a chain, and right.
template <class Next>
void add_unless_right(Mistakes<int>& mistakes, const Task& task, std::string sentence, Next next,
                      std::string advice) {
  const auto is_right = [&](const NamedChain& chain) {
    unsigned i = 0;
    while (i < task.n() && next(i) == ancestor_of(task, chain.proposes, i)) ++i;
    return i == task.n();
  };
  if (std::ranges::none_of(kChains, is_right))
    mistakes.add_by_element(std::move(sentence), std::move(next), std::move(advice));
}

/// Gives the elements of what systematic resampling with a mistake in it has made.
auto each_of(Ancestors ancestors) {
  return
      [kept = std::make_shared<const Ancestors>(std::move(ancestors))](std::size_t i) { return (*kept)[i]; };
}

/// Integers of as many binary places whatever the weights are, with points of stretches' ends on either side.
void add_unscaled(Mistakes<int>& mistakes, const Task& task) {
  const auto is_small = [](float weight) { return weight <= 1; };
  if (!std::ranges::all_of(task.weights, is_small)) return;  // others exceed 64 bits
  for (const int places : {31, 32}) {
    for (const Between between : {Between::next, Between::one_before}) {
      add_unless_right(
          mistakes, task,
          "the integers of the weights have a fixed number of binary places: small weights lose their "
          "digits, or become 0",
          each_of(systematic(fixed_point(task.weights, places), task.seed, between)),
          "Take places_of(largest weight, n) for the number of places.");
    }
  }
}

std::vector<KnownMistake> known_mistakes(const Task& task) {
  constexpr const char* kSteps = "Make as many steps as `steps` says.";
  constexpr const char* kTake =
      "Take a proposal j, where the chain stands at t, if u * w[t] <= w[j], as the task has it.";
  if (std::size_t{task.n()} * static_cast<std::size_t>(task.steps) > kStepsToCheckAll) return {};
  Mistakes mistakes(task.systematic);
  const auto likely = [](float u, float own, float its) { return u * own <= its; };
  add_unless_right(mistakes, task,
                   "a point where one particle's stretch ends and the next begins is the next one's: "
                   "a sum of weights is the first number beyond a stretch",
                   each_of(systematic(fixed_point(task.weights), task.seed, Between::one_before)),
                   "A particle's points are below its sum: compare point < sum, and not point <= sum.");
  add_unscaled(mistakes, task);
  add_unless_right(
      mistakes, task, "every particle is its own ancestor: no chain has moved",
      [](std::size_t i) { return static_cast<int>(i); },
      "Store where each chain stands after its last step.");
  add_unless_right(mistakes, task, "the chains of Metropolis are one step short",
                   mistaken(task, std::max(task.steps - 1, 0), likely), kSteps);
  add_unless_right(mistakes, task, "the chains of Metropolis make one step too many",
                   mistaken(task, task.steps + 1, likely), kSteps);
  add_unless_right(mistakes, task,
                   "odd steps of Metropolis use words 0 and 1 again, those of the even step before",
                   mistaken(task, task.steps, likely, with_words_reused),
                   "Take words 2 and 3 of random_words(seed, Use::chain, i, m / 2) where the step m is odd.");
  add_unless_right(
      mistakes, task,
      "the particles that Metropolis proposes are remainders: word % n, and not index_of(word, n)",
      mistaken(task, task.steps, likely, with_remainder), "Propose index_of(word, n).");
  add_unless_right(mistakes, task,
                   "the weights are divided by each other: where both are 0 that is NaN, and the chain stays",
                   mistaken(task, task.steps, [](float u, float own, float its) { return u <= its / own; }),
                   "Compare u * w[t] <= w[j], as the task has it: nothing is divided there.");
  add_unless_right(mistakes, task,
                   "the chains move the wrong way: a large weight should keep them, a larger one draw them",
                   mistaken(task, task.steps, [](float u, float own, float its) { return u * its <= own; }),
                   kTake);
  add_unless_right(mistakes, task, "the chains take every proposal: the weights have no say",
                   mistaken(task, task.steps, [](float, float, float) { return true; }), kTake);
  add_unless_right(mistakes, task,
                   "the chains move to larger weights only: a smaller one may be taken too, if less often",
                   mistaken(task, task.steps, [](float, float own, float its) { return own <= its; }), kTake);
  return mistakes.known();
}

// --- weights ---

using Weights = std::vector<float> (*)(unsigned n, double y, Random&);

/// Likelihoods of an observation y = x + noise by particles x, both normal: the source's own example.
std::vector<float> normal_likelihoods(unsigned n, double y, Random& random) {
  std::vector<float> weights;
  weights.reserve(n + 1);
  const auto add = [&](double x) {
    weights.push_back(
        static_cast<float>(std::exp(-0.5 * (x - y) * (x - y)) / std::sqrt(2 * std::numbers::pi)));
  };
  while (weights.size() < n) {  // two normal numbers at a time, after Box and Muller
    const double radius = std::sqrt(-2 * std::log(1 - static_cast<double>(random.uniform())));
    const double angle = 2 * std::numbers::pi * static_cast<double>(random.uniform());
    add(radius * std::cos(angle));
    add(radius * std::sin(angle));
  }
  weights.resize(n);
  return weights;
}

std::vector<float> mostly_zero(unsigned n, double, Random& random) {
  std::vector<float> weights(n);
  for (float& weight : weights) weight = random.integer(0, 3) == 0 ? random.uniform() : 0;
  return weights;
}

/// All but one have no weight.
std::vector<float> one_takes_all(unsigned n, double, Random& random) {
  std::vector<float> weights(n);
  weights[random.bits() % n] = 1;
  return weights;
}

/// One particle has all the weight, and that is subnormal.
std::vector<float> one_takes_all_of_little(unsigned n, double y, Random& random) {
  std::vector<float> weights = one_takes_all(n, y, random);
  for (float& weight : weights) weight *= 0x1p-140F;
  return weights;
}

/// Zeros of either sign.
std::vector<float> none(unsigned n, double, Random& random) {
  std::vector<float> weights(n);
  for (float& weight : weights) weight = random.integer(0, 1) == 0 ? 0.0F : -0.0F;
  return weights;
}

/// Normalised, as filters keep them: their sum is 1.
std::vector<float> normalised(unsigned n, double, Random& random) {
  std::vector<float> weights = normal_likelihoods(n, 2, random);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (float& weight : weights) weight = static_cast<float>(double{weight} / sum);
  return weights;
}

/// Up to the largest float there is.
std::vector<float> huge(unsigned n, double, Random& random) {
  std::vector<float> weights(n);
  for (float& weight : weights) weight = random.uniform() * std::numeric_limits<float>::max();
  weights[random.bits() % n] = std::numeric_limits<float>::max();
  return weights;
}

/// From 2^-40 to 1, neighbours alike: runs of particles without copies, and of particles with many.
std::vector<float> waves(unsigned n, double, Random& random) {
  std::vector<float> weights;
  const double phase = static_cast<double>(random.uniform());
  for (unsigned i = 0; i < n; ++i) {
    const double wave = std::sin(2 * std::numbers::pi * (phase + i / 1500.0));
    weights.push_back(static_cast<float>(std::exp2(20 * (wave - 1))));
  }
  return weights;
}

/// Subnormal: few have more than some digits, and the smallest is none.
std::vector<float> tiny(unsigned n, double, Random& random) {
  std::vector<float> weights(n);
  for (float& weight : weights) weight = random.uniform() * 0x1p-140F;
  return weights;
}

// --- cases ---

/// What is asked for by weights, steps and seed; the rest follows.
Call make_call(Task asked) {
  asked.systematic = systematic(fixed_point(asked.weights), asked.seed);
  const auto task = std::make_shared<const Task>(std::move(asked));
  Output ancestors;
  ancestors.type = ElementType::i32;
  ancestors.expected = bytes_of(task->systematic);
  ancestors.position = [](std::size_t i) { return "particle " + std::to_string(i); };
  ancestors.nearest_answer = [task](std::span<const std::byte> found) {
    return nearest_answer(*task, found);
  };
  ancestors.known_mistakes = [task] { return known_mistakes(*task); };
  Call call;
  call.input("weights", task->weights).scalar("n", static_cast<int>(task->n())).scalar("steps", task->steps);
  call.scalar("seed", task->seed).output("ancestors", std::move(ancestors));
  call.workspace("workspace").stream();
  return call;
}

Call make_call(unsigned n, double y, int steps, Weights weights, Random& random) {
  Task asked;
  asked.weights = weights(n, y, random);
  asked.steps = steps;
  asked.seed = random.bits();
  asked.secret = random.bits();
  return make_call(std::move(asked));
}

// --- points where stretches end ---

/// Floats whose sum is `integer` units of the last of `places` binary places: a float has 24 bits of it.
std::array<float, 3> pieces_of(std::uint64_t integer, int places) {
  constexpr std::uint64_t kPiece = (1U << 24) - 1;
  std::array<float, 3> pieces{};
  for (int k = 0; k < 3; ++k) {
    const double piece = std::ldexp(static_cast<double>(integer >> 24 * k & kPiece), 24 * k);
    pieces[static_cast<std::size_t>(k)] = static_cast<float>(std::ldexp(piece, -places));
  }
  return pieces;
}

/// All but five points of systematic resampling lie where one particle's stretch ends and another's begins.
/// Weights are 3/4, and five 3/2; a point for each 3/4 of their sum; the first point is as far from the
/// beginning as the first three weights reach, and the last three fill up what the others leave. Then all are
/// scaled.
Call make_points_between(unsigned n, int steps, Random& random) {
  constexpr unsigned kPieces = 3, kTwice = 5;  // 3 + 3 pieces of one spacing; 5 have two: n in all
  Task asked;
  asked.steps = steps;
  asked.seed = random.bits();
  asked.secret = random.bits();
  const int places = places_of(1.5F, static_cast<int>(n));
  const std::uint64_t spacing = std::uint64_t{3} << (places - 2);
  const std::uint64_t offset = first_point(spacing, asked.seed);
  asked.weights.assign(n, 0.75F);
  for (unsigned k = 0; k < kTwice; ++k) asked.weights[kPieces + k] = 1.5F;
  for (std::size_t i = n - kPieces - 1; i > kPieces; --i)
    std::swap(asked.weights[i], asked.weights[kPieces + random.bits() % (i - kPieces + 1)]);
  std::ranges::copy(pieces_of(offset, places), asked.weights.begin());
  std::ranges::copy(pieces_of(spacing - offset, places), asked.weights.end() - kPieces);
  const int scale = -random.integer(0, 80);  // no digit of the last piece is lost
  for (float& weight : asked.weights) weight = std::ldexp(weight, scale);
  return make_call(std::move(asked));
}

/// How many steps leave a relative bias of at most a hundredth: ln 0.01 / ln(1 - E[w] / max w), where E[w] is
/// over normal particles. Source: Murray, Lee and Jacob, 2016.
int steps_for(double y) {
  const double mean_over_largest = std::exp(-y * y / 4) / std::numbers::sqrt2;
  return static_cast<int>(std::ceil(std::log(0.01) / std::log(1 - mean_over_largest)));
}

Case make_case(unsigned n, double y, int steps, std::string purpose, Weights weights = normal_likelihoods) {
  Case made;
  made.name = weights == normal_likelihoods ? fmt::format("n = {}, y = {:g}, {} steps", n, y, steps)
                                            : fmt::format("n = {}, {} steps", n, steps);
  made.purpose = std::move(purpose);
  made.prepare = [=](Random& random) { return make_call(n, y, steps, weights, random); };
  made.cost = {.elements = static_cast<double>(n), .global_bytes = n * 8.0};
  return made;
}

Case points_between(unsigned n, int steps, std::string purpose) {
  Case made = make_case(n, 0, steps, std::move(purpose), none);
  made.prepare = [n, steps](Random& random) { return make_points_between(n, steps, random); };
  return made;
}

Case timed(unsigned n, double y, std::string purpose) {
  return make_case(n, y, steps_for(y), std::move(purpose));
}

/// Bytes of global memory moved for each particle and step of a chain; a weight is four.
Gate bytes_per_step_gate(double limit, TrafficAdvice advice) {
  Gate gate = bytes_per_element_gate(limit, std::move(advice), "step", kMeasuredSteps);
  gate.description = "Bytes of global memory moved, in whole sectors, for each particle and step.";
  return gate;
}

/// Every particle as a dot: how many copies its weight promises, and how many it got.
std::string picture_of_offspring(const Shown& shown) {
  const auto weights = shown.numbers<float>("weights");
  std::vector<int> copies(weights.size());
  for (const int ancestor : shown.numbers<int>("ancestors")) {
    if (ancestor < 0 || static_cast<std::size_t>(ancestor) >= copies.size())
      throw std::runtime_error(fmt::format("there is no particle {}", ancestor));
    ++copies[static_cast<std::size_t>(ancestor)];
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  const auto n = static_cast<double>(weights.size());
  double most = *std::max_element(copies.begin(), copies.end());
  for (const float weight : weights) most = std::max(most, n * weight / sum);
  constexpr double kSize = 480, kMargin = 40;
  const auto x = [&](double value) { return kMargin + value / most * kSize; };
  const auto y = [&](double value) { return kMargin + kSize - value / most * kSize; };
  std::string dots;
  for (std::size_t j = 0; j < weights.size(); ++j)
    dots +=
        fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2\"/>\n", x(n * weights[j] / sum), y(copies[j]));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 560 580\" font-family=\"sans-serif\" "
      "font-size=\"14\">\n<title>Copies of each particle</title>\n<rect width=\"560\" height=\"580\" "
      "fill=\"#fdfdfb\"/>\n<path d=\"M {0:.1f} {1:.1f} H {2:.1f} M {0:.1f} {1:.1f} V {3:.1f}\" "
      "stroke=\"#5b6670\"/>\n<path d=\"M {0:.1f} {1:.1f} L {2:.1f} {3:.1f}\" stroke=\"#9a4a12\"/>\n<g "
      "fill=\"#0a6b5e\" fill-opacity=\"0.3\">\n{4}</g>\n<text x=\"40\" y=\"28\">copies, up to "
      "{5:.0f}</text>\n<text x=\"300\" y=\"545\">n w / \u03a3w, up to {5:.1f}</text>\n</svg>\n",
      x(0), y(0), x(most), y(most), dots, most);
}

Problem make_problem() {
  Problem problem;
  problem.name = "resampling";
  problem.title = "Draw ancestors in proportion to weights";
  problem.lesson = "what a warp reads together decides, and an algorithm may be chosen so that it reads well";
  problem.function = LOCKSTEP_SIGNATURE(resampling);
  // All sums of weights in 64 bits, and an eighth for those of tiles.
  problem.workspace = workspace_of_length(LOCKSTEP_SIGNATURE(resampling_workspace_bytes),
                                          [](std::uint64_t n) { return 9 * n + 65536; });
  problem.cases = {
      make_case(0, 0, 4, "no particles: a grid without blocks cannot be launched"),
      make_case(1, 0, 4, "one particle, which is its own ancestor"),
      make_case(31, 0, 7, "one less than a warp, and a number of steps that is no multiple of two"),
      make_case(32, 1, 8, "exactly one warp"),
      make_case(33, 1, 6, "one more: the second warp has a single particle, and the second segment, too"),
      make_case(511, 2, 16, "one less than a segment of 2048 bytes"),
      make_case(513, 2, 0, "no steps: every chain ends where it begins"),
      make_case(1023, 2, 16, "one less than a block of 1024"),
      make_case(1025, 2, 16, "one more than a block of 1024"),
      make_case(7919, 3, 60, "a prime, and weights of which few count"),
      make_case(4096, 4, 354, "the published number of steps for an observation far from all particles"),
      make_case(5000, 0, 24, "three of four weights are 0: none divides, and nobody moves to them",
                mostly_zero),
      make_case(2500, 0, 40, "one particle has all the weight: every point is its own", one_takes_all),
      make_case(20011, 0, 20, "weights from a millionth of a millionth to 1, neighbours alike", waves),
      make_case(3001, 0, 9, "subnormal weights: their ratios are all that counts", tiny),
      make_case(1500, 0, 12, "one particle has all the weight, of 2^-140", one_takes_all_of_little),
      make_case(2049, 0, 10, "weights up to the largest float, 3.4e38", huge),
      make_case(700, 0, 5,
                "no weight at all, 0 or -0: systematic resampling leaves every particle where it is", none),
      points_between(64, 8, "points that lie where one particle's stretch ends, and the next begins"),
      make_case(65536, 0, 4, "weights that add up to 1", normalised),
      make_case(131072, 1, 6, "many blocks, all of them full"),
      wide(measured(make_case(100003, 2, kMeasuredSteps, "many warps and 16 steps"))),
  };
  problem.picture =
      Picture{.case_name = "n = 7919, y = 3, 60 steps", .ending = "svg", .draw = picture_of_offspring};
  constexpr unsigned kMany = 1U << 22;
  problem.speed = {
      .sizes = {timed(1 << 16, 4, "a few warps for each multiprocessor"),
                timed(1 << 18, 4, "a particle per thread"),
                timed(1 << 20, 4, "weights that fill a tenth of the caches"),
                timed(kMany, 4, "as many particles as the source's largest filter")},
      .larger = {timed(4 * kMany, 4, "weights that no cache holds")},
      .variations = {timed(kMany, 0, "weights nearly alike"), timed(kMany, 1, "weights somewhat different"),
                     timed(kMany, 2, "weights rather different"), timed(kMany, 3, "weights very different"),
                     timed(kMany - 3, 4, "a prime: the last warp is not full")},
      .reference = {.first_ratio = 0.23},
      .rungs = {{.first_ratio = 0.11, .rung = "c2_128", .answers = names_of_chains()}}};
  problem.gates = {
      bytes_per_step_gate(
          8,
          {.scattered =
               "Let the lanes of a warp propose particles of one line, or do without steps. A weight "
               "anywhere costs a sector of 32 bytes. A line is a segment of 32 weights, or 32 neighbours "
               "shifted together.",
           .again = "Keep the weight of a chain's ancestor in a register. A step then reads one weight, that "
                    "of the particle it proposes."}),
      shared_wavefronts_gate(
          2, {.loads_and_stores =
                  "Let neighbouring lanes touch neighbouring words of shared memory, or leave one "
                  "word free after every 32."}),
      // The reference has 25 blocks of 4096 particles.
      parallelism_gate(3, "Give each block some hundred particles, and start as many blocks as that takes."),
  };
  problem.hints = {
      "Start with Metropolis: a chain per thread. At each step draw a particle and a number u, and move if u "
      "times the own weight is at most the other's. A product, not a ratio: two weights of 0 have none.",
      "What a step proposes does not depend on what was read before. Keep the weight you have in a register, "
      "and let the reads of several steps be in flight at a time.",
      "A line of 128 bytes holds 32 weights. If all lanes of a warp propose particles of the same 32, each "
      "step reads one line instead of 32 sectors: C1 and C2 with segments of 32, or Megopolis.",
      "Ancestors can be drawn without a chain. Systematic resampling scans the weights, places n points at "
      "equal distances along the sum, and copies a particle for each point in its part. Make integers of the "
      "weights first, as large as the largest of them allows: their sums are exact in any order.",
      "A scan of one weight per thread is not fast enough: let a thread take 16, and compute once for them "
      "what all weights need alike. And do not let the thread of a weight store its copies: one weight has "
      "many, and the next none. A multiplication gives each ancestor's point, and a binary search finds it "
      "among the sums of the tile in shared memory.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::resampling_problem
