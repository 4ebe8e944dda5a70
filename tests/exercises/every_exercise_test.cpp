// What holds for every exercise: inputs that change and are reproducible, mistakes that are mistakes, a
// guided starter. With LOCKSTEP_COURSE, for those of a private course, which ./lockstep has built.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "course/catalogue.h"
#include "course/problem_rules.h"
#include "judge/comparison.h"
#include "problem_access.h"
#include "report/bench.h"

namespace lockstep::test::every_exercise_test {
namespace {

using course::Argument;
using course::Bytes;
using course::Call;
using course::Case;
using course::Exercise;

constexpr std::uint64_t kSeed = 20261121;

std::vector<Bytes> inputs_of(const Call& call) {
  std::vector<Bytes> inputs;
  for (const Argument& one : call.arguments()) {
    if (one.kind == Argument::Kind::input) inputs.push_back(one.input);
  }
  return inputs;
}

std::vector<course::Output> outputs_of(const Call& call) {
  std::vector<course::Output> outputs;
  for (const Argument& one : call.arguments()) {
    if (one.kind == Argument::Kind::output) outputs.push_back(one.output);
  }
  return outputs;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t count_of(const std::string& text, const std::string& wanted) {
  std::size_t count = 0;
  for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) ++count;
  return count;
}

class EveryExercise : public testing::TestWithParam<const Exercise*> {};
/// Whose outputs are the student's: predictions have none.
class EveryExerciseOfCode : public EveryExercise {};
class EveryExerciseOfSpeed : public EveryExercise {};

TEST_P(EveryExercise, ItsTaskTellsHowManyCasesOrPredictionsThereAre) {
  if (const std::size_t predictions = GetParam()->problem.predictions.size(); predictions > 0) {
    EXPECT_THAT(text_of(GetParam()->folder / "README.md"),
                testing::HasSubstr("Each of the " + std::to_string(predictions) + " predictions brings "));
    return;
  }
  const std::string cases = std::to_string(GetParam()->problem.cases.size());
  const std::string share = GetParam()->problem.speed ? "half" : "five sevenths";
  EXPECT_THAT(text_of(GetParam()->folder / "README.md"),
              testing::HasSubstr(share + " of the points: " + cases + " "));
}

TEST_P(EveryExercise, ObeysTheRules) {
  EXPECT_THAT(course::broken_rules(GetParam()->problem, GetParam()->folder_name), testing::IsEmpty());
}

TEST_P(EveryExercise, GivesEachCaseAPurpose) {
  std::set<std::string> purposes;
  for (const Case& one : GetParam()->problem.cases) {
    EXPECT_FALSE(one.purpose.empty()) << one.name;
    EXPECT_TRUE(purposes.insert(one.purpose).second) << one.name << " has the purpose of another case";
  }
}

TEST_P(EveryExercise, HasThreeToFiveHints) {
  EXPECT_THAT(GetParam()->problem.hints.size(), testing::AllOf(testing::Ge(3U), testing::Le(5U)));
}

TEST_P(EveryExercise, MakesTheSameInputsFromTheSameSeed) {
  for (const Case& one : GetParam()->problem.cases) {
    SplitMix64 random(kSeed), again(kSeed);
    EXPECT_EQ(inputs_of(one.prepare(random)), inputs_of(one.prepare(again))) << one.name;
  }
}

TEST_P(EveryExercise, MakesFreshInputsForEveryCall) {
  for (const Case& one : GetParam()->problem.cases) {
    if (one.cost.elements < 2) continue;  // a single element may come twice
    SplitMix64 random(kSeed);
    EXPECT_NE(inputs_of(one.prepare(random)), inputs_of(one.prepare(random))) << one.name;
  }
}

// --- what gates and the clock look at ---

/// Cases whose traffic or time counts. Of the timed ones those that are made in a moment: the others are made
/// by the same code.
std::vector<const Case*> cases_that_count(const course::Problem& problem) {
  constexpr double kElements = 3e8, kBytes = 2e7;
  std::vector<const Case*> cases;
  for (const Case& one : problem.cases) {
    if (one.measured) cases.push_back(&one);
  }
  if (!problem.speed) return cases;
  for (const Case& one : problem.speed->sizes) {
    if (one.cost.elements <= kElements && one.cost.global_bytes <= kBytes) cases.push_back(&one);
  }
  return cases;
}

/// The call of `seed`; where calls share something, of one measurement.
Call call_of(const Case& one, std::uint64_t seed) {
  SplitMix64 shared(kSeed), own(seed);
  return one.prepare_many ? one.prepare_many(shared)(own) : one.prepare(own);
}

/// Of the elements that are not 0 in both, the share that is right for one call and wrong for the other.
double share_that_differs(const course::Output& output, const course::Output& other) {
  const judge::Comparison comparison = judge::compare(output, other.expected);
  const std::size_t element_bytes = output.expected.size() / comparison.total;
  const auto is_zero = [&](const Bytes& bytes, std::size_t i) {
    const auto* const begin = bytes.data() + i * element_bytes;
    return std::all_of(begin, begin + element_bytes, [](std::byte byte) { return byte == std::byte{0}; });
  };
  std::size_t telling = 0;
  for (std::size_t i = 0; i < comparison.total; ++i)
    telling += is_zero(output.expected, i) && is_zero(other.expected, i) ? 0 : 1;
  return static_cast<double>(comparison.wrong) / static_cast<double>(telling);
}

TEST_P(EveryExercise, AsksSomethingElseWithEverySeedWhereItCounts) {
  constexpr std::uint64_t kSeeds = 3;
  for (const Case* one : cases_that_count(GetParam()->problem)) {
    std::vector<Call> calls;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) calls.push_back(call_of(*one, seed));
    for (std::size_t seed = 1; seed < calls.size(); ++seed) {
      EXPECT_NE(inputs_of(calls[0]), inputs_of(calls[seed])) << one->name;
      const auto outputs = outputs_of(calls[0]), others = outputs_of(calls[seed]);
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].expected.empty()) continue;  // where keys alone are sorted, the values have no element
        EXPECT_GT(share_that_differs(outputs[i], others[i]), 0.1) << one->name << ", output " << i;
      }
    }
  }
}

