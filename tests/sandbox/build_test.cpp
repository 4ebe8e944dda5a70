// The compiler of submissions: what it makes, what it refuses, what it hides, and its cache. Runs twice, with
// namespaces and without.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <zstd.h>

#include <cstdlib>
#include <fstream>
#include <future>
#include <iterator>

#include "build/content_hash.h"
#include "build/hidden_libraries.h"
#include "build/object_cache.h"
#include "build/prepared_headers.h"
#include "build/submission_compiler.h"
#include "build/submission_source.h"
#include "build/toolkit.h"
#include "remains.h"
#include "sandbox/file_descriptor.h"
#include "sandbox/temporary_folder.h"

namespace lockstep::build {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Status = CompiledSubmission::Status;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kHeader =
    "#pragma once\n"
    "#include <cuda_runtime.h>\n"
    "void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream);\n";

constexpr const char* kGood =
    "#include \"transpose.h\"\n"
    "#include \"lockstep/random.h\"\n"
    "__global__ void copy_kernel(const float* in, float* out, int n) {\n"
    "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) out[i] = in[i];\n"
    "}\n"
    "void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {\n"
    "  copy_kernel<<<1, 256, 0, stream>>>(in, out, rows * columns);\n"
    "}\n"
    "namespace other { void transpose(int) {} }\n"
    "extern \"C\" void transpose_c() {}\n";

constexpr const char* kKernel =
    "__global__ void twice(int* number) { *number *= 2; }\n"
    "void run(int* number) { twice<<<1, 1>>>(number); }\n";

std::string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The PTX that an object carries: the first frame of zstd, which is how nvcc packs it unless asked otherwise.
std::string ptx_of(const std::string& object) {
  const std::size_t at = object.find("\x28\xB5\x2F\xFD");
  if (at == std::string::npos) return "";
  const std::size_t size = ZSTD_findFrameCompressedSize(&object[at], object.size() - at);
  std::string text(1 << 20, '\0');
  const std::size_t written =
      ZSTD_isError(size) ? 0 : ZSTD_decompress(text.data(), text.size(), &object[at], size);
  text.resize(ZSTD_isError(written) ? 0 : written);
  return text;
}

class Build : public LeavesNothingBehind {
 protected:
  Build() {
    // Reachable for everybody, as a course's folder is.
    fs::permissions(folder_.path(), fs::perms(0755));
    setenv("LOCKSTEP_CACHE", (folder_.path() / "cache").c_str(), 1);
    fs::create_directories(folder_.path() / "exercises" / "05-transpose");
    exercise_.folder_name = "05-transpose";
    exercise_.folder = folder_.path() / "exercises" / "05-transpose";
    exercise_.header = exercise_.folder / "transpose.h";
    exercise_.starter = exercise_.folder / "transpose.cu";
    write("exercises/05-transpose/transpose.h", kHeader);
    write("exercises/05-transpose/problem.cpp", "#error the-oracle\n");
  }
  ~Build() override { unsetenv("LOCKSTEP_CACHE"); }

  void TearDown() override {
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      if (entry.path().filename() != "cache") continue;
      for (const auto& object : fs::directory_iterator(entry.path() / "objects")) {
        EXPECT_EQ(object.path().filename().string().size(), 64U) << "left behind: " << object.path();
      }
    }
    LeavesNothingBehind::TearDown();
  }

  fs::path write(const fs::path& name, const std::string& contents) {
    const fs::path path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << contents;
    return path;
  }

  CompiledSubmission compile(const std::string& source, const std::string& name = "transpose.cu") {
    return compile_submission(exercise_, write(name, source), std::nullopt, limits_);
  }

  sandbox::TemporaryFolder folder_{fs::temp_directory_path(), "lockstep-test-"};
  course::Exercise exercise_;
  sandbox::Limits limits_ = compilation_limits();
};

/// What does not depend on how the compiler is kept in, and is not tested once more without namespaces.
class Compiled : public Build {};

TEST_F(Build, MakesAnObjectForBothDevices) {
  const CompiledSubmission result = compile(kGood);
  ASSERT_EQ(result.status, Status::compiled) << result.diagnostics;
  EXPECT_FALSE(result.from_cache);
  EXPECT_EQ(result.diagnostics, "");
  const std::string object = contents_of(result.object);
  EXPECT_THAT(object.substr(0, 4),
              "\x7f"
              "ELF");
  EXPECT_THAT(object, HasSubstr("libcudart.so." + std::to_string(find_toolkit().major)));
  EXPECT_THAT(object, HasSubstr(".nv_fatbin"));
  EXPECT_THAT(functions_named(result.object, "transpose"),
              testing::UnorderedElementsAre("transpose(float const*, float*, int, int, CUstream_st*)",
                                            "other::transpose(int)"));
  EXPECT_THAT(functions_named(result.object, "transpose_c"), ElementsAre("transpose_c"));
  EXPECT_THAT(functions_named(result.object, "pose"), testing::IsEmpty());
}

