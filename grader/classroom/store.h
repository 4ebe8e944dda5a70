// All gradings of a class, in one file of SQLite. A grading is there as a whole or not at all, also after the
// power has gone; none is ever removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "classroom/hand_in.h"
#include "result/result.h"

struct sqlite3;

namespace lockstep::classroom {

/// What a grading depends on, and is found by.
struct GradingKey {
  std::string student, exercise;
  std::string sha256;    ///< of the file
  std::string secret;    ///< grading_secret
  std::string lockstep;  ///< version
};

struct Grading {
  GradingKey key;
  std::string toolkit;  ///< nvcc's version
  std::string device;   ///< as the report has it; empty where there is no report
  std::string time;     ///< UTC, such as 2026-02-03T04:05:06Z
  result::Verdict verdict = result::Verdict::grader_error;
  double points = 0, max_points = 0;
  std::string report;     ///< lockstep/result/v1; empty where `grade` left none
  std::string text;       ///< the same as the student reads it
  std::string complaint;  ///< of a grader-error: what was said
  std::int64_t id = 0;    ///< in the order in which they were added; what is added has none
};

/// A file that a student has handed in for an exercise.
struct KeptAttempt {
  std::string sha256;
  HandIn hand_in;
};

/// What an instructor has decided about one exercise of one student, in the place of a grading's points.
struct Overrule {
  std::string student, exercise;
  std::string sha256;         ///< of the file that it is about; empty where none was graded
  bool is_withdrawn = false;  ///< nothing is decided any more
  bool is_accepted = false;   ///< the grading's points were looked at, and stand
  double points = 0;          ///< final: no rule of a policy changes them
  std::string reason, who;    ///< any text
  std::string time;           ///< UTC
};

/// The file cannot be used; what() names it and says why.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Store {
 public:
  /// Opens the file, or makes it, with a new secret, for its user alone. Throws StoreError.
  explicit Store(const std::filesystem::path& file);

  /// The class's, 32 bytes, made with the file.
  const std::string& secret() const { return secret_; }

  /// Keeps the text of a file, once.
  void keep_file(const std::string& sha256, std::string_view text);
  /// Throws StoreError where no such file is kept.
  std::string file(const std::string& sha256) const;

  /// The newest grading of the key.
  std::optional<Grading> newest(const GradingKey& key) const;
  /// Whether it is still to be graded: never was, ended in `grader-error`, or was marked.
  bool is_due(const GradingKey& key) const;
  bool is_marked(const GradingKey& key) const;
  /// Marks what was graded of these exercises to be graded once more, as far as no mark on one of them is
  /// left from before.
  void mark_for_regrading(const std::vector<std::string>& exercises);
  /// The report of the newest grading of the key as a page in HTML; empty where `grade` left none.
  std::string page(const GradingKey& key) const;
  /// How many different files of the student were graded for the exercise.
  std::size_t attempts(const std::string& student, const std::string& exercise) const;
  /// Adds a grading with its page, and takes its mark away, in one transaction that is on the disk when this
  /// returns.
  void add(const Grading& grading, std::string_view page = {});
  /// Number of gradings of the key, those before the newest included.
  std::size_t count(const GradingKey& key) const;

  /// Keeps that a student has handed in a file, and what is known of when: what was said last counts.
  void keep_attempt(const std::string& student, const std::string& exercise, const KeptAttempt& attempt);
  /// All of them, in the order in which they were first kept.
  std::vector<KeptAttempt> kept_attempts(const std::string& student, const std::string& exercise) const;

  /// The newest grading of the same student's same file before that grading, by any version, that was no
  /// `grader-error`.
  std::optional<Grading> before(const Grading& grading) const;
  /// The newest grading's id; 0 where there is none.
  std::int64_t newest_id() const;

  /// Adds a decision; those before it stay on record.
  void add(const Overrule& overrule);
  /// The newest decision; nothing where there is none, or it was withdrawn.
  std::optional<Overrule> overrule(const std::string& student, const std::string& exercise) const;
  /// All decisions about one exercise of one student, oldest first.
  std::vector<Overrule> overrules(const std::string& student, const std::string& exercise) const;

 private:
  class Statement;

  std::unique_ptr<sqlite3, int (*)(sqlite3*)> database_;
  std::string name_, secret_;
};

}  // namespace lockstep::classroom
