// Two programs make an object, in one sandbox: nvcc -c, and g++ to link. nvcc would link by itself, but runs
// a device linker first, which only relocatable device code needs. Of 0.84 s for a transpose that is 75 ms;
// nvcc's two front ends side by side (-t 2) save as much again. A lower host optimisation, -pipe and
// temporaries in memory changed nothing beyond the noise, on two cores with nvcc 13.0. Nearly all of the rest
// is reading headers, by both front ends and by the host compiler: what every submission includes stays
// light, the largest part of what <cmath> includes is read only where a submission needs it, and the host
// compiler does not read cuda_runtime.h (prepared_headers.h).
#include "build/submission_compiler.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <utility>

#include "build/banned_library.h"
#include "build/compiler_output.h"
#include "build/content_hash.h"
#include "build/hidden_libraries.h"
#include "build/object_cache.h"
#include "build/prepared_headers.h"
#include "build/toolkit.h"
#include "sandbox/file_descriptor.h"
#include "sandbox/temporary_folder.h"

namespace lockstep::build {
namespace {

namespace fs = std::filesystem;
using Status = CompiledSubmission::Status;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kObjectBytesLimit = std::size_t{64} << 20;
constexpr std::size_t kListBytesLimit = std::size_t{4} << 20;

// What the compiler leaves in its folder.
constexpr const char* kObjectName = "submission.so";
constexpr const char* kListName = "opened";

// gold links in a third of the time of binutils' other linker.
constexpr const char* kFastLinker = "/usr/bin/ld.gold";

// A name that cannot be found is an error of the compilation, with a message, and not of loading.
const std::vector<std::string> kLinkerFlags{"-shared", "-Wl,-z,defs", "-Wl,-z,now"};

std::string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw fs::filesystem_error("cannot read", path,
                               std::make_error_code(std::errc::no_such_file_or_directory));
  return {std::istreambuf_iterator<char>(file), {}};
}

// Whatever the umask is: the compiler may be another user.
constexpr fs::perms kReadable{0644}, kReadableFolder{0755};

void make_folder(const fs::path& path) {
  fs::create_directory(path);
  fs::permissions(path, kReadableFolder);
}

void write_file(const fs::path& path, const std::string& contents, fs::perms mode) {
  std::ofstream file(path, std::ios::binary);
  file << contents;
  file.close();
  if (!file) throw fs::filesystem_error("cannot write", path, std::make_error_code(std::errc::io_error));
  fs::permissions(path, mode);
}

// The submission's own base name where compilers and shells take it as it is, else the exercise's.
std::string name_for_compiler(const course::Exercise& exercise, const fs::path& source) {
  const std::string name = source.filename();
  const bool plain =
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") ==
          std::string::npos &&
      name.ends_with(".cu") && name[0] != '-' && name[0] != '.';
  return plain ? name : exercise.starter.filename().string();
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string key_of(const course::Exercise& exercise, const std::string& source, const std::string& name,
                   const fs::path& common, const Toolkit& toolkit, std::optional<int> native,
                   Libraries libraries) {
  ContentHash hash;
  hash.add(source);
  hash.add(name);
  hash.add(exercise.header.filename());
  hash.add(contents_of(exercise.header));
  for (const fs::path& file : files_below(common)) {
    hash.add(file.lexically_relative(common));
    hash.add(contents_of(file));
  }
  hash.add(toolkit.version);
  hash.add(host_compiler_stamp());
  hash.add(fmt::format("{}", fmt::join(compiler_flags(native), " ")));
  hash.add(kNoSpecialFunctions);
  hash.add(fmt::format("{}", fmt::join(kLinkerFlags, " ")));
  hash.add(rules_of_covers());
  hash.add(libraries == Libraries::none ? "submission" : "peer");
  return hash.digest();
}

// The folders of one compilation on the host, and where the compiler sees them.
struct Stage {
  Stage(const fs::path& parent, const course::Exercise& exercise, const std::string& name,
        const std::string& source)
      : folder(parent, "new-") {
    // Where there are no namespaces the compiler is another user, who may pass. Nobody else can list it.
    fs::permissions(folder.path(), fs::perms(0711));
    for (const fs::path& each : {submission.host, header.host, object.host, empty_folder}) make_folder(each);
    write_file(closed_file, "", fs::perms::none);
    write_file(submission.host / name, source, kReadable);
    write_file(header.host / exercise.header.filename(), contents_of(exercise.header), kReadable);
  }

  sandbox::TemporaryFolder folder;
  sandbox::Mount submission{folder.path() / "submission", "/submission", false};
  sandbox::Mount header{folder.path() / "exercise", "/exercise", false};
  sandbox::Mount object{folder.path() / "object", "/object", true};
  fs::path closed_file = folder.path() / "closed", empty_folder = folder.path() / "empty";
};

// The words as one line for a shell, each in single quotes.
std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += "' ";
  }
  return line;
}

