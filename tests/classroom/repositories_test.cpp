// A list of Git repositories: one commit of each is taken, and nothing of a hostile one runs or is followed.
#include "classroom/repositories.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "classroom/course_systems.h"
#include "sandbox/temporary_folder.h"
#include "shell.h"
#include "storage/files.h"

namespace lockstep::classroom {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

const FileNames kRepositoryNames = {.wanted = {{"transpose.cu", "transpose"}, {"scan.cu", "scan"}}};

class Repositories : public testing::Test {
 protected:
  fs::path path(const std::string& name) const { return folder_.path() / name; }
  /// Makes the repository `in` by these commands, as git of a test: without this machine's configuration.
  void make(const std::string& commands) const {
    const lockstep::test::Ran ran =
        lockstep::test::run("cd '" + folder_.path().string() +
                            "' && export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null "
                            "GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b "
                            "GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b "
                            "GIT_COMMITTER_DATE='1770159599 +0100' && mkdir -p in && cd in && "
                            "git init -q -b main . && (" +
                            commands + ") 2>&1");
    ASSERT_EQ(ran.status, 0) << ran.output;
  }
  Entry read(const std::string& commit = "", const RepositoryLimits& limits = {}) const {
    return read_repository({"anna", "file://" + path("in").string(), commit}, kRepositoryNames, limits);
  }
  sandbox::TemporaryFolder folder_{fs::temp_directory_path(), "lockstep-repositories-"};
};

TEST_F(Repositories, TheCommitThatIsNamedIsTaken) {
  make(
      "mkdir -p a/b && echo one > a/b/transpose.cu && git add . && git commit -qm 1 && git tag first && "
      "echo two > a/b/transpose.cu && echo s > scan.cu && git add . && git commit -qm 2 && git rev-parse "
      "HEAD > ../head "
      "&& git rev-parse first > ../first");
  const std::string head = storage::read_file(path("head")).substr(0, 40);
  const std::string first = storage::read_file(path("first")).substr(0, 40);
  const Entry newest = read();
  EXPECT_THAT(newest.files, ElementsAre(Pair("scan", "s\n"), Pair("transpose", "two\n")));
  EXPECT_EQ(newest.hand_ins.at("scan").commit, head);
  EXPECT_EQ(newest.hand_ins.at("scan").file_time, 1770159599);
  EXPECT_EQ(newest.hand_ins.at("scan").time, std::nullopt) << "no system says when";
  for (const std::string& commit : {std::string("first"), first}) {
    const Entry entry = read(commit);
    EXPECT_THAT(entry.problems, IsEmpty());
    EXPECT_THAT(entry.files, ElementsAre(Pair("transpose", "one\n"))) << commit;
    EXPECT_EQ(entry.hand_ins.at("transpose").commit, first);
  }
}

// A filter, hooks and an upload helper that would run, a submodule, a link, and objects that need no
// checkout.
TEST_F(Repositories, NothingOfAHostileRepositoryRuns) {
  storage::write_file(path("secret.cu"), "another's");
  make(
      "git init -q --bare ../other && ln -s ../secret.cu scan.cu && echo t > transpose.cu && "
      "printf '*.cu filter=evil export-subst\\n' > .gitattributes && "
      "printf '[submodule \"x\"]\\n path = x\\n url = ../other\\n' > .gitmodules && git add -A && git commit "
      "-qm 1 && "
      "printf '#!/bin/sh\\ntouch ../ran\\n' > .git/hooks/post-checkout && cp .git/hooks/post-checkout "
      ".git/hooks/reference-transaction && chmod +x .git/hooks/* && git config filter.evil.smudge 'touch "
      "../ran' && "
      "git config core.fsmonitor 'touch ../ran' && git config uploadpack.packObjectsHook 'touch ../ran' && "
      "rm -f ../ran");
  const Entry entry = read();
  EXPECT_THAT(entry.files, ElementsAre(Pair("transpose", "t\n")));
  EXPECT_THAT(entry.refused, ElementsAre(Pair("scan", "scan.cu is a link or no regular file")));
  EXPECT_FALSE(fs::exists(path("ran"))) << "something of it ran";
}

TEST_F(Repositories, WhatCannotBeFetchedIsSaid) {
  EXPECT_THAT(read().problems, ElementsAre(HasSubstr("the repository cannot be fetched: fatal: ")));
  make("echo t > transpose.cu && git add . && git commit -qm 1");
  EXPECT_THAT(read("missing").problems, ElementsAre(HasSubstr("the repository cannot be fetched: ")));
  EXPECT_THAT(read("", {.file_bytes = 16}).files, IsEmpty()) << "no file may be as large";
  EXPECT_THAT(read("", {.entry = {.files = 0}}).problems,
              ElementsAre("the repository holds more than 0 files"));
  EXPECT_THAT(read("", {.entry = {.file_bytes = 1}}).files, ElementsAre(Pair("transpose", "t")));
}

TEST_F(Repositories, AListSaysWhatIsWrongInIt) {
  const auto says = [](const std::string& line) -> std::string {
    try {
      return read_repositories("id,url,commit\n" + line + "\n", "/srv/lists").at(0).url;
    } catch (const TableError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(says("anna,https://example.org/a.git"), "https://example.org/a.git");
  EXPECT_EQ(says("anna,git@example.org:a.git,v1"), "git@example.org:a.git");
  EXPECT_EQ(says("anna,../a"), "file:///srv/a");
  EXPECT_EQ(says("anna,/srv/b"), "file:///srv/b");
  for (const char* url : {"ext::sh -c touch", "--upload-pack=touch", "ftp://a/b", "file://", "fd::17", ""})
    EXPECT_EQ(says(std::string("anna,") + url),
              "line 2 of the list of repositories has no URL of https, http, ssh or file, and no path")
        << url;
  for (const char* commit : {"--all", "a:b", "+a", "a..b", "a b"})
    EXPECT_EQ(says(std::string("anna,/a,") + commit),
              "line 2 of the list of repositories has no commit, branch or tag")
        << commit;
  EXPECT_EQ(says(",/a"), "line 2 of the list of repositories has no id");
  EXPECT_EQ(says("a,/a\na,/b"), "line 3 of the list of repositories has the id a for the second time");
  EXPECT_THROW(read_repositories("id,path\na,/a\n", "/"), TableError);
}

TEST_F(Repositories, AreWorkOfAClass) {
  make("echo t > transpose.cu && git add . && git commit -qm 1");
  storage::write_file(path("list.csv"), "id,url\nanna,in\n");
  const ClassWork work = find_work(path("list.csv"), std::nullopt, kRepositoryNames);
  EXPECT_EQ(work.system, System::git);
  ASSERT_EQ(work.works.size(), 1U);
  EXPECT_EQ(work.works[0].people.at(0).id, "anna");
  EXPECT_THAT(work.works[0].read().files, ElementsAre(Pair("transpose", "t\n")));
  EXPECT_THROW(find_work(path("in"), System::git, kRepositoryNames), NotRecognised);
}

}  // namespace
}  // namespace lockstep::classroom
