// Words in a submission's text.
#include "judge/source_search.h"

#include <gtest/gtest.h>

#include <chrono>

namespace lockstep::judge {
namespace {

const SourceText kSource("a.cu",
                         "__global__ void add_kernel(int* a) {\n"
                         "  a[threadIdx.x] += 1;  // add_kernel<<<1, 1>>>(a);\n"
                         "  __syncthreads();\n"
                         "}\n"
                         "void add(int* a, cudaStream_t stream) {\n"
                         "  cudaMemsetAsync(a, 0,\n"
                         "                  4, stream);\n"
                         "  if (a) add_kernel<<<1, 1>>>(a); re_add_kernel<<<1, 1>>>(a);\n"
                         "  add_kernel<int, box<3>> <<<2, 2,\n"
                         "    0, stream>>>(a);\n"
                         "}\n");

TEST(SourceSearch, LaunchesAreThoseOfOneKernel) {
  const std::vector<Statement> launches = launches_of(kSource, "add_kernel");
  ASSERT_EQ(launches.size(), 2U) << "neither in a comment, nor of a name that ends so";
  EXPECT_EQ(launches[0].line, 8U);
  EXPECT_EQ(launches[0].text, "<<<1, 1>>>(a)");
  EXPECT_EQ(launches[1].line, 9U);
  EXPECT_EQ(launches[1].text, "<<<2, 2,    0, stream>>>(a)");
  EXPECT_TRUE(launches_of(kSource, "kernel").empty());
}

TEST(SourceSearch, ALaunchHasArguments) {
  const std::vector<Statement> launches = launches_of(kSource);
  ASSERT_EQ(launches.size(), 3U);
  EXPECT_EQ(launch_arguments(launches.back()), (std::vector<std::string>{"2", "2", "0", "stream"}));
  const auto exchanges = [](const char* launch) {
    return exchanges_its_arguments(launches_of(SourceText("a.cu", launch)).at(0));
  };
  EXPECT_TRUE(exchanges("k<<<kThreads, blocks, 0, stream>>>(n);"));
  for (const char* launch :
       {"k<<<blocks, kThreads>>>(n);", "k<<<grid, block>>>(n);", "k<<<threads, block>>>(n);",
        "k<<<divide_up(n, threads), blocks>>>(n);", "k<<<thread_blocks, blocks>>>(n);", "k<<<threads>>>(n);"})
    EXPECT_FALSE(exchanges(launch)) << launch;
}

TEST(SourceSearch, AStreamThatIsAParameterIsPassedOn) {
  EXPECT_EQ(stream_parameters(kSource), std::vector<std::string>{"stream"});
  EXPECT_TRUE(stream_parameters(SourceText("a.cu", "cudaStream_t own;\ncudaStream_t two = 0;\n")).empty());
}

TEST(SourceSearch, TheLastFenceOfAFunction) {
  const SourceText source("a.cu",
                          "__global__ void k() {\n  value = 1;\n  __threadfence();\n  flag = 1;\n}\n"
                          "__global__ void l() {\n  flag = 1;\n}\n");
  EXPECT_FALSE(is_behind_last_fence(source, 2));
  EXPECT_TRUE(is_behind_last_fence(source, 4));
  EXPECT_FALSE(is_behind_last_fence(source, 7)) << "of another function";
}

TEST(SourceSearch, AStatementEndsAtItsSemicolon) {
  const std::vector<Statement> calls = calls_of(kSource, "cudaMem");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].line, 6U);
  EXPECT_TRUE(has_word(calls[0].text, "stream"));
  EXPECT_TRUE(calls_of(SourceText("a.cu", "f("), "f")[0].text == "f(") << "one that never ends";
}

TEST(SourceSearch, AWordIsNoPartOfAnother) {
  EXPECT_TRUE(has_word("f(stream)", "stream"));
  EXPECT_TRUE(has_word("streams(stream", "stream"));
  EXPECT_FALSE(has_word("my_stream, streams, stream2", "stream"));
  EXPECT_FALSE(has_word("", "stream"));
}

TEST(SourceSearch, AnUpdateReadsNoOtherElement) {
  for (const char* code : {"bin[k - 1]++;", "++bin[k];", "if (x < n) cells[sample] += 1;", "sums[i] -= own;"})
    EXPECT_TRUE(updates_an_element(code)) << code;
  for (const char* code : {"sums[i] += sums[i - d];", "for (int i = 0; i < n; ++i) s = a[i];",
                           "a[i] = b[i] + 1;", "if (a[i] == b[i]) return;", ""})
    EXPECT_FALSE(updates_an_element(code)) << code;
}

TEST(SourceSearch, FunctionsAndBarriers) {
  EXPECT_EQ(lines_between(kSource, 2, 4).barrier, 3U);
  EXPECT_EQ(lines_between(kSource, 1, 3).barrier, 0U);
  EXPECT_FALSE(lines_between(kSource, 4, 8).in_one_function);
  EXPECT_TRUE(mentions(kSource, "threadIdx"));
  EXPECT_FALSE(mentions(kSource, "blockIdx"));
  EXPECT_NE(function_around(kSource, 3).find("threadIdx"), std::string::npos);
  EXPECT_EQ(function_around(kSource, 6).find("threadIdx"), std::string::npos);
  EXPECT_EQ(function_around(kSource, 99), "") << "beyond the end";
}

// What a submission says of its own lines, by #line, may be beyond all of them; its text may be made to be
// slow.
TEST(SourceSearch, NoTextOrNumberTakesLong) {
  constexpr std::uint32_t kFar = 4'000'000'000;
  EXPECT_EQ(function_around(kSource, kFar), "");
  EXPECT_EQ(lines_between(kSource, kFar - 1, kFar).barrier, 0U);
  std::string hostile = "/* ";
  for (int i = 0; i < 150'000; ++i) hostile += ">>>><<<";
  hostile += " */\n";
  for (int i = 0; i < 100'000; ++i) hostile += "\n";
  const SourceText source("a.cu", hostile);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(launches_of(source, "fill_kernel").empty());
  EXPECT_LT(function_around(source, 50'000).size(), 10'000U);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5)) << "it took minutes";
}

}  // namespace
}  // namespace lockstep::judge