sandbox::Mount common_mount(const fs::path& folder) { return {folder, "/common", false}; }

// What has the compilers use large pages (large_pages.cpp). None where it is missing, or where the loader
// would take the path for several.
std::optional<sandbox::Mount> large_pages_mount() {
  const sandbox::Mount mount{library_folder() / "liblockstep_large_pages.so", "/lockstep-large-pages.so"};
  std::error_code absent;
  if (!fs::exists(mount.host, absent)) return std::nullopt;
  if (sandbox::seen_path(mount).string().find_first_of(" :") != std::string::npos) return std::nullopt;
  return mount;
}

/// What makes the shared library, for a shell. Linkers word their errors differently, and it is the slower
/// one's that are explained to students.
std::string link_line(const Toolkit& toolkit, const fs::path& object, Libraries libraries) {
  std::vector<std::string> link{"g++"};
  link.insert(link.end(), kLinkerFlags.begin(), kLinkerFlags.end());
  link.insert(link.end(), {"-o", object / kObjectName, object / "submission.o"});
  if (!toolkit.library.empty()) link.push_back("-L" + toolkit.library.string());
  link.push_back("-lcudart");
  if (libraries == Libraries::vendors) link.insert(link.end(), {"-Wl,--as-needed", "-lcublas", "-lcusparse"});
  std::string line = shell_line(link);
  std::error_code absent;
  if (!fs::exists(kFastLinker, absent)) return line;
  link.push_back("-fuse-ld=gold");
  return fmt::format("{{ {}> /dev/null 2>&1 || {}; }}", shell_line(link), line);
}

sandbox::Command compiler_command(const Toolkit& toolkit, const Stage& stage, const fs::path& common_folder,
                                  const std::string& name, std::optional<int> native,
                                  const sandbox::Limits& limits, Libraries libraries) {
  const sandbox::Mount common = common_mount(common_folder);
  std::optional<sandbox::Mount> headers;
  if (const auto folder = prepared_headers(toolkit)) headers = {*folder, "/headers", false};
  const fs::path object = sandbox::seen_path(stage.object);

  std::vector<std::string> compile{toolkit.nvcc};
  for (const std::string& flag : compiler_flags(native)) compile.push_back(flag);
  compile.insert(compile.end(), {"-I", sandbox::seen_path(stage.header), "-I", sandbox::seen_path(common),
                                 "-o", object / "submission.o", name});
  sandbox::Command command;
  std::string line = shell_line(compile);
  if (libraries == Libraries::none) {
    // Of the two compilations the one that counts is heard.
    compile.push_back(kNoSpecialFunctions);
    if (headers) compile.insert(compile.end(), {"-ccbin", sandbox::seen_path(*headers) / "gcc"});
    const std::string said = shell_line({object / "said"});
    line = fmt::format("{{ {}> {} 2>&1 && cat {}|| {}; }} ", shell_line(compile), said, said, line);
  }
  command.arguments = {"/bin/sh", "-c", line + "&& " + link_line(toolkit, object, libraries)};
  command.environment = {{"PATH", (toolkit.root / "bin").string() + ":/usr/local/bin:/usr/bin:/bin"},
                         {"LC_ALL", "C.UTF-8"},
                         {"GLIBC_TUNABLES", "glibc.malloc.hugetlb=1"},  // large pages for malloc
                         // Every pass of the preprocessor adds the files that it opened to this list, with
                         // the target's name after the blank. That costs no pass of its own, as -M would, and
                         // no #line and no #ifdef of the source keeps a file out of it.
                         {"SUNPRO_DEPENDENCIES", (object / kListName).string() + " submission"}};
  command.mounts = toolkit_mounts(toolkit);
  if (const auto library = large_pages_mount()) {
    command.mounts.push_back(*library);
    command.environment.emplace("LD_PRELOAD", sandbox::seen_path(*library));
  }
  // malloc reads here whether the system gives large pages to who asks for them, and how large they are.
  for (const char* const file : {"enabled", "hpage_pmd_size"}) {
    const fs::path setting = fs::path("/sys/kernel/mm/transparent_hugepage") / file;
    std::error_code absent;
    if (fs::exists(setting, absent)) command.mounts.push_back({setting, setting, false});
  }
  // Without namespaces nothing can be covered, and what no user may read would keep the compiler from having
  // one of its own.
  if (libraries == Libraries::none && sandbox::isolation().namespaces) {
    const auto covers = covers_of_libraries(toolkit, stage.closed_file, stage.empty_folder);
    command.mounts.insert(command.mounts.end(), covers.begin(), covers.end());
  }
  command.mounts.insert(command.mounts.end(), {stage.submission, stage.header, stage.object, common});
  if (headers) command.mounts.push_back(*headers);
  command.working_directory = sandbox::seen_path(stage.submission);
  command.limits = limits;
  return command;
}

