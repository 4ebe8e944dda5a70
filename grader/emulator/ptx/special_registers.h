// The names of PTX's special registers, so that a misspelt or undeclared register is found where it stands.
#pragma once

#include <string_view>

namespace lockstep::emulator::ptx {

/// `name` without '%' and component, such as "tid".
bool is_special_register(std::string_view name);

}  // namespace lockstep::emulator::ptx
