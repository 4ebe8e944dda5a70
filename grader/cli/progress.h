// What the student has reached so far: the best result of each exercise, what its last grading counted, and
// the hints seen, kept in the course's own folder (.lockstep/progress.json).
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "result/result.h"

namespace lockstep::cli {

struct ExerciseProgress {
  std::optional<result::Verdict> best;  ///< nothing before the first grading
  double points = 0;                    ///< of the best
  std::size_t hints = 0;                ///< given so far
  // Of the last grading that came so far:
  std::uint64_t passed_cases = 0, cases = 0;
  std::map<std::string, double> gates;  ///< values by name
};

class Progress {
 public:
  /// Reads the file. A file that is missing or damaged is an empty start: progress is a convenience, and
  /// losing it must not keep anybody from being graded.
  static Progress load();

  ExerciseProgress& of(const std::string& exercise) { return exercises_[exercise]; }
  /// Topics of the exercises that were passed once.
  std::set<std::string> passed() const;
  /// Adds to the result what the grading before counted.
  void compare(result::ExerciseResult& result) const;
  /// Keeps what the result counted, and the better of the result and what was there: passed before not
  /// passed, then more points, then the newer.
  void record(const result::ExerciseResult& result);
  /// Reads the file, changes what it holds, and writes it; what another process writes meanwhile is kept, but
  /// where nothing can be locked or somebody holds the lock for seconds. Throws storage::FileError where it
  /// cannot be written.
  static void update(const std::function<void(Progress&)>& change);

 private:
  void save() const;

  std::map<std::string, ExerciseProgress> exercises_;
};

}  // namespace lockstep::cli
