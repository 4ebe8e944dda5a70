// The shape of the tree: what every exercise, solution and file must have. Each message says what to do next.
// With LOCKSTEP_COURSE, that of a private course; which of these tests are run on one stands in cmake/course.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "result/result.h"

namespace lockstep::test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMinRungs = 2;
constexpr std::size_t kMinMistakes = 4;
constexpr std::size_t kMinMistakesOfABugHunt = 1;  // it has no rungs either: nothing leads to a repair

/// Null where the tree itself is looked at.
const char* private_course() {
  const char* const course = std::getenv("LOCKSTEP_COURSE");
  return course == nullptr || *course == '\0' ? nullptr : course;
}

const fs::path& root() {
  static const fs::path path = private_course() == nullptr ? LOCKSTEP_SOURCE : private_course();
  return path;
}

/// A private course may do without any.
bool has_lectures() { return private_course() == nullptr || fs::exists(root() / "lectures"); }

std::string name_in_tree(const fs::path& path) { return path.lexically_relative(root()).string(); }

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string first_line(const fs::path& path) {
  const std::string text = contents(path);
  return text.substr(0, text.find('\n'));
}

std::vector<fs::path> files_in(const fs::path& folder, const std::string& ending) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.is_regular_file() && entry.path().extension() == ending) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Known mistakes: whole files, of code or of predictions, and differences from a solution.
std::vector<fs::path> mistakes_in(const fs::path& solution) {
  std::vector<fs::path> files;
  for (const char* ending : {".cu", ".txt", ".patch"}) {
    const std::vector<fs::path> more = files_in(solution / "wrong", ending);
    files.insert(files.end(), more.begin(), more.end());
  }
  return files;
}

/// Folders of exercises: NN-topic below exercises/.
std::vector<fs::path> exercise_folders() {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(root() / "exercises")) {
    if (entry.is_directory()) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

/// "block_scan" for the folder 09-block-scan.
std::string stem_of(const fs::path& folder) {
  std::string stem = folder.filename().string().substr(3);
  std::replace(stem.begin(), stem.end(), '-', '_');
  return stem;
}

/// Whether predictions are handed in, and no code: there is a file of them in place of a starter in CUDA.
bool has_predictions(const fs::path& folder) { return fs::exists(folder / (stem_of(folder) + ".txt")); }

/// The lecture of the exercise, which all of its number share.
fs::path lecture_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  for (const fs::path& lecture : files_in(root() / "lectures", ".md"))
    if (lecture.filename().string().starts_with(name.substr(0, 3))) return lecture;
  return root() / "lectures" / (name + ".md");
}

/// All files that people write, outside of build folders and of hidden ones.
std::vector<fs::path> files_of_the_tree() {
  std::vector<fs::path> files;
  for (auto entry = fs::recursive_directory_iterator(root()); entry != fs::recursive_directory_iterator();
       ++entry) {
    const std::string name = entry->path().filename().string();
    if (entry->is_directory() &&
        (name == ".git" || name == ".lockstep" || name.starts_with("build") || name == "__pycache__")) {
      // grader/build is source; build/ and build-…/ at the root are not.
      if (name != "build" || entry->path().parent_path() == root()) entry.disable_recursion_pending();
    } else if (entry->is_regular_file() && name != ".git") {  // a file in a further work tree
      files.push_back(entry->path());
    }
  }
  return files;
}

TEST(Structure, ThereAreExercises) { ASSERT_FALSE(exercise_folders().empty()); }

TEST(Structure, EveryExerciseIsComplete) {
  for (const fs::path& folder : exercise_folders()) {
    EXPECT_TRUE(std::regex_match(folder.filename().string(), std::regex("[0-9]{2}-[a-z0-9-]+")))
        << name_in_tree(folder) << ": rename the folder to NN-topic, such as 05-transpose";
    const std::string stem = stem_of(folder);
    const std::string code = has_predictions(folder) ? "kernels.cu" : stem + ".cu";
    for (const std::string& file :
         {std::string("README.md"), stem + ".h", code, std::string("problem.cpp")}) {
      EXPECT_TRUE(fs::exists(folder / file)) << name_in_tree(folder / file) << " is missing: write it";
    }
    const std::string starter = stem + (has_predictions(folder) ? ".txt" : ".cu");
    const std::string marker = has_predictions(folder) ? " = ?\n" : "// TODO:";
    EXPECT_NE(contents(folder / starter).find(marker), std::string::npos)
        << name_in_tree(folder / starter) << ": a starter says \"" << marker
        << "\" where the student's work goes; ./lockstep reset finds starters by it";
    if (!has_lectures()) continue;
    const fs::path lecture = lecture_of(folder);
    EXPECT_TRUE(fs::exists(lecture)) << name_in_tree(lecture)
                                     << " is missing: write the lecture of this exercise";
  }
}