TEST_F(Build, CompilersSeeWhatHasThemUseLargePages) {
  const fs::path built = library_folder() / "liblockstep_large_pages.so";
  const fs::path seen = sandbox::seen_path({built, "/lockstep-large-pages.so", false});
  const CompiledSubmission result = compile(kGood + std::string("#if !__has_include(\"") + seen.string() +
                                            "\")\n#error it is not there\n#endif\n");
  EXPECT_EQ(result.status, Status::compiled) << result.diagnostics;
  EXPECT_EQ(result.diagnostics, "") << "the loader complains of what it cannot preload";
}

TEST_F(Compiled, ASecondTimeComesFromTheCache) {
  const CompiledSubmission first = compile(kGood);
  const CompiledSubmission second = compile(kGood);
  ASSERT_EQ(second.status, Status::compiled);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.object, first.object);
  EXPECT_LT(second.time, 200ms);

  EXPECT_FALSE(compile(std::string(kGood) + "// changed\n").from_cache);
  write("exercises/05-transpose/transpose.h", std::string(kHeader) + "// changed\n");
  EXPECT_FALSE(compile(kGood).from_cache);
}

// The compiler may run as another user, who reads what was made for it.
TEST_F(Build, AnUmaskThatKeepsOthersOutDoesNotKeepTheCompilerOut) {
  const mode_t before = umask(077);
  const CompiledSubmission result = compile(kGood);
  umask(before);
  EXPECT_EQ(result.status, Status::compiled) << result.diagnostics;
  EXPECT_EQ(fs::status(result.object).permissions(), fs::perms(0644));
}

TEST_F(Compiled, WarningsAreKeptInTheCache) {
  const std::string source = std::string(kGood) + "void unused() { int never_used = 0; }\n";
  const CompiledSubmission first = compile(source);
  EXPECT_THAT(first.diagnostics, HasSubstr("transpose.cu(12): warning"));
  const CompiledSubmission second = compile(source);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.diagnostics, first.diagnostics);
}

// The special functions of <cmath>, and what it includes for their sake, are there for who uses them.
TEST_F(Compiled, WhatIsLeftOutAtFirstIsThereForASourceThatNeedsIt) {
  for (const std::string expression :
       {"std::beta(2.0, 3.0)", "std::numeric_limits<double>::max()", "std::min(2.0, 3.0)"}) {
    const CompiledSubmission result =
        compile(std::string(kGood) + "#include <cmath>\ndouble on_host() { int unused; return " + expression +
                "; }\n");
    EXPECT_EQ(result.status, Status::compiled) << expression << '\n' << result.diagnostics;
    const std::string warning = "variable \"unused\" was declared but never referenced";
    const std::size_t at = result.diagnostics.find(warning);
    ASSERT_NE(at, std::string::npos) << result.diagnostics;
    EXPECT_EQ(result.diagnostics.find(warning, at + 1), std::string::npos) << result.diagnostics;
  }
}

TEST_F(Compiled, WhatIsLeftOutIsNotReadForASourceThatDoesNotNeedIt) {
  const CompiledSubmission result =
      compile(std::string(kGood) +
              "#include <cmath>\n#ifdef __cpp_lib_math_special_functions\n#warning read\n#endif\n");
  EXPECT_EQ(result.status, Status::compiled);
  EXPECT_EQ(result.diagnostics, "");
}

TEST_F(Build, DiagnosticsHaveTheStudentsOwnLines) {
  const CompiledSubmission error = compile("#include \"transpose.h\"\n\nvoid f() { undeclared(); }\n");
  EXPECT_EQ(error.status, Status::rejected);
  EXPECT_THAT(error.diagnostics, testing::StartsWith("transpose.cu(3): error: "));
  EXPECT_THAT(error.diagnostics, Not(HasSubstr(folder_.path().string())));

  const CompiledSubmission under_another_name =
      compile("int f() { return undeclared; }\n", "my_transpose.cu");
  EXPECT_THAT(under_another_name.diagnostics, testing::StartsWith("my_transpose.cu(1): error: "));

  const CompiledSubmission odd_name =
      compile("int f() { return undeclared; }\n", "-o $(touch x) 'transpose.cu");
  EXPECT_THAT(odd_name.diagnostics, testing::StartsWith("transpose.cu(1): error: "));

  const CompiledSubmission undefined = compile("void g();\nvoid f() { g(); }\n");
  EXPECT_EQ(undefined.status, Status::rejected);
  EXPECT_THAT(undefined.diagnostics, HasSubstr("undefined reference to `g()'"));
}

