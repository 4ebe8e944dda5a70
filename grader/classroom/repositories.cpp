#include "classroom/repositories.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "classroom/handed_in.h"
#include "classroom/shown.h"
#include "classroom/table.h"
#include "sandbox/file_descriptor.h"
#include "sandbox/temporary_folder.h"

namespace lockstep::classroom {
namespace {

namespace fs = std::filesystem;

/// How git ended, and what it said.
struct GitEnd {
  bool is_well = false;
  std::string output, errors;
};

/// Whoever fetches from a stranger: no configuration, no helpers, no questions, and objects are checked.
const std::vector<std::string> kOptions = {"-c", "core.hooksPath=/dev/null",
                                           "-c", "core.fsmonitor=false",
                                           "-c", "core.attributesFile=/dev/null",
                                           "-c", "credential.helper=",
                                           "-c", "protocol.ext.allow=never",
                                           "-c", "fetch.fsckObjects=true",
                                           "-c", "fetch.unpackLimit=1",
                                           "-c", "fetch.recurseSubmodules=false",
                                           "-c", "gc.auto=0",
                                           "-c", "maintenance.auto=false",
                                           "-c", "init.defaultBranch=main"};

std::vector<std::string> git_environment() {
  std::vector<std::string> variables = {
      "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ALLOW_PROTOCOL=file:http:https:ssh",
      "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=/bin/false",      "GIT_SSH_COMMAND=ssh -oBatchMode=yes",
      "GIT_LFS_SKIP_SMUDGE=1", "HOME=/nonexistent",           "LC_ALL=C.UTF-8"};
  // Of whoever runs this: where programs are, who they are to ssh, and the way into the network.
  for (const char* name :
       {"PATH", "SSH_AUTH_SOCK", "http_proxy", "https_proxy", "no_proxy", "HTTPS_PROXY", "NO_PROXY"})
    if (const char* const value = std::getenv(name); value != nullptr)
      variables.push_back(std::string(name) + '=' + value);
  return variables;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

struct Pipe {
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
    out = sandbox::FileDescriptor(ends[0]);
    in = sandbox::FileDescriptor(ends[1]);
  }
  sandbox::FileDescriptor out, in;
};

/// Reads both pipes to their ends. Returns false where that takes too long, or too much comes.
bool read_both(Pipe& output, Pipe& errors, std::chrono::seconds time, std::size_t most_bytes, GitEnd& end) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  std::array<std::pair<Pipe*, std::string*>, 2> pipes = {{{&output, &end.output}, {&errors, &end.errors}}};
  std::string block(64 << 10, '\0');
  for (;;) {
    std::array<pollfd, 2> waiting{};
    for (std::size_t i = 0; i < pipes.size(); ++i) waiting[i] = {pipes[i].first->out.get(), POLLIN, 0};
    if (waiting[0].fd < 0 && waiting[1].fd < 0) return true;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    if (poll(waiting.data(), waiting.size(), static_cast<int>(left.count())) <= 0) continue;
    for (std::size_t i = 0; i < pipes.size(); ++i) {
      if (waiting[i].revents == 0) continue;
      const ssize_t size = read(waiting[i].fd, block.data(), block.size());
      if (size > 0) pipes[i].second->append(block, 0, static_cast<std::size_t>(size));
      if (size == 0 || (size < 0 && errno != EINTR)) pipes[i].first->out.reset();
      if (pipes[i].second->size() > most_bytes) return false;
    }
  }
}

/// Runs git with everything that it has started, and ends it where it takes too long.
GitEnd run_git(const fs::path& repository, std::vector<std::string> arguments, const RepositoryLimits& limits,
               std::size_t most_bytes = 64 << 20) {
  std::vector<std::string> words = {"git", "--git-dir=" + repository.string()};
  words.insert(words.end(), kOptions.begin(), kOptions.end());
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = git_environment();
  std::vector<char*> word_pointers = pointers_to(words), variable_pointers = pointers_to(variables);
  Pipe output, errors;
  const sandbox::FileDescriptor nothing(open("/dev/null", O_RDONLY | O_CLOEXEC));
  constexpr int kNotStarted = 127;
  const pid_t parent = getpid(), process = fork();
  if (process < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (process == 0) {
    const rlimit size{limits.file_bytes, limits.file_bytes};
    const bool is_ready =
        setpgid(0, 0) == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == parent &&
        setrlimit(RLIMIT_FSIZE, &size) == 0 && dup2(nothing.get(), STDIN_FILENO) >= 0 &&
        dup2(output.in.get(), STDOUT_FILENO) >= 0 && dup2(errors.in.get(), STDERR_FILENO) >= 0;
    if (is_ready) execvpe("git", word_pointers.data(), variable_pointers.data());
    _exit(kNotStarted);
  }
  output.in.reset();
  errors.in.reset();
  GitEnd end;
  const bool is_whole = read_both(output, errors, limits.time, most_bytes, end);
  if (!is_whole) end.errors += "\nit took too long, or was too much";
  if (!is_whole) kill(-process, SIGKILL);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  end.is_well = is_whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotStarted) end.errors = "git cannot be started";
  return end;
}

/// What git died of, or else the last line that says something; a server may have written any.
std::string last_words(const std::string& errors) {
  const std::size_t fatal = errors.find("fatal: ");
  if (fatal != std::string::npos)
    return shown(std::string_view(errors).substr(fatal, errors.find('\n', fatal) - fatal), kMaxOfReason);
  const std::size_t end = errors.find_last_not_of(" \r\n");
  if (end == std::string::npos) return "no reason is known";
  const std::size_t begin = errors.rfind('\n', end);
  return shown(std::string_view(errors.data(), end + 1).substr(begin == std::string::npos ? 0 : begin + 1),
               kMaxOfReason);
}

/// One file of `git ls-tree -r -z --long`: "MODE TYPE OBJECT SIZE<tab>PATH".
struct TreeFile {
  std::string_view mode, object, path;
};

std::optional<TreeFile> tree_file(std::string_view line) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) return std::nullopt;
  const std::string_view head = line.substr(0, tab);
  const std::size_t first = head.find(' '), second = head.find(' ', first + 1),
                    third = head.find(' ', second + 1);
  if (third == std::string_view::npos) return std::nullopt;
  return TreeFile{head.substr(0, first), head.substr(second + 1, third - second - 1), line.substr(tab + 1)};
}

