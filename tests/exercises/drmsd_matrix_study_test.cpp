// The parts of the study of drmsd-matrix: trajectories from files, clusters, the picture, and what all
// studies share.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

#include "20-drmsd-matrix/study/clusters.h"
#include "20-drmsd-matrix/study/picture.h"
#include "20-drmsd-matrix/study/trajectory.h"
#include "lockstep/random.h"
#include "study/options.h"
#include "study/output_files.h"
#include "study_files.h"

namespace lockstep::test::drmsd_matrix_study_test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class Study : public StudyFiles {
 protected:
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_)) found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    return found;
  }
};

using lockstep::test::error_of;  // beside the one for a file

std::string error_of(const std::string& file) {
  return error_of([&] { read_trajectory({.file = file}); });
}

// --- DCD ---

/// Writes the records of a DCD file.
struct DcdWriter {
  bool is_swapped = false, is_charmm = true, has_cell = false, has_fourth_dimension = false;
  std::uint32_t announced = 0, fixed = 0;
  std::string magic = "CORD";

  std::string word(std::uint32_t value) const {
    std::string bytes(4, '\0');
    for (int i = 0; i < 4; ++i)
      bytes[static_cast<std::size_t>(is_swapped ? 3 - i : i)] = static_cast<char>(value >> 8 * i);
    return bytes;
  }
  std::string record(const std::string& bytes) const {
    const std::string length = word(static_cast<std::uint32_t>(bytes.size()));
    return length + bytes + length;
  }
  std::string header(std::uint32_t atoms) const {
    std::vector<std::uint32_t> control(20, 0);
    control[0] = announced;
    control[8] = fixed;
    control[10] = has_cell ? 1 : 0;
    control[11] = has_fourth_dimension ? 1 : 0;
    control[19] = is_charmm ? 24 : 0;
    std::string first = magic;
    for (const std::uint32_t value : control) first += word(value);
    return record(first) + record(word(1) + std::string(80, ' ')) + record(word(atoms));
  }
  std::string frame(const Positions& positions) const {
    std::string text = has_cell ? record(std::string(48, '\7')) : "";
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::string values;
      for (std::size_t at = axis; at < positions.size(); at += 3)
        values += word(std::bit_cast<std::uint32_t>(positions[at]));
      text += record(values);
    }
    return text + (has_fourth_dimension ? record(std::string(positions.size() / 3 * 4, '\1')) : "");
  }
  std::string file(const std::vector<Positions>& frames) const {
    std::string text = header(static_cast<std::uint32_t>(frames.front().size() / 3));
    for (const Positions& positions : frames) text += frame(positions);
    return text;
  }
};

/// Of five atoms.
std::vector<Positions> some_frames(std::size_t count) {
  SplitMix64 random(7);
  std::vector<Positions> frames;
  for (std::size_t i = 0; i < count; ++i) frames.push_back(random.floats(15, -50, 50));
  return frames;
}

using Dcd = Study;

TEST_F(Dcd, IsReadInEitherByteOrderWithWhatFramesCarryBesides) {
  const std::vector<Positions> frames = some_frames(3);
  for (const bool is_swapped : {false, true}) {
    for (const bool has_more : {false, true}) {
      const DcdWriter writer{
          .is_swapped = is_swapped, .has_cell = has_more, .has_fourth_dimension = has_more, .announced = 3};
      const Trajectory read = read_trajectory({.file = write("a.dcd", writer.file(frames))});
      EXPECT_EQ(read.format, "DCD");
      EXPECT_EQ(read.atoms, 5U);
      EXPECT_EQ(read.frames, frames) << is_swapped << has_more;
    }
  }
}

TEST_F(Dcd, IsKnownByItsContentsAndMayAnnounceNoFrames) {
  const std::vector<Positions> frames = some_frames(4);
  EXPECT_EQ(read_trajectory({.file = write("run.pdb", DcdWriter{}.file(frames))}).frames, frames);
}

// X-PLOR's have a double where CHARMM has flags, which must not pass for a unit cell.
TEST_F(Dcd, OfXplorHasNoCell) {
  const DcdWriter writer{.is_charmm = false};
  std::string text = writer.file(some_frames(2));
  text.replace(8 + 10 * 4, 4, "\1\2\3\4");
  EXPECT_EQ(read_trajectory({.file = write("a.dcd", text)}).frames, some_frames(2));
}

