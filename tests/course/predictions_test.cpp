// Predictions from the file to the report: what is shown of a starter, of a wrong file and of a hostile one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>

#include "grading.h"

namespace lockstep::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const std::string kReference = contents_of(LOCKSTEP_SOURCE "/solutions/03-predictions/predictions.txt");

class Predictions : public GradingTest {
 protected:
  Graded graded(const std::string& text, const std::string& options = "") {
    fs::create_directory(folder_.path() / "handed in");
    std::ofstream(file_, std::ios::binary) << text;
    return grade("predictions --submission '" + file_.string() + "'" + options);
  }

  static const nlohmann::json& result_of(const Graded& graded) { return exercise_of(graded, "predictions"); }

  /// The reference with another text in place of `old`.
  static std::string with(const std::string& old, const std::string& text) {
    std::string changed = kReference;
    changed.replace(changed.find(old), old.size(), text);
    return changed;
  }

  const fs::path file_ = folder_.path() / "handed in" / "predictions.txt";
};

TEST_F(Predictions, WhatIsNotPredictedShowsNothingOfWhatWasMeasured) {
  const Graded result = graded(std::regex_replace(kReference, std::regex("= [0-9]+"), "= ?"));
  EXPECT_THAT(result.text, HasSubstr("not predicted"));
  for (const nlohmann::json& one : result_of(result).at("predictions")) {
    EXPECT_TRUE(one.at("measured").is_null()) << one;
    EXPECT_EQ(one.at("why"), "");
    EXPECT_TRUE(one.at("places").empty());
  }
  EXPECT_EQ(result_of(result).at("points"), 0);
}

TEST_F(Predictions, BringEqualShares) {
  const Graded result = graded(with("apart_sectors = 32", "apart_sectors = 4"));
  EXPECT_EQ(result.status, 1);
  EXPECT_DOUBLE_EQ(result_of(result).at("points").get<double>(), 4.5);
  EXPECT_EQ(result_of(result).at("predictions").at(1).at("measured"), 32);
  EXPECT_THAT(result.text, HasSubstr("| out[i] = in[8 * i];"));
  EXPECT_THAT(unwrapped(result.text), HasSubstr("Neighbouring lanes are 32 bytes apart"));
}

TEST_F(Predictions, ThatAreWithheldAreNotTold) {
  const Graded result = graded(with("thirds_sectors = 12", "thirds_sectors = 32"));
  EXPECT_TRUE(result_of(result).at("predictions").at(2).at("measured").is_null());
  EXPECT_THAT(result.text, AllOf(HasSubstr("is shown once the prediction is right"),
                                 testing::ContainsRegex("thirds_sectors +32 +-  sectors")));
}

TEST_F(Predictions, ABadLineLosesNothing) {
  const Graded result =
      graded("\x1B[2J\x07 = 4\nno line\nthirds_sector = 12\n" + kReference + "apart_sectors = 1\n");
  EXPECT_EQ(result.status, 0) << result.text;
  EXPECT_EQ(result_of(result).at("points"), result_of(result).at("max_points"));
  ASSERT_EQ(result_of(result).at("unread").size(), 4U);
  EXPECT_THAT(unwrapped(result.text),
              AllOf(HasSubstr("predictions.txt:1"), HasSubstr("predictions.txt:2"),
                    HasSubstr("did you mean thirds_sectors"), HasSubstr("stands on line 7 already")));
  EXPECT_THAT(result.text, Not(testing::ContainsRegex("[\x07\x1B]")));
}

TEST_F(Predictions, AFileThatIsNoTextIsRefusedInASentence) {
  const std::map<std::string, std::string> files = {{std::string("a\0b", 3), "it holds zero bytes"},
                                                    {"\xFF\xFE", "is not UTF-8 text"},
                                                    {"  \n", "is empty"},
                                                    {std::string((1 << 20) + 1, '#'), "larger than 1 MiB"}};
  for (const auto& [text, words] : files) {
    const Graded result = graded(text);
    EXPECT_EQ(verdict_of(result, "predictions"), "compile-error") << words;
    EXPECT_THAT(result_of(result).at("message").get<std::string>(), HasSubstr(words));
  }
  fs::remove(file_);
  fs::create_symlink(LOCKSTEP_SOURCE "/solutions/03-predictions/predictions.txt", file_);
  const Graded linked = grade("predictions --submission '" + file_.parent_path().string() + "'");
  EXPECT_THAT(result_of(linked).at("message").get<std::string>(), HasSubstr("is a link"));
}

TEST_F(Predictions, AreGradedWithASecret) {
  const fs::path secret = folder_.path() / "secret";
  std::ofstream(secret) << "32 bytes that nobody knows, or more";
  fs::permissions(secret, fs::perms::owner_read | fs::perms::owner_write);
  const Graded result = graded(kReference, " --secret-file '" + secret.string() + "'");
  EXPECT_EQ(result.status, 0) << result.text;
  EXPECT_FALSE(result_of(result).at("seed_digest").get<std::string>().empty());
}

TEST_F(Predictions, AreInJUnit) {
  std::ofstream(folder_.path() / "some.txt") << "apart_sectors = 4\nshifted_sectors = 5\n";
  const fs::path report = folder_.path() / "report.xml";
  run("'" LOCKSTEP_EXECUTABLE "' grade predictions --device emulated --format junit --output '" +
      report.string() + "' --submission '" + (folder_.path() / "some.txt").string() + "'");
  EXPECT_THAT(contents_of(report), HasSubstr("tests=\"10\" failures=\"9\" errors=\"0\" skipped=\"0\""));
  const Ran lint = run("xmllint --noout '" + report.string() + "' 2>&1");
  EXPECT_EQ(lint.status, 0) << lint.output;
}

}  // namespace
}  // namespace lockstep::test
