// Whole files.
#include "storage/files.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "shell.h"

namespace lockstep::storage {
namespace {

TEST(ReadFile, GivesEveryByteWhateverTheSize) {
  const test::TemporaryFolder folder;
  for (const std::size_t size : {0U, 1U, 65535U, 65536U, 65537U, 200000U}) {
    std::string contents(size, '\n');
    for (std::size_t i = 0; i < size; ++i) contents[i] = static_cast<char>(i % 251);
    write_file(folder.path() / "file", contents);
    EXPECT_EQ(read_file(folder.path() / "file"), contents) << size;
  }
}

TEST(ReadFile, ThatFailsIsNoShorterFile) {
  EXPECT_THROW(read_file("/proc/self/mem"), FileError) << "nothing is mapped where it begins";
  EXPECT_THROW(read_file("/"), FileError);
}

}  // namespace
}  // namespace lockstep::storage
