// Parts of lockstep/profile/v1 that every profile has.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "report/line_profile.h"
#include "result/kernel_counters.h"

namespace lockstep::report {

/// One line; `whole` is the cost of all lines.
nlohmann::ordered_json line_json(const LineProfile& line, std::uint64_t whole);

/// What the launches of each kernel had to do.
nlohmann::ordered_json kernels_json(const std::vector<emulator::KernelWork>& kernels);

/// One case, or one run of a program: its kernels with the sums of their lines.
nlohmann::ordered_json case_json(const result::CaseCounters& one);

}  // namespace lockstep::report