void take_tree(const fs::path& folder, const std::string& listing, const RepositoryLimits& limits,
               HandedIn& found) {
  std::size_t files = 0;
  for (std::string_view left = listing; !left.empty();) {
    const std::size_t end = std::min(left.find('\0'), left.size());
    const auto file = tree_file(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
    if (!file) return found.fail("git's list of files cannot be read");
    if (++files > limits.entry.files)
      return found.fail(fmt::format("the repository holds more than {} files", limits.entry.files));
    if (!found.wants(file->path)) continue;
    if (file->mode != "100644" && file->mode != "100755") {
      found.refuse(file->path, "is a link or no regular file");
      continue;
    }
    GitEnd text = run_git(folder, {"cat-file", "blob", std::string(file->object)}, limits);
    if (text.is_well) {
      found.add(file->path, text.output.substr(0, limits.entry.file_bytes));
    } else {
      found.refuse(file->path, "cannot be read: " + last_words(text.errors));
    }
  }
}

bool is_plain_revision(std::string_view text) {
  return !text.starts_with('-') && text.find("..") == std::string_view::npos &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
                  c == '_' || c == '-' || c == '/';
         });
}

/// A URL of a protocol that is allowed, user@host:path for ssh, or a path as a URL. Nothing for others.
std::optional<std::string> allowed_url(const std::string& url, const fs::path& folder) {
  for (const char* protocol : {"https://", "http://", "ssh://", "file://"})
    if (url.starts_with(protocol) && url.size() > std::string_view(protocol).size()) return url;
  if (url.empty() || url.starts_with('-') || url.find("://") != std::string::npos ||
      url.find("::") != std::string::npos)
    return std::nullopt;
  const std::size_t colon = url.find(':');
  if (colon != std::string::npos && url.substr(0, colon).find('/') == std::string::npos) return url;
  // As a URL, so that git asks the repository for objects, and copies no files of it.
  return "file://" + fs::absolute(folder / url).lexically_normal().string();
}

}  // namespace

