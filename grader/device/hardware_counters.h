// What the runner counts on a GPU for the judge, and the text in which it says so.
//
// The runner shares its process with the submission, which can write whatever it likes here. So these
// counters are shown and compared, and no points ever depend on them: technique is judged by the emulated
// device.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/core/observations.h"
#include "result/kernel_counters.h"

namespace lockstep::device {

/// Set in the environment of a runner that is to count: path of the CUPTI library. The results go to the
/// runner's device descriptor.
inline constexpr const char* kCountersVariable = "LOCKSTEP_COUNTERS";

/// The hardware's names of each of result::kComparedCounters, in their order: one metric, or two to be added.
/// The names hold from compute capability 7.5 to 12.0. Atomics whose result nobody uses are reductions.
struct HardwareCounter {
  const char* metric;
  const char* addend = nullptr;
};
inline constexpr std::array<HardwareCounter, result::kComparedCounters.size()> kHardwareCounters = {{
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"},
    {"smsp__inst_executed_op_shared_ld_pred_on_any.sum"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
    {"smsp__inst_executed_op_shared_st_pred_on_any.sum"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
    {"smsp__inst_executed_op_shared_atom_pred_on_any.sum"},
    {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"},
}};

/// One launch, of which only `function` and the compared counters are filled; or why there is none.
std::string encode_launch(const emulator::LineCounters& launch);
std::string encode_failure(std::string_view reason);

/// All that a runner wrote.
struct CountedLaunches {
  std::vector<emulator::LineCounters> launches;
  std::string failure;  ///< the first; empty when counting worked
};
/// Text that does not parse is a failure.
CountedLaunches decode_launches(std::string_view text);

}  // namespace lockstep::device