TEST_F(Build, PtxNamesTheStudentsFile) {
  const CompiledSubmission result = compile(kGood);
  ASSERT_EQ(result.status, Status::compiled);
  const std::string text = ptx_of(contents_of(result.object));
  EXPECT_THAT(text, HasSubstr(".target sm_" + std::to_string(kVirtualArchitecture)));
  EXPECT_THAT(text, HasSubstr("/transpose.cu\""));
}

TEST_F(Build, RefusesWhatIsNoSourceText) {
  const auto sentence = [this](const fs::path& path) {
    const CompiledSubmission result = compile_submission(exercise_, path, std::nullopt, limits_);
    EXPECT_EQ(result.status, Status::unreadable) << path;
    EXPECT_EQ(result.source, "") << path;
    return result.diagnostics;
  };
  EXPECT_THAT(sentence(folder_.path()), HasSubstr("is a folder"));
  EXPECT_THAT(sentence(write("empty.cu", "")), HasSubstr("is empty"));
  EXPECT_THAT(sentence(write("blank.cu", " \t\r\n\n")), HasSubstr("is empty"));
  EXPECT_THAT(sentence(write("zeros.cu", std::string("int a;\0int b;", 13))), HasSubstr("zero bytes"));
  EXPECT_THAT(sentence(write("latin.cu", "// na\xEFve\n")), HasSubstr("UTF-8"));
  EXPECT_THAT(sentence(write("overlong.cu", "// \xC0\xAF\n")), HasSubstr("UTF-8"));
  EXPECT_THAT(sentence(write("surrogate.cu", "// \xED\xA0\x80\n")), HasSubstr("UTF-8"));
  EXPECT_THAT(sentence(write("cut.cu", "// \xE2\x82")), HasSubstr("UTF-8"));
  EXPECT_THAT(sentence(write("large.cu", std::string((1 << 20) + 1, ' '))), HasSubstr("1 MiB"));
  EXPECT_THAT(sentence("/dev/zero"), HasSubstr("not a regular file"));
  const fs::path pipe = folder_.path() / "pipe.cu";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(sentence(pipe), HasSubstr("not a regular file"));
  const fs::path socket_file = folder_.path() / "socket.cu";
  const sandbox::FileDescriptor listening(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{AF_UNIX, {}};
  socket_file.string().copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(listening.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_THAT(sentence(socket_file), HasSubstr("not a regular file"));
}

TEST_F(Build, AMissingFileIsNoUnreadableOne) {
  for (const SubmissionFile& file : {SubmissionFile(folder_.path() / "missing.cu"),
                                     SubmissionFile(folder_.path() / "missing", "transpose.cu"),
                                     SubmissionFile(folder_.path(), "missing/transpose.cu"),
                                     SubmissionFile(write("text.cu", "int a;\n"), "transpose.cu")}) {
    const CompiledSubmission result = compile_submission(exercise_, file, std::nullopt, limits_);
    EXPECT_EQ(result.status, Status::missing) << file.path();
    EXPECT_THAT(result.diagnostics, HasSubstr("does not exist"));
  }
}

TEST_F(Build, ReadsTextOfEveryKindThatIsUtf8) {
  const std::string text = "// \xC3\xA9 \xE2\x82\xAC \xF0\x9F\x99\x82\r\n";
  EXPECT_EQ(std::get<std::string>(read_source(write("text.cu", text))), text);
}

// Whoever may read more than the author of a submission does not do it for him.
TEST_F(Build, NoLinkIsFollowedBelowTheFolderThatWasNamed) {
  fs::create_directories(folder_.path() / "anna/05-transpose");
  fs::create_directories(folder_.path() / "bert");
  write("anna/05-transpose/transpose.cu", "int a;\n");
  const fs::path bert = folder_.path() / "bert";
  fs::create_symlink("../anna/05-transpose/transpose.cu", bert / "transpose.cu");
  fs::create_symlink("../anna/05-transpose", bert / "05-transpose");
  fs::create_symlink("/dev/zero", bert / "zeros.cu");
  fs::create_symlink("nowhere", bert / "nothing.cu");
  fs::create_symlink("/proc/self/environ", bert / "environ.cu");
  for (const SubmissionFile& file :
       {SubmissionFile(bert, "transpose.cu"), SubmissionFile(bert, "05-transpose/transpose.cu"),
        SubmissionFile(bert, "zeros.cu"), SubmissionFile(bert, "nothing.cu"),
        SubmissionFile(bert, "environ.cu"), SubmissionFile(bert / "transpose.cu")}) {
    const auto text = read_source(file);
    ASSERT_TRUE(std::holds_alternative<Unreadable>(text)) << file.path();
    EXPECT_THAT(std::get<Unreadable>(text).sentence, HasSubstr("is a link")) << file.path();
    EXPECT_FALSE(std::get<Unreadable>(text).is_missing) << file.path();
  }
  // How one comes to the folder is one's own affair.
  fs::create_directory_symlink("anna", folder_.path() / "mine");
  for (const SubmissionFile& file : {SubmissionFile(folder_.path() / "mine", "05-transpose/transpose.cu"),
                                     SubmissionFile(bert / "05-transpose", "transpose.cu"),
                                     SubmissionFile(folder_.path() / "mine/05-transpose/transpose.cu")}) {
    EXPECT_TRUE(std::holds_alternative<std::string>(read_source(file))) << file.path();
  }
}

TEST_F(Build, SecretsAreNotThereToInclude) {
  if (!sandbox::isolation().namespaces) GTEST_SKIP() << sandbox::isolation().reason;
  const std::string oracle = exercise_.folder / "problem.cpp";
  for (const std::string& line : {
           std::string("#include \"/etc/shadow\""),
           std::string("#include \"/etc/passwd\""),
           std::string("#include \"../exercises/05-transpose/problem.cpp\""),
           std::string("#include \"../exercise/problem.cpp\""),
           std::string("#include \"problem.cpp\""),
           "#include \"" + oracle + "\"",
           std::string("asm(\".incbin \\\"/etc/passwd\\\"\");"),
           "asm(\".incbin \\\"" + oracle + "\\\"\");",
           std::string("#include \"/proc/1/environ\""),
       }) {
    const CompiledSubmission result = compile(line + "\n" + kGood);
    EXPECT_EQ(result.status, Status::rejected) << line;
    EXPECT_THAT(result.diagnostics, Not(HasSubstr("the-oracle"))) << line;
    EXPECT_THAT(result.diagnostics, Not(HasSubstr("root:"))) << line;
    EXPECT_THAT(result.diagnostics, testing::AnyOf(HasSubstr("No such file"), HasSubstr("file not found"),
                                                   HasSubstr("Permission denied")))
        << line;
  }
}

TEST_F(Build, ABannedLibraryIsNamedWithItsLine) {
  const CompiledSubmission result =
      compile("#include \"transpose.h\"\n# include <thrust/version.h>\nint not_reached = inn;\n");
  EXPECT_EQ(result.status, Status::banned);
  EXPECT_THAT(result.diagnostics,
              testing::StartsWith("transpose.cu:2 includes thrust/version.h: Thrust does"));
}

TEST_F(Build, ABannedLibraryIsFoundWhateverTheSourceSays) {
  for (const char* source :
       {"#define LIBRARY(name) <name/version.cuh>\n#include LIBRARY(cub)\n",
        "#ifdef __CUDA_ARCH__\n#line 1 \"transpose.h\"\n#include <cub/version.cuh>\n#endif\n",
        "#ifndef __CUDACC__\n#else\n#include <cccl/cub/version.cuh>\n#endif\n"}) {
    const CompiledSubmission result = compile(std::string(kGood) + source);
    EXPECT_EQ(result.status, Status::banned) << source;
    EXPECT_THAT(result.diagnostics, HasSubstr("cub/version.cuh: CUB does")) << source;
    EXPECT_EQ(compile(std::string(kGood) + source).status, Status::banned) << "from the cache: " << source;
  }
}

TEST_F(Compiled, OtherHeadersOfTheToolkitAreAllowed) {
  std::string source = "// #include <cub/cub.cuh>\n";
  for (const char* header :
       {"cooperative_groups.h", "cooperative_groups/scan.h", "cooperative_groups/memcpy_async.h",
        "cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h", "cuda_pipeline.h", "mma.h", "cuComplex.h",
        "curand_kernel.h", "cuda/atomic", "cuda/barrier", "cuda/pipeline", "cuda/std/atomic",
        "cuda/std/complex", "cuda/std/tuple", "nv/target"}) {
    // What a toolkit in parts does not have was never there.
    source += "#if __has_include(<" + std::string(header) + ">)\n#include <" + header + ">\n#endif\n";
  }
  const CompiledSubmission result = compile(source + kGood);
  EXPECT_EQ(result.status, Status::compiled) << result.diagnostics;
}

class BuildWithoutLibraries : public Build {
 protected:
  void SetUp() override {
    Build::SetUp();
    if (!sandbox::isolation().namespaces) GTEST_SKIP() << sandbox::isolation().reason;
  }

  /// All of the toolkit's files with such a name, by every way that leads to them.
  static std::vector<fs::path> files_of_toolkit(const std::string& start, const std::string& part) {
    std::vector<fs::path> found;
    for (const char* folder :
         {"include", "include/cccl", "targets/x86_64-linux/include", "targets/x86_64-linux/include/cccl",
          "lib", "lib64", "targets/x86_64-linux/lib"}) {
      std::error_code missing;
      for (const auto& entry : fs::directory_iterator(find_toolkit().root / folder, missing)) {
        if (entry.path().filename().string().starts_with(start) && fs::exists(entry.path() / part, missing))
          found.push_back(entry.path() / part);
      }
    }
    return found;
  }
};

// The preprocessor, which lists what it opens, does not open these: the front end behind it does.
TEST_F(BuildWithoutLibraries, AHeaderThatNoListShowsIsNotThere) {
  for (const auto& [start, part] : {std::pair("cub", "version.cuh"), std::pair("thrust", "version.h")}) {
    for (const fs::path& header : files_of_toolkit(start, part)) {
      const CompiledSubmission result =
          compile("#define HASH #\nHASH include \"" + header.string() + "\"\n" + kGood);
      EXPECT_EQ(result.status, Status::banned) << header << ": " << result.diagnostics;
    }
  }
}

TEST_F(BuildWithoutLibraries, NoLibraryOfKernelsCanBeCarriedInside) {
  std::size_t libraries = 0;
  for (const char* start : {"libcublas", "libcufft", "libcusparse", "libnpp"}) {
    for (const fs::path& library : files_of_toolkit(start, "")) {
      if (!fs::is_regular_file(library) || library.parent_path() != find_toolkit().root / "lib") continue;
      ++libraries;
      const CompiledSubmission result =
          compile("asm(\".incbin \\\"" + library.string() + "\\\"\");\n" + kGood);
      EXPECT_EQ(result.status, Status::rejected) << library;
      EXPECT_THAT(result.diagnostics, HasSubstr("file not found")) << library;
    }
  }
  if (libraries == 0) GTEST_SKIP() << "the toolkit has none of them here";
}

TEST(HiddenLibraries, AreThoseInFoldersBelowToo) {
  const sandbox::TemporaryFolder folder(fs::temp_directory_path(), "lockstep-test-");
  Toolkit toolkit;
  toolkit.root = folder.path();
  const fs::path below = folder.path() / "lib64/program/version";
  fs::create_directories(below);
  for (const fs::path& file :
       {folder.path() / "lib64/libcublas.so", below / "libcublasLt.so.12", below / "other.so"})
    std::ofstream(file) << "code";
  std::vector<fs::path> covered;
  for (const sandbox::Mount& cover : covers_of_libraries(toolkit, "/closed", "/empty")) {
    if (cover.inside.native().starts_with(folder.path().native())) covered.push_back(cover.inside);
  }
  EXPECT_THAT(covered, testing::UnorderedElementsAre(folder.path() / "lib64/libcublas.so",
                                                     below / "libcublasLt.so.12"));
}

TEST_F(BuildWithoutLibraries, PackagesOfPythonAreNotThere) {
  fs::path module;
  for (const char* folder : {"/usr/lib", "/usr/local/lib"}) {
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(folder, missing)) {
      if (entry.path().filename().string().starts_with("python") && fs::exists(entry.path() / "os.py"))
        module = entry.path() / "os.py";
    }
  }
  if (module.empty()) GTEST_SKIP() << "this machine has no Python";
  const CompiledSubmission result = compile("asm(\".incbin \\\"" + module.string() + "\\\"\");\n" + kGood);
  EXPECT_EQ(result.status, Status::rejected);
  EXPECT_THAT(result.diagnostics, HasSubstr("file not found"));
}

TEST_F(BuildWithoutLibraries, ASourceThatAsksWhetherThereIsALibraryGoesWithout) {
  const CompiledSubmission result = compile(
      "#if __has_include(<cub/version.cuh>) || __has_include(<thrust/version.h>)\n#error there\n#endif\n" +
      std::string(kGood));
  EXPECT_EQ(result.status, Status::compiled) << result.diagnostics;
}

TEST_F(Build, AnEndlessCompilationIsRejectedWithASentence) {
  limits_.wall_time = 3s;
  const CompiledSubmission result = compile(
      "template <int N, int M> struct Bomb { static constexpr int v = Bomb<N - 1, 2 * M>::v + Bomb<N - 1, 2 "
      "* M + 1>::v; };\n"
      "template <int M> struct Bomb<0, M> { static constexpr int v = M; };\n"
      "int bomb() { return Bomb<28, 0>::v; }\n");
  EXPECT_EQ(result.status, Status::rejected);
  EXPECT_THAT(result.diagnostics, HasSubstr("did not finish within 3 seconds"));
}

TEST_F(Build, ACompilationThatNeedsTooMuchMemoryIsRejected) {
  limits_.memory_bytes = std::size_t{64} << 20;
  const CompiledSubmission result = compile(kGood);
  EXPECT_EQ(result.status, Status::rejected);
  EXPECT_THAT(result.diagnostics, HasSubstr("64 MiB of memory"));
}

TEST_F(Compiled, TooLongAListOfHeadersIsRejectedAndNoFaultOfTheGrader) {
  // The same file under ever other names, of nearly as many letters as a path may have.
  std::string source =
      "#if __INCLUDE_LEVEL__ == 0\n#define TEXT_(x) #x\n#define TEXT(x) TEXT_(x)\n#define LONG(x) "
      "../submission/.";
  for (int part = 0; part < 1800; ++part) source += "/.";
  source += "/x\n";
  for (int name = 0; name < 750; ++name) {
    source += "#include TEXT(LONG(";
    for (int digit = 0; digit < 12; ++digit) source += (name >> digit & 1) != 0 ? "../submission/" : "./";
    source += "transpose.cu))\n";
  }
  const CompiledSubmission result = compile(source + kGood + "\n#endif\n");
  EXPECT_EQ(result.status, Status::rejected) << result.diagnostics.substr(0, 500);
  EXPECT_THAT(result.diagnostics, HasSubstr("take more than 4 MiB"));
}

TEST_F(Build, AFloodOfDiagnosticsIsCut) {
  std::string source;
  for (int i = 0; i < 3000; ++i) source += "#warning a line of a message that is not very short at all\n";
  const CompiledSubmission result = compile(source + kGood);
  EXPECT_LE(result.diagnostics.size(), limits_.output_bytes + 100);
  EXPECT_THAT(result.diagnostics, HasSubstr("more that is not shown"));
}

TEST_F(Build, TheSameSourceAtTheSameTimeIsOneEntry) {
  const fs::path source = write("transpose.cu", kGood);
  std::vector<std::future<CompiledSubmission>> results;
  for (int i = 0; i < 3; ++i) {
    results.push_back(std::async(std::launch::async, [this, &source] {
      return compile_submission(exercise_, source, std::nullopt, limits_);
    }));
  }
  std::set<fs::path> objects;
  for (auto& result : results) {
    const CompiledSubmission compiled = result.get();
    EXPECT_EQ(compiled.status, Status::compiled) << compiled.diagnostics;
    objects.insert(compiled.object);
  }
  EXPECT_EQ(objects.size(), 1U);
}

TEST(ObjectCache, DropsWhatWasUsedLongestAgo) {
  const sandbox::TemporaryFolder folder(fs::temp_directory_path(), "lockstep-test-");
  const ObjectCache cache(folder.path() / "objects", 2500);
  const auto age = [&](const std::string& key, std::chrono::minutes minutes) {
    fs::last_write_time(cache.folder() / key, fs::file_time_type::clock::now() - minutes);
  };
  cache.store("a", std::string(1000, 'a'), "");
  cache.store("b", std::string(1000, 'b'), "words");
  age("a", 20min);
  age("b", 10min);
  ASSERT_TRUE(cache.find("a"));  // used just now
  cache.store("c", std::string(1000, 'c'), "");
  EXPECT_TRUE(cache.find("a"));
  EXPECT_FALSE(cache.find("b"));
  ASSERT_TRUE(cache.find("c"));
  EXPECT_EQ(contents_of(cache.find("c")->object), std::string(1000, 'c'));
  // One that is larger than the whole cache still stays until the next.
  cache.store("d", std::string(5000, 'd'), "");
  EXPECT_TRUE(cache.find("d"));
  EXPECT_FALSE(cache.find("c"));
}

TEST(ObjectCache, TheFirstOfTwoStays) {
  const sandbox::TemporaryFolder folder(fs::temp_directory_path(), "lockstep-test-");
  const ObjectCache cache(folder.path());
  cache.store("key", "first", "one");
  EXPECT_EQ(cache.store("key", "second", "two").diagnostics, "one");
  EXPECT_EQ(contents_of(cache.find("key")->object), "first");
}

// As a machine leaves it that went down before all was on its disk.
TEST(ObjectCache, AnEntryOfWhichAPartIsMissingIsNone) {
  const sandbox::TemporaryFolder folder(fs::temp_directory_path(), "lockstep-test-");
  const ObjectCache cache(folder.path());
  for (const std::uintmax_t bytes : {0, 3}) {
    const fs::path object = cache.store("key", "object", "words").object;
    fs::resize_file(object, bytes);
    EXPECT_FALSE(cache.find("key")) << bytes;
  }
  EXPECT_EQ(contents_of(cache.store("key", "object", "words").object), "object");
}

class PrivateCache : public testing::Test {
 protected:
  fs::perms modes(const fs::path& path) const { return fs::status(path).permissions(); }

  sandbox::TemporaryFolder folder_{fs::temp_directory_path(), "lockstep-test-"};
  fs::path objects_ = folder_.path() / "objects";
};

TEST_F(PrivateCache, NobodyElseListsOrChangesIt) {
  // Users that nobody is pass through it, where a machine has no namespaces.
  const fs::perms allowed = sandbox::isolation().namespaces ? fs::perms(0700) : fs::perms(0711);
  EXPECT_EQ(modes(ObjectCache(objects_).folder()) & ~allowed, fs::perms::none);
  fs::permissions(objects_, fs::perms(0777));
  const ObjectCache cache(objects_);
  EXPECT_EQ(modes(objects_) & ~allowed, fs::perms::none) << "one that was open to all";
  EXPECT_EQ(modes(cache.store("key", "object", "").object), fs::perms(0644)) << "whatever the umask is";
}

TEST_F(PrivateCache, IsNoLink) {
  fs::create_directory(folder_.path() / "elsewhere");
  fs::create_directory_symlink("elsewhere", objects_);
  EXPECT_THROW(ObjectCache{objects_}, std::runtime_error);
}

TEST_F(PrivateCache, IsNotAnotherUsers) {
  fs::create_directory(objects_);
  if (chown(objects_.c_str(), 65534, 65534) != 0) GTEST_SKIP() << "only root gives folders away";
  try {
    const ObjectCache cache(objects_);
    FAIL() << "another user's";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("belongs to another user"));
    EXPECT_THAT(error.what(), HasSubstr("LOCKSTEP_CACHE"));
  }
}

