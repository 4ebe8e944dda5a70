"""tests/hygiene/check_words: a tree in the words of the glossary passes; each kind of text that it reads can fail."""

import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

import checked_tree

CHECKER = pathlib.Path(__file__).resolve().parent / "check_words"


def load_checker():
    loader = importlib.machinery.SourceFileLoader("check_words", str(CHECKER))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_words", loader))
    loader.exec_module(module)
    return module


check_words = load_checker()


class CheckWords(unittest.TestCase):
    def faults(self, files, exceptions=()):
        with tempfile.TemporaryDirectory() as folder:
            checked_tree.write(folder, files)
            return list(check_words.faults_in(pathlib.Path(folder), list(exceptions)))

    def assert_fault(self, name, text, place, *words):
        (fault,) = self.faults({name: text})
        self.assertTrue(fault.startswith(place + ": "), fault)
        for word in words:
            self.assertIn(word, fault)

    def test_a_tree_in_the_words_of_the_glossary_passes(self):
        self.assertEqual(self.faults({"docs/page.md": "Loads are in flight on the GPU.\n"}), [])

    def test_every_phrase_can_fail(self):
        examples = (
            "the card", "lanes part", "a req. of", "4 sectors a request", "mend it", "the dearest line",
            "edges that bite", "two thousand million", "moved in vain", "it stands still", "waits for ever", "rubbish",
            "held against", "set beside", "by turns", "here, save the last", "all but for one", "on their way",
            "the compiler's words", "it tells the time", "hoarded", "a riddle", "what nobody wrote", "minds no old value",
            "a user that nobody is", "the fullest bank",
        )  # fmt: skip
        for text in examples:
            with self.subTest(text):
                self.assert_fault("docs/page.md", f"# Page\n\n{text}\n", "docs/page.md:3")
        in_text = [row for row in check_words.BANNED if row.kinds != (check_words.NAME,)]
        self.assertEqual(len(examples), len(in_text), "a phrase without an example")

    def test_a_phrase_over_two_lines_is_found_where_it_begins(self):
        self.assert_fault("README.md", "It is moved in\nvain.\n", "README.md:1", "excess")

    def test_strings_that_are_joined_are_one_text(self):
        source = 'const char* kText =\n    "no sector is moved in "\n    "vain";\n'
        self.assert_fault("grader/a.cpp", source, "grader/a.cpp:2", "in vain")

    def test_comments_are_not_printed(self):
        files = {"grader/a.cpp": "// in vain\n/* a card */\nint n;\n", "run": "#!/bin/bash\n# a card\n"}
        self.assertEqual(self.faults(files), [])

    def test_names_are_taken_apart(self):
        self.assert_fault("grader/a.h", "struct CardState {};\n", "grader/a.h:1", "GPU")
        self.assert_fault("grader/a.h", "\nint gate_to_mend();\n", "grader/a.h:2", "fix")
        self.assert_fault("grader/a.h", "constexpr int kMostRows = 3;\n", "grader/a.h:1", "kMax")
        self.assertEqual(self.faults({"grader/a.h": "int discarded, cardinal;\n"}), [])

    def test_paths_are_names(self):
        self.assert_fault("grader/card_monitor.h", "", "grader/card_monitor.h", "GPU")

    def test_python_and_shell(self):
        self.assert_fault("docs/tool", '#!/usr/bin/env python3\nprint("a card")\n', "docs/tool:2")
        self.assert_fault("lockstep", "#!/usr/bin/env bash\n\necho 'mend it'  # a card\n", "lockstep:3")

    def test_tests_print_what_they_like(self):
        self.assertEqual(self.faults({"tests/a.cpp": 'const char* kText = "a card";\n'}), [])
        self.assert_fault("tests/a.cpp", "void on_a_card();\n", "tests/a.cpp:1")

    def test_an_exception_allows_a_line_and_must_be_needed(self):
        allowed = check_words.Allowed("docs/*", r"\bcards", "`card`", "a field")
        files = {"docs/page.md": "| `card` | its name |\n"}
        self.assertEqual(self.faults(files, [allowed]), [])
        self.assertEqual(len(self.faults({"docs/page.md": "The card.\n"}, [allowed])), 2)
        (fault,) = self.faults({"docs/page.md": "The GPU.\n"}, [allowed])
        self.assertIn("no text needs the exception", fault)


if __name__ == "__main__":
    unittest.main()
