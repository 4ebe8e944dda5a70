// Which user a sandbox without namespaces becomes, by the maps of containers.
#include "sandbox/spare_user.h"

#include <gtest/gtest.h>

namespace lockstep::sandbox {
namespace {

constexpr const char* kWholeMachine = "         0          0 4294967295\n";
constexpr const char* kRootless = "         0       1000          1\n         1     100000      65536\n";

TEST(SpareUser, IsAnotherOneForEveryThread) {
  EXPECT_NE(spare_user(kWholeMachine, kWholeMachine, 4711), spare_user(kWholeMachine, kWholeMachine, 4712));
  EXPECT_NE(spare_user(kRootless, kRootless, 4711), spare_user(kRootless, kRootless, 4712));
}

TEST(SpareUser, IsFarFromTheMachinesOwn) {
  for (const pid_t thread : {1, 65'536, 4'194'303}) {
    EXPECT_GT(spare_user(kWholeMachine, kWholeMachine, thread), 1'000'000'000U);
    EXPECT_LT(spare_user(kWholeMachine, kWholeMachine, thread), 4'000'000'000U);
    EXPECT_GT(spare_user(kRootless, kRootless, thread), 10'000U);
    EXPECT_LT(spare_user(kRootless, kRootless, thread), 60'000U);
  }
}

TEST(SpareUser, IsAUserAndAGroup) {
  const uid_t user = spare_user("0 0 65536\n", "0 0 1\n20000 20000 10000\n", 4711);
  EXPECT_GE(user, 20'000U);
  EXPECT_LT(user, 30'000U);
}

TEST(SpareUser, IsRootWhereNobodyElseExists) {
  EXPECT_EQ(spare_user("0 1000 1\n", "0 1000 1\n", 4711), 0U);
  EXPECT_EQ(spare_user(kRootless, "0 1000 1\n", 4711), 0U);
  EXPECT_EQ(spare_user("", "", 4711), 0U);
  EXPECT_EQ(spare_user("nonsense", kWholeMachine, 4711), 0U);
}

}  // namespace
}  // namespace lockstep::sandbox