TEST_F(Dcd, EveryKthFrameAndChosenAtomsAreTaken) {
  const std::vector<Positions> frames = some_frames(6);
  const std::string file = write("a.dcd", DcdWriter{}.file(frames));
  std::string pdb;
  for (const char* name : {" N  ", " CA ", " C  ", " CA ", "ZN  "}) {
    pdb += std::string(name) == "ZN  " ? "HETATM" : "ATOM  ";
    pdb += "    1 " + std::string(name) + " ALA A   1       0.000   0.000   0.000\n";
  }
  const Trajectory read =
      read_trajectory({.file = file, .atoms = {{"CA"}}, .names_of = write("a.pdb", pdb), .every = 4});
  ASSERT_EQ(read.frames.size(), 2U);
  const Positions& fifth = frames[4];
  EXPECT_THAT(read.frames[1], ElementsAre(fifth[3], fifth[4], fifth[5], fifth[9], fifth[10], fifth[11]));
  EXPECT_THAT(error_of([&] { read_trajectory({.file = file, .atoms = {{"CA"}}}); }),
              HasSubstr("a.dcd is a DCD file, which names no atoms: --names FILE.pdb"));
  EXPECT_THAT(
      error_of([&] { read_trajectory({.file = file, .atoms = {{"CB"}}, .names_of = write("a.pdb", pdb)}); }),
      HasSubstr("a.pdb has no atom called CB; its atoms are called C, CA, N, ZN"));
  pdb.resize(pdb.size() / 5);
  EXPECT_THAT(
      error_of([&] { read_trajectory({.file = file, .atoms = {{"N"}}, .names_of = write("a.pdb", pdb)}); }),
      HasSubstr("has 1 atoms, "));
}

// Wherever a file is cut off, it is reported, with the file and a byte that is in it.
TEST_F(Dcd, ThatIsCutOffIsReportedWhereverItIs) {
  const std::string whole = DcdWriter{.has_cell = true, .announced = 2}.file(some_frames(2));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string error = error_of(write("a.dcd", whole.substr(0, length)));
    EXPECT_THAT(error, testing::ContainsRegex("a\\.dcd: byte [0-9]+: ")) << length << ": " << error;
  }
  EXPECT_EQ(error_of(write("a.dcd", whole)), "no error");
  EXPECT_THAT(error_of(write("a.dcd", DcdWriter{.announced = 9}.file(some_frames(2)))),
              HasSubstr("the header announces 9 frames, and the file ends after 2: it was cut off"));
}

TEST_F(Dcd, ThatCannotBeReadIsReportedWithItsReason) {
  const auto says = [this](const std::string& text) { return error_of(write("a.dcd", text)); };
  const std::vector<Positions> frames = some_frames(2);
  EXPECT_THAT(says(DcdWriter{.fixed = 2}.file(frames)), HasSubstr("2 atoms are fixed"));
  EXPECT_THAT(says(DcdWriter{.magic = "VELD"}.file(frames)), HasSubstr("it holds velocities"));
  EXPECT_THAT(says("TITLE no DCD at all"), HasSubstr("no DCD of 32 bits"));
  EXPECT_THAT(error_of([&] {
                read_trajectory({.file = write("a.dcd", DcdWriter{}.file(frames)),
                                 .atoms = {.names = {}, .with_hetatm = true}});
              }),
              HasSubstr("HETATM records are PDB's"));
  // Far more atoms than are compared, which need no memory.
  EXPECT_THAT(says(DcdWriter{}.header(65536) + std::string(3 * (4 * 65536 + 8), '\0')),
              HasSubstr("65536 atoms are more than 65535: choose some"));
  // Lengths of 64 bits.
  EXPECT_THAT(says(DcdWriter{}.word(84) + DcdWriter{}.word(0) + "CORD" + std::string(100, '\0')),
              HasSubstr("a.dcd: byte 8: no DCD: CORD is missing"));
  // The byte order changes behind the header.
  EXPECT_THAT(
      says(DcdWriter{}.header(5) + DcdWriter{.is_swapped = true}.frame(frames[0])),
      HasSubstr("a.dcd: byte 196: the coordinates of frame 1 have 335544320 bytes, those of 5 atoms"));
  std::vector<Positions> other = frames;
  other[1].resize(12);
  EXPECT_THAT(says(DcdWriter{}.file(other)), HasSubstr("the coordinates of frame 2 have 16 bytes"));
  std::string wrong_end = DcdWriter{}.file(frames);
  wrong_end[196 + 4 + 20] = 21;
  EXPECT_THAT(says(wrong_end), HasSubstr("a.dcd: byte 220: a record of 20 bytes ends with the length 21"));
  EXPECT_THAT(says(DcdWriter{}.header(0)), HasSubstr("a frame of 0 atoms"));
  EXPECT_THAT(says(DcdWriter{}.header(0x7FFFFFFF)), HasSubstr("longer than the file"));
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 10001.0F}) {
    other = frames;
    other[1][4] = bad;  // y of atom 2
    EXPECT_THAT(says(DcdWriter{}.file(other)), HasSubstr("the coordinate of atom 2 in frame 2 is no number"));
  }
}

