// Names read from the symbols that a submission chose.
#include "course/unqualified_name.h"

#include <gtest/gtest.h>

namespace lockstep::course {
namespace {

TEST(UnqualifiedName, IsReadFromTheSymbol) {
  EXPECT_EQ(unqualified_name("_Z9transposePKfPfiiP11CUstream_st"), "transpose");
  EXPECT_EQ(unqualified_name("_ZN5other9transposeEi"), "transpose");
  EXPECT_EQ(unqualified_name("_Z9transposeIfEvPKT_PS0_ii"), "transpose");
  EXPECT_EQ(unqualified_name("transpose_c"), "transpose_c");
  EXPECT_EQ(unqualified_name("_Zpl1aS_"), "");
  EXPECT_EQ(unqualified_name("_Z99transpose"), "");
  EXPECT_EQ(unqualified_name("_Z99999999999999999999transpose"), "");
  EXPECT_EQ(unqualified_name("_Z"), "");
}

}  // namespace
}  // namespace lockstep::course
