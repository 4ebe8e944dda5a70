// Every bug under this folder is found, with its kind and lines, and its clean twin runs without a word.
//
// The head of a file says what is expected:
//   // expect: KIND         as findings are named, or none
//   // also: KIND …         further kinds that may be found besides
//   // options: OPTION …    of `lockstep emulate`
//   // status: N            the program's exit status
//   // says: TEXT           part of what is reported
//   // asks: TEXT           part of the question, had a submission been graded that does the same
//   // reports: TEXT        part of the message then, where that is not what is reported
// The line of the finding ends in `// <- here`, the other one of a race or a stale read in `// <- earlier`,
// one that is both in `// <- here and earlier`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "emulator/server/emulate.h"
#include "judge/case_verdict.h"
#include "judge/findings.h"
#include "report/finding_words.h"

namespace lockstep::emulator {
namespace {

namespace fs = std::filesystem;

struct Expectation {
  std::map<std::string, std::string> head;
  std::vector<int> here, earlier;
};

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

Expectation read_expectation(const fs::path& source) {
  static const std::regex kHead(R"(// (expect|also|options|status|says|asks|reports): (.*))");
  static const std::regex kMarker(R"(// <- (here and earlier|here|earlier)$)");
  Expectation expectation;
  std::ifstream file(source);
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.find("//") == std::string::npos) continue;  // <regex> is slow without optimisation
    std::smatch match;
    if (std::regex_match(line, match, kHead)) expectation.head[match[1]] = match[2];
    if (std::regex_search(line, match, kMarker)) {
      if (match[1] != "earlier") expectation.here.push_back(number);
      if (match[1] != "here") expectation.earlier.push_back(number);
    }
  }
  return expectation;
}

/// A finding as it is reported on standard error.
struct Told {
  std::string kind;
  int line = 0, other_line = 0;
};

std::vector<Told> findings_in(const std::string& text, const std::string& file) {
  static const std::regex kFirst(R"(lockstep: ([a-z-]+)(?: in .*?)?(?: at (.*):(\d+))?)");
  static const std::regex kOther(R"(  the (?:earlier access|other barrier|store): (.*):(\d+))");
  static const std::vector<std::string> kKinds = {"out-of-bounds",  "misaligned", "uninitialised-read",
                                                  "race",           "bad-sync",   "deadlock",
                                                  "time-limit",     "trap",       "assertion",
                                                  "stack-overflow", "bad-launch", "bad-image",
                                                  "unsupported",    "bad-call",   "leak",
                                                  "no-progress",    "stale-read"};
  std::vector<Told> findings;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    std::smatch match;
    if (std::regex_match(line, match, kFirst) &&
        std::find(kKinds.begin(), kKinds.end(), match[1]) != kKinds.end()) {
      findings.push_back({match[1]});
      if (match[2].matched && fs::path(match[2].str()).filename() == file)
        findings.back().line = std::stoi(match[3]);
    } else if (std::regex_match(line, match, kOther) && !findings.empty() &&
               fs::path(match[1].str()).filename() == file) {
      findings.back().other_line = std::stoi(match[2]);
    }
  }
  return findings;
}

struct Ended {
  int status = 0;
  std::string errors;
  std::vector<Finding> findings;
};

Ended run(const std::string& name, const std::string& variant, const std::string& option_words) {
  server::EmulateOptions options;
  options.device.executable = DEVICE_EXECUTABLE;
  // Which of two blocks comes first is then certain, and with it which line is the earlier one.
  options.device.workers = 1;
  options.time_limit = std::chrono::seconds(20);
  options.device.note_refusals = true;
  options.cudart_directory = CUDART_FOLDER;
  options.program = PLANTED_BUGS_PROGRAM;
  options.arguments = {name, variant};
  options.text_of = report::text_of;
  const std::vector<std::string> wanted = words(option_words);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == "--check-leaks") {
      options.device.check_leaks = true;
    } else if (wanted[i] == "--time-limit" && i + 1 < wanted.size()) {
      options.time_limit = std::chrono::seconds(std::stoi(wanted[++i]));
    } else {
      ADD_FAILURE() << "unknown option " << wanted[i];
    }
  }
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  std::optional<Observations> seen;
  const int status = server::emulate(options, seen);
  testing::internal::GetCapturedStdout();
  return {status, testing::internal::GetCapturedStderr(), seen ? seen->findings : std::vector<Finding>{}};
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const fs::directory_entry& entry : fs::directory_iterator(PLANTED_BUGS_FOLDER)) {
    if (entry.path().extension() == ".cu" && entry.path().stem() != "main")
      all.push_back(entry.path().stem());
  }
  std::sort(all.begin(), all.end());
  return all;
}

