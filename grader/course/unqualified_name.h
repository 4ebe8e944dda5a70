// The name of a function, read from its symbol without demangling it: a submission chooses its symbols, and
// there may be many.
#pragma once

#include <string_view>

namespace lockstep::course {

/// The unqualified name of the function that a mangled `symbol` stands for: "scan" for "_ZN2ns4scanEi". The
/// symbol itself when it is not mangled; empty for operators and the like.
std::string_view unqualified_name(std::string_view symbol);

}  // namespace lockstep::course
