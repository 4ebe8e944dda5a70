// Special registers of PTX ISA 9.0, sorted for the search.
#include "emulator/ptx/special_registers.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace lockstep::emulator::ptx {
namespace {

constexpr std::string_view kNames[] = {
    "aggr_smem_size",
    "clock",
    "clock64",
    "clock_hi",
    "cluster_ctaid",
    "cluster_ctarank",
    "cluster_nctaid",
    "cluster_nctarank",
    "clusterid",
    "ctaid",
    "current_graph_exec",
    "dynamic_smem_size",
    "globaltimer",
    "globaltimer_hi",
    "globaltimer_lo",
    "gridid",
    "is_explicit_cluster",
    "laneid",
    "lanemask_eq",
    "lanemask_ge",
    "lanemask_gt",
    "lanemask_le",
    "lanemask_lt",
    "nclusterid",
    "nctaid",
    "nsmid",
    "ntid",
    "nwarpid",
    "reserved_smem_offset_0",
    "reserved_smem_offset_1",
    "reserved_smem_offset_begin",
    "reserved_smem_offset_cap",
    "reserved_smem_offset_end",
    "smid",
    "tid",
    "total_smem_size",
    "warpid",
};
static_assert(std::ranges::is_sorted(kNames));

/// "envreg0" … "envreg31" and "pm0" … "pm7", the latter with "_64" as well.
bool is_numbered(std::string_view name, std::string_view prefix, unsigned count) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  unsigned number = 0;
  const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  return error == std::errc{} && rest == name.data() + name.size() && number < count;
}

}  // namespace

bool is_special_register(std::string_view name) {
  if (std::ranges::binary_search(kNames, name) || is_numbered(name, "envreg", 32)) return true;
  if (name.ends_with("_64")) name.remove_suffix(3);
  return is_numbered(name, "pm", 8);
}

}  // namespace lockstep::emulator::ptx
