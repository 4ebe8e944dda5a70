// What of the toolkit and of the system's folders is not there while a submission is compiled: the headers of
// banned libraries, and every library of ready-made kernels, whose file an object could carry inside it, also
// where it came as a package of Python.
//
// The list of opened headers that the compiler writes does not show all: the front end behind the
// preprocessor opens what its text still asks for, and the assembler what .incbin names. So these are
// covered, one by one, and the rest of the toolkit stays as it is, in whatever folders its maker put it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "build/toolkit.h"
#include "sandbox/sandbox.h"

namespace lockstep::build {

/// Mounts that cover each of them, of this toolkit and this machine, with `closed_file`, which nobody may
/// read, or `empty_folder`. To stand behind those of the toolkit.
std::vector<sandbox::Mount> covers_of_libraries(const Toolkit& toolkit,
                                                const std::filesystem::path& closed_file,
                                                const std::filesystem::path& empty_folder);

/// Names a set of rules: it changes when other files are covered.
std::string rules_of_covers();

}  // namespace lockstep::build
