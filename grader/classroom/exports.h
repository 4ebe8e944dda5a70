// A class for other systems, each in the format that it publishes: gradebooks (Canvas, Moodle), autograders
// (Gradescope, PrairieLearn), continuous integration (JUnit), and checkers of similarity (JPlag, Dolos).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "classroom/student_grading.h"

namespace lockstep::classroom {

/// The gradebook of Canvas, for its import. With a roster its students alone: Canvas asks about every other.
/// Points that nobody knows are empty cells. Source:
/// https://github.com/instructure/canvas-lms/blob/master/lib/gradebook_importer.rb
std::string canvas_csv(const ClassTable& table);

/// Grades for Moodle's import. With a roster its students alone: Moodle takes nothing of a file that names a
/// user whom it does not know. Points that nobody knows are "-", which is no grade. Source:
/// https://docs.moodle.org/en/Grade_import
std::string moodle_csv(const ClassTable& table);

/// A student's exercises as Gradescope's results.json: a test for each. Source:
/// https://gradescope-autograders.readthedocs.io/en/latest/specs/
std::string gradescope_json(const ClassTable& table, const std::vector<StudentGrading>& gradings);

/// One exercise as PrairieLearn's results.json, of at most 1 MB. What does not compile is not gradable.
/// `grading` has points. Source: https://prairielearn.readthedocs.io/en/latest/externalGrading/
std::string prairielearn_json(const StudentGrading& grading);

/// A student's exercises as JUnit XML (report/junit.h): those of which there is a report.
std::string junit_xml(const std::vector<StudentGrading>& gradings);

/// Dolos's info.csv: the files that were handed in, relative to its own folder, with the students' names and
/// verdicts. Source: https://dolos.ugent.be/docs/adding-metadata.html
std::string dolos_csv(const ClassTable& table, const std::string& exercise);

/// Writes what there is of one student below `folder`: gradescope/STUDENT/results.json,
/// prairielearn/STUDENT/EXERCISE/results.json, junit/STUDENT.xml and, of each exercise,
/// similarity/EXERCISE/submissions/STUDENT/ with the file. Throws storage::FileError.
void export_student(const StudentRow& row, const Store& store, const std::vector<StudentGrading>& gradings,
                    const ClassTable& table, const std::filesystem::path& folder);

/// Writes what there is of the class: canvas.csv, moodle.csv, and of each exercise
/// similarity/EXERCISE/info.csv and starter/ with what everybody began with. Throws storage::FileError.
void export_class(const ClassTable& table, const std::filesystem::path& folder);

}  // namespace lockstep::classroom