/// What `draw` makes, as a GPU's vault asks for it.
Bytes drawn(const course::Draw& draw, std::size_t bytes) {
  Bytes all(bytes);
  for (std::span<std::byte> rest = all; !rest.empty();) {
    const std::size_t part = std::min(rest.size(), course::kDrawnTogether);
    draw(rest.first(part));
    rest = rest.subspan(part);
  }
  return all;
}

TEST_P(EveryExercise, DrawsTheInputsOfTimedCallsAsItPreparesThem) {
  for (const Case* one : cases_that_count(GetParam()->problem)) {
    if (!one->prepare_inputs) continue;
    SplitMix64 random(kSeed), same(kSeed);
    const Call call = one->prepare(random), light = one->prepare_inputs(same);
    ASSERT_EQ(call.arguments().size(), light.arguments().size()) << one->name;
    for (std::size_t i = 0; i < call.arguments().size(); ++i) {
      const Argument &whole = call.arguments()[i], &other = light.arguments()[i];
      EXPECT_EQ(whole.kind, other.kind) << whole.name;
      EXPECT_EQ(whole.name, other.name);
      EXPECT_EQ(whole.scalar_bits, other.scalar_bits) << whole.name;
      EXPECT_EQ(whole.output.type, other.output.type) << whole.name;
      if (whole.kind != Argument::Kind::input) continue;
      const bool is_same = (other.draw ? drawn(other.draw, whole.input.size()) : other.input) == whole.input;
      EXPECT_TRUE(is_same) << one->name << ", " << whole.name;
    }
    const std::vector<course::Output> outputs = outputs_of(call), drawn_outputs = outputs_of(light);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      EXPECT_FALSE(outputs[i].nearest_answer) << "one of several right answers is given";
      ASSERT_EQ(!drawn_outputs[i].answer_of_sum, !drawn_outputs[0].answer_of_sum)
          << "of all outputs or of none";
      if (drawn_outputs[i].answer_of_sum) {
        const std::vector<Bytes> inputs = inputs_of(call);
        ASSERT_EQ(inputs.size(), 1U) << "it is of one array";
        double sum = 0;
        for (const float number : numbers<float>(inputs[0])) sum += static_cast<double>(number);
        EXPECT_EQ(drawn_outputs[i].answer_of_sum(sum), outputs[i].expected) << one->name;
        continue;
      }
      EXPECT_EQ(outputs[i].tolerance.absolute + outputs[i].tolerance.relative, 0)
          << "the reference's own error counts";
    }
  }
}

TEST_P(EveryExercise, IsNotAnsweredByAFillOrACopyWhereItCounts) {
  for (const Case& one : GetParam()->problem.cases) {
    if (!one.measured && !one.wide) continue;
    const Call call = call_of(one, 1);
    for (const course::Output& output : outputs_of(call)) {
      const std::size_t bytes = output.expected.size();
      if (bytes == 0) continue;
      EXPECT_GT(judge::compare(output, Bytes(bytes)).wrong, 0U) << one.name;
      for (const Bytes& input : inputs_of(call)) {
        if (input.size() < bytes) continue;
        const Bytes copy(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(bytes));
        EXPECT_GT(judge::compare(output, copy).wrong, 0U) << one.name;
      }
    }
  }
}

