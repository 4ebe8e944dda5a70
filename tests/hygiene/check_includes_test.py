"""tests/hygiene/check_includes: a file that includes what it uses passes; each kind of name that it lacks is found."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import checked_tree

CHECKER = pathlib.Path(__file__).resolve().parent / "check_includes"

HEADER = """#pragma once
#include <string>
namespace lockstep::shape {
/// An Undeclared is only talked about.
class Circle : public std::string {
  void member(Inner);
};
enum class Kind { round };
using Name = std::string;
constexpr int kCorners = 0;
double area(const Circle& circle);
}
"""


class CheckIncludes(unittest.TestCase):
    def complaints(self, source, headers=None):
        """What is said of the source, beside shape/circle.h and the given headers."""
        files = {"grader/shape/circle.h": HEADER, "grader/draw/draw.cpp": source, **(headers or {})}
        with tempfile.TemporaryDirectory() as folder:
            checked_tree.write(folder, files)
            ran = subprocess.run([sys.executable, "-S", "-B", CHECKER, folder], capture_output=True, text=True, check=False)
        self.assertEqual((ran.returncode, ran.stderr), (1 if ran.stdout else 0, ""))
        return ran.stdout.splitlines()

    def assert_complaint(self, source, *words):
        (complaint,) = self.complaints(source)
        self.assertTrue(complaint.startswith("grader/draw/draw.cpp: "), complaint)
        for word in words:
            self.assertIn(word, complaint)

    def test_what_is_included_is_not_missed(self):
        self.assertEqual(self.complaints('#include "shape/circle.h"\nstd::string s; double a = area(shape::Circle{}) + kCorners;'), [])

    def test_what_an_included_header_includes_counts(self):
        self.assertEqual(self.complaints('#include "all.h"\nKind kind; Name name;',
                                         {"grader/draw/all.h": '#include "shape/circle.h"\n'}), [])

    def test_each_kind_of_name_is_missed(self):
        for use in ("Circle c;", "Kind k;", "Name n;", "int i = kCorners;", "double d = area(c);", "auto f = &shape::area;",
                    "using lockstep::shape::area;", "auto k = shape::Kind::round;"):
            with self.subTest(use):
                self.assert_complaint(use, "includes no grader/shape/circle.h")

    def test_what_only_looks_like_one_is_not_missed(self):
        for text in ("// Circle\n", 'const char* s = "Circle area(";', "Undeclared u;", "Inner i; member(i);", "c.area(1);",
                     "fs::area(1);", "double area(int);\ndouble d = area(1);", "struct Circle {};\nCircle c;",
                     "enum Edge { kCorners, kRound };\nint i = kCorners;", "#define X Circle\n"):
            with self.subTest(text):
                self.assertEqual(self.complaints(text), [])

    def test_headers_of_libraries_are_missed(self):
        self.assert_complaint("std::vector<int> v;", "std::vector", "<vector>")
        self.assert_complaint("std::ranges::sort(v);", "std::ranges::sort", "<algorithm>")
        self.assert_complaint("fmt::format(1);", "fmt::", "<fmt/")
        self.assertEqual(self.complaints("#include <vector>\n#include <fmt/format.h>\nstd::vector<int> v; fmt::format(1);"), [])

    def test_a_name_of_the_library_that_is_in_no_list_is_asked_for(self):
        self.assert_complaint("std::made_up m;", "std::made_up", "in no list")


if __name__ == "__main__":
    unittest.main()
