// What is said of lines of right code.
#include "judge/source_remarks.h"

#include <gmock/gmock.h>

namespace lockstep::judge {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

course::Problem problem_with_words(bool has_gpu_case) {
  course::Problem problem;
  problem.cases.push_back({.name = "none", .purpose = "", .prepare = [](Random&) {
                             return course::Call().scalar("n", std::size_t{0}).scalar("bins", 4).stream();
                           }});
  if (has_gpu_case) problem.gpu_cases = problem.cases;
  return problem;
}

std::vector<result::SourceRemark> remarks(const std::string& text,
                                          const course::Problem& problem = problem_with_words(true)) {
  return remarks_on(problem, SourceText("a.cu", text), false);
}

TEST(SourceRemarks, CodeThatDoesNothingOfTheKindHasNone) {
  EXPECT_TRUE(remarks("void f(std::size_t n, cudaStream_t stream) {\n"
                      "  k<<<blocks, threads, 0, stream>>>(n);  // no cudaMalloc(…)\n"
                      "  for (std::size_t i = 0; i < n; ++i) g();\n"
                      "  for (int b = 0; b < bins; ++b) g();\n"
                      "  cudaStreamSynchronize(stream);\n}\n")
                  .empty());
}

TEST(SourceRemarks, MemoryAllocatedInACall) {
  course::Problem problem = problem_with_words(true);
  auto all = remarks("void f() {\n  cudaMalloc(&p, n);\n  cudaMalloc(&q, n);\n}\n", problem);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].place.line, 2U);
  EXPECT_EQ(all[0].place.text, "  cudaMalloc(&p, n);");
  EXPECT_THAT(all[0].sentence, AllOf(HasSubstr("Nothing here frees it"), Not(HasSubstr("workspace"))));
  problem.workspace.emplace().function.name = "scan_workspace_bytes";
  all = remarks("cudaMallocAsync(&p, n, stream);\ncudaFreeAsync(p, stream);\n", problem);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all[0].sentence,
              AllOf(HasSubstr("as many bytes as scan_workspace_bytes asks for"), Not(HasSubstr("frees it"))));
}

TEST(SourceRemarks, AnAllocationInStreamOrderDoesNotWaitForTheDevice) {
  const course::Problem problem = problem_with_words(true);
  const std::string async = "cudaMallocAsync(&p, n, stream);\n", wait = "wait for the whole device";
  auto all = remarks(async + "cudaFreeAsync(p, stream);\n", problem);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all[0].sentence, AllOf(HasSubstr("in its order"), Not(HasSubstr(wait))));
  all = remarks(async + "cudaMalloc(&q, n);\n", problem);
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].place.line, 2U);  // of the call that can wait
  EXPECT_THAT(all[0].sentence, HasSubstr(wait));
}

TEST(SourceRemarks, AWaitForTheWholeDevice) {
  const auto all = remarks("  CHECK_CUDA(cudaDeviceSynchronize());\n");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_THAT(all[0].sentence, HasSubstr("The host waits here for all streams"));
}

TEST(SourceRemarks, LaunchArgumentsThatAreExchangedByTheirNames) {
  const auto all = remarks("\n  k<<<kThreads, blocks, 0, stream>>>(n);\n");
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].place.line, 2U);
  EXPECT_THAT(all[0].sentence, AllOf(HasSubstr("here it is `kThreads`"), HasSubstr("here it is `blocks`")));
}

TEST(SourceRemarks, ANumberOf64BitsInAnInt) {
  for (const char* line : {"for (int i = first; i < n; i += step) {", "for (int i = 0; i < (int)n; ++i)",
                           "const int end = static_cast<int>(n);", "k<<<1, 1>>>(int(n));",
                           "for (unsigned i = 0; i <= n; ++i)"}) {
    EXPECT_EQ(remarks(line).size(), 1U) << line;
    EXPECT_TRUE(remarks(line, problem_with_words(false)).empty()) << "no case is so large";
    EXPECT_TRUE(remarks_on(problem_with_words(true), SourceText("a.cu", line), true).empty())
        << "it came right";
  }
  for (const char* line : {"for (int i = 0; i < bins; ++i)", "for (std::size_t i = 0; i < n; ++i)",
                           "for (int i = 0; i < n / 4; ++i)", "f((int)nodes, int(bins));"})
    EXPECT_TRUE(remarks(line).empty()) << line;
}

}  // namespace
}  // namespace lockstep::judge
