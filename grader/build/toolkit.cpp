#include "build/toolkit.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "build/prepared_headers.h"
#include "sandbox/sandbox.h"

namespace lockstep::build {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy =
    "install CUDA Toolkit 12.4 or newer from https://developer.nvidia.com/cuda-downloads, or set CUDA_HOME "
    "to its folder";

std::vector<fs::path> folders_to_search() {
  std::vector<fs::path> folders;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
      folders.push_back(fs::path(value) / "bin");
    }
  }
  if (const char* value = std::getenv("PATH"); value != nullptr) {
    std::istringstream path(value);
    for (std::string folder; std::getline(path, folder, ':');) {
      if (!folder.empty()) folders.emplace_back(folder);
    }
  }
  folders.insert(folders.end(), {"/usr/local/cuda/bin", "/opt/cuda/bin"});
  return folders;
}

fs::path library_folder(const fs::path& root) {
  for (const char* folder : {"lib64", "targets/x86_64-linux/lib", "lib"}) {
    if (fs::exists(root / folder / "libcudart.so")) return fs::canonical(root / folder);
  }
  return {};
}

// What `nvcc --version` says, as "13.0, V13.0.88"; nothing when the program does not answer.
std::optional<std::string> ask_version(const Toolkit& toolkit) {
  sandbox::Command command;
  command.arguments = {toolkit.nvcc, "--version"};
  command.environment = {{"PATH", "/usr/bin:/bin"}};
  command.mounts = toolkit_mounts(toolkit);
  sandbox::Process process(command);
  process.wait(command.limits.wall_time + std::chrono::seconds(1));
  std::smatch match;
  const std::string& text = process.output();
  if (!std::regex_search(text, match, std::regex("release ([0-9]+\\.[0-9]+, V[0-9.]+)"))) return std::nullopt;
  return match[1];
}

std::optional<Toolkit> toolkit_at(const fs::path& folder) {
  std::error_code error;
  const fs::path nvcc = fs::canonical(folder / "nvcc", error);
  if (error || !fs::is_regular_file(nvcc, error) || access(nvcc.c_str(), X_OK) != 0) return std::nullopt;
  Toolkit toolkit{.nvcc = nvcc, .root = nvcc.parent_path().parent_path()};
  toolkit.library = library_folder(toolkit.root);
  auto version = known_version(nvcc);
  if (!version) version = ask_version(toolkit);
  if (!version) return std::nullopt;
  toolkit.version = *version;
  char dot = 0;
  std::istringstream(toolkit.version) >> toolkit.major >> dot >> toolkit.minor;
  return toolkit;
}

bool is_new_enough(const Toolkit& toolkit) {
  return std::tie(toolkit.major, toolkit.minor) >= std::tie(kOldestToolkitMajor, kOldestToolkitMinor);
}

Toolkit search() {
  std::optional<Toolkit> too_old;
  for (const fs::path& folder : folders_to_search()) {
    const auto toolkit = toolkit_at(folder);
    if (toolkit && is_new_enough(*toolkit)) return *toolkit;
    if (toolkit && !too_old) too_old = toolkit;
  }
  if (too_old) {
    throw std::runtime_error(fmt::format("the CUDA Toolkit in {} is {}.{}, too old for this course: {}",
                                         too_old->root.string(), too_old->major, too_old->minor, kRemedy));
  }
  throw std::runtime_error(fmt::format("no CUDA Toolkit was found on this machine: {}", kRemedy));
}

}  // namespace

const Toolkit& find_toolkit() {
  static const Toolkit toolkit = search();
  return toolkit;
}

fs::path find_cupti(const Toolkit& toolkit) {
  for (const fs::path& folder : {toolkit.library, toolkit.root / "lib64", toolkit.root / "extras/CUPTI/lib64",
                                 fs::path("/usr/lib/x86_64-linux-gnu")}) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
      if (entry.path().filename().string().starts_with("libcupti.so")) return fs::canonical(entry.path());
    }
  }
  throw std::runtime_error(fmt::format(
      "the CUDA Toolkit in {} has no CUPTI (libcupti.so), which reads a GPU's counters: install it, "
      "as in apt-get install cuda-cupti-{}-{}",
      toolkit.root.string(), toolkit.major, toolkit.minor));
}

std::vector<sandbox::Mount> toolkit_mounts(const Toolkit& toolkit) {
  // A distribution's own package has nvcc in /usr/bin, and what belongs to it in folders that are there
  // anyway.
  if (toolkit.root == "/usr") return {};
  return {{toolkit.root, toolkit.root, false}};
}

}  // namespace lockstep::build
