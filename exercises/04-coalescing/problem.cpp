// What the judge knows of "coalescing": lengths and pitches at the edges, numbers that are never rounded,
// three gates.
//
// The counters below are worked out for the rungs of solutions/04-coalescing, as the sectors of 32 particles.
// The ideal is 32 to read them and 8 rows of 4 to write them, 64 in all.
//
//   chunks        reads each member at a stride of 32 particles, writes at one of 32 floats:
//                 (8 * 32 + 8 * 32) / 64 = 8
//   per_particle  reads each member at a stride of one particle: (8 * 32 + 32) / 64 = 4.5
//   vectors       reads each half at a stride of one particle: (2 * 32 + 32) / 64 = 1.5
//   others        (32 + 32) / 64 = 1
//   staged        reads each of the 8 members in its tile in 8 wavefronts, 8 * 7 more than it must for the
//                 256 elements: 7 for every 32; the others 0
//
// Padding is written and not read, by all rungs alike.
//
// Work of the largest case: 262 144 particles are 8192 warps of 32, at about 100 instructions each less than
// a million warp-instructions per call.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "coalescing.h"
#include "course/numbers.h"
#include "course/poison.h"
#include "course/problem.h"

namespace lockstep::coalescing_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

static_assert(sizeof(Particle) == kFields * sizeof(float));

constexpr std::array<const char*, kFields> kNames = {"x", "y", "z", "mass", "vx", "vy", "vz", "charge"};

constexpr std::size_t kFirstVelocity = 4;  ///< in the order of the rows

struct Shape {
  int n, pitch;
  std::size_t cells() const { return static_cast<std::size_t>(kFields) * static_cast<std::size_t>(pitch); }
};

/// The members of a particle in the order of the rows.
using Members = std::array<float, kFields>;

Members members_of(const Particle& p) { return {p.x, p.y, p.z, p.mass, p.vx, p.vy, p.vz, p.charge}; }

/// Draws multiples of 1 / `parts` with |numerator| in [1, limit]: never 0, so that leaving one out always
/// shows.
class Fractions {
 public:
  explicit Fractions(Random& random) : random_(random) {}

  float fraction(int limit, int parts) {
    const int numerator = random_.integer(1, limit) * (random_.integer(0, 1) == 0 ? 1 : -1);
    return static_cast<float>(numerator) / static_cast<float>(parts);
  }

 private:
  Random& random_;
};

float step_of_time(Random& random) { return Fractions(random).fraction(15, 16); }

/// Positions below 2048 in steps of 2^-8. A velocity times a step of time is below 64 in steps of 2^-8, so
/// that the product and the sum fit in the 24 bits of a float.
Particle any_particle(Random& random) {
  Fractions fractions(random);
  const auto position = [&fractions] { return fractions.fraction(1 << 19, 256); };
  const auto velocity = [&fractions] { return fractions.fraction(1023, 16); };
  return {.x = position(),
          .y = position(),
          .z = position(),
          .mass = 1 + 100 * random.uniform(),
          .vx = velocity(),
          .vy = velocity(),
          .vz = velocity(),
          .charge = fractions.fraction(1 << 20, 3)};
}

Particle moved(Particle particle, float time_step) {
  particle.x += time_step * particle.vx;
  particle.y += time_step * particle.vy;
  particle.z += time_step * particle.vz;
  return particle;
}

/// One row for each member, in the order that `members` gives them, and 0 where there is no particle.
std::vector<float> rows_of(const std::vector<Particle>& particles, Shape shape, float time_step,
                           Members (*members)(const Particle&) = members_of) {
  std::vector<float> fields(shape.cells());
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const Members values = members(moved(particles[i], time_step));
    for (std::size_t row = 0; row < values.size(); ++row) {
      fields[row * static_cast<std::size_t>(shape.pitch) + i] = values[row];
    }
  }
  return fields;
}

