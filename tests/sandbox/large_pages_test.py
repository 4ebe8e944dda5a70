#!/usr/bin/env python3
"""What is preloaded into compilers: large memory that a program maps is asked for in large pages, and nothing else.

    large_pages_test.py LIBRARY
"""

import os
import pathlib
import subprocess
import sys
import unittest

SKIPPED = 77
SETTING = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
# Maps memory or a file of so many bytes, and prints whether the system was advised to use large pages there ("hg").
PROGRAM = """
import ctypes, mmap, sys, tempfile
size, kind = int(sys.argv[1]), sys.argv[2]
if kind == "memory":
    mapped = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
else:
    file = tempfile.TemporaryFile()
    file.truncate(size)
    mapped = mmap.mmap(file.fileno(), size, flags=mmap.MAP_PRIVATE)
begin = ctypes.addressof(ctypes.c_char.from_buffer(mapped))
inside = False
for line in open("/proc/self/smaps"):
    words = line.split()
    if "-" in words[0] and not words[0].endswith(":"):
        low, high = (int(part, 16) for part in words[0].split("-"))
        inside = low <= begin < high
    elif inside and words[0] == "VmFlags:":
        print("hg" in words)
try:
    mmap.mmap(-1, 1 << 62, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
except OSError as error:
    print(error.errno)
"""
ENOMEM = "12"


class LargePages(unittest.TestCase):
    def said(self, kilobytes, kind="memory", preload=True):
        environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
        if preload:
            environment["LD_PRELOAD"] = LIBRARY
        ran = subprocess.run(
            [sys.executable, "-c", PROGRAM, str(kilobytes << 10), kind],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        self.assertEqual(ran.stderr, "")
        return ran.stdout.split()

    def test_large_memory_is_asked_for_in_large_pages(self):
        self.assertEqual(self.said(8 << 10), ["True", ENOMEM])

    def test_without_the_library_it_is_not(self):
        self.assertEqual(self.said(8 << 10, preload=False), ["False", ENOMEM])

    def test_small_memory_and_files_are_left_as_they_are(self):
        self.assertEqual(self.said(64), ["False", ENOMEM])
        self.assertEqual(self.said(8 << 10, kind="file"), ["False", ENOMEM])


if __name__ == "__main__":
    LIBRARY = sys.argv.pop(1)
    if not SETTING.exists():
        print(f"skipped: this kernel has no large pages, as there is no {SETTING}")
        sys.exit(SKIPPED)
    unittest.main()