// A file as the compiler left it. Not followed when it is a link, not believed to be a file or small.
std::optional<std::string> read_result(const fs::path& path, std::size_t bytes_limit) {
  const sandbox::FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  if (status.st_size <= 0 || static_cast<std::size_t>(status.st_size) > bytes_limit) return std::nullopt;
  std::string contents(static_cast<std::size_t>(status.st_size), '\0');
  if (read(file.get(), contents.data(), contents.size()) != status.st_size) return std::nullopt;
  return contents;
}

// A missing header is reported by both of nvcc's front ends: what is said twice in a row is said once.
std::string said_once(const std::string& text) {
  const std::size_t half = text.size() / 2;
  const bool twice = text.size() % 2 == 0 && text.compare(0, half, text, half) == 0;
  return twice ? text.substr(0, half) : text;
}

std::string without_folders(std::string_view text, const Stage& stage) {
  std::string result = without_temporary_names(text);
  for (const sandbox::Mount* mount : {&stage.submission, &stage.header, &stage.object}) {
    result = without(result, sandbox::seen_path(*mount).string() + "/");
  }
  return result;
}

// The headers that the compiler asked for and could not open, each on a line of its own: a library's that are
// covered. As the preprocessor writes them, and of the front end behind it.
std::string names_of_missing(std::string_view output) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"fatal error: ", ": No such file or directory"},
      {"fatal error: ", ": Permission denied"},
      {"cannot open source file \"", "\""}};
  std::string names;
  while (!output.empty()) {
    const std::string_view line = output.substr(0, output.find('\n'));
    for (const auto& [before, behind] : kWords) {
      const std::size_t at = line.find(before), begin = at + before.size();
      const std::size_t end = at == std::string_view::npos ? at : line.find(behind, begin);
      if (end != std::string_view::npos) names += fmt::format("/{}\n", line.substr(begin, end - begin));
    }
    output.remove_prefix(std::min(line.size() + 1, output.size()));
  }
  return names;
}

// The files that the compiler opened, without the names of the folders that hold the course and the toolkit:
// where a student keeps these is no sign of a library.
std::string names_of_opened(std::string list, const Toolkit& toolkit, const fs::path& common,
                            const Stage& stage) {
  for (const fs::path& folder :
       {sandbox::seen_path(stage.header), sandbox::seen_path(common_mount(common)), toolkit.root}) {
    list = without(list, folder.string() + "/");
  }
  return list;
}

std::string sentence_about(const sandbox::End& end, const sandbox::Limits& limits) {
  using Kind = sandbox::End::Kind;
  switch (end.kind) {
    case Kind::time_limit:
      return fmt::format("The compiler was stopped: it did not finish within {} seconds.\n",
                         std::chrono::ceil<std::chrono::seconds>(limits.wall_time).count());
    case Kind::memory_limit:
      return fmt::format("The compiler was stopped: it used more than {} MiB of memory.\n",
                         limits.memory_bytes >> 20);
    case Kind::process_limit:
      return fmt::format("The compiler was stopped: it started more than {} processes.\n", limits.processes);
    case Kind::signalled:
      return fmt::format("The compiler was ended by signal {}.\n", end.status);
    case Kind::exited:
      break;
  }
  return "";
}

/// Throws where there is so little room for files that a compiler may fail for that alone, whatever the code.
void check_room(const fs::path& folder) {
  constexpr std::uintmax_t kEnoughBytes = std::uintmax_t{16} << 20, kEnoughFiles = 64;
  struct statvfs disk {};
  if (statvfs(folder.c_str(), &disk) == 0) {
    const std::uintmax_t bytes = std::uintmax_t{disk.f_bavail} * disk.f_frsize;
    const bool counts_files = disk.f_files != 0;
    if (bytes < kEnoughBytes || (counts_files && disk.f_favail < kEnoughFiles)) {
      throw std::runtime_error(fmt::format(
          "compiling failed, and the disk of {} has room for {} KiB{}: make room there", folder.string(),
          bytes >> 10, counts_files ? fmt::format(" in {} files", disk.f_favail) : ""));
    }
  }
  rlimit file{};
  if (getrlimit(RLIMIT_FSIZE, &file) == 0 && file.rlim_cur < kEnoughBytes) {
    throw std::runtime_error(fmt::format(
        "compiling failed, and no file may become larger than {} KiB here: type ulimit -f unlimited",
        file.rlim_cur >> 10));
  }
}

