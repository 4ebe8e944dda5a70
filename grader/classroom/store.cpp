#include "classroom/store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>

#include <cerrno>
#include <cstring>

#include "classroom/digests.h"
#include "sandbox/file_descriptor.h"
#include "text/printable.h"

namespace lockstep::classroom {
namespace {

constexpr const char* kFormat = "lockstep/class/v1";

constexpr int kPatienceMilliseconds = 30'000;

constexpr const char* kTables = R"(
CREATE TABLE IF NOT EXISTS class (name TEXT PRIMARY KEY, value BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS files (sha256 TEXT PRIMARY KEY, text BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS gradings (
  id INTEGER PRIMARY KEY, student BLOB NOT NULL, exercise TEXT NOT NULL, sha256 TEXT NOT NULL,
  secret TEXT NOT NULL, lockstep TEXT NOT NULL, toolkit TEXT NOT NULL, device TEXT NOT NULL,
  time TEXT NOT NULL, verdict TEXT NOT NULL, points REAL NOT NULL, max_points REAL NOT NULL,
  report TEXT NOT NULL, text TEXT NOT NULL, complaint TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS gradings_of_key ON gradings (student, exercise, sha256, secret, lockstep);
CREATE TABLE IF NOT EXISTS attempts (
  id INTEGER PRIMARY KEY, student BLOB NOT NULL, exercise TEXT NOT NULL, sha256 TEXT NOT NULL,
  handed_in INTEGER, modified INTEGER, is_marked_late INTEGER NOT NULL, git_commit TEXT NOT NULL,
  UNIQUE (student, exercise, sha256));
CREATE TABLE IF NOT EXISTS overrules (
  id INTEGER PRIMARY KEY, student BLOB NOT NULL, exercise TEXT NOT NULL, sha256 TEXT NOT NULL,
  decision TEXT NOT NULL, points REAL NOT NULL, reason TEXT NOT NULL, who TEXT NOT NULL, time TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS pages (grading INTEGER PRIMARY KEY, html TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS marks (
  student BLOB NOT NULL, exercise TEXT NOT NULL, PRIMARY KEY (student, exercise));
)";

constexpr const char* kWithdrawn = "withdrawn";
constexpr const char* kAccepted = "accepted";
constexpr const char* kOverruled = "overruled";

constexpr const char* kColumns =
    "toolkit, device, time, verdict, points, max_points, report, text, complaint, id";
constexpr const char* kOfKey =
    " FROM gradings WHERE student = ?1 AND exercise = ?2 AND sha256 = ?3 AND secret = ?4 AND lockstep = ?5";

}  // namespace

/// One statement of SQL with its parameters, which are numbered from 1.
class Store::Statement {
 public:
  Statement(const Store& store, const std::string& sql)
      : database_(store.database_.get()), name_(store.name_), statement_(nullptr, sqlite3_finalize) {
    sqlite3_stmt* statement = nullptr;
    check(sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr));
    statement_.reset(statement);
  }

  Statement& text(int place, std::string_view value) {
    check(sqlite3_bind_text64(statement_.get(), place, value.data(), value.size(), SQLITE_TRANSIENT,
                              SQLITE_UTF8));
    return *this;
  }
  /// Of bytes that may be no UTF-8, as names of files.
  Statement& bytes(int place, std::string_view value) {
    const char* const data = value.empty() ? "" : value.data();  // no address would be bound as NULL
    check(sqlite3_bind_blob64(statement_.get(), place, data, value.size(), SQLITE_TRANSIENT));
    return *this;
  }
  Statement& number(int place, double value) {
    check(sqlite3_bind_double(statement_.get(), place, value));
    return *this;
  }
  Statement& whole(int place, std::optional<std::int64_t> value) {
    check(value ? sqlite3_bind_int64(statement_.get(), place, *value)
                : sqlite3_bind_null(statement_.get(), place));
    return *this;
  }
  Statement& key(const GradingKey& key) {
    return bytes(1, key.student)
        .text(2, key.exercise)
        .text(3, key.sha256)
        .text(4, key.secret)
        .text(5, key.lockstep);
  }

  /// Whether there is a row, or one more.
  bool step() {
    const int status = sqlite3_step(statement_.get());
    if (status != SQLITE_ROW && status != SQLITE_DONE) check(status);
    return status == SQLITE_ROW;
  }
  std::string column(int place) {
    const void* const data = sqlite3_column_blob(statement_.get(), place);
    const int size = sqlite3_column_bytes(statement_.get(), place);
    return data == nullptr ? "" : std::string(static_cast<const char*>(data), static_cast<std::size_t>(size));
  }
  std::optional<std::int64_t> whole_of_column(int place) {
    if (sqlite3_column_type(statement_.get(), place) == SQLITE_NULL) return std::nullopt;
    return sqlite3_column_int64(statement_.get(), place);
  }
  /// A row of kColumns.
  Grading grading(const GradingKey& key) {
    return {.key = key,
            .toolkit = column(0),
            .device = column(1),
            .time = column(2),
            .verdict = result::verdict_from(column(3)).value_or(result::Verdict::grader_error),
            .points = number_of_column(4),
            .max_points = number_of_column(5),
            .report = column(6),
            .text = column(7),
            .complaint = column(8),
            .id = whole_of_column(9).value_or(0)};
  }
  double number_of_column(int place) { return sqlite3_column_double(statement_.get(), place); }

 private:
  void check(int status) const {
    if (status != SQLITE_OK)
      throw StoreError(fmt::format("the class's results in {}: {}", text::printable(name_),
                                   text::printable(sqlite3_errmsg(database_))));
  }

  sqlite3* database_;
  const std::string& name_;
  std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement_;
};

Store::Store(const std::filesystem::path& file) : database_(nullptr, sqlite3_close), name_(file.string()) {
  const auto fail = [&](const std::string& why) {
    throw StoreError(
        fmt::format("the class's results in {}: {}", text::printable(name_), text::printable(why)));
  };
  // It holds the class's secret: SQLite would let others read what it makes.
  const sandbox::FileDescriptor made(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!made) fail(std::strerror(errno));
  sqlite3* database = nullptr;
  const int opened = sqlite3_open_v2(file.c_str(), &database, SQLITE_OPEN_READWRITE, nullptr);
  database_.reset(database);
  if (opened != SQLITE_OK) fail(database == nullptr ? "no memory" : sqlite3_errmsg(database));
  const auto execute = [&](const char* sql) {
    if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail(sqlite3_errmsg(database));
  };
  sqlite3_busy_timeout(database, kPatienceMilliseconds);  // somebody looks into the file meanwhile
  execute("PRAGMA journal_mode = WAL");
  execute("PRAGMA synchronous = FULL");
  execute("BEGIN IMMEDIATE");
  execute(kTables);
  Statement(*this, "INSERT OR IGNORE INTO class VALUES ('format', ?1), ('secret', ?2)")
      .bytes(1, kFormat)
      .bytes(2, new_class_secret())
      .step();
  execute("COMMIT");
  const auto value_of = [&](const char* name) {
    Statement value(*this, "SELECT value FROM class WHERE name = ?1");
    return value.text(1, name).step() ? value.column(0) : "";
  };
  if (value_of("format") != kFormat) fail("another version of Lockstep has made it");
  secret_ = value_of("secret");
}

void Store::keep_file(const std::string& sha256, std::string_view text) {
  Statement(*this, "INSERT OR IGNORE INTO files VALUES (?1, ?2)").text(1, sha256).bytes(2, text).step();
}

std::string Store::file(const std::string& sha256) const {
  Statement file(*this, "SELECT text FROM files WHERE sha256 = ?1");
  if (!file.text(1, sha256).step()) throw StoreError("the class's results hold no file " + sha256);
  return file.column(0);
}

std::optional<Grading> Store::newest(const GradingKey& key) const {
  Statement found(*this, std::string("SELECT ") + kColumns + kOfKey + " ORDER BY id DESC LIMIT 1");
  if (!found.key(key).step()) return std::nullopt;
  return found.grading(key);
}

bool Store::is_marked(const GradingKey& key) const {
  Statement mark(*this, "SELECT 1 FROM marks WHERE student = ?1 AND exercise = ?2");
  return mark.bytes(1, key.student).text(2, key.exercise).step();
}

bool Store::is_due(const GradingKey& key) const {
  if (is_marked(key)) return true;
  Statement found(*this, std::string("SELECT verdict") + kOfKey + " ORDER BY id DESC LIMIT 1");
  return !found.key(key).step() || found.column(0) == result::name_of(result::Verdict::grader_error);
}

void Store::mark_for_regrading(const std::vector<std::string>& exercises) {
  for (const std::string& exercise : exercises)
    Statement(*this,
              "INSERT INTO marks SELECT DISTINCT student, exercise FROM gradings WHERE exercise = ?1 "
              "AND NOT EXISTS (SELECT 1 FROM marks WHERE exercise = ?1)")
        .text(1, exercise)
        .step();
}

std::string Store::page(const GradingKey& key) const {
  Statement found(*this, std::string("SELECT html FROM pages WHERE grading = (SELECT id") + kOfKey +
                             " ORDER BY id DESC LIMIT 1)");
  return found.key(key).step() ? found.column(0) : "";
}

std::size_t Store::attempts(const std::string& student, const std::string& exercise) const {
  Statement found(*this, "SELECT count(DISTINCT sha256) FROM gradings WHERE student = ?1 AND exercise = ?2");
  found.bytes(1, student).text(2, exercise).step();
  return static_cast<std::size_t>(found.number_of_column(0));
}

void Store::add(const Grading& grading, std::string_view page) {
  Statement(*this, "BEGIN IMMEDIATE").step();
  try {
    Statement(*this,
              "INSERT INTO gradings (student, exercise, sha256, secret, lockstep, toolkit, device, time, "
              "verdict, points, max_points, report, text, complaint) "
              "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)")
        .key(grading.key)
        .text(6, grading.toolkit)
        .text(7, grading.device)
        .text(8, grading.time)
        .text(9, result::name_of(grading.verdict))
        .number(10, grading.points)
        .number(11, grading.max_points)
        .text(12, grading.report)
        .text(13, grading.text)
        .text(14, grading.complaint)
        .step();
    if (!page.empty())
      Statement(*this, "INSERT INTO pages VALUES (last_insert_rowid(), ?1)").text(1, page).step();
    Statement(*this, "DELETE FROM marks WHERE student = ?1 AND exercise = ?2")
        .bytes(1, grading.key.student)
        .text(2, grading.key.exercise)
        .step();
    Statement(*this, "COMMIT").step();
  } catch (const StoreError&) {
    sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

std::size_t Store::count(const GradingKey& key) const {
  Statement found(*this, std::string("SELECT count(*)") + kOfKey);
  found.key(key).step();
  return static_cast<std::size_t>(found.number_of_column(0));
}

void Store::keep_attempt(const std::string& student, const std::string& exercise,
                         const KeptAttempt& attempt) {
  Statement(
      *this,
      "INSERT INTO attempts (student, exercise, sha256, handed_in, modified, is_marked_late, git_commit) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO UPDATE SET handed_in = ?4, modified = ?5, "
      "is_marked_late = ?6, git_commit = ?7 WHERE handed_in IS NOT ?4 OR modified IS NOT ?5 OR "
      "is_marked_late != ?6 OR git_commit != ?7")  // what has not changed takes no write to the disk
      .bytes(1, student)
      .text(2, exercise)
      .text(3, attempt.sha256)
      .whole(4, attempt.hand_in.time)
      .whole(5, attempt.hand_in.file_time)
      .whole(6, attempt.hand_in.is_marked_late ? 1 : 0)
      .text(7, attempt.hand_in.commit)
      .step();
}

std::vector<KeptAttempt> Store::kept_attempts(const std::string& student, const std::string& exercise) const {
  Statement found(*this,
                  "SELECT sha256, handed_in, modified, is_marked_late, git_commit FROM attempts "
                  "WHERE student = ?1 AND exercise = ?2 ORDER BY id");
  found.bytes(1, student).text(2, exercise);
  std::vector<KeptAttempt> attempts;
  while (found.step())
    attempts.push_back({found.column(0),
                        {.time = found.whole_of_column(1),
                         .file_time = found.whole_of_column(2),
                         .is_marked_late = found.whole_of_column(3) == 1,
                         .commit = found.column(4)}});
  return attempts;
}

std::optional<Grading> Store::before(const Grading& grading) const {
  Statement found(*this, std::string("SELECT ") + kColumns +
                             ", secret, lockstep FROM gradings WHERE student = ?1 AND exercise = ?2 AND "
                             "sha256 = ?3 AND id < ?4 AND verdict != ?5 ORDER BY id DESC LIMIT 1");
  found.bytes(1, grading.key.student)
      .text(2, grading.key.exercise)
      .text(3, grading.key.sha256)
      .whole(4, grading.id)
      .text(5, result::name_of(result::Verdict::grader_error));
  if (!found.step()) return std::nullopt;
  GradingKey key = grading.key;
  key.secret = found.column(10);
  key.lockstep = found.column(11);
  return found.grading(key);
}

std::int64_t Store::newest_id() const {
  Statement found(*this, "SELECT max(id) FROM gradings");
  found.step();
  return found.whole_of_column(0).value_or(0);
}

void Store::add(const Overrule& overrule) {
  Statement(*this,
            "INSERT INTO overrules (student, exercise, sha256, decision, points, reason, who, time) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
      .bytes(1, overrule.student)
      .text(2, overrule.exercise)
      .text(3, overrule.sha256)
      .text(4, overrule.is_withdrawn  ? kWithdrawn
               : overrule.is_accepted ? kAccepted
                                      : kOverruled)
      .number(5, overrule.points)
      .text(6, overrule.reason)
      .text(7, overrule.who)
      .text(8, overrule.time)
      .step();
}

std::vector<Overrule> Store::overrules(const std::string& student, const std::string& exercise) const {
  Statement found(*this,
                  "SELECT sha256, decision, points, reason, who, time FROM overrules "
                  "WHERE student = ?1 AND exercise = ?2 ORDER BY id");
  found.bytes(1, student).text(2, exercise);
  std::vector<Overrule> overrules;
  while (found.step())
    overrules.push_back({.student = student,
                         .exercise = exercise,
                         .sha256 = found.column(0),
                         .is_withdrawn = found.column(1) == kWithdrawn,
                         .is_accepted = found.column(1) == kAccepted,
                         .points = found.number_of_column(2),
                         .reason = found.column(3),
                         .who = found.column(4),
                         .time = found.column(5)});
  return overrules;
}

std::optional<Overrule> Store::overrule(const std::string& student, const std::string& exercise) const {
  const std::vector<Overrule> all = overrules(student, exercise);
  return all.empty() || all.back().is_withdrawn ? std::nullopt : std::optional(all.back());
}

}  // namespace lockstep::classroom
