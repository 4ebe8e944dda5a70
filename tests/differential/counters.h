// What the multiprocessors of a GPU count in a launch.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace lockstep::differential {

/// By the kernel's name, then by the counter's.
using Counters = std::map<std::string, std::map<std::string, std::uint64_t>>;

/// `work` launches kernels, each name once, and waits for them; it is called as often as the GPU needs to
/// count everything. Throws runner::CountersUnavailable. `library` is libcupti.
Counters counted(const std::string& library, const std::function<void()>& work);

}  // namespace lockstep::differential
