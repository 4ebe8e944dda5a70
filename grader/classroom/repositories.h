// A list of Git repositories, one of each student. A repository is a stranger's: one commit is fetched into a
// bare repository that is thrown away, nothing is checked out, and files are taken out of it one by one. So
// no hook, filter, submodule, attribute or link of it comes into use, and no configuration but what stands
// here.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "classroom/submissions.h"

namespace lockstep::classroom {

/// One line of the list.
struct Repository {
  std::string id;
  std::string url;     ///< as `git fetch` takes it; https, http, ssh and file alone
  std::string commit;  ///< or a branch or tag; empty: what the repository has as its HEAD
};

/// What one repository may take.
struct RepositoryLimits {
  std::chrono::seconds time{120};                       ///< of each call of git
  std::uint64_t file_bytes = std::uint64_t{256} << 20;  ///< of all that is fetched
  EntryLimits entry;
};

/// Reads a table with the columns `id`, `url` and, if there is one, `commit`. Paths are meant from `folder`.
/// Throws TableError, also for a URL of another kind.
std::vector<Repository> read_repositories(std::string_view table, const std::filesystem::path& folder);

/// Fetches the commit, and takes what is in it. What is wrong is said in the result; each file's hand_in has
/// the commit, and as the file's time the committer's, which they may set.
Entry read_repository(const Repository& repository, const FileNames& names,
                      const RepositoryLimits& limits = {});

}  // namespace lockstep::classroom
