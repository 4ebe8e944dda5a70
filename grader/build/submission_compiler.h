// Compiles a submission: one .cu file and the course's own headers into a shared object, in the sandbox,
// cached by content.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "build/compiler_errors.h"
#include "build/submission_source.h"
#include "course/catalogue.h"
#include "sandbox/sandbox.h"

namespace lockstep::build {

/// What a source finds beside the CUDA runtime, when it is compiled and when it runs: submissions nothing,
/// the course's own sources for comparison the toolkit's libraries.
enum class Libraries { none, vendors };

struct CompiledSubmission {
  enum class Status {
    compiled,
    rejected,    ///< the compiler said no, or ran out of its limits: diagnostics say why
    banned,      ///< it includes a library that does the exercise's work: diagnostics say so in one sentence
    missing,     ///< there is no such file
    unreadable,  ///< a link, not a file, empty, not text, too large: diagnostics say so in one sentence
  };
  Status status = Status::compiled;
  std::string source;            ///< the text as it was read, and compiled; empty when it could not be read
  std::filesystem::path object;  ///< shared object, when compiled
  std::string source_digest;     ///< SHA-256 of the text that was compiled, in hexadecimal digits
  std::string diagnostics;       ///< with the student's file name and line numbers; warnings too
  std::optional<CompilerError> first_error;  ///< when rejected, where the compiler names an error
  std::vector<CompilerError> further_errors;
  bool from_cache = false;
  std::chrono::milliseconds time{0};
};

/// Where compiled objects are kept: objects/ of LOCKSTEP_CACHE, or else of cache/ of the state folder.
std::filesystem::path cache_folder();

/// What one compilation may take: far more than any exercise needs, far less than a template that never ends.
sandbox::Limits compilation_limits();

/// Reads `source` and compiles it for `exercise`. The compiler sees the source under its own base name, the
/// exercise's header, the folder common/ and the toolkit, nothing else of the course. `native`: compute
/// capability that the object is to carry native code for, 90 for 9.0, besides its PTX. Throws
/// std::runtime_error when the machine lacks a usable toolkit.
CompiledSubmission compile_submission(const course::Exercise& exercise, const SubmissionFile& source,
                                      std::optional<int> native = std::nullopt,
                                      const sandbox::Limits& limits = compilation_limits());

/// Compiles one of the course's own sources that uses the vendor's libraries, which submissions may not.
CompiledSubmission compile_peer(const course::Exercise& exercise, const std::filesystem::path& source,
                                std::optional<int> native);

/// Functions that a compiled object defines and whose unqualified name is `name`, demangled, such as
/// "transpose(float const*, float*, int, int)"; at most eight. For the message when the wanted one is
/// missing.
std::vector<std::string> functions_named(const std::filesystem::path& object, const std::string& name);

}  // namespace lockstep::build