TEST(Structure, EveryExerciseIsSolved) {
  for (const fs::path& folder : exercise_folders()) {
    const fs::path solution = root() / "solutions" / folder.filename();
    const fs::path reference = solution / (stem_of(folder) + (has_predictions(folder) ? ".txt" : ".cu"));
    EXPECT_TRUE(fs::exists(reference))
        << name_in_tree(reference) << " is missing: write the reference solution";
    EXPECT_EQ(contents(reference).find("TODO"), std::string::npos)
        << name_in_tree(reference) << ": a solution has nothing left to do";
    const bool is_bug_hunt = fs::exists(folder / "broken.cu");
    if (!is_bug_hunt && !has_predictions(folder)) {
      EXPECT_GE(files_in(solution / "rungs", ".cu").size(), kMinRungs)
          << name_in_tree(solution / "rungs") << ": add rungs, one idea further each, named by their idea";
    }
    EXPECT_GE(mistakes_in(solution).size(), is_bug_hunt ? kMinMistakesOfABugHunt : kMinMistakes)
        << name_in_tree(solution / "wrong") << ": add mistakes that students make, one file each";
  }
}

TEST(Structure, EveryMistakeNamesItsVerdict) {
  const std::regex form("(?://|#) expect: ([a-z-]+)");
  for (const fs::path& folder : exercise_folders()) {
    for (const fs::path& mistake : mistakes_in(root() / "solutions" / folder.filename())) {
      std::smatch match;
      const std::string line = first_line(mistake);
      ASSERT_TRUE(std::regex_match(line, match, form))
          << name_in_tree(mistake)
          << ": its first line must be \"// expect: VERDICT\", such as \"// expect: race\"";
      const auto verdict = result::verdict_from(match[1].str());
      EXPECT_TRUE(verdict) << name_in_tree(mistake) << ": there is no verdict \"" << match[1]
                           << "\"; see grader/result/result.h";
      EXPECT_NE(verdict, result::Verdict::passed)
          << name_in_tree(mistake) << ": a mistake that passes belongs to rungs/";
    }
  }
}

TEST(Structure, EverySourceFileSaysWhatItIs) {
  for (const fs::path& file : files_of_the_tree()) {
    const std::string name = name_in_tree(file);
    const std::string ending = file.extension().string();
    if (ending != ".h" && ending != ".cu" && ending != ".cpp") continue;
    // The header says it for its .cpp, which may begin at once.
    if (ending == ".cpp" && fs::exists(fs::path(file).replace_extension(".h"))) continue;
    EXPECT_TRUE(first_line(file).starts_with("//"))
        << name << ": open it with a comment of 2 to 4 lines: what it is, why, what bounds it";
  }
}

// A student waits for the compilation of a submission, nearly all of which is reading headers, three times
// over: <string> doubles it.
TEST(Structure, WhatSubmissionsIncludeIsQuickToCompile) {
  const std::set<std::string> light{"cmath",   "cstddef", "cstdint",           "cstdio",
                                    "cstdlib", "new",     "cuda_runtime_api.h"};
  std::set<fs::path> seen;
  const auto look_at = [&](const auto& self, const fs::path& file) -> void {
    if (!seen.insert(file).second) return;
    const std::string text = contents(file);
    const std::regex include("#include ([<\"])([^>\"]+)[>\"]");
    for (std::sregex_iterator i(text.begin(), text.end(), include), end; i != end; ++i) {
      const std::string name = (*i)[2];
      const fs::path own = file.parent_path() / name, common = fs::path(LOCKSTEP_SOURCE) / "common" / name;
      if ((*i)[1] == "<") {
        EXPECT_TRUE(light.contains(name)) << name_in_tree(file) << " includes <" << name
                                          << ">, so every submission does: use something lighter";
      } else {
        self(self, fs::exists(own) ? own : common);
      }
    }
  };
  for (const fs::path& folder : exercise_folders()) {
    const std::string name = folder.filename().string().substr(3);
    std::string file = name + ".cu";
    std::replace(file.begin(), file.end(), '-', '_');
    if (fs::exists(folder / file)) look_at(look_at, folder / file);
  }
  EXPECT_GT(seen.size(), exercise_folders().size());
}

