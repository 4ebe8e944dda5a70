#include "emulator/decoding/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>

#include "emulator/analysis/control_flow.h"
#include "emulator/core/round_up.h"
#include "emulator/decoding/function_decoder.h"
#include "emulator/execution/cluster.h"

namespace lockstep::emulator::decoding {
namespace {

constexpr std::uint32_t kDefaultMaxThreads = 1024;
/// Of a kernel and the functions that it may call: decoding them takes about a microsecond each, a function
/// as many as kFunctionCost.
constexpr std::size_t kMaxInstructions = std::size_t{1} << 18;
constexpr std::size_t kFunctionCost = 16;

/// What cooperative groups need of a block, in whole words of any race check.
constexpr std::uint32_t kReservedSharedBytes = 512, kReservedAlignment = 128;

/// Of static variables and the alignment between them. A launch refuses less than this already; it leaves the
/// byte of an address free that names a block of the cluster.
constexpr std::uint64_t kMaxSharedBytes = std::uint64_t{1} << execution::kRankShift;

using FunctionsByName = std::unordered_map<std::string_view, const ptx::Function*>;

/// Names of all functions that the module's code or initialisers take the address of.
std::set<std::string> address_taken(const ptx::Module& module, const FunctionsByName& functions) {
  std::set<std::string> names;
  const auto is_function = [&](const std::string& name) { return functions.contains(name); };
  for (const ptx::Function& function : module.functions) {
    for (const ptx::Instruction& instruction : function.instructions) {
      if (instruction.opcode != "mov" || instruction.operands.size() != 2) continue;
      const ptx::Operand& source = instruction.operands[1];
      if (source.kind == ptx::Operand::Kind::symbol && is_function(source.name)) names.insert(source.name);
    }
  }
  for (const ptx::Variable& variable : module.variables) {
    for (const ptx::Relocation& relocation : variable.relocations) {
      if (is_function(relocation.symbol)) names.insert(relocation.symbol);
    }
  }
  return names;
}

/// Lays out one kernel's shared memory as its functions are decoded.
class SharedLayout {
 public:
  explicit SharedLayout(std::string_view kernel) : kernel_(kernel) {}

  std::uint32_t place(const ptx::Variable& variable, const std::string& key) {
    const auto found = offsets_.find(key);
    if (found != offsets_.end()) return found->second;
    // Both are below 2^63: a sum has 64 bits.
    const std::uint64_t offset = round_up(bytes_, std::max(variable.alignment, 1U));
    if (offset + variable.bytes > kMaxSharedBytes) {
      throw DeviceError(DeviceError::Code::invalid_image,
                        fmt::format("{} uses too much shared memory: {} bytes with the variable {}, which "
                                    "has {}",
                                    kernel_, offset + variable.bytes, variable.name, variable.bytes));
    }
    bytes_ = static_cast<std::uint32_t>(offset + variable.bytes);
    declared_ += static_cast<std::uint32_t>(variable.bytes);
    return offsets_[key] = static_cast<std::uint32_t>(offset);
  }
  std::uint32_t bytes() const { return bytes_; }
  /// Without what lies between the variables for their alignment.
  std::uint32_t declared_bytes() const { return declared_; }

 private:
  std::string_view kernel_;
  std::map<std::string, std::uint32_t> offsets_;
  std::uint32_t bytes_ = 0, declared_ = 0;
};

FunctionsByName functions_by_name(const ptx::Module& module) {
  FunctionsByName functions;
  for (const ptx::Function& function : module.functions) functions.emplace(function.name, &function);
  return functions;
}

/// A kernel's parameter block. Throws DeviceError when no launch could bring so many bytes.
void lay_out_parameters(const ptx::Function& source, KernelInfo& info) {
  std::uint64_t offset = 0;
  for (const ptx::Variable& parameter : source.parameters) {
    offset = round_up(offset, std::max(parameter.alignment, 1U));
    constexpr std::uint64_t kMaxParameterBytes = 32764;  // CUDA's limit from 12.1 on
    if (parameter.bytes > kMaxParameterBytes || offset + parameter.bytes > kMaxParameterBytes) {
      throw DeviceError(DeviceError::Code::invalid_image,
                        fmt::format("{} has too many parameters", source.name));
    }
    info.parameters.push_back(
        {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(parameter.bytes)});
    offset += parameter.bytes;
  }
  info.parameter_bytes = static_cast<std::uint32_t>(offset);
}

/// What is known of a kernel once it is decoded.
void complete_info(const ptx::Function& source, const Kernel& kernel, KernelInfo& info) {
  info.max_threads = kDefaultMaxThreads;
  const auto product = [](const std::array<std::uint32_t, 3>& dims) {
    std::uint64_t threads = 1;  // of which more than the default change nothing
    for (const std::uint32_t extent : dims) threads *= std::clamp(extent, 1U, kDefaultMaxThreads);
    return threads;
  };
  for (const auto& dims : {source.max_threads, source.required_threads}) {
    if (dims[0] != 0)
      info.max_threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(info.max_threads, product(dims)));
  }
  for (const auto& [name, function] : kernel.functions) {
    info.registers = std::max(info.registers, function->live_registers);
    info.local_bytes = std::max(info.local_bytes, function->local_bytes);
  }
}

}  // namespace