std::vector<Repository> read_repositories(std::string_view table, const fs::path& folder) {
  const Table list = read_table(table, "list of repositories");
  if (!list.has("id") || !list.has("url"))
    throw TableError(
        "a list of repositories has the columns id and url, and commit if you like: its first line names "
        "them");
  std::vector<Repository> repositories;
  std::set<std::string> ids;
  for (const TableRow& row : list.rows) {
    Repository repository{.id = list.field(row, "id"), .commit = list.field(row, "commit")};
    const auto wrong = [&row](const std::string& what) {
      throw TableError(fmt::format("line {} of the list of repositories has {}", row.line, what));
    };
    if (repository.id.empty()) wrong("no id");
    if (!ids.insert(repository.id).second)
      wrong(fmt::format("the id {} for the second time", shown(repository.id)));
    const auto url = allowed_url(list.field(row, "url"), folder);
    if (!url) wrong("no URL of https, http, ssh or file, and no path");
    if (!is_plain_revision(repository.commit)) wrong("no commit, branch or tag");
    repository.url = *url;
    repositories.push_back(std::move(repository));
  }
  return repositories;
}

Entry read_repository(const Repository& repository, const FileNames& names, const RepositoryLimits& limits) {
  const sandbox::TemporaryFolder folder(fs::temp_directory_path(), "lockstep-repository-");
  const fs::path bare = folder.path() / "bare";
  HandedIn found(names);
  const auto fail = [&found](const std::string& why, const GitEnd& end) {
    found.fail(fmt::format("the repository {}: {}", why, last_words(end.errors)));
    return std::move(found).result("");
  };
  if (const GitEnd made = run_git(bare, {"init", "--bare", "--quiet", "--template="}, limits); !made.is_well)
    return fail("cannot be made", made);
  const std::string wanted = repository.commit.empty() ? "HEAD" : repository.commit;
  const GitEnd fetched = run_git(bare,
                                 {"fetch", "--quiet", "--depth=1", "--no-tags", "--no-recurse-submodules",
                                  "--no-write-commit-graph", "--", repository.url, wanted},
                                 limits);
  if (!fetched.is_well) return fail("cannot be fetched", fetched);
  const GitEnd named = run_git(
      bare, {"show", "--no-patch", "--no-show-signature", "--format=%H %ct", "FETCH_HEAD^{commit}"}, limits);
  const std::size_t space = named.output.find(' ');
  if (!named.is_well || space == std::string::npos) return fail("has no commit there", named);
  HandIn hand_in{.commit = named.output.substr(0, space)};
  std::int64_t time = 0;
  const std::string_view digits = std::string_view(named.output).substr(space + 1);
  if (std::from_chars(digits.data(), digits.data() + digits.size(), time).ec == std::errc())
    hand_in.file_time = time;
  const GitEnd listed =
      run_git(bare, {"ls-tree", "-r", "-z", "--long", "--full-tree", hand_in.commit}, limits);
  if (!listed.is_well) return fail("cannot be listed", listed);
  take_tree(bare, listed.output, limits, found);
  Entry entry = std::move(found).result("");
  for (auto& [exercise, of_file] : entry.hand_ins) of_file = hand_in;
  return entry;
}

}  // namespace lockstep::classroom
