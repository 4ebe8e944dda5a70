#include "course/problem_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace lockstep::course {
namespace {

/// Fewer cases cannot hold the sizes that break kernels: 0, 1, 31, 32, 33, 1023, 1024, 1025, a prime, a large
/// one.
constexpr std::size_t kMinCases = 12;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

template <class Require>
void require_speed(const SpeedTask& task, const Require& require) {
  require(!task.sizes.empty(), "speed is to be measured, but at no size");
  require(task.pass_ratio > 0 && task.pass_ratio <= 1, "the speed to reach is no share of the reference's");
  require(task.reference.rung.empty() && task.reference.answers.empty(),
          "the reference's baseline names a rung, or answers");
  std::vector<Baseline> baselines = task.rungs;
  baselines.push_back(task.reference);
  for (const Baseline& one : baselines) {
    const std::string name = one.rung.empty() ? "the reference" : one.rung;
    require(one.first_ratio > 0 && one.first_ratio < task.pass_ratio,
            fmt::format("the first rung below {} has no share of its speed, or one that passes", name));
  }
  for (const Baseline& one : task.rungs)
    require(!one.rung.empty() && !one.answers.empty(), "a baseline lacks its rung, or answers");
  double before = 0;
  for (const std::vector<Case>& cases : {task.sizes, task.larger}) {
    for (const Case& one : cases) {
      require(one.cost.elements > before,
              fmt::format("size \"{}\" is not larger than the one before", one.name));
      before = one.cost.elements;
    }
  }
  for (const std::vector<Case>& cases : {task.sizes, task.larger, task.variations}) {
    for (const Case& one : cases) {
      require(!one.name.empty() && one.prepare && one.cost.global_bytes > 0,
              fmt::format("size \"{}\" lacks its name, inputs or cost", one.name));
    }
  }
}

template <class Require>
void require_puzzles(const Problem& problem, const Require& require) {
  std::set<std::string> names;
  for (const Puzzle& puzzle : problem.puzzles) {
    require(names.insert(puzzle.name).second, fmt::format("two puzzles are named \"{}\"", puzzle.name));
    require(puzzle.function.name == puzzle.name && !puzzle.title.empty(),
            fmt::format("puzzle \"{}\" lacks its title, or is not named as its function \"{}\"", puzzle.name,
                        puzzle.function.name));
    const Problem one = problem.of(puzzle);
    require(!one.cases.empty() && one.gates.size() == problem.gates.size(),
            fmt::format("puzzle \"{}\" lacks cases, or one that a gate looks at", puzzle.name));
  }
  for (const Case& one : problem.cases) {
    require(names.empty() ? one.puzzle.empty() : names.contains(one.puzzle),
            fmt::format("case \"{}\" is of the puzzle \"{}\", which there is not", one.name, one.puzzle));
  }
  const bool has_more = !problem.function.name.empty() || problem.workspace || problem.speed ||
                        problem.picture || !problem.gpu_cases.empty();
  require(problem.puzzles.empty() || !has_more,
          "an exercise of puzzles has a function, a workspace, a speed, a picture or cases of a GPU alone");
}

template <class Require>
void require_host_program(const Problem& problem, const Require& require) {
  const bool has_more =
      problem.workspace || problem.speed || !problem.puzzles.empty() || !problem.gpu_cases.empty();
  require(
      !problem.host_program || (!has_more && problem.function.result == ValueKind::i32),
      "a host program returns a cudaError_t, and has no workspace, speed, puzzles or cases of a GPU alone");
  for (const Case& one : problem.cases)
    require(!one.failing || problem.host_program,
            fmt::format("case \"{}\" has calls fail, but the exercise asks for no host program", one.name));
}

template <class Require>
void require_predictions(const Problem& problem, const Require& require) {
  if (problem.predictions.empty()) return;
  require(!problem.puzzles.empty() && problem.gates.empty(),
          "predictions are about puzzles, without gates: these are functions of kernels.cu");
  std::set<std::string> names;
  for (const Prediction& one : problem.predictions) {
    const auto is_its_case = [&one](const Case& any) { return any.name == one.case_name && any.measured; };
    require(names.insert(one.name).second, fmt::format("two predictions are named \"{}\"", one.name));
    require(
        !one.name.empty() && !one.question.empty() && !one.unit.empty() && !one.why.empty() && one.counted,
        fmt::format("prediction \"{}\" lacks its name, question, unit, count or reason", one.name));
    require(
        std::ranges::any_of(problem.cases, is_its_case),
        fmt::format("prediction \"{}\" is about \"{}\", which is no measured case", one.name, one.case_name));
  }
}

}  // namespace

