#include "build/hidden_libraries.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <system_error>

#include "build/banned_library.h"

namespace lockstep::build {
namespace {

namespace fs = std::filesystem;

/// Beginnings of the names, behind "lib", of libraries that bring kernels of their own.
constexpr std::array<std::string_view, 12> kKernelLibraries{"cublas", "cudnn",    "cudss",    "cufft",
                                                            "curand", "cusolver", "cusparse", "cutensor",
                                                            "nccl",   "npp",      "nvblas",   "nvjpeg"};

bool is_banned_header(std::string_view name) {
  const auto libraries = banned_libraries();
  return std::any_of(libraries.begin(), libraries.end(), [name](const BannedLibrary& library) {
    return library.start.ends_with('/') ? name == library.start.substr(0, library.start.size() - 1)
                                        : name.starts_with(library.start);
  });
}

/// Where Python's packages lie, those of the same libraries among them.
constexpr std::string_view kPackages = "python";

bool is_hidden_library(std::string_view name) {
  if (name.starts_with(kPackages)) return true;
  return name.starts_with("lib") &&
         std::any_of(kKernelLibraries.begin(), kKernelLibraries.end(),
                     [name](std::string_view start) { return name.substr(3).starts_with(start); });
}

/// Adds what `folder`, and so many levels of folders below it, hold under names that `is_hidden` takes; of a
/// link what it leads to.
void add_hidden(const fs::path& folder, bool (*is_hidden)(std::string_view), int levels_below,
                std::set<fs::path>& hidden) {
  std::error_code missing;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing)) {
    if (is_hidden(entry.path().filename().native())) {
      const fs::path file = fs::canonical(entry.path(), missing);
      if (!missing) hidden.insert(file);
    } else if (levels_below > 0 && entry.is_directory(missing) && !entry.is_symlink(missing)) {
      add_hidden(entry.path(), is_hidden, levels_below - 1, hidden);
    }
  }
}

}  // namespace

std::vector<sandbox::Mount> covers_of_libraries(const Toolkit& toolkit, const fs::path& closed_file,
                                                const fs::path& empty_folder) {
  std::set<fs::path> hidden;
  for (const fs::path& folder :
       {toolkit.root / "include", toolkit.root / "targets/x86_64-linux/include", fs::path("/usr/include"),
        fs::path("/usr/include/x86_64-linux-gnu"), fs::path("/usr/local/include")}) {
    add_hidden(folder, is_banned_header, 0, hidden);
    add_hidden(folder / "cccl", is_banned_header, 0, hidden);  // from CUDA 13 on
  }
  for (const fs::path& folder :
       {toolkit.root / "lib64", toolkit.root / "lib", toolkit.root / "targets/x86_64-linux/lib",
        toolkit.library, fs::path("/usr/lib/x86_64-linux-gnu"), fs::path("/usr/lib64"), fs::path("/usr/lib"),
        fs::path("/usr/local/lib"), fs::path("/usr/local/lib64")}) {
    // Other programs bring copies of their own, such as /usr/local/lib/PROGRAM/VERSION/libcublas.so.12.
    constexpr int kLevels = 2;
    if (!folder.empty()) add_hidden(folder, is_hidden_library, kLevels, hidden);
  }
  std::vector<sandbox::Mount> covers;
  for (const fs::path& file : hidden) {
    std::error_code missing;
    covers.push_back({fs::is_directory(file, missing) ? empty_folder : closed_file, file, false});
  }
  return covers;
}

std::string rules_of_covers() {
  std::string rules = fmt::format("{} {} in folders below", fmt::join(kKernelLibraries, " "), kPackages);
  for (const BannedLibrary& library : banned_libraries()) rules += fmt::format(" {}", library.start);
  return rules;
}

}  // namespace lockstep::build