/// What rows leave that begin n floats after each other, and not `pitch`, and of which so many columns are
/// written: with padding each goes on into those after it.
std::vector<float> rows_n_apart(const std::vector<float>& rows, Shape shape, int length) {
  const auto n = static_cast<std::size_t>(shape.n), pitch = static_cast<std::size_t>(shape.pitch);
  std::vector<float> fields(rows.size(), never_written<float>());
  for (std::size_t row = 0; row < kFields; ++row) {
    const std::span<const float> values =
        std::span(rows).subspan(row * pitch, static_cast<std::size_t>(length));
    std::ranges::copy(values, fields.begin() + static_cast<std::ptrdiff_t>(row * n));
  }
  return fields;
}

std::vector<float> without_padding(std::vector<float> rows, Shape shape) {
  const auto pitch = static_cast<std::size_t>(shape.pitch);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i % pitch >= static_cast<std::size_t>(shape.n)) rows[i] = never_written<float>();
  }
  return rows;
}

std::vector<float> first_rows(std::vector<float> rows, Shape shape, std::size_t count) {
  const std::size_t written = count * static_cast<std::size_t>(shape.pitch);
  std::fill(rows.begin() + static_cast<std::ptrdiff_t>(written), rows.end(), never_written<float>());
  return rows;
}

/// Each coordinate may have taken the velocity of another.
void add_exchanged_velocities(Mistakes<float>& mistakes, const std::vector<float>& rows,
                              const std::vector<Particle>& particles, Shape shape, float time_step) {
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t other = 0; other < 3; ++other) {
      std::vector<float> fields = rows;
      for (std::size_t i = 0; i < particles.size(); ++i) {
        const Members members = members_of(particles[i]);
        fields[row * static_cast<std::size_t>(shape.pitch) + i] =
            members[row] + time_step * members[kFirstVelocity + other];
      }
      mistakes.add(std::string(kNames[row]) + " moved by " + kNames[kFirstVelocity + other] +
                       ", and not by " + kNames[kFirstVelocity + row],
                   fields, "Add to each coordinate time_step times the velocity of the same name.");
    }
  }
}

std::vector<KnownMistake> known_mistakes(const std::vector<Particle>& particles, Shape shape,
                                         float time_step) {
  if (particles.empty()) return {};
  const std::vector<float> rows = rows_of(particles, shape, time_step);
  Mistakes mistakes(rows);
  const char* const move = "Write x + time_step * vx, and y and z likewise.";
  mistakes.add("the particles are in their rows, but they have not moved", rows_of(particles, shape, 0),
               move);
  mistakes.add("the particles moved backwards: the step is subtracted", rows_of(particles, shape, -time_step),
               move);
  mistakes.add("the particles moved by their velocity alone, without the length of the step",
               rows_of(particles, shape, 1), move);
  mistakes.add(
      "the rows are in another order than the members of Particle: the mass comes before the velocity",
      rows_of(particles, shape, time_step,
              [](const Particle& p) { return Members{p.x, p.y, p.z, p.vx, p.vy, p.vz, p.mass, p.charge}; }),
      "Keep to the order of the members: mass is row 3, the velocities are rows 4 to 6.");
  add_exchanged_velocities(mistakes, rows, particles, shape, time_step);
  for (const int length : {shape.n, shape.pitch}) {
    mistakes.add("the rows begin n floats after each other, and not `pitch`",
                 rows_n_apart(rows, shape, length), "Let row f begin at fields[f * pitch].");
  }
  mistakes.add(
      "the padding was never written: the columns from n to the pitch become 0", without_padding(rows, shape),
      "Let the threads whose column is below the pitch go on, and write 0 where there is no particle.");
  for (std::size_t count = 1; count < kNames.size(); ++count) {
    mistakes.add(
        fmt::format("only {} of the {} rows {} written: that of {} and those after it never were", count,
                    kNames.size(), count == 1 ? "was" : "were", kNames.at(count)),
        first_rows(rows, shape, count),
        "Let the kernel store all eight members of a column: member f of column i belongs at fields[f * "
        "pitch + i].");
  }
  return mistakes.known();
}

