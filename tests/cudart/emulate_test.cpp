// Unmodified programs built by nvcc, run on the device with their own output and exit status.
#include "emulator/server/emulate.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "emulated_program.h"
#include "sandbox/temporary_folder.h"

namespace lockstep::emulator {
namespace {

TEST(Emulate, VectorAdd) { expect_clean("vector_add", "no error\n"); }
TEST(Emulate, RelocatableDeviceCode) { expect_clean("vector_add_relocatable", "no error\n"); }

TEST(Emulate, DeviceCodeOfSeveralFilesIsLinked) {
  expect_clean("separate", "no error, 0 wrong, counter 32, own 10, elsewhere 68\n");
}
TEST(Emulate, Transpose) { expect_clean("transpose", "transposed\n"); }
TEST(Emulate, StreamsAndEvents) { expect_clean("streams", "streams in order\n"); }
TEST(Emulate, Symbols) { expect_clean("symbols", "symbols found\n"); }
TEST(Emulate, PitchedMemory) { expect_clean("pitched", "pitched\n"); }
TEST(Emulate, KernelsThatMeasureAGpu) { expect_clean("calibration", "measured work is done\n"); }
TEST(Emulate, CooperativeGroups) { expect_clean("groups", "groups agree\n"); }
TEST(Emulate, FunctionsThatLanesChoose) { expect_clean("function_pointers", "no error, 0 wrong\n"); }
TEST(Emulate, HalfPrecision) { expect_clean("half", "halves agree\n"); }
TEST(Emulate, RandomNumbers) { expect_clean("curand", "random numbers as defined\n"); }
TEST(Emulate, TensorCores) { expect_clean("wmma", "0 of 139 products wrong\n"); }
TEST(Emulate, TensorCoresByInlinePtx) { expect_clean("matrix_product", "products agree\n"); }
TEST(Emulate, AsynchronousCopies) { expect_clean("async_copies", "copies have arrived\n"); }
TEST(Emulate, Clusters) { expect_clean("clusters", "clusters meet\n"); }

TEST(Emulate, GridsThatMeet) {
  const Ended result = run("grid_sync");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "the grid meets\n");
  EXPECT_NE(result.errors.find("a cooperative launch of 100000 blocks"), std::string::npos) << result.errors;
}

TEST(Emulate, GridsMeetInCooperativeLaunchesOnly) {
  const Ended result = run("grid_sync", {"plain"});
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.errors.find("grid.sync() needs a launch by cudaLaunchCooperativeKernel"),
            std::string::npos)
      << result.errors;
}

TEST(Emulate, Textures) {
  const Ended result = run("texture");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "textures as filtered by hand\n");
  EXPECT_EQ(result.errors,
            "lockstep: the emulated device does not support sRGB textures yet\n"
            "lockstep: the emulated device does not support cudaMallocMipmappedArray yet\n");
}

TEST(Emulate, SurfacesAndTheirBounds) {
  const Ended result = run("surface");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "0 wrong\nan illegal memory access was encountered\n");
  EXPECT_NE(result.errors.find("out-of-bounds in leave_kernel(unsigned long long) at "), std::string::npos)
      << result.errors;
  EXPECT_NE(result.errors.find("surface write of 8 bytes at x = 104 bytes"), std::string::npos)
      << result.errors;
}

TEST(Emulate, DeviceOutputAppearsAtSynchronisation) {
  expect_clean("reduction",
               "host: launched\ndevice: 1000 elements, total 44955, mean 44.95\nhost: synchronised\n");
}

TEST(Emulate, UnsupportedFunctionsSaySoOnce) {
  const Ended result = run("properties");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "Lockstep emulated device\n");
  EXPECT_EQ(result.errors, "lockstep: the emulated device does not support cudaIpcGetMemHandle yet\n");
}

TEST(Emulate, ErrorsAreThoseOfCudaAndBecomeFindings) {
  const Ended result = run("errors");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "errors as in CUDA\n");
  EXPECT_NE(result.errors.find("bad-launch in write_kernel(int*, long)"), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("in write_kernel(int*, long) at "), std::string::npos) << result.errors;
  EXPECT_NE(result.errors.find("errors.cu:6\n"), std::string::npos) << result.errors;
}

TEST(Emulate, ADeviceThatTakesItsTimeLosesNoFindings) {
  const sandbox::TemporaryFolder folder(std::filesystem::temp_directory_path(), "lockstep-test-");
  const std::filesystem::path path = folder.path() / "program";
  // Ends while the device, the other child of this process, sleeps for longer than a moment.
  std::ofstream(path) << R"sh(#!/bin/bash
")sh" PROGRAMS_FOLDER R"sh(/errors"
for stat in /proc/[0-9]*/stat; do
  read -r pid name state parent rest 2>/dev/null <"$stat" || continue
  if [[ $name == "(lockstep-device)" && $parent == "$PPID" ]]; then
    kill -STOP "$pid"
    (sleep 1.5; kill -CONT "$pid") >/dev/null 2>&1 &
    exit 0
  fi
done
exit 7
)sh";
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  const Ended result = run(path);
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.errors.find("errors.cu:6\n"), std::string::npos) << result.errors;
}

TEST(Emulate, DynamicSharedMemoryNeedsPermission) {
  const Ended result = run("occupancy");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, "occupancy as computed\n");
  EXPECT_NE(result.errors.find("cudaFuncAttributeMaxDynamicSharedMemorySize"), std::string::npos)
      << result.errors;
}

TEST(Emulate, HostAccessToDeviceMemoryFaults) {
  const Ended result = run("host_dereference");
  EXPECT_EQ(result.status, 128 + SIGSEGV);
  EXPECT_EQ(result.output, "");
}

TEST(Emulate, ReturnsTheProgramsExitStatus) {
  EXPECT_EQ(run("exit_status", {"42"}).status, 42);
  EXPECT_EQ(run("exit_status", {"0"}).status, 0);
}

TEST(Emulate, WithoutADeviceThereIsNoneAndAHintOnce) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int status = std::system("LD_LIBRARY_PATH=" CUDART_FOLDER " " PROGRAMS_FOLDER "/vector_add");
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_TRUE(testing::internal::GetCapturedStdout().starts_with("no CUDA-capable device is detected\n"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "lockstep: no emulated device here; run the program under `./lockstep emulate`\n");
}

TEST(Emulate, StaticRuntimeIsRefusedWithTheRemedy) {
  const Ended result = run("vector_add_static");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.output, "");
  EXPECT_NE(result.errors.find("nvcc -cudart shared"), std::string::npos) << result.errors;
}

TEST(Emulate, MissingProgramIsWrongUse) {
  const Ended result = run("no_such_program");
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.errors.find("no_such_program: no such file"), std::string::npos) << result.errors;
}

TEST(Emulate, FileThatIsNoProgramIsWrongUse) {
  const sandbox::TemporaryFolder folder(std::filesystem::temp_directory_path(), "lockstep-test-");
  const std::filesystem::path path = folder.path() / "not_a_program";
  std::ofstream(path) << "plain text\n";
  EXPECT_EQ(run(path).status, 2);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  EXPECT_EQ(run(path).status, 2);
}

TEST(Emulate, MissingDeviceIsAFaultOfTheMachine) {
  server::EmulateOptions options;
  options.device.executable = "/no/such/lockstep-device";
  options.cudart_directory = CUDART_FOLDER;
  options.program = std::filesystem::path(PROGRAMS_FOLDER) / "exit_status";
  testing::internal::CaptureStderr();
  EXPECT_EQ(server::emulate(options), 3);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("/no/such/lockstep-device"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::emulator
