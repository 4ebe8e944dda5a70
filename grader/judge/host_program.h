// What is wrong with host code that a submission was asked for: it does not wait, it keeps what it should
// release, or it does not look at errors.
#pragma once

#include <cstdint>
#include <string>

#include "judge/case_verdict.h"
#include "judge/source_text.h"
#include "result/result.h"

namespace lockstep::judge {

/// `result` is of a call whose work had not been done when the function returned.
void report_missing_wait(result::CaseResult& result);

/// `result` is of a call that returned an error though nothing was made to fail.
void report_returned_error(const Evidence& evidence, const SourceText& source, result::CaseResult& result);

/// Of a call whose outputs are right.
void conclude_host_program(const Evidence& evidence, result::CaseResult& result);

/// A call makes more calls of the runtime than can fail one after the other.
inline constexpr std::uint32_t kMaxFailingCalls = 1024;
void report_too_many_calls(result::CaseResult& result);

/// Of a call in which a call of the runtime was to fail; as conclude().
void conclude_failing_call(const Evidence& evidence, const SourceText& source, result::CaseResult& result);

/// Name of the runtime's function whose call was made to fail; empty where there was no such call.
std::string name_of_failed_call(const Evidence& evidence);

}  // namespace lockstep::judge
