// Where this build's programs and libraries lie: found from the running program, so that a package may be
// moved.
//
// A build folder and an installed package have the same shape: bin/ with lockstep, lockstep-device and
// lockstep-runner, and lib/ beside it. LOCKSTEP_BUILD names another such folder, for programs that lie
// elsewhere.
#pragma once

#include <filesystem>
#include <string>

namespace lockstep::device {

/// `name`, beside bin/ and lib/. Throws std::runtime_error when it is not there.
std::filesystem::path installed_file(const std::string& name);

/// bin/`name`. Throws std::runtime_error when it is not there.
std::filesystem::path installed_program(const std::string& name);

/// lib/`name`. Throws std::runtime_error when it is not there.
std::filesystem::path installed_library_folder(const std::string& name);

}  // namespace lockstep::device
