// A class of a few students with hand-made gradings, hostile names among them.
#pragma once

#include <filesystem>
#include <string>

#include "classroom/outputs.h"
#include "classroom/store.h"
#include "report/json.h"
#include "sandbox/temporary_folder.h"
#include "storage/files.h"

namespace lockstep::classroom::test {

/// An id and a name that would be markup, a path, a formula and a row of their own.
inline const std::string kHostileId = "../<script>alert(1)</script>\"'&\n=1,\x1B[2J\xFF";

/// Anna has passed transpose and is slow in scan, Bob's transpose is wrong in two files, Cy's does not
/// compile, Dora handed in nothing, and somebody of whom no roster knows is called kHostileId.
class SampleClass {
 public:
  SampleClass() {
    storage::write_file(folder_.path() / "course/transpose.cu", "// starter of transpose\n");
    storage::write_file(folder_.path() / "course/scan.cu", "// starter of scan\n");
    table_.exercises = {"scan", "transpose"};
    for (const std::string& exercise : table_.exercises)
      table_.facts[exercise] = {.max_points = 10, .starter = folder_.path() / "course" / (exercise + ".cu")};
    table_.has_roster = true;
    table_.rows.resize(5);
    StudentRow &anna = table_.rows[0], &bob = table_.rows[1], &cy = table_.rows[2], &dora = table_.rows[3],
               &other = table_.rows[4];
    anna = {.id = "anna", .name = "Ångström, Anna"};
    bob = {.id = "bob", .name = "=Bob"};
    cy = {.id = "cy", .name = "Points Possible"};
    dora = {.id = "dora", .name = "Dora", .has_entry = false};
    other = {.id = kHostileId, .is_in_roster = false, .problems = {"odd.zip is a link"}};
    result::ExerciseResult passed = graded("transpose", result::Verdict::passed, 10);
    passed.seconds = 3;
    passed.speed.ladder = {{"naive", 0.2}, {"padded", 0.8}, {"reference", 1}};
    passed.speed.on_ladder = 0.85;
    result::GateResult gate;
    gate.name = "bank-conflicts";
    gate.value = 1;
    gate.limit = 1.5;
    passed.gates = {gate};
    add(anna, passed, "// anna's\n");
    result::ExerciseResult slow = graded("scan", result::Verdict::inefficient, 7.25);
    gate.verdict = result::Verdict::inefficient;
    slow.gates = {gate};
    add(anna, slow, "// anna's scan\n");
    add(bob, wrong("3"), "// bob's first\n");
    add(bob, wrong("4"), "// bob's second\n");
    result::ExerciseResult broken = graded("transpose", result::Verdict::compile_error, 0);
    broken.message = "transpose.cu does not compile.";
    add(cy, broken, "// cy's\n");
    result::ExerciseResult hostile = wrong("<b>5");
    hostile.seconds = 80;
    add(other, hostile, "// <script>\n");
    other.standings["scan"] = {.kind = Standing::Kind::refused, .why = "there are 2 files"};
  }

  ClassTable& table() { return table_; }
  Store& store() { return store_; }
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  static result::ExerciseResult graded(const std::string& exercise, result::Verdict verdict, double points) {
    result::ExerciseResult result;
    result.name = exercise;
    result.verdict = verdict;
    result.points = points;
    result.max_points = 10;
    result.seconds = 2;
    result.next_step = "Read the lecture.";
    result::CaseResult one;
    one.name = "1 x 1";
    one.seconds = 0.5;
    result.cases = {one};
    return result;
  }
  static result::ExerciseResult wrong(const std::string& row) {
    result::ExerciseResult result = graded("transpose", result::Verdict::wrong_answer, 2);
    result.cases.front().verdict = result::Verdict::wrong_answer;
    result.cases.front().guess = "row " + row + " is shifted";
    return result;
  }
  /// Adds a grading with its page, and what stands in the table of it.
  void add(StudentRow& row, const result::ExerciseResult& result, const std::string& file) {
    const Grading grading{
        .key = {row.id, result.name, "digest of " + file, "the secret", "1.0"},
        .toolkit = "13.0",
        .device = "device",
        .time = "now",
        .verdict = result.verdict,
        .points = result.points,
        .max_points = result.max_points,
        .report = report::render_json({.device = {"emulated", "device"}, .exercises = {result}}),
        .text = "report of " + result.name + "\n"};
    store_.keep_file(grading.key.sha256, file);
    store_.add(grading, "<p>page of " + result.name + "</p>");
    row.standings[result.name] = {.kind = Standing::Kind::graded,
                                  .key = grading.key,
                                  .points = result.points,
                                  .max_points = result.max_points,
                                  .is_judged = true,
                                  .verdict = result.verdict};
  }

  sandbox::TemporaryFolder folder_{std::filesystem::temp_directory_path(), "lockstep-sample-class-"};
  Store store_{folder_.path() / "class.sqlite"};
  ClassTable table_;
};

}  // namespace lockstep::classroom::test