std::string topic_of(std::string_view folder_name) {
  const bool numbered =
      folder_name.size() > 3 && is_digit(folder_name[0]) && is_digit(folder_name[1]) && folder_name[2] == '-';
  return numbered ? std::string(folder_name.substr(3)) : std::string();
}

std::string identifier_of(std::string_view topic) {
  std::string identifier(topic);
  std::replace(identifier.begin(), identifier.end(), '-', '_');
  return identifier;
}

std::vector<std::string> broken_rules(const Problem& problem, std::string_view folder_name) {
  std::vector<std::string> broken;
  const auto require = [&broken](bool holds, std::string sentence) {
    if (!holds) broken.push_back(std::move(sentence));
  };
  const std::string topic = topic_of(folder_name);
  require(!topic.empty(), fmt::format("the folder \"{}\" is not named NN-topic", folder_name));
  require(problem.name == topic,
          fmt::format("the problem's name is \"{}\", its folder's topic \"{}\"", problem.name, topic));
  require(!problem.puzzles.empty() || problem.function.name == identifier_of(problem.name),
          fmt::format("the function is \"{}\", but the exercise \"{}\" asks for \"{}\"",
                      problem.function.name, problem.name, identifier_of(problem.name)));
  require_puzzles(problem, require);
  require_predictions(problem, require);
  require(!problem.title.empty() && !problem.lesson.empty(), "title and lesson must say something");
  require(!problem.hints.empty(), "there is no hint");
  require(problem.points > 0, "the exercise is worth no points");
  require(problem.cases.size() >= kMinCases || !problem.predictions.empty(),
          fmt::format("{} cases, at least {} are needed", problem.cases.size(), kMinCases));
  std::set<std::string> names;
  bool any_measured = false;
  for (const Case& one : problem.cases) {
    require(!one.name.empty(), "a case has no name");
    require(names.insert(one.name).second, fmt::format("two cases are named \"{}\"", one.name));
    require(static_cast<bool>(one.prepare), fmt::format("case \"{}\" cannot prepare a call", one.name));
    require(one.calls >= 1, fmt::format("case \"{}\" makes no call", one.name));
    require(!one.measured || (one.cost.elements > 0 && one.cost.global_bytes > 0),
            fmt::format("case \"{}\" is measured but states no cost", one.name));
    any_measured = any_measured || one.measured;
  }
  require(problem.gates.empty() || any_measured, "there are gates but no measured case");
  if (problem.picture) {
    require(names.contains(problem.picture->case_name),
            fmt::format("there is no case \"{}\" to draw", problem.picture->case_name));
    require(!problem.picture->ending.empty() && problem.picture->draw,
            "the picture lacks its form or its drawing");
  }
  require(!problem.max_changed_lines || (*problem.max_changed_lines > 0 && problem.puzzles.empty()),
          "a bug hunt allows no change, or has puzzles");
  if (problem.speed) require_speed(*problem.speed, require);
  require_host_program(problem, require);
  for (const Gate& gate : problem.gates) {
    require(gate.value && gate.cause, fmt::format("gate \"{}\" lacks its value or its cause", gate.name));
    require(!any_measured ||
                std::ranges::any_of(problem.cases, [&](const Case& one) { return gate.looks_at(one); }),
            fmt::format("there is no case that gate \"{}\" looks at", gate.name));
  }
  return broken;
}

}  // namespace lockstep::course