std::unique_ptr<Kernel> decode_kernel(Program& program, std::string_view name) {
  const FunctionsByName functions = functions_by_name(program.source);
  const auto found_kernel = functions.find(name);
  const ptx::Function* source = found_kernel == functions.end() ? nullptr : found_kernel->second;
  if (source == nullptr || !source->entry || source->external) {
    throw DeviceError(DeviceError::Code::unknown_symbol, fmt::format("the module has no kernel {}", name));
  }
  auto kernel = std::make_unique<Kernel>();
  kernel->program = &program;
  kernel->required_threads = source->required_threads;
  kernel->required_cluster = source->cluster;
  kernel->by_index.resize(program.function_indices.size());
  kernel->first_counter = static_cast<std::uint32_t>(program.traffic_places.size());

  kernel->info.name = source->name;
  lay_out_parameters(*source, kernel->info);

  SharedLayout shared(name);
  std::vector<const ptx::Function*> pending{source};
  DecodingContext context{.program = program, .kernel = *kernel};
  context.shared_offset = [&](const ptx::Variable& variable, const std::string& key) {
    return shared.place(variable, key);
  };
  context.reserved_shared = [&] {
    ptx::Variable reserved;
    reserved.name = "%reserved_smem_offset_1";
    reserved.alignment = kReservedAlignment;
    reserved.bytes = kReservedSharedBytes;
    kernel->reserved_shared_bytes = kReservedSharedBytes;
    kernel->reserved_shared_offset = shared.place(reserved, reserved.name);
    return kernel->reserved_shared_offset;
  };
  context.function = [&](const std::string& wanted) -> Function* {
    const auto found = kernel->functions.find(wanted);
    if (found != kernel->functions.end()) return found->second.get();
    const auto callee = functions.find(wanted);
    if (callee == functions.end() || callee->second->external || callee->second->entry) return nullptr;
    pending.push_back(callee->second);
    return (kernel->functions[wanted] = std::make_unique<Function>()).get();
  };
  kernel->functions[source->name] = std::make_unique<Function>();

  bool callable_known = false;  // what may be called through pointers, which is the same for all functions
  std::size_t instructions = 0;
  for (std::size_t next = 0; next < pending.size(); ++next) {
    instructions += pending[next]->instructions.size() + kFunctionCost;
    if (instructions > kMaxInstructions) {
      throw DeviceError(DeviceError::Code::invalid_image,
                        fmt::format("{} and the functions that it calls have more than {} instructions", name,
                                    kMaxInstructions));
    }
    Function& function = *kernel->functions[pending[next]->name];
    FunctionDecoder(context, *pending[next], function).decode();
    if (std::exchange(context.calls_indirectly, false) && !std::exchange(callable_known, true)) {
      for (const std::string& callable : address_taken(program.source, functions)) {
        if (Function* callee = context.function(callable))
          kernel->by_index[program.function_indices.at(callable)] = callee;
      }
    }
  }
  kernel->function = kernel->functions[source->name].get();
  kernel->memory_instructions =
      static_cast<std::uint32_t>(program.traffic_places.size()) - kernel->first_counter;
  kernel->shared_granule = context.narrowest_shared;
  complete_info(*source, *kernel, kernel->info);
  kernel->info.uses_heap = context.uses_heap;
  kernel->shared_bytes = shared.bytes();
  kernel->info.static_shared_bytes = shared.bytes() - kernel->reserved_shared_bytes;
  kernel->declared_shared_bytes = shared.declared_bytes() - kernel->reserved_shared_bytes;
  for (std::size_t k = 0; k < 3; ++k) kernel->info.cluster[k] = source->cluster[k];
  constexpr std::uint32_t kLeastAlignment = 16;
  kernel->dynamic_shared_offset = static_cast<std::uint32_t>(
      round_up(shared.bytes(), std::max(kLeastAlignment, context.dynamic_shared_alignment)));
  for (const auto& [function_name, function] : kernel->functions) {
    for (Function::Constant& constant : function->constants) {
      if (constant.dynamic_shared) constant.value += kernel->dynamic_shared_offset;
    }
  }
  return kernel;
}

}  // namespace lockstep::emulator::decoding
