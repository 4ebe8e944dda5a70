"""tests/samples/run: which samples it takes, and what it says of how they end."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).parent / "run"
LOCKSTEP = sys.argv.pop(1)

KERNEL = """
__global__ void write(int* to, int i) { to[i] = i; }
int main() {
  int* to;
  cudaMalloc(&to, 4);
  write<<<1, 1>>>(to, %d);
  return cudaDeviceSynchronize() == cudaSuccess ? %d : 2;
}
"""
SAMPLES = {
    "good/good.cu": '#include "helper_of_all.h"\n' + KERNEL % (0, 0),
    "bad/bad.cu": KERNEL % (1, 0),
    "waived/src/waived.cu": KERNEL % (0, 5),
    "endless/endless.cu": "__global__ void spin(volatile int* flag) {"
    " for (int n = 0; *flag == 0; ++n) *flag = -(n < 0); }\n"
    "int main() { int* flag; cudaMalloc(&flag, 4); cudaMemset(flag, 0, 4); spin<<<1, 1>>>(flag);"
    " return cudaDeviceSynchronize(); }",
    "broken/broken.cu": "int main() { return missing; }",
    "drawn/drawn.cu": "#include <GL/gl.h>\n" + KERNEL % (0, 0),
    "driven/driven.cpp": "int main() { return cuInit(0); }",
}


class RunSamples(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.checkout = pathlib.Path(folder.name)
        for name, text in SAMPLES.items():
            file = self.checkout / "Samples/0_Kind" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        (self.checkout / "Common").mkdir()
        (self.checkout / "Common/helper_of_all.h").touch()

    def run_tool(self, *names):
        command = [sys.executable, "-S", "-B", TOOL, self.checkout, *names, "--lockstep", LOCKSTEP, "--seconds", "2"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def test_tells_how_each_ends(self):
        ran = self.run_tool()
        lines = ran.stdout.splitlines()
        told = {line.split()[0]: line for line in lines[:-1]}
        self.assertEqual(sorted(told), ["bad", "broken", "endless", "good", "waived"])
        self.assertRegex(told["good"], r"^good +ended ")
        self.assertRegex(told["bad"], r"^bad +status 2 .*out-of-bounds in write")
        self.assertRegex(told["waived"], r"^waived +status 5 ")
        self.assertRegex(told["endless"], r"^endless +time limit ")
        self.assertRegex(told["broken"], r"^broken +not built ")
        self.assertIn("1 ended", lines[-1])
        self.assertEqual(ran.returncode, 3, "one could not be built")

    def test_runs_those_that_are_named(self):
        ran = self.run_tool("good")
        self.assertEqual(ran.stdout.splitlines()[-1], "1 ended")
        self.assertEqual(ran.returncode, 0)

    def test_says_what_there_is_not(self):
        ran = self.run_tool("good", "drawn")
        self.assertIn("there is no drawn in", ran.stderr)
        self.assertEqual(ran.returncode, 3)


if __name__ == "__main__":
    unittest.main()
