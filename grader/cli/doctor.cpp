// `lockstep doctor`: what this machine has, what is missing, and the command that fixes it.

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

#include "build/toolkit.h"
#include "cli/command.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "course/catalogue.h"
#include "device/device.h"
#include "emulator/core/processors.h"
#include "sandbox/sandbox.h"
#include "storage/files.h"
#include "text/wording.h"

namespace lockstep::cli {
namespace {

/// One line of the table. `remedy` is empty when there is nothing to fix.
struct Finding {
  enum class State { good, optional, missing };  ///< optional: grading works without it
  State state = State::good;
  std::string what, found, remedy;
};

std::string first_line_with(const std::string& text, const std::string& word) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find(word) != std::string::npos) return line;
  }
  return "";
}

Finding toolkit() {
  try {
    const build::Toolkit& toolkit = build::find_toolkit();
    return {Finding::State::good, "CUDA Toolkit",
            fmt::format("{} in {}", toolkit.version, toolkit.root.string()), ""};
  } catch (const std::runtime_error& error) {
    return {Finding::State::missing, "CUDA Toolkit", error.what(), ""};
  }
}

Finding program(const std::string& what, const std::string& name, const std::string& remedy) {
  const ProgramResult result = run_program({name, "--version"});
  if (result.status != 0) return {Finding::State::missing, what, "not found: " + name, remedy};
  return {Finding::State::good, what, result.output.substr(0, result.output.find('\n')), ""};
}

/// Whether the distribution's package is installed; one that was removed and left its settings is not.
bool is_installed(const std::string& package) {
  return run_program({"dpkg-query", "--show", "--showformat=${db:Status-Abbrev}", package})
      .output.starts_with("ii");
}

/// The tools and the distribution's packages of cmake/packages.txt. Where dpkg is not, the packages are left
/// out: this program was built, so what it is built of was there.
std::vector<Finding> packages() {
  const bool has_dpkg = run_program({"dpkg-query", "--version"}).status == 0;
  std::istringstream lines(storage::read_file(course::course_root() / "cmake/packages.txt"));
  std::vector<Finding> findings;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string stage, package, command, purpose;
    if (!(fields >> stage >> package >> command) || stage.starts_with('#')) continue;
    std::getline(fields >> std::ws, purpose);
    if (command == "-" && !has_dpkg) continue;
    const bool optional = stage != "build";
    const bool present = command == "-" ? is_installed(package)
                                        : run_program({"sh", "-c", "command -v " + command}).status == 0;
    if (present) {
      findings.push_back({Finding::State::good, package, purpose, ""});
    } else {
      findings.push_back({optional ? Finding::State::optional : Finding::State::missing, package,
                          "missing: " + purpose, "apt-get install " + package});
    }
  }
  return findings;
}

/// What lets a user make namespaces, by the setting that forbids it here.
std::string remedy_for_isolation() {
  struct Setting {
    const char* file;
    char forbids;
    const char* remedy;
  };
  for (const Setting& setting :
       {Setting{"/proc/sys/user/max_user_namespaces", '0', "sysctl user.max_user_namespaces=15000"},
        Setting{"/proc/sys/kernel/unprivileged_userns_clone", '0',
                "sysctl kernel.unprivileged_userns_clone=1"},
        Setting{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", '1',
                "sysctl kernel.apparmor_restrict_unprivileged_userns=0"}}) {
    std::ifstream file(setting.file);
    std::string value;
    if (file >> value && value == std::string(1, setting.forbids)) return setting.remedy;
  }
  return "run outside a container, or in one that may make user namespaces";
}

Finding isolation() {
  const sandbox::Isolation& isolation = sandbox::isolation();
  if (isolation.namespaces) {
    return {
        Finding::State::good, "sandbox",
        isolation.control_groups
            ? "namespaces isolate a submission, and a control group bounds its memory"
            : "namespaces isolate a submission; without a control group to divide, memory that no process "
              "maps is not counted",
        ""};
  }
  return {Finding::State::optional, "sandbox",
          "submissions are not isolated, so grade no stranger's code here: " + isolation.reason,
          remedy_for_isolation()};
}

Finding gpu() {
  try {
    return {Finding::State::good, "GPU", device::make_device(device::Kind::gpu)->description().name, ""};
  } catch (const device::DeviceUnavailable& error) {
    return {Finding::State::optional, "GPU", error.what(), ""};
  }
}

Finding processor() {
  std::ifstream file("/proc/cpuinfo");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string flags = first_line_with(text, "flags") + ' ';
  std::string found = text::counted(emulator::usable_processors(), "core");
  for (const char* feature : {"avx2", "fma", "avx512f"}) {
    if (flags.find(fmt::format(" {} ", feature)) != std::string::npos) found += fmt::format(", {}", feature);
  }
  if (flags.find(" avx2 ") == std::string::npos) found += "; without avx2 the emulated device is slower";
  return {Finding::State::good, "processor", found, ""};
}

Finding disk() {
  constexpr std::uintmax_t kEnough = std::uintmax_t{1} << 30;
  // Where compiled objects are kept, or will be.
  std::filesystem::path folder = std::filesystem::absolute(course::state_folder());
  while (!std::filesystem::exists(folder)) folder = folder.parent_path();
  const std::uintmax_t available = std::filesystem::space(folder).available;
  const std::string found =
      fmt::format("{:.1f} GiB free", static_cast<double>(available) / static_cast<double>(kEnough));
  if (available >= kEnough) return {Finding::State::good, "disk", found, ""};
  return {Finding::State::optional, "disk", found, "free at least 1 GiB"};
}

int doctor() {
  using report::Colour;
  std::vector<Finding> findings = {toolkit(),   program("compiler", LOCKSTEP_CXX, "apt-get install g++"),
                                   processor(), disk(),
                                   isolation(), gpu()};
  const std::vector<Finding> installed = packages();
  findings.insert(findings.end(), installed.begin(), installed.end());

  const report::TextStyle style = output_style();
  std::size_t width = 0;
  for (const Finding& finding : findings) width = std::max(width, finding.what.size());
  bool usable = true;
  for (const Finding& finding : findings) {
    usable = usable && finding.state != Finding::State::missing;
    const std::string sign = finding.state == Finding::State::good       ? paint(style, Colour::good, "✓")
                             : finding.state == Finding::State::optional ? paint(style, Colour::caution, "-")
                                                                         : paint(style, Colour::bad, "✗");
    const std::string wrapped = report::prose(style, finding.found, width + 4);
    std::cout << fmt::format("{} {:<{}}  {}", sign, finding.what, width,
                             wrapped.substr(std::min(wrapped.size(), width + 4)));
    if (!finding.remedy.empty()) std::cout << fmt::format("  {:<{}}  fix: {}\n", "", width, finding.remedy);
  }
  std::cout << (usable ? "\nThis machine can grade.\n"
                       : "\nThis machine cannot grade yet: fix what is marked ✗.\n");
  return usable ? kPassed : kFailed;
}

}  // namespace

void add_doctor(CLI::App& app, int& status) {
  CLI::App* command =
      app.add_subcommand("doctor", "What this machine has, what is missing, and how to fix it");
  command->footer("\nExample:  ./lockstep doctor");
  command->callback([&status] { status = doctor(); });
}

}  // namespace lockstep::cli