/// Whether some particles were taken for padding, and nothing else is wrong.
Remark remark_on_padding(std::span<const std::byte> right_bytes, std::span<const std::byte> found_bytes,
                         Shape shape) {
  const std::vector<float> right = numbers_of<float>(right_bytes), found = numbers_of<float>(found_bytes);
  const auto n = static_cast<std::size_t>(shape.n), pitch = static_cast<std::size_t>(shape.pitch);
  std::size_t taken = 0, first = 0;
  for (std::size_t column = 0; column < pitch; ++column) {
    bool is_right = true, is_zero = true;
    for (std::size_t at = column; at < right.size(); at += pitch) {
      is_right = is_right && found[at] == right[at];
      is_zero = is_zero && found[at] == 0;
    }
    if (is_right) continue;
    if (!is_zero) return {};
    if (++taken == 1) first = column;
  }
  if (taken == 0 || (taken == n && n > 1)) return {};
  const std::string which = taken == 1 ? fmt::format("particle {} is", first)
                                       : fmt::format("particle {} and {} more are", first, taken - 1);
  return {which + " 0 in all members, as padding is, and all else is right",
          fmt::format(
              "Is your condition for a column that has a particle true for column {}? It must be column < "
              "n. An unsigned number that would be below 0 is a very large one.",
              first)};
}

/// `call` has the input.
Call with_output(Call call, Output fields, Shape shape, float time_step) {
  call.output("fields", std::move(fields))
      .scalar("n", shape.n)
      .scalar("pitch", shape.pitch)
      .scalar("time_step", time_step);
  call.stream();
  return call;
}

Call make_call(Shape shape, const std::vector<Particle>& particles, float time_step) {
  Output fields;
  fields.type = ElementType::f32;
  fields.expected = bytes_of(rows_of(particles, shape, time_step));
  fields.position = [shape](std::size_t index) {
    const auto pitch = static_cast<std::size_t>(shape.pitch);
    const std::size_t column = index % pitch;
    const bool is_padding = column >= static_cast<std::size_t>(shape.n);
    return std::string(kNames.at(index / pitch)) + (is_padding ? ", padding at " : " of particle ") +
           std::to_string(column);
  };
  fields.known_mistakes = [particles, shape, time_step] {
    return known_mistakes(particles, shape, time_step);
  };
  fields.remark = [shape](std::span<const std::byte> right, std::span<const std::byte> found) {
    return remark_on_padding(right, found, shape);
  };
  Call call;
  call.input("particles", particles, {ElementType::f32, kFields});
  return with_output(std::move(call), std::move(fields), shape, time_step);
}

Case make_case(Shape shape, std::string purpose) {
  Case made;
  made.name = std::to_string(shape.n) + " in rows of " + std::to_string(shape.pitch);
  made.purpose = std::move(purpose);
  made.prepare = [shape](Random& random) {
    std::vector<Particle> particles(static_cast<std::size_t>(shape.n));
    for (Particle& particle : particles) particle = any_particle(random);
    return make_call(shape, particles, step_of_time(random));
  };
  made.cost = {.elements = static_cast<double>(shape.cells()),
               .global_bytes = static_cast<double>(shape.n) * sizeof(Particle) +
                               static_cast<double>(shape.cells()) * sizeof(float)};
  return made;
}

/// All members are fractions from 2^-17 to 4, each of one word. Times a step of time they are multiples of
/// 2^-21 below 4, so that the sums fit in the 24 bits of a float. The step is drawn before the particles.
Case timed_case(Shape shape, std::string purpose) {
  constexpr std::uint32_t kBound = 1 << 19;
  Case made = make_case(shape, std::move(purpose));
  made.prepare = [shape](Random& random) {
    const float time_step = step_of_time(random);
    std::vector<Particle> particles(static_cast<std::size_t>(shape.n));
    const auto member = [](std::uint32_t word) { return fraction(word, kBound); };
    draw_of_words(random, member)(std::as_writable_bytes(std::span(particles)));
    return make_call(shape, particles, time_step);
  };
  made.prepare_inputs = [shape](Random& random) {
    const float time_step = step_of_time(random);
    Call call;
    call.drawn_words<WordMap::fraction>("particles", random, kBound);
    return with_output(std::move(call), {.type = ElementType::f32}, shape, time_step);
  };
  return made;
}

