// The reader of molecules: what it takes from PDB and XYZ, and where it reports that a file is broken.
#include "20-drmsd/structures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockstep::test::structures_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<Positions> pdb(const std::string& text) {
  std::istringstream in(text);
  return read_pdb(in, "a.pdb").frames;
}

std::vector<Positions> xyz(const std::string& text) {
  std::istringstream in(text);
  return read_xyz(in, "a.xyz").frames;
}

template <class Read>
std::string error_of(Read read, const std::string& text) {
  try {
    read(text);
  } catch (const StructureError& error) {
    return error.what();
  }
  return "no error";
}

const std::string kFirst = "ATOM      1  N   ALA A   1      11.104   6.134  -6.504  1.00  0.00           N\n";
const std::string kFirstMoved =
    "ATOM      1  N   ALA A   1       1.000   2.000   3.000  1.00  0.00           N\n";
const std::string kSecond =
    "ATOM      2  CA AALA A   1    -999.999-100.000   0.001  0.50  0.00           C\n";
const std::string kOther = "ATOM      3  CA BALA A   1       1.000   1.000   1.000  0.50  0.00           C\n";
const std::string kWater = "HETATM    4  O   HOH A   2       2.000   2.000   2.000  1.00  0.00           O\n";

TEST(Pdb, ReadsColumnsThatTouchAndTheFirstAlternateLocation) {
  const auto frames = pdb("HEADER    A TEST\n" + kFirst + kSecond + kOther + kWater + "END\n");
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_THAT(frames[0], ElementsAre(11.104F, 6.134F, -6.504F, -999.999F, -100.0F, 0.001F));
}

TEST(Pdb, ModelsAreFrames) {
  const auto frames =
      pdb("MODEL        1\n" + kFirst + "ENDMDL\nMODEL        2\n" + kFirstMoved + "ENDMDL\nEND\n");
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_THAT(frames[1], ElementsAre(1, 2, 3));
}

TEST(Pdb, EndMayStandBehindEveryFrame) {
  EXPECT_EQ(pdb(kFirst + "END\n" + kFirstMoved + "END\n").size(), 2U);
}

TEST(Pdb, TellsTheLineOfWhatItCannotRead) {
  EXPECT_THAT(error_of(pdb, kFirst + kSecond.substr(0, 50) + "\n"), StartsWith("a.pdb:2: "));
  std::string letters = kFirst;
  letters.replace(33, 3, "x.y");
  EXPECT_THAT(error_of(pdb, letters), HasSubstr("is no coordinate"));
  std::string not_finite = kFirst;
  not_finite.replace(30, 8, "     nan");
  EXPECT_THAT(error_of(pdb, not_finite), StartsWith("a.pdb:1: "));
  EXPECT_THAT(error_of(pdb, kFirst + kSecond + "ENDMDL\n" + kFirst + "ENDMDL\n"),
              HasSubstr("this frame has 1 atoms, the first has 2"));
}

TEST(Xyz, ReadsFrameAfterFrame) {
  const auto frames = xyz("2\nfirst\nC 0 1.5 -2e1\nH 3 4 5 0.1\n\n2\r\nsecond\r\nC 1 1 1\r\nH 2 2 2\r\n");
  ASSERT_EQ(frames.size(), 2U);
  EXPECT_THAT(frames[0], ElementsAre(0, 1.5F, -20, 3, 4, 5));
  EXPECT_THAT(frames[1], ElementsAre(1, 1, 1, 2, 2, 2));
}

TEST(Xyz, TellsTheLineOfWhatItCannotRead) {
  EXPECT_THAT(error_of(xyz, "two\n"), StartsWith("a.xyz:1: a frame begins with the number"));
  EXPECT_THAT(error_of(xyz, "-1\ncomment\n"), StartsWith("a.xyz:1: "));
  EXPECT_THAT(error_of(xyz, "1\n"), StartsWith("a.xyz:2: the file ends"));
  EXPECT_THAT(error_of(xyz, "2\ncomment\nC 1 2 3\n"), StartsWith("a.xyz:4: the file ends after 1 of 2"));
  EXPECT_THAT(error_of(xyz, "1\ncomment\nC 1 2\n"), StartsWith("a.xyz:3: an atom is"));
  EXPECT_THAT(error_of(xyz, "1\ncomment\nC 1 2 3x\n"), HasSubstr("\"3x\" is no coordinate"));
  EXPECT_THAT(error_of(xyz, "1\nc\nC 1 2 3\n2\nc\nC 1 2 3\nC 1 2 3\n"), HasSubstr("the first has 1"));
  EXPECT_THAT(error_of(xyz, "99999999999999999999\ncomment\n"), StartsWith("a.xyz:1: "));
}

TEST(Structures, NameTheFileThatHoldsNothing) {
  EXPECT_THAT([] { read_structures("missing.pdb"); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("missing.pdb cannot be opened")));
}

}  // namespace
}  // namespace lockstep::test::structures_test
