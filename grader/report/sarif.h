// A result in SARIF 2.1.0, one run: what code scanning and editors read of findings.
//
// Paths are relative where the file lies below the working directory, so whoever uploads a file grades at the
// root of the repository.
// Source: https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/sarif-v2.1.0-os.html; what code scanning asks
// beyond it: https://docs.github.com/en/code-security/code-scanning/integrating-with-code-scanning/
// sarif-support-for-code-scanning.
#pragma once

#include <string>

#include "result/result.h"

namespace lockstep::report {

/// A result for each note, at the first line of the file where no other is known; verdicts and points are
/// properties of the run. Faults of the grader are notifications of the invocation and not results, which are
/// about the submission.
std::string render_sarif(const result::Report& report);

}  // namespace lockstep::report
