// Names of a submission's functions and kernels, as C++ writes them.
//
// A submission chooses its symbols, and a symbol of a hundred characters may stand for gigabytes of text:
// every back reference in it can double what comes before. So only symbols with few of them are demangled.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lockstep::course {

/// Longest text that a submission's name or message adds to a report, in bytes.
inline constexpr std::size_t kMostNameBytes = 500;

/// `text`, or its beginning and an ellipsis.
std::string shortened(std::string_view text, std::size_t most_bytes = kMostNameBytes);

/// `symbol` demangled; the symbol itself when it is no mangled name, or one that could take long. Shortened.
std::string demangled_name(const std::string& symbol);

/// The unqualified name of the function that a mangled `symbol` stands for, without demangling it: "scan" for
/// "_ZN2ns4scanEi". The symbol itself when it is not mangled; empty for operators and the like.
std::string_view unqualified_name(std::string_view symbol);

}  // namespace lockstep::course