// --- PDB and XYZ ---

std::string atom(const std::string& name, const std::string& x, const std::string& record = "ATOM  ") {
  return record + "    1  " + name + " ALA A   1    " + std::string(8 - x.size(), ' ') + x +
         "   2.000   3.000\n";
}

using Text = Study;

TEST_F(Text, AtomsAreChosenByName) {
  std::string text;
  for (const char* x : {"1.000", "5.000"})
    text += "MODEL\n" + atom("N  ", "0.000") + atom("CA ", x) + atom("C  ", "7.000") +
            atom("ZN ", "9.000", "HETATM") + "ENDMDL\n";
  const std::string file = write("a.pdb", text);
  EXPECT_EQ(read_trajectory({.file = file}).atoms, 3U);
  EXPECT_EQ(read_trajectory({.file = file, .atoms = {.names = {}, .with_hetatm = true}}).atoms, 4U);
  const Trajectory read = read_trajectory({.file = file, .atoms = {{"CA", "C"}}});
  EXPECT_EQ(read.format, "PDB");
  ASSERT_EQ(read.frames.size(), 2U);
  EXPECT_THAT(read.frames[1], ElementsAre(5, 2, 3, 7, 2, 3));
  for (const std::vector<std::string>& names : {std::vector<std::string>{"CX"}, {"CA", "CX"}})
    EXPECT_THAT(error_of([&] { read_trajectory({.file = file, .atoms = {names}}); }),
                HasSubstr("a.pdb has no atom called CX; its atoms are called C, CA, N"));
  EXPECT_THAT(error_of([&] { read_trajectory({.file = file, .names_of = file}); }),
              HasSubstr("it names its atoms itself"));
  const std::string xyz = write("a.xyz", "3\n\nC 0 0 0\nH 1 0 0\nC 2 0 0\n3\n\nC 0 0 0\nH 1 0 0\nC 4 0 0\n");
  EXPECT_THAT(read_trajectory({.file = xyz, .atoms = {{"C"}}}).frames[1], ElementsAre(0, 0, 0, 4, 0, 0));
}

TEST_F(Text, FormatsAreKnownByTheFirstLineWhereTheNameSaysNothing) {
  const std::string frame = atom("CA ", "0.000") + atom("C  ", "1.000");
  EXPECT_EQ(read_trajectory({.file = write("a", frame + "END\n" + frame + "END\n")}).format, "PDB");
  EXPECT_EQ(read_trajectory({.file = write("b", "\n2\n\nC 0 0 0\nC 1 0 0\n2\n\nC 0 0 0\nC 1 0 0\n")}).format,
            "XYZ");
  EXPECT_THAT(error_of(write("c", "some text\n")), HasSubstr("c is no PDB, XYZ or DCD file"));
  EXPECT_THAT(error_of(write("d", "")), HasSubstr("d is no PDB, XYZ or DCD file"));
  EXPECT_THAT(error_of(write("a.pdb.gz", "\x1f\x8b\x08")), HasSubstr("is compressed"));
  EXPECT_THAT(error_of((folder_ / "missing.xyz").string()), HasSubstr("cannot be opened"));
  EXPECT_THAT(error_of("/dev/null"), HasSubstr("/dev/null is no regular file"));
  EXPECT_THAT(error_of(write("e.xyz", "3\nRECORD of a run\nC 0 0 0\n")),
              HasSubstr("e.xyz:4: the file ends after 1"));
}