Problem make_problem() {
  Problem problem;
  problem.name = "coalescing";
  problem.title = "Step particles into a structure of arrays";
  problem.lesson = "a warp moves whole sectors of 32 bytes, so its lanes should want every byte of them";
  problem.function = LOCKSTEP_SIGNATURE(coalescing);
  problem.cases = {
      make_case({0, 0}, "rows of length 0: a grid without blocks cannot be launched"),
      make_case({1, 32}, "a single particle"),
      make_case({31, 32}, "one less than a warp"),
      make_case({32, 32}, "exactly one warp, and no padding"),
      make_case({33, 64}, "one more than a warp"),
      make_case({100, 1024}, "rows ten times as long as they need to be: whole blocks of padding"),
      make_case({257, 288}, "one more than a block of 256"),
      make_case({1023, 1024}, "one less than a block of 1024"),
      make_case({1024, 1024}, "exactly one block of 1024"),
      make_case({1025, 1056}, "one more than a block of 1024"),
      make_case({7919, 7936}, "a prime"),
      measured(make_case({200003, 200032}, "a large prime: the last block is not full")),
      wide(measured(make_case({262144, 262144}, "many whole blocks"))),
  };
  problem.speed = {.sizes = {timed_case({1 << 16, 1 << 16}, "few warps for each scheduler"),
                             timed_case({1 << 18, 1 << 18}, "particles that lie in the caches"),
                             timed_case({1 << 20, 1 << 20}, "about as many as the caches hold"),
                             timed_case({1 << 22, 1 << 22}, "four million particles")},
                   .larger = {timed_case({1 << 25, 1 << 25}, "a gibibyte")},
                   .variations = {timed_case({4194301, 4194304}, "a prime: the last warp is not full")},
                   .reference = {.first_ratio = 0.047}};
  problem.gates = {
      global_sectors_gate(1.25, {.scattered = "Let the lanes of a warp read consecutive vectors of 16 bytes, "
                                              "and write where others write into "
                                              "the same sector: pass the members on to the lane that needs "
                                              "them, by a shuffle or through a tile "
                                              "in shared memory.",
                                 .again = "Read each particle once and write each member once."}),
      shared_wavefronts_gate(
          1,
          {.loads_and_stores = "Keep the tile as rows of one member each, 4 words longer than a multiple of "
                               "32, or do without a tile. A particle is 8 words long, so lanes that take the "
                               "same member of neighbouring particles meet in one bank in eight.",
           .rows = "Make each row of the tile 4 words longer than a multiple of 32, or do without a tile. "
                   "Lanes that hold parts of particles touch several rows at once, 16 words of two or 4 of "
                   "eight: with rows one word longer these overlap in their banks, with 4 they do not."}),
      // Of the rungs chunks has the fewest blocks, 128 for 262 144 particles. A single block is 1.
      parallelism_gate(3, "Give each block some hundred particles, and start as many blocks as that takes."),
  };
  problem.hints = {
      "Give each thread one column: i = blockIdx.x * blockDim.x + threadIdx.x, for i below the pitch. For i "
      "below n there is a particle to read; the other columns become 0. A row begins `pitch` floats after "
      "the one before, so member f goes to fields[f * pitch + i].",
      "Look at `lockstep profile coalescing`: the stores are ideal and the loads are not. x of one particle "
      "and x of the next are 32 bytes apart, so 32 lanes that read x touch 32 sectors, and touch them again "
      "for y.",
      "particles starts at a multiple of 16 bytes and a particle is 32 bytes long, so it can be read as two "
      "float4. That is two requests instead of eight. Each still touches 32 sectors: which lane should read "
      "which vector for 16?",
      "Let lane l of a warp read vector l of 32 consecutive ones: 16 particles, whose positions are in the "
      "even lanes and whose velocities are in the odd ones. What an even lane lacks is in the lane after it: "
      "__shfl_down_sync(0xFFFFFFFF, value, 1). All lanes must take part, also those without a particle.",
      "Such a warp writes two runs of 64 bytes with each request, which are four whole sectors: a request "
      "costs its sectors, wherever they lie. Memory itself likes longer runs. Let a block put the members of "
      "256 particles into a tile with one row a member, each row 4 floats longer than it must be; after a "
      "barrier each thread takes four neighbours of a row and writes them as one vector.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::coalescing_problem