TEST_F(PrivateCache, AnObjectThatIsALinkIsNone) {
  const ObjectCache cache(objects_);
  const fs::path object = cache.store("key", "object", "").object, other = folder_.path() / "other.so";
  fs::rename(object, other);
  fs::create_symlink(other, object);
  EXPECT_FALSE(cache.find("key"));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(cache.store("key", "object", "").object)));
}

TEST_F(PrivateCache, RemainsOfWhoWasKilledGoOnceNobodyIsAtWork) {
  {
    const ObjectCache at_work(objects_);
    fs::create_directories(objects_ / "new-aBcDeF/submission");
    const ObjectCache another(objects_);
    EXPECT_TRUE(fs::exists(objects_ / "new-aBcDeF")) << "it may be the first one's";
  }
  const ObjectCache next(objects_);
  EXPECT_FALSE(fs::exists(objects_ / "new-aBcDeF"));
  next.store("key", "object", "");
  EXPECT_TRUE(ObjectCache(objects_).find("key"));
}

TEST(ContentHash, IsSha256OfLengthsAndParts) {
  const auto digest = [](const std::vector<std::string>& parts) {
    ContentHash hash;
    for (const std::string& part : parts) hash.add(part);
    return hash.digest();
  };
  // Of nothing: FIPS 180-4's value for the empty message.
  EXPECT_EQ(digest({}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_NE(digest({"ab", "c"}), digest({"a", "bc"}));
  EXPECT_NE(digest({"a"}), digest({"a", ""}));
}

TEST(FunctionsNamed, AnObjectThatIsNoneNamesNothing) {
  const sandbox::TemporaryFolder folder(fs::temp_directory_path(), "lockstep-test-");
  const std::string program = contents_of("/proc/self/exe");
  for (const std::size_t size : {std::size_t{0}, std::size_t{10}, std::size_t{64}, std::size_t{4000}}) {
    std::ofstream(folder.path() / "cut.so", std::ios::binary) << program.substr(0, size);
    EXPECT_THAT(functions_named(folder.path() / "cut.so", "main"), testing::IsEmpty());
  }
  EXPECT_THAT(functions_named(folder.path() / "missing.so", "main"), testing::IsEmpty());
}

/// nvcc's temporary files of one source, compiled with the prepared headers or without them.
class Prepared : public testing::Test {
 protected:
  void compile(const std::string& source) {
    std::ofstream(folder_.path() / "source.cu") << source;
    const auto headers = prepared_headers(find_toolkit());
    ASSERT_TRUE(headers) << "this build has prepared no headers";
    for (const auto& [name, option] :
         {std::pair{"plain", std::string()}, {"prepared", "-ccbin '" + (*headers / "gcc").string() + "'"}}) {
      // In a folder of one name, as that is in some of the files.
      const fs::path now = folder_.path() / "now";
      fs::create_directory(now);
      const std::string line =
          fmt::format("cd '{}' && '{}' {} {} {} --keep -o source.o ../source.cu", now.string(),
                      find_toolkit().nvcc.string(), fmt::join(compiler_flags(std::nullopt), " "),
                      kNoSpecialFunctions, option);
      ASSERT_EQ(std::system(line.c_str()), 0) << line;
      fs::rename(now, folder_.path() / name);
    }
  }
  std::string kept(const std::string& name) const { return contents_of(folder_.path() / name); }
  /// Which prepared headers the host's part was compiled behind, "whole" or "small"; "" for none.
  std::string start() const {
    if (!fs::exists(folder_.path() / "prepared/source.cudafe1.end.cpp")) return "";
    return kept("prepared/source.cudafe1.cpp") == kept("plain/source.cudafe1.cpp") ? "whole" : "small";
  }
  /// What nvcc makes of the source itself for the host.
  std::string end(const std::string& name) const {
    const std::string text = kept(name + "/source.cudafe1.cpp");
    return text.substr(std::min(text.find("twice"), text.size()));
  }

  sandbox::TemporaryFolder folder_{fs::temp_directory_path(), "lockstep-test-"};
};

TEST_F(Prepared, HeadersMakeNoDifference) {
  compile(std::string("#include <cstdio>\n") + kKernel);
  EXPECT_EQ(start(), "small");
  EXPECT_EQ(kept("prepared/source.ptx"), kept("plain/source.ptx"));
  EXPECT_NE(kept("prepared/source.ptx"), "");
  EXPECT_EQ(end("prepared"), end("plain"));
  EXPECT_NE(end("prepared"), "");
}

TEST_F(Prepared, HeadersAreNotSmallForASourceThatNamesMore) {
  for (const std::string more : {"using namespace std;", "#include <cuda_fp16.h>", "#include <utility>",
                                 "static_assert(std::is_same_v<int, int>);"}) {
    compile(more + '\n' + kKernel);
    // <utility> has been read already, and nothing of it is named.
    EXPECT_EQ(start() == "small", more == "#include <utility>") << more;
    EXPECT_EQ(kept("prepared/source.ptx"), kept("plain/source.ptx")) << more;
    fs::remove_all(folder_.path() / "plain");
    fs::remove_all(folder_.path() / "prepared");
  }
}

TEST_F(Prepared, HeadersAreReadAgainWhereTheHostsPartBeginsOtherwise) {
  // nvcc writes a name of what was read before otherwise, when it has read <algorithm>.
  compile(std::string("#include <algorithm>\n") + kKernel);
  EXPECT_EQ(kept("prepared/source.ptx"), kept("plain/source.ptx"));
  EXPECT_TRUE(kept("prepared/source.cudafe1.cpp") == kept("plain/source.cudafe1.cpp"));
  EXPECT_FALSE(fs::exists(folder_.path() / "prepared/source.cudafe1.end.cpp"));
}

TEST(PreparedHeaders, AreForOneToolkit) {
  Toolkit other = find_toolkit();
  other.version = "12.4, V12.4.131";
  EXPECT_FALSE(prepared_headers(other));
  EXPECT_EQ(known_version(find_toolkit().nvcc), find_toolkit().version);
  EXPECT_FALSE(known_version("/bin/true"));
}

TEST(Toolkit, IsFoundWithItsVersionAndLibrary) {
  const Toolkit& toolkit = find_toolkit();
  EXPECT_TRUE(fs::exists(toolkit.nvcc));
  EXPECT_GE(toolkit.major, kOldestToolkitMajor);
  EXPECT_THAT(toolkit.version, testing::StartsWith(std::to_string(toolkit.major) + "."));
  EXPECT_TRUE(toolkit.library.empty() || fs::exists(toolkit.library / "libcudart.so"));
}

// In a process of its own each, as the search is done once.
class ToolkitElsewhere : public testing::Test {
 protected:
  /// What find_toolkit() says when CUDA_HOME holds an nvcc that prints `version`.
  void search(const std::string& version) {
    fs::create_directories(home_.path() / "bin");
    fs::permissions(home_.path(), fs::perms(0755));
    const fs::path nvcc = home_.path() / "bin" / "nvcc";
    std::ofstream(nvcc) << "#!/bin/sh\necho 'Cuda compilation tools, release " << version << "'\n";
    fs::permissions(nvcc, fs::perms(0755));
    setenv("CUDA_HOME", home_.path().c_str(), 1);
    setenv("PATH", "/nonexistent", 1);
    try {
      std::fprintf(stderr, "found %s\n", find_toolkit().version.c_str());
    } catch (const std::runtime_error& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    fs::remove_all(home_.path());
    _exit(0);
  }

  sandbox::TemporaryFolder home_{fs::temp_directory_path(), "lockstep-test-"};
};

TEST_F(ToolkitElsewhere, CudaHomeComesFirst) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(search("12.4, V12.4.131"), testing::ExitedWithCode(0), "found 12.4, V12.4.131");
}

TEST_F(ToolkitElsewhere, OneThatIsTooOldIsPassedOver) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const bool another = fs::exists("/usr/local/cuda/bin/nvcc") || fs::exists("/opt/cuda/bin/nvcc");
  EXPECT_EXIT(search("12.3, V12.3.1"), testing::ExitedWithCode(0),
              another ? "found 1[2-9]" : "is 12.3, too old for this course: install CUDA Toolkit 12.4");
}

}  // namespace
}  // namespace lockstep::build
