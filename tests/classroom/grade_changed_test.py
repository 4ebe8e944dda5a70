#!/usr/bin/env python3
"""grade_changed where the grader is killed: the job fails, and no points go to GitHub Classroom.

    grade_changed_test.py PATH/OF/classroom/grade_changed
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(sys.argv[1])


class GradeChanged(unittest.TestCase):
    def test_a_killed_grader_is_no_success(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "lockstep/classroom").mkdir(parents=True)
            shutil.copy(SCRIPT, folder / "lockstep/classroom")
            (folder / "lockstep/exercises/05-transpose").mkdir(parents=True)
            (folder / "lockstep/exercises/05-transpose/transpose.cu").touch()
            (folder / "lockstep/lockstep").write_text("#!/bin/sh\nkill -KILL $$\n", encoding="utf-8")
            (folder / "lockstep/lockstep").chmod(0o755)
            work = folder / "work"
            (work / "reports").mkdir(parents=True)
            left = {"exercises": [{"verdict": "passed", "points": 10, "max_points": 10}]}
            (work / "reports/transpose.json").write_text(json.dumps(left), encoding="utf-8")
            (work / "transpose.cu").touch()
            subprocess.run(["git", "init", "-q", work], check=True)
            subprocess.run(["git", "-C", work, "add", "transpose.cu"], check=True)
            environment = {**os.environ, "GITHUB_OUTPUT": str(folder / "output")}
            command = [sys.executable, "-B", folder / "lockstep/classroom/grade_changed", "transpose"]
            ran = subprocess.run(command, cwd=work, env=environment, check=False)
            self.assertEqual(ran.returncode, 3)
            self.assertFalse((folder / "output").exists())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