TEST_F(Text, OfAHostileFileAMessageShowsALittle) {
  EXPECT_EQ(error_of(write("a.xyz", "\x1b[2J" + std::string(100'000, 'x') + "\n")),
            (folder_ / "a.xyz").string() + ":1: a frame begins with the number of its atoms, not \"?[2J" +
                std::string(56, 'x') + "…\"");
}

TEST_F(Text, AtomsThatDifferBetweenFramesAreReported) {
  const std::string first = "MODEL\n" + atom("CA ", "0.000") + atom("C  ", "1.000") + "ENDMDL\n";
  EXPECT_THAT(
      error_of(write("a.pdb", first + "MODEL\n" + atom("CA ", "0.000") + atom("CB ", "1.000"))),
      HasSubstr("a.pdb:7: atom 2 of this frame is CB of ALA A 1, that of the first frame C of ALA A 1"));
  EXPECT_THAT(error_of(write("a.pdb", first + "MODEL\n" + atom("CA ", "0.000"))),
              HasSubstr("a.pdb:6: this frame has 1 atoms, the first has 2"));
  EXPECT_THAT(error_of(write("a.pdb", first + "MODEL\n" + atom("CA ", "0.000") + atom("C  ", "nan"))),
              HasSubstr("a.pdb:7: \"     nan\" is no coordinate"));
  EXPECT_THAT(error_of(write("a.xyz", "2\n\nC 0 0 0\nN 0 0 0\n2\n\nN 0 0 0\nC 0 0 0\n")),
              HasSubstr("a.xyz:7: atom 1 of this frame is N, that of the first frame C"));
  EXPECT_THAT(error_of(write("a.xyz", "2\n\nC 0 0 0\nN 10001 0 0\n")),
              HasSubstr("a.xyz:4: \"10001\" is farther than 10000 from the origin"));
}

TEST_F(Text, WhatCannotBeComparedIsReported) {
  EXPECT_THAT(error_of(write("a.xyz", "2\n\nC 0 0 0\nC 1 0 0\n")), HasSubstr("one frame has nothing"));
  EXPECT_THAT(error_of(write("a.xyz", "1\n\nC 0 0 0\n1\n\nC 1 0 0\n")),
              HasSubstr("one atom has no distances"));
  EXPECT_THAT(error_of(write("a.pdb", "REMARK nothing\n")), HasSubstr("it holds no ATOM records; --hetatm"));
  std::string many = "2\n\nC 0 0 0\nC 1 0 0\n";
  const Trajectory every_third =
      read_trajectory({.file = write("a.xyz", many + many + many + many), .every = 3});
  EXPECT_EQ(every_third.frames.size(), 2U);
  EXPECT_THAT(error_of([&] {
                read_trajectory({.file = write("a.xyz", many + many + "1\n\nC 0 0 0\n"), .every = 2});
              }),
              HasSubstr("this frame has 1 atoms, the first has 2"));
}

// --- clusters ---

CondensedMatrix random_matrix(std::size_t frames, Random& random) {
  return {frames, random.floats(frames * (frames - 1) / 2, 0, 1)};
}

/// The statement of the algorithm, read aloud: neighbours are counted anew for every cluster.
std::vector<Cluster> plainly(const CondensedMatrix& matrix, float cutoff) {
  std::vector<bool> is_gone(matrix.frames, false);
  std::vector<Cluster> clusters;
  for (;;) {
    Cluster best;
    for (std::size_t f = 0; f < matrix.frames; ++f) {
      if (is_gone[f]) continue;
      Cluster cluster{f, {}};
      for (std::size_t g = 0; g < matrix.frames; ++g)
        if (!is_gone[g] && (f == g || matrix.at(f, g) <= cutoff)) cluster.frames.push_back(g);
      if (cluster.frames.size() > best.frames.size()) best = cluster;
    }
    if (best.frames.empty()) return clusters;
    for (const std::size_t f : best.frames) is_gone[f] = true;
    clusters.push_back(best);
  }
}

TEST(Clusters, AreThoseOfThePlainStatement) {
  SplitMix64 random(20);
  for (std::size_t frames = 2; frames <= 24; ++frames) {
    for (const float cutoff : {0.0F, 0.1F, 0.3F, 0.7F, 1.0F}) {
      const CondensedMatrix matrix = random_matrix(frames, random);
      const std::vector<Cluster> found = clusters_of(matrix, cutoff), expected = plainly(matrix, cutoff);
      ASSERT_EQ(found.size(), expected.size()) << frames << " frames, cutoff " << cutoff;
      for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].centre, expected[i].centre);
        EXPECT_EQ(found[i].frames, expected[i].frames);
      }
    }
  }
}