TEST(Structure, HeadersAreIncludedOnce) {
  for (const fs::path& file : files_of_the_tree()) {
    if (file.extension() != ".h") continue;
    EXPECT_NE(contents(file).find("#pragma once"), std::string::npos)
        << name_in_tree(file) << ": add #pragma once";
  }
}

TEST(Structure, EveryEnvironmentVariableIsInTheTable) {
  const fs::path table = root() / "docs/environment.md";
  const std::string page = contents(table);
  // As C++, Python and shells read them, and where C++ names one of ours.
  static const std::regex form(
      R"re((?:getenv\(|environ\[|environ\.get\()"([A-Z_]+)"|[$][{]?(LOCKSTEP_[A-Z_]+)|"(LOCKSTEP_[A-Z_]+)")re");
  std::size_t found = 0;
  for (const fs::path& file : files_of_the_tree()) {
    static const std::array<std::string, 4> endings = {".h", ".cpp", ".py", ""};
    if (std::find(endings.begin(), endings.end(), file.extension().string()) == endings.end()) continue;
    const std::string text = contents(file);
    for (std::sregex_iterator match(text.begin(), text.end(), form), end; match != end; ++match) {
      const std::string name = (*match)[1].str() + (*match)[2].str() + (*match)[3].str();
      if (name.starts_with("LOCKSTEP_TEST_")) continue;  // what tests pass to the programs that they start
      ++found;
      EXPECT_NE(page.find('`' + name + '`'), std::string::npos)
          << name_in_tree(file) << " reads or sets " << name << ": add a row to " << name_in_tree(table);
    }
  }
  EXPECT_GT(found, 0U);
}

/// grader/layers.txt: the parts from the bottom up, and files that do otherwise for a reason.
struct Layers {
  std::vector<std::string> parts;
  /// (file, what it includes above it): why.
  std::map<std::pair<std::string, std::string>, std::string> includes;

  /// The place in `parts` of the innermost part that holds the file; nothing when it lies in none.
  std::optional<std::size_t> of(std::string file) const {
    while (!file.empty()) {
      file = fs::path(file).parent_path().string();
      const auto part = std::find(parts.begin(), parts.end(), file);
      if (part != parts.end()) return part - parts.begin();
    }
    return std::nullopt;
  }
};

/// The namespace of a part: that of its folder, or of the folder around one called core.
std::string namespace_of(const std::string& part) {
  std::string name = "lockstep";
  for (const fs::path& folder : fs::path(part))
    if (folder != "core") name += "::" + folder.string();
  return name;
}

Layers read_layers() {
  Layers layers;
  std::ifstream file(root() / "grader/layers.txt");
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first, from, to, why;
    words >> first;
    if (first.empty() || first.starts_with("#")) continue;
    if (first == "except") {
      words >> from >> to;
      std::getline(words >> std::ws, why);
      layers.includes[{from, to}] = why;
    } else {
      layers.parts.push_back(first);
    }
  }
  return layers;
}

/// Files of the grader that the file at `path` includes, by their names below grader/.
std::vector<std::string> includes_of(const fs::path& path) {
  static const std::regex form("(?:^|\n)#include \"([^\"]+)\"");
  const std::string text = contents(path);
  std::vector<std::string> names;
  for (std::sregex_iterator match(text.begin(), text.end(), form), end; match != end; ++match)
    if (fs::exists(root() / "grader" / (*match)[1].str())) names.push_back((*match)[1]);
  return names;
}