class PlantedBug : public testing::TestWithParam<std::string> {
 protected:
  const std::string file_ = GetParam() + ".cu";
  Expectation expectation_ = read_expectation(fs::path(PLANTED_BUGS_FOLDER) / file_);
};

TEST_P(PlantedBug, IsFound) {
  const std::string kind = expectation_.head["expect"];
  ASSERT_FALSE(kind.empty()) << file_ << " has no line `// expect:`";
  const Ended ended = run(GetParam(), "bug", expectation_.head["options"]);
  SCOPED_TRACE(ended.errors);
  if (!expectation_.head["status"].empty()) {
    EXPECT_EQ(std::to_string(ended.status), expectation_.head["status"]);
  }

  const auto is_expected = [&](const Told& told) {
    const auto one_of = [](int line, const std::vector<int>& lines) {
      return lines.empty() ? line == 0 : std::find(lines.begin(), lines.end(), line) != lines.end();
    };
    return told.kind == kind && one_of(told.line, expectation_.here) &&
           one_of(told.other_line, expectation_.earlier);
  };
  const std::vector<Told> findings = findings_in(ended.errors, file_);
  EXPECT_EQ(std::any_of(findings.begin(), findings.end(), is_expected), kind != "none");
  const std::vector<std::string> also = words(expectation_.head["also"]);
  for (const Told& told : findings) {
    if (is_expected(told)) continue;
    EXPECT_THAT(also, testing::Contains(told.kind)) << "another finding, at line " << told.line;
  }
}

TEST_P(PlantedBug, IsToldInItsWords) {
  const Ended ended = run(GetParam(), "bug", expectation_.head["options"]);
  EXPECT_THAT(ended.errors, testing::HasSubstr(expectation_.head["says"]));
}

TEST_P(PlantedBug, IsNotFoundInItsCleanTwin) {
  const Ended ended = run(GetParam(), "fixed", expectation_.head["options"]);
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(ended.errors, "");
}

std::vector<std::string> names_with_question() {
  std::vector<std::string> all = names();
  std::erase_if(all, [](const std::string& name) {
    return !read_expectation(fs::path(PLANTED_BUGS_FOLDER) / (name + ".cu")).head.contains("asks");
  });
  return all;
}

/// A bug from its kernel to the words of a report, as if it had been a submission's and its output were
/// wrong.
class ReportedBug : public PlantedBug {};

TEST_P(ReportedBug, AsksWhatFollowsFromItsCause) {
  const Ended ended = run(GetParam(), "bug", expectation_.head["options"]);
  judge::Evidence evidence;
  evidence.findings = ended.findings;
  judge::take_kind(Finding::Kind::bad_call, evidence.findings);
  evidence.stale_reads = judge::take_kind(Finding::Kind::stale_read, evidence.findings);
  evidence.wrong_output.emplace();
  evidence.wrong_output->cause.basis = judge::LikelyCause::Basis::likeness;
  std::ifstream file(fs::path(PLANTED_BUGS_FOLDER) / file_);
  const judge::SourceText source(file_, {std::istreambuf_iterator<char>(file), {}});
  result::CaseResult result;
  judge::conclude(evidence, source, result);

  SCOPED_TRACE(ended.errors);
  const std::string reported = expectation_.head.contains("reports") ? "reports" : "says";
  EXPECT_THAT(result.message + result.guess, testing::HasSubstr(expectation_.head[reported]));
  EXPECT_THAT(result.question, testing::HasSubstr(expectation_.head["asks"]));
  std::vector<int> lines;
  for (const result::Place& place : result.places) lines.push_back(static_cast<int>(place.line));
  for (const int line : expectation_.here) EXPECT_THAT(lines, testing::Contains(line));
}

INSTANTIATE_TEST_SUITE_P(Files, ReportedBug, testing::ValuesIn(names_with_question()),
                         [](const auto& test) { return test.param; });

INSTANTIATE_TEST_SUITE_P(Files, PlantedBug, testing::ValuesIn(names()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace lockstep::emulator