TEST(Clusters, AFrameAtTheCutoffIsANeighbour) {
  const CondensedMatrix matrix{3, {1, 2, 1.5F}};
  const std::vector<Cluster> clusters = clusters_of(matrix, 1);
  ASSERT_EQ(clusters.size(), 2U);
  EXPECT_THAT(clusters[0].frames, ElementsAre(0, 1));
  EXPECT_EQ(clusters[0].centre, 0U);
  EXPECT_THAT(clusters[1].frames, ElementsAre(2));
}

// --- the picture ---

std::string picture_of(std::size_t frames, float cutoff, const std::string& name) {
  SplitMix64 random(frames);
  const CondensedMatrix matrix = random_matrix(frames, random);
  const std::vector<Cluster> clusters = clusters_of(matrix, cutoff);
  return Picture{name, 5, 1, cutoff, matrix, clusters}.svg();
}

TEST(StudyPicture, StaysSmallAndShowsWhatIsInIt) {
  EXPECT_THAT(picture_of(12, 0.5F, "a<b>&\"c\"\x01.pdb"),
              AllOf(HasSubstr("a&lt;b&gt;&amp;&quot;c&quot;?.pdb"), HasSubstr("dRMSD (Å)"),
                    HasSubstr("cutoff"), Not(HasSubstr("a cell is"))));
  const std::string large = picture_of(1000, 0.5F, "large.dcd");
  EXPECT_LT(large.size(), 400'000U);
  EXPECT_THAT(large, HasSubstr("a cell is a mean over 5 frames either way"));
  EXPECT_THAT(large, HasSubstr("others"));
  EXPECT_THAT(picture_of(4100, 0.5F, "larger"), HasSubstr("a cell is a mean over 20 frames either way"));
  EXPECT_LT(picture_of(3000, 0, "alone").size(), 400'000U) << "3000 clusters of one frame";
  EXPECT_THAT(picture_of(2, 0.5F, "two"), HasSubstr("2 frames of 5 atoms"));
  EXPECT_THAT(picture_of(40, 0, "alone"), Not(HasSubstr("nan")));
}

TEST(StudyPicture, OfEqualFramesHasNoNaN) {
  const CondensedMatrix matrix{3, {0, 0, 0}};
  const std::vector<Cluster> clusters = clusters_of(matrix, 1);
  EXPECT_THAT(Picture({"equal", 2, 1, 1, matrix, clusters}).svg(), Not(HasSubstr("nan")));
}

// --- what studies share ---

TEST(StudySvg, MarksAreRoundNumbersWithinTheScale) {
  EXPECT_THAT(study::marks(0, 10.8), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(study::marks(0, 1), ElementsAre(0, testing::DoubleEq(0.2), testing::DoubleEq(0.4),
                                              testing::DoubleEq(0.6), testing::DoubleEq(0.8), 1));
  for (const double high : {0.003, 0.7, 4.9, 5.1, 99.0, 12345.0}) {
    const std::vector<double> marks = study::marks(0, high);
    EXPECT_GE(marks.size(), 3U) << high;
    EXPECT_LE(marks.size(), 9U) << high;
    EXPECT_LE(marks.back(), high * (1 + 1e-9));
  }
}

study::Options options_of(std::vector<std::string> words) {
  static std::vector<std::string> kept;
  words.insert(words.begin(), "program");
  kept = std::move(words);
  std::vector<char*> pointers;
  for (std::string& word : kept) pointers.push_back(word.data());
  return {static_cast<int>(pointers.size()), pointers.data()};
}

TEST(StudyOptions, AreTakenFromAnywhereAndWhatIsLeftIsReported) {
  study::Options options = options_of({"--cutoff", "1.5", "a.pdb", "--npy"});
  EXPECT_EQ(options.number<float>("--cutoff", "X", "help", 0, 10), 1.5F);
  EXPECT_TRUE(options.flag("--npy", "more help"));
  EXPECT_FALSE(options.text("--atoms", "NAMES", "").has_value());
  EXPECT_THAT(options.finish(1), ElementsAre("a.pdb"));
  EXPECT_THAT(error_of([&] { options.finish(0); }), HasSubstr("\"a.pdb\" is one word too many"));
  EXPECT_THAT(options.help(), AllOf(HasSubstr("--cutoff X"), HasSubstr("more help")));
  EXPECT_THAT(error_of([] { options_of({"--nyp"}).finish(1); }), HasSubstr("there is no option --nyp"));
  EXPECT_THAT(error_of([] { options_of({"--atoms"}).text("--atoms", "NAMES", ""); }),
              HasSubstr("--atoms needs a value"));
  for (const char* wrong : {"", "x", "1.5x", "nan", "-1", "11", "inf"})
    EXPECT_THAT(error_of([&] {
                  options_of({"--cutoff", wrong}).number<float>("--cutoff", "X", "", 0, 10);
                }),
                HasSubstr("is no number from 0 to 10"))
        << wrong;
  EXPECT_TRUE(options_of({"-h"}).wants_help());
}

TEST_F(Study, NoFileIsWrittenInThePlaceOfOneThatWasRead) {
  write("a", "input");
  fs::create_hard_link(folder_ / "a", folder_ / "b");
  study::OutputFiles files;
  files.keep((folder_ / "a").string());
  for (const char* name : {"a", "b", "./a"})
    EXPECT_THAT(error_of([&] { files.add((folder_ / name).string(), [](std::ostream&) {}); }),
                HasSubstr("would replace a file that was read"));
  files.add((folder_ / "c").string(), [](std::ostream&) {});
  files.commit();
  EXPECT_EQ(contents_of(folder_ / "a"), "input");
}

TEST(StudyPictures, HoldWhatXmlMayHold) {
  EXPECT_EQ(study::escaped("τ <b> \x1b[31m m\xe8tre \xff\n"), "τ &lt;b&gt; ?[31m m?tre ??");
}

TEST(StudyPictures, MarksEndWhereDoubleHasNotEachNumber) {
  EXPECT_THAT(study::marks(1e17, 1e17 + 48), ElementsAre(1e17));
  EXPECT_THAT(study::marks(-INFINITY, 1), ElementsAre(-INFINITY));
  EXPECT_EQ(study::marks(1e9, 1e9 + 4).size(), 5U);
}

TEST_F(Study, FilesAreWrittenTogetherOrNotAtAll) {
  {
    study::OutputFiles files;
    files.add((folder_ / "a").string(), [](std::ostream& out) { out << "one"; });
    EXPECT_THAT(error_of([&] { files.add((folder_ / "missing/b").string(), [](std::ostream&) {}); }),
                HasSubstr("b cannot be written: No such file"));
  }
  EXPECT_THAT(names(), IsEmpty());
  write("a", "before");
  {
    study::OutputFiles files;
    files.add((folder_ / "a").string(), [](std::ostream& out) { out << "new"; });
    EXPECT_EQ(contents_of(folder_ / "a"), "before");
    files.commit();
  }
  EXPECT_THAT(names(), ElementsAre("a"));
  EXPECT_EQ(contents_of(folder_ / "a"), "new");
  fs::create_directory(folder_ / "b");
  {
    study::OutputFiles files;
    for (const char* name : {"a", "b"})
      files.add((folder_ / name).string(), [](std::ostream& out) { out << "newer"; });
    EXPECT_THAT(error_of([&] { files.commit(); }), HasSubstr("b cannot be written: Is a directory"));
  }
  EXPECT_THAT(names(), ElementsAre("a", "b"));
  EXPECT_EQ(contents_of(folder_ / "a"), "new");
}

TEST_F(Study, AFullDiskLeavesNothing) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full";
  fs::create_symlink("/dev/full", folder_ / "a.part");
  {
    study::OutputFiles files;
    EXPECT_THAT(
        error_of([&] { files.add((folder_ / "a").string(), [](std::ostream& out) { out << "one"; }); }),
        HasSubstr("a cannot be written: No space left"));
  }
  EXPECT_THAT(names(), IsEmpty());
}

}  // namespace
}  // namespace lockstep::test::drmsd_matrix_study_test