TEST(Structure, IncludesGoDown) {
  constexpr std::size_t kMaxExceptions = 4;
  Layers layers = read_layers();
  ASSERT_FALSE(layers.parts.empty()) << "grader/layers.txt names the parts, from the bottom up";
  EXPECT_LE(layers.includes.size(), kMaxExceptions) << "grader/layers.txt: remove an exception first";
  for (const auto& [names, why] : layers.includes)
    EXPECT_NE(why, "") << names.first << ": say why it may include " << names.second;

  for (const fs::path& path : files_of_the_tree()) {
    if (path.extension() != ".h" && path.extension() != ".cpp" && path.extension() != ".cu") continue;
    const std::string file = path.lexically_relative(root() / "grader").string();
    if (file.starts_with("..")) continue;
    const auto part = layers.of(file);
    ASSERT_TRUE(part) << "grader/layers.txt has no part for " << file << ": add a line at its height";
    for (const std::string& included : includes_of(path)) {
      if (layers.of(included) <= part) continue;
      if (const auto exception = layers.includes.extract({file, included})) continue;
      ADD_FAILURE() << file << " includes " << included << ", which lies above it in grader/layers.txt: move "
                    << "what it needs down, or the file up";
    }
  }
  for (const auto& [names, why] : layers.includes)
    ADD_FAILURE() << "grader/layers.txt: " << names.first << " does not include " << names.second
                  << " any more; remove the exception";
}

/// The namespaces in which a file declares more than what others define: classes, and variables by extern.
std::vector<std::string> namespaces_of(const fs::path& path) {
  static const std::regex opening("namespace ([A-Za-z0-9_:]+) \\{");
  static const std::regex of_others("((struct|class) \\w+|extern .*);|//.*|");
  std::vector<std::string> names;
  std::string outer, opened;  // the latest that is named from lockstep on; one that has nothing yet
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (std::regex_match(line, match, opening)) {
      opened = match[1];
      if (opened.starts_with("lockstep")) {
        outer = opened;
      } else {
        opened = outer + "::" + opened;
      }
    } else if (line.starts_with("}")) {
      opened.clear();
    } else if (!opened.empty() && !std::regex_match(line, of_others)) {
      names.push_back(opened);
      opened.clear();
    }
  }
  return names;
}

TEST(Structure, NamespacesFollowFolders) {
  const Layers layers = read_layers();
  std::set<std::string> known;
  for (const std::string& part : layers.parts) known.insert(namespace_of(part));

  std::size_t found = 0;
  for (const fs::path& path : files_of_the_tree()) {
    if (path.extension() != ".h" && path.extension() != ".cpp" && path.extension() != ".cu") continue;
    const std::string file = path.lexically_relative(root() / "grader").string();
    const auto part = layers.of(file);
    if (file.starts_with("..") || !part) continue;
    const std::string expected = namespace_of(layers.parts[*part]);
    for (const std::string& name : namespaces_of(path)) {
      ++found;
      std::string whose = name;  // without the namespaces within that of a part
      while (!whose.empty() && known.count(whose) == 0)
        whose.resize(whose.find("::") == std::string::npos ? 0 : whose.rfind("::"));
      if (whose == expected) continue;
      ADD_FAILURE() << file << " declares names in " << name << ": those of " << layers.parts[*part]
                    << "/ belong into " << expected;
    }
  }
  EXPECT_GT(found, 0U);
}

TEST(Structure, NothingNamesAMachine) {
  // The folder of one person's machine means nothing to the next reader.
  const std::regex machine("/(work|Users|home/[a-z0-9]+)/[A-Za-z0-9]");
  for (const fs::path& file : files_of_the_tree()) {
    const std::string text = contents(file);
    std::smatch match;
    EXPECT_FALSE(std::regex_search(text, match, machine))
        << name_in_tree(file) << " names \"" << match.str()
        << "\": use a path relative to the repository, or a temporary folder";
  }
}

TEST(Structure, TestsShareNoTemporaryNames) {
  // ctest runs tests side by side, each in a process of its own: what one makes below TempDir, another
  // removes.
  for (const fs::path& file : files_of_the_tree()) {
    if (file.extension() != ".cpp" && file.extension() != ".h") continue;
    EXPECT_EQ(contents(file).find(std::string("testing::") + "TempDir"), std::string::npos)
        << name_in_tree(file) << ": make a sandbox::TemporaryFolder, which no other test has";
  }
}

TEST(Structure, TextFilesEndWithANewline) {
  for (const fs::path& file : files_of_the_tree()) {
    static const std::array<std::string, 8> endings = {".h",   ".cpp",   ".cu",   ".md",
                                                       ".txt", ".cmake", ".json", ".patch"};
    if (std::find(endings.begin(), endings.end(), file.extension().string()) == endings.end()) continue;
    const std::string text = contents(file);
    EXPECT_TRUE(text.empty() || text.back() == '\n') << name_in_tree(file) << ": end it with a newline";
  }
}

}  // namespace
}  // namespace lockstep::test
