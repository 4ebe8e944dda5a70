#include "build/prepared_headers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace lockstep::build {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStampName = "stamp";      // what all there follows from
constexpr const char* kVersionName = "version";  // which nvcc it was, and what that says of its version

fs::path prepared_folder() { return library_folder() / "headers"; }

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_text(const fs::path& path, const std::string& contents) {
  std::ofstream file(path, std::ios::binary);
  file << contents;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

std::string stamp_of(const Toolkit& toolkit) {
  return fmt::format("{}\n{}\n{}\n{}\n{} {}\n", toolkit.version, host_compiler_stamp(),
                     stamp_of_file("/usr/include/features.h"),  // those of the C library
                     stamp_of_file(toolkit.root / "include" / "cuda_runtime.h"),
                     fmt::join(compiler_flags(std::nullopt), " "), kNoSpecialFunctions);
}

}  // namespace

fs::path library_folder() { return fs::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib"; }

std::vector<std::string> architecture_flags(std::optional<int> native) {
  std::vector<std::string> flags{"-gencode",
                                 fmt::format("arch=compute_{0},code=compute_{0}", kVirtualArchitecture)};
  if (native) {
    flags.insert(flags.end(), {"-gencode", fmt::format("arch=compute_{},code=sm_{}",
                                                       std::min(*native, kVirtualArchitecture), *native)});
  }
  return flags;
}

// -O is of the host's code alone, mostly stubs of launches, where more than -O1 only takes nvcc's time: code
// for the device is optimised whatever it says.
std::vector<std::string> compiler_flags(std::optional<int> native) {
  std::vector<std::string> flags{"-x",         "cu",    "-std=c++20", "-O1", "-lineinfo",
                                 "-Xcompiler", "-fPIC", "-t",         "2",   "-c"};
  const auto architecture = architecture_flags(native);
  flags.insert(flags.end(), architecture.begin(), architecture.end());
  return flags;
}

std::string stamp_of_file(const fs::path& file) {
  std::error_code error;
  const fs::path path = fs::canonical(file, error);
  if (error) return "";
  return fmt::format("{} {} {}", path.string(), fs::file_size(path, error),
                     fs::last_write_time(path, error).time_since_epoch().count());
}

std::string host_compiler_stamp() { return stamp_of_file("/usr/bin/g++"); }

std::optional<std::string> known_version(const fs::path& nvcc) {
  const std::string known = text_of(prepared_folder() / kVersionName), stamp = stamp_of_file(nvcc) + '\n';
  if (!known.starts_with(stamp)) return std::nullopt;
  return known.substr(stamp.size());
}

void prepare_headers(const fs::path& folder) {
  const Toolkit& toolkit = find_toolkit();
  std::ofstream(folder / "empty.cu").close();
  const std::string nvcc = fmt::format("'{}' {} {}", toolkit.nvcc.string(),
                                       fmt::join(compiler_flags(std::nullopt), " "), kNoSpecialFunctions);
  const auto prepare = [&](const std::string& start) {
    const std::string command = fmt::format(
        "cd '{0}' && PATH='{1}/bin':/usr/local/bin:/usr/bin:/bin LC_ALL=C.UTF-8 LOCKSTEP_PREPARE={3} "
        "{2} -ccbin '{0}/gcc' -o empty.o empty.cu",
        folder.string(), toolkit.root.string(), nvcc, start);
    return std::system(command.c_str()) == 0;
  };
  if (!prepare("whole")) throw std::runtime_error("nvcc did not compile an empty file");
  if (!prepare("small")) {
    for (const fs::path& file : std::vector<fs::path>(fs::directory_iterator(folder), {}))
      if (file.filename().string().find("-small.") != std::string::npos) fs::remove(file);
  }
  for (const char* name : {"empty.o", "empty.cu"}) fs::remove(folder / name);
  // A script may call another nvcc tomorrow.
  if (text_of(toolkit.nvcc).starts_with("\177ELF"))
    write_text(folder / kVersionName, stamp_of_file(toolkit.nvcc) + '\n' + toolkit.version);
  write_text(folder / kStampName, stamp_of(toolkit));
}

std::optional<fs::path> prepared_headers(const Toolkit& toolkit) {
  const fs::path folder = prepared_folder();
  if (text_of(folder / kStampName) != stamp_of(toolkit)) return std::nullopt;
  return folder;
}

}  // namespace lockstep::build