TEST_P(EveryExercise, TellsNoInputByAFewOfItsElementsWhereItCounts) {
  for (const Case* one : cases_that_count(GetParam()->problem)) {
    for (const Bytes& input : inputs_of(call_of(*one, 1))) {
      const auto words = numbers<std::uint32_t>(input);
      std::size_t expected = 0;  // by who goes on as the two words before went
      for (std::size_t i = 2; i < words.size(); ++i)
        expected += words[i] - words[i - 1] == words[i - 1] - words[i - 2] ? 1 : 0;
      EXPECT_LE(static_cast<double>(expected), 0.5 * static_cast<double>(words.size())) << one->name;
    }
  }
}

TEST_P(EveryExercise, NeverUsesConstantInputs) {
  for (const Case& one : GetParam()->problem.cases) {
    if (one.cost.elements == 0) continue;  // where all rows are empty, each begins at 0
    SplitMix64 random(kSeed);
    for (const Bytes& input : inputs_of(one.prepare(random))) {
      const std::vector<std::uint32_t> words = numbers<std::uint32_t>(input);
      if (words.size() < 2) continue;
      EXPECT_TRUE(std::any_of(words.begin(), words.end(), [&](auto word) { return word != words.front(); }))
          << one.name;
    }
  }
}

TEST_P(EveryExerciseOfCode, NamesMistakesThatDifferFromTheAnswerAndFromEachOther) {
  std::set<std::string> sentences, in_parts, new_in_parts;  // those in parts without their numbers
  for (const Case& one : GetParam()->problem.cases) {
    if (one.cost.elements == 0) continue;  // all outputs are the same
    SplitMix64 random(kSeed);
    for (const course::Output& output : outputs_of(one.prepare(random))) {
      std::vector<Bytes> seen = {output.expected}, seen_in_parts;
      for (const course::KnownMistake& mistake : output.known_mistakes()) {
        const Bytes wrong = mistake.output();
        EXPECT_TRUE(judge::all_agree(output, mistake, wrong)) << one.name << ": " << mistake.sentence;
        EXPECT_EQ(wrong.size(), output.expected.size()) << one.name << ": " << mistake.sentence;
        EXPECT_TRUE(mistake.advice.ends_with('.')) << "what to do about it: " << mistake.sentence;
        // Those that are made in parts say nothing in some cases, but each does in one.
        if (mistake.in_parts) {
          std::string kind = mistake.sentence;
          std::erase_if(kind, [](unsigned char c) { return std::isdigit(c) != 0; });
          in_parts.insert(kind);
          const bool is_new = std::ranges::find(seen, wrong) == seen.end() &&
                              std::ranges::find(seen_in_parts, wrong) == seen_in_parts.end();
          if (is_new) {
            sentences.insert(mistake.sentence);
            new_in_parts.insert(kind);
          }
          seen_in_parts.push_back(wrong);
          continue;
        }
        // Of those that depend on the launch several may leave the same.
        const auto end = mistake.made_by ? seen.begin() + 1 : seen.end();
        EXPECT_FALSE(std::find(seen.begin(), end, wrong) != end) << one.name << ": " << mistake.sentence;
        if (!mistake.made_by) seen.push_back(wrong);
        // One that is made in parts and leaves the same would be named in its place.
        if (std::ranges::find(seen_in_parts, wrong) == seen_in_parts.end())
          sentences.insert(mistake.sentence);
      }
    }
  }
  EXPECT_GE(sentences.size(), 2U);
  EXPECT_EQ(in_parts, new_in_parts) << "some never leave another output than the others";
}

TEST_P(EveryExercise, StartsWithOneThingToDo) {
  if (const std::size_t predictions = GetParam()->problem.predictions.size(); predictions > 0) {
    EXPECT_EQ(count_of(text_of(GetParam()->starter), " = ?\n"), predictions) << "each prediction is one";
    return;
  }
  EXPECT_EQ(count_of(text_of(GetParam()->starter), "// TODO:"), 1U);
  EXPECT_EQ(count_of(text_of(GetParam()->starter), "TODO"), 1U);
}

TEST_P(EveryExercise, StatesItsLimitsToTheStudent) {
  const std::string task = text_of(GetParam()->folder / "README.md");
  for (const course::Gate& gate : GetParam()->problem.gates) {
    std::string limit = std::to_string(gate.limit);
    limit.erase(limit.find_last_not_of('0') + 1);
    if (limit.back() == '.') limit.pop_back();
    const std::string stated = "`" + gate.name + (gate.at_least ? "` ≥ " : "` ≤ ") + limit;
    EXPECT_NE(task.find(stated), std::string::npos) << stated;
  }
}

