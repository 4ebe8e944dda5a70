// Copies of rows with gaps: right in every direction, and in as few requests as for one row.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "emulated_program.h"
#include "emulator/server/device_process.h"

namespace lockstep::emulator {
namespace {

TEST(StridedCopies, AreRightInEveryDirection) { expect_clean("strided_copies", "every byte in its place\n"); }

/// What strided_copies with this many rows asked of its device.
server::ClientStatistics statistics_of(int rows) {
  server::DeviceProcess::Options options;
  options.executable = DEVICE_EXECUTABLE;
  options.workers = 1;
  server::DeviceProcess device(options);
  const int inherited = ::dup(device.client_descriptor());
  device.close_client_descriptor();
  const std::string command =
      "LD_LIBRARY_PATH='" CUDART_FOLDER "' " + std::string(server::kClientDescriptorVariable) + "=" +
      std::to_string(inherited) + " '" PROGRAMS_FOLDER "/strided_copies' " + std::to_string(rows);
  EXPECT_EQ(std::system(command.c_str()), 0);
  ::close(inherited);
  EXPECT_TRUE(device.wait_idle(std::chrono::seconds(10)));
  return device.take_client_statistics();
}

TEST(StridedCopies, TakeAsManyRequestsForManyRowsAsForTwo) {
  const server::ClientStatistics few = statistics_of(2), many = statistics_of(20'000);
  EXPECT_EQ(few.requests, many.requests);
  EXPECT_LT(many.requests, 200U);
  // Two copies of four bytes per row, and one of eight out of an array: what lies between rows stays.
  EXPECT_EQ(few.device_to_host_bytes, 2U * 16U);
  EXPECT_EQ(many.device_to_host_bytes, 20'000U * 16U);
}

}  // namespace
}  // namespace lockstep::emulator
