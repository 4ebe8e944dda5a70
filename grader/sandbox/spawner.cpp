#include "sandbox/spawner.h"

#include <spawn.h>

#include <cerrno>
#include <system_error>

namespace lockstep::sandbox {
namespace {

std::vector<std::string> words_of(const SpawnerPlan& plan) {
  std::string places;
  for (const auto& [from, to] : plan.placement)
    places += std::to_string(from) + ':' + std::to_string(to) + ',';
  return {own_folder() / kSpawnerName, std::to_string(plan.refusals), std::to_string(plan.group),
          std::to_string(plan.speaks), std::to_string(plan.listens),  places};
}

std::vector<int> descriptors_of(const SpawnerPlan& plan) {
  std::vector<int> all;
  for (const int one : {plan.refusals, plan.group, plan.speaks, plan.listens}) {
    if (one >= 0) all.push_back(one);
  }
  for (const auto& [from, to] : plan.placement) all.push_back(from);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

void check_call(int error, const std::string& what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

}  // namespace

const std::filesystem::path& own_folder() {
  static const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  return folder;
}

pid_t spawn(const SpawnerPlan& plan, const std::vector<std::string>& arguments,
            std::vector<std::string> environment) {
  std::vector<std::string> words = words_of(plan);
  words.insert(words.end(), arguments.begin(), arguments.end());
  posix_spawn_file_actions_t files;
  check_call(posix_spawn_file_actions_init(&files), "posix_spawn_file_actions_init");
  int error = 0;
  // Onto itself: the spawner gets it, though it closes for all other programs.
  for (const int one : descriptors_of(plan)) {
    if (error == 0) error = posix_spawn_file_actions_adddup2(&files, one, one);
  }
  pid_t process = -1;
  if (error == 0) {
    error = posix_spawn(&process, words[0].c_str(), &files, nullptr, pointers_to(words).data(),
                        pointers_to(environment).data());
  }
  posix_spawn_file_actions_destroy(&files);
  check_call(error, words[0]);
  return process;
}

}  // namespace lockstep::sandbox
