// Which user a sandbox without namespaces becomes, by the maps of containers.
#include "sandbox/spare_user.h"

#include <gtest/gtest.h>

namespace lockstep::sandbox {
namespace {

constexpr const char* kWholeMachine = "         0          0 4294967295\n";
constexpr const char* kRootless = "         0       1000          1\n         1     100000      65536\n";

constexpr pid_t kMaxThreads = 4'194'304;  // that a kernel gives numbers to

TEST(SpareUser, IsAnotherOneForeveryThread) {
  for (const pid_t other : {2, 32'769, kMaxThreads})
    EXPECT_NE(spare_user(kWholeMachine, kWholeMachine, 1), spare_user(kWholeMachine, kWholeMachine, other));
  for (const pid_t other : {2, 32'768})
    EXPECT_NE(spare_user(kRootless, kRootless, 1), spare_user(kRootless, kRootless, other));
}

TEST(SpareUser, IsBeyondTheMachinesOwn) {
  for (const pid_t thread : {1, 65'536, kMaxThreads - 1}) {
    EXPECT_EQ(spare_user(kWholeMachine, kWholeMachine, thread), 0x7000'0000U + static_cast<uid_t>(thread));
    EXPECT_GT(spare_user(kRootless, kRootless, thread), 10'000U);
    EXPECT_LT(spare_user(kRootless, kRootless, thread), 60'000U);
  }
}

TEST(SpareUser, IsAUserAndAGroup) {
  const auto user = spare_user("0 0 65536\n", "0 0 1\n20000 20000 10000\n", 4711);
  EXPECT_GE(user, 20'000U);
  EXPECT_LT(user, 30'000U);
}

TEST(SpareUser, IsNotThereWhereHardlyAnybodyExists) {
  EXPECT_EQ(spare_user("0 1000 1\n", "0 1000 1\n", 4711), std::nullopt);
  EXPECT_EQ(spare_user(kRootless, "0 1000 1\n", 4711), std::nullopt);
  EXPECT_EQ(spare_user("", "", 4711), std::nullopt);
  EXPECT_EQ(spare_user("nonsense", kWholeMachine, 4711), std::nullopt);
}

}  // namespace
}  // namespace lockstep::sandbox
