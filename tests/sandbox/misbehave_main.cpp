// Runs one misbehaviour by name; exits with the number of attempts that succeeded.
#include <cstdio>
#include <functional>
#include <map>
#include <string>

#include "misbehaviours.h"

#define NAMED(function)                            \
  {                                                \
#function, [] { return outcome_of(function); } \
  }

namespace {
int outcome_of(void (*function)()) {
  function();
  return 0;
}
int outcome_of(int (*function)()) { return function(); }
}  // namespace

int main(int count, char** arguments) {
  const std::map<std::string, std::function<int()>> functions{
      NAMED(print_a_line),
      NAMED(exit_early),
      NAMED(exit_at_once),
      NAMED(abort_now),
      NAMED(read_device_address),
      NAMED(stop_itself),
      NAMED(spin),
      NAMED(sleep_forever),
      NAMED(allocate_without_end),
      NAMED(allocate_after_the_first_thread_has_ended),
      NAMED(allocate_in_many_processes),
      NAMED(fill_page_tables),
      NAMED(fork_without_end),
      NAMED(start_threads_without_end),
      NAMED(print_a_megabyte),
      NAMED(print_without_end),
      NAMED(write_a_large_file),
      NAMED(fill_scratch),
      NAMED(open_many_files),
      NAMED(write_outside),
      NAMED(write_kernel_settings),
      NAMED(read_secrets),
      NAMED(read_process_one),
      NAMED(signal_other_processes),
      NAMED(trace_other_processes),
      NAMED(open_connections),
      NAMED(make_namespaces),
      NAMED(see_other_descriptors),
      NAMED(use_keyrings),
      NAMED(make_nameless_files),
      NAMED(make_segments),
      NAMED(use_calls_for_privileged_programs),
      NAMED(find_system_files),
      NAMED(close_every_descriptor),
      NAMED(kill_the_parent),
      NAMED(stop_the_parent),
      NAMED(leave_a_process_behind),
  };
  const auto found = functions.find(count == 2 ? arguments[1] : "");
  if (found == functions.end()) {
    std::fprintf(stderr, "misbehave: no such misbehaviour\n");
    return 200;
  }
  return found->second();
}