CompiledSubmission compile(const course::Exercise& exercise, const SubmissionFile& source,
                           std::optional<int> native, const sandbox::Limits& limits, Libraries libraries) {
  const auto start = Clock::now();
  CompiledSubmission result;
  const auto finish = [&](Status status) {
    result.status = status;
    result.time = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
    return result;
  };

  auto text = read_source(source);
  if (const auto* unreadable = std::get_if<Unreadable>(&text)) {
    result.diagnostics = unreadable->sentence;
    return finish(unreadable->is_missing ? Status::missing : Status::unreadable);
  }
  result.source = std::get<std::string>(std::move(text));
  ContentHash digest;
  digest.add(result.source);
  result.source_digest = digest.digest();
  const Toolkit& toolkit = find_toolkit();
  const std::string name = name_for_compiler(exercise, source.path());
  const fs::path common = course::course_root() / "common";
  const std::string key = key_of(exercise, result.source, name, common, toolkit, native, libraries);
  const ObjectCache cache(cache_folder());
  if (auto entry = cache.find(key)) {
    result.object = entry->object;
    result.diagnostics = entry->diagnostics;
    result.from_cache = true;
    return finish(Status::compiled);
  }

  std::optional<Stage> made;
  try {
    made.emplace(cache.folder(), exercise, name, result.source);
  } catch (const std::system_error&) {
    check_room(cache.folder());
    throw;
  }
  const Stage& stage = *made;
  sandbox::Process process(compiler_command(toolkit, stage, common, name, native, limits, libraries));
  std::optional<sandbox::End> end;
  while (!end) end = process.wait(std::chrono::seconds(1));
  result.diagnostics = with_long_lines_cut(
      with_cuda_keywords(without_advice(said_once(without_folders(process.output(), stage)))));
  if (process.output_truncated()) result.diagnostics += "\n… and more that is not shown.\n";

  const auto opened = read_result(stage.object.host / kListName, kListBytesLimit);
  // Before its errors, which may be those of using the library without linking it.
  if (libraries == Libraries::none) {
    std::string sentence = sentence_about_banned(
        names_of_opened(opened.value_or(""), toolkit, common, stage) + names_of_missing(process.output()),
        result.source, name);
    if (!sentence.empty()) {
      result.diagnostics = std::move(sentence);
      return finish(Status::banned);
    }
  }
  if (end->kind != sandbox::End::Kind::exited || end->status != 0) {
    if (end->kind == sandbox::End::Kind::exited) check_room(cache.folder());
    result.first_error = first_error(result.diagnostics, result.source, name);
    result.further_errors = further_errors(result.diagnostics, result.source, name);
    if (!result.diagnostics.empty() && !result.diagnostics.ends_with('\n')) result.diagnostics += '\n';
    result.diagnostics += sentence_about(*end, limits);
    return finish(Status::rejected);
  }
  if (!opened) {
    std::error_code missing;
    if (fs::file_size(stage.object.host / kListName, missing) <= kListBytesLimit || missing)
      throw std::runtime_error("the compiler left no list of the headers that it opened");
    result.diagnostics += fmt::format("The names of the headers that it includes take more than {} MiB.\n",
                                      kListBytesLimit >> 20);
    return finish(Status::rejected);
  }
  const auto object = read_result(stage.object.host / kObjectName, kObjectBytesLimit);
  if (!object) {
    result.diagnostics +=
        fmt::format("The compiler left no object of at most {} MiB.\n", kObjectBytesLimit >> 20);
    return finish(Status::rejected);
  }
  result.object = cache.store(key, *object, result.diagnostics).object;
  return finish(Status::compiled);
}

}  // namespace

sandbox::Limits compilation_limits() {
  sandbox::Limits limits;
  limits.wall_time = std::chrono::seconds(60);
  limits.processor_time = std::chrono::seconds(90);
  return limits;
}

fs::path cache_folder() {
  const char* variable = std::getenv("LOCKSTEP_CACHE");
  const fs::path root =
      variable != nullptr && *variable != '\0' ? fs::path(variable) : course::state_folder() / "cache";
  return root / "objects";
}

CompiledSubmission compile_submission(const course::Exercise& exercise, const SubmissionFile& source,
                                      std::optional<int> native, const sandbox::Limits& limits) {
  return compile(exercise, source, native, limits, Libraries::none);
}

CompiledSubmission compile_peer(const course::Exercise& exercise, const fs::path& source,
                                std::optional<int> native) {
  return compile(exercise, source, native, compilation_limits(), Libraries::vendors);
}

}  // namespace lockstep::build
