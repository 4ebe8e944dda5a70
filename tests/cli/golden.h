// Golden files: what a renderer printed when somebody last looked at it and found it good.
#pragma once

#include <string>

namespace lockstep::test {

/// Fails when `text` differs from golden/`name`. With LOCKSTEP_UPDATE_GOLDEN=1 the file is written instead;
/// read the difference before committing it.
void expect_golden(const std::string& name, const std::string& text);

}  // namespace lockstep::test