/// The private course, loaded; empty where there is none.
const std::filesystem::path& private_course() {
  static const std::filesystem::path folder = [] {
    const char* const chosen = std::getenv("LOCKSTEP_COURSE");
    const std::filesystem::path course = chosen == nullptr ? "" : chosen;
    if (!course.empty()) course::load_course({course, "any"}, course / course::kCourseModule);
    return course;
  }();
  return folder;
}

std::vector<const Exercise*> all_exercises() {
  const std::filesystem::path& root = private_course().empty() ? course::course_root() : private_course();
  std::vector<const Exercise*> exercises;
  for (const Exercise& one : course::catalogue())
    if (one.root == root) exercises.push_back(&one);
  return exercises;
}

std::vector<const Exercise*> exercises_of_code() {
  std::vector<const Exercise*> exercises = all_exercises();
  std::erase_if(exercises, [](const Exercise* one) { return !one->problem.predictions.empty(); });
  return exercises;
}

std::vector<const Exercise*> exercises_of_speed() {
  std::vector<const Exercise*> exercises = all_exercises();
  std::erase_if(exercises, [](const Exercise* one) { return !one->problem.speed; });
  return exercises;
}

std::string test_name(const testing::TestParamInfo<const Exercise*>& exercise) {
  return course::identifier_of(exercise.param->problem.name);
}

/// By rung, what the H200's record has at the largest size at which it has all rungs, in shares of the
/// reference's speed.
std::map<std::string, double> recorded_ladder(const Exercise& exercise) {
  const std::filesystem::path records = exercise.root / "measurements/nvidia-h200";
  const std::string record = text_of(records / (exercise.problem.name + ".json"));
  std::map<std::string, double> ladder;
  for (const Case& one : exercise.problem.speed->sizes) {
    const auto rungs = report::recorded_rungs(record, "NVIDIA H200", one.name);
    if (rungs.size() >= ladder.size()) ladder = rungs;
  }
  return ladder;
}

TEST_P(EveryExerciseOfSpeed, BeginsItsPointsAtARecordedRung) {
  const Exercise& exercise = *GetParam();
  const std::map<std::string, double> ladder = recorded_ladder(exercise);
  if (ladder.empty() && !private_course().empty())
    GTEST_SKIP() << "there is no measurements/nvidia-h200/" << exercise.problem.name << ".json in the course";
  ASSERT_GE(ladder.size(), 2U);
  std::vector<double> shares;
  for (const auto& [name, ratio] : ladder) shares.push_back(ratio);
  std::ranges::sort(shares);
  const auto about = [](double value) {
    return testing::AllOf(testing::Ge(0.9 * value), testing::Le(1.1 * value));
  };
  const std::vector<course::Baseline>& rungs = exercise.problem.speed->rungs;
  for (const course::Baseline& one : rungs) {
    EXPECT_THAT(shares.front() / ladder.at(one.rung), about(one.first_ratio)) << one.rung;
    EXPECT_TRUE(std::filesystem::exists(exercise.solutions / "rungs" / (one.rung + ".cu")));
  }
  const double first = exercise.problem.speed->reference.first_ratio;
  EXPECT_THAT(shares, testing::Contains(about(first)));
  if (rungs.empty()) {
    EXPECT_THAT(shares.front(), about(first)) << "the slowest is the first of the ladder";
  }
}

TEST(TimedCalls, DifferFromEachOtherAndComeAgain) {
  int looked_at = 0;
  for (const Exercise* exercise : all_exercises()) {
    if (!exercise->problem.speed) continue;
    const std::vector<Case>& sizes = exercise->problem.speed->sizes;
    const auto one = std::find_if(sizes.begin(), sizes.end(),
                                  [](const Case& size) { return static_cast<bool>(size.prepare_many); });
    if (one == sizes.end()) continue;  // larger ones are made by the same code
    ++looked_at;
    const auto inputs = [&one](std::uint64_t shared_seed, std::uint64_t own_seed) {
      SplitMix64 shared(shared_seed), own(own_seed);
      return inputs_of(one->prepare_many(shared)(own));
    };
    EXPECT_EQ(inputs(1, 2), inputs(1, 2)) << exercise->folder_name;
    EXPECT_NE(inputs(1, 2), inputs(1, 3)) << exercise->folder_name;
    EXPECT_NE(inputs(1, 2), inputs(4, 2)) << exercise->folder_name;
  }
  EXPECT_GE(looked_at, 2);
}

INSTANTIATE_TEST_SUITE_P(Course, EveryExercise, testing::ValuesIn(all_exercises()), test_name);
INSTANTIATE_TEST_SUITE_P(Course, EveryExerciseOfCode, testing::ValuesIn(exercises_of_code()), test_name);
INSTANTIATE_TEST_SUITE_P(Course, EveryExerciseOfSpeed, testing::ValuesIn(exercises_of_speed()), test_name);

}  // namespace
}  // namespace lockstep::test::every_exercise_test
