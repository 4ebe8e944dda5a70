// Layouts of memory that PTX chooses: variables of every space with sizes, alignments and numbers near 2^31
// and 2^32, functions that call each other, and launches of what decodes, of any shape.
//
// The text is right by its grammar, so that nearly all of them get past the parser; what may not happen is
// for the sanitizers to see.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "emulator/device.h"
#include "hostile_numbers.h"

using namespace lockstep::emulator;

namespace {

constexpr std::size_t kBufferBytes = 4096;
constexpr std::chrono::milliseconds kLongestLaunch{20};
/// Of a launch's local memory: with more, all time goes into filling it.
constexpr std::uint64_t kMaxLocalBytes = std::uint64_t{32} << 20;

struct Variable {
  std::string name, space;
};

/// Writes a module with one kernel, `k`.
class LayoutWriter {
 public:
  explicit LayoutWriter(FuzzedDataProvider& input) : input_(input) {}

  std::string text() {
    text_ = ".version 8.4\n.target sm_90\n.address_size 64\n";
    functions_ = below(4);
    for (unsigned n = below(8); n > 0; --n) declare_in_module();
    for (unsigned f = 0; f < functions_; ++f) text_ += ".func f" + std::to_string(f) + ";\n";
    for (unsigned f = 0; f < functions_; ++f) {
      text_ += ".func f" + std::to_string(f) + "()\n";
      body({});
    }
    text_ += ".visible .entry k(.param .u64 data";
    std::vector<Variable> parameters{{"data", "param"}};
    for (unsigned n = below(4); n > 0; --n) {
      text_ += ", .param ";
      parameters.push_back({declarator("b8"), "param"});
    }
    text_ += ")\n";
    directives();
    body(parameters);
    return text_;
  }

 private:
  unsigned below(unsigned end) { return input_.ConsumeIntegralInRange<unsigned>(0, end - 1); }
  template <std::size_t n>
  std::string pick(const char* const (&words)[n]) {
    return words[below(n)];
  }
  std::string number() { return std::to_string(hostile_number(input_)); }
  std::string small(unsigned end) { return std::to_string(below(end)); }

  /// ".align n .type name[n]…", without what stands before it; returns the name.
  std::string declarator(const char* usual_type) {
    const std::string name = "v" + std::to_string(variables_++);
    if (below(4) != 0) text_ += ".align " + std::to_string(1U << below(17)) + ' ';
    text_ += '.' + (below(4) == 0 ? pick({"b8", "b16", "u32", "f64", "v4 .b32", "v2 .b64"}) : usual_type);
    text_ += ' ' + name;
    for (unsigned n = below(3); n > 0; --n) {
      text_ += '[' + (below(2) == 0 ? number() : std::to_string(1 + below(300))) + ']';
    }
    return name;
  }

  void declare_in_module() {
    const std::string space = pick({"shared", "global", "const", "shared"});
    if (space == "shared" && below(4) == 0) {
      const std::string name = "v" + std::to_string(variables_++);
      text_ += ".extern .shared .align " + std::to_string(1U << below(17)) + " .b8 " + name + "[];\n";
      module_.push_back({name, space});
      return;
    }
    text_ += '.' + space + ' ';
    module_.push_back({declarator("b8"), space});
    if (space != "shared" && below(4) == 0) text_ += "[] = {{1}, {2, 3}}";
    text_ += ";\n";
  }

  void directives() {
    if (below(8) == 0) text_ += ".maxntid " + extent() + '\n';
    if (below(16) == 0) text_ += ".reqntid " + extent() + '\n';
    if (below(8) == 0) text_ += ".reqnctapercluster " + extent() + '\n';
  }
  std::string extent() {
    const auto one = [&] { return std::to_string(below(2) == 0 ? hostile_number_32(input_) : below(4)); };
    return one() + ", " + one() + ", " + one();
  }

  void body(const std::vector<Variable>& parameters) {
    text_ += "{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n";
    std::vector<Variable> visible = module_;
    visible.insert(visible.end(), parameters.begin(), parameters.end());
    for (unsigned n = below(6); n > 0; --n) {
      const std::string space = pick({"shared", "local", "param"});
      text_ += '.' + space + ' ';
      visible.push_back({declarator("b8"), space});
      text_ += ";\n";
    }
    if (!parameters.empty()) text_ += "ld.param.u64 %d7, [data];\n";
    for (unsigned n = below(24); n > 0; --n) statement(visible);
    text_ += "ret;\n}\n";
  }

  std::string offset() {
    switch (below(4)) {
      case 0:
        return "+" + number();
      case 1:
        return "-" + std::to_string(hostile_number(input_));
      case 2:
        return "+" + small(300);
      default:
        return "";
    }
  }

  void statement(const std::vector<Variable>& visible) {
    const Variable variable =
        visible.empty() ? Variable{"%r0", ""} : visible[below(static_cast<unsigned>(visible.size()))];
    const std::string space = variable.space.empty() ? "shared" : variable.space;
    const std::string in_space = space == "const" ? "const" : space;
    const std::string at = "[" + variable.name + offset() + "]";
    const std::string type = pick({"u8", "u16", "u32", "u64", "v2.u32", "v4.u32"});
    const std::string value = type == "u64"      ? "%d1"
                              : type == "v2.u32" ? "{%r1, %r2}"
                              : type == "v4.u32" ? "{%r1, %r2, %r3, %r4}"
                                                 : "%r1";
    switch (below(20)) {
      case 0:
        if (space != "param") text_ += "mov.u64 %d2, " + variable.name + offset() + ";\n";
        break;
      case 1:
        text_ += "mov.u32 %r" + small(8) + ", %reserved_smem_offset_1;\n";
        break;
      case 2:
      case 3:
        text_ += "ld." + in_space + '.' + type + ' ' + value + ", " + at + ";\n";
        break;
      case 4:
      case 5:
        if (space == "const" || variable.name == "data") break;
        text_ += "st." + in_space + '.' + type + ' ' + at + ", " + value + ";\n";
        break;
      case 6:
        if (functions_ != 0)
          text_ += (below(2) == 0 ? "" : "@%p1 ") + std::string("bra L") + std::to_string(labels_) +
                   ";\ncall.uni f" + small(functions_) + ";\nL" + std::to_string(labels_) + ":\n";
        ++labels_;
        break;
      case 7:
        if (functions_ != 0) text_ += "call.uni f" + small(functions_) + ";\n";
        break;
      case 8:
        text_ += "mov.u32 %r" + small(8) + ", " + std::to_string(hostile_number_32(input_)) + ";\n";
        break;
      case 9:
        text_ += "mov.u64 %d" + small(7) + ", " + number() + ";\n";
        break;
      case 10:
        text_ += "mov.u32 %r" + small(8) + ", %tid.x;\nmul.wide.u32 %d3, %r1, " + small(20) + ";\n";
        break;
      case 11:
        text_ += "cvta." + pick({"shared", "local", "global", "param"}) + ".u64 %d4, %d2;\n";
        break;
      case 12:
        text_ += pick({"ld", "st"}) == "ld" ? "ld." + type + ' ' + value + ", [%d4" + offset() + "];\n"
                                            : "st." + type + " [%d4" + offset() + "], " + value + ";\n";
        break;
      case 13:
        text_ += "add.u64 %d4, %d7, %d3;\nst.global." + type + " [%d4" + offset() + "], " + value + ";\n";
        break;
      case 14:
        text_ += "atom." + pick({"shared", "global"}) + ".add.u32 %r5, [%d" + small(8) + offset() + "], 1;\n";
        break;
      case 15:
        text_ += "setp.eq.u32 %p1, %r" + small(8) + ", %r" + small(8) + ";\n";
        break;
      case 16:
        text_ += "bar.sync " + small(18) +
                 (below(4) == 0 ? ", " + std::to_string(hostile_number_32(input_)) : "") + ";\n";
        break;
      case 17:
        text_ += "mbarrier.init.shared.b64 [%r6" + offset() + "], %r" + small(8) + ";\n";
        break;
      case 18:
        text_ += "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r5" + offset() +
                 "], [%d7], %r" + small(8) + ", [%r6];\n";
        break;
      default:
        text_ += "cp.async.ca.shared.global [%r" + small(8) + offset() + "], [%d7" + offset() + "], 16;\n";
    }
  }

  FuzzedDataProvider& input_;
  std::string text_;
  std::vector<Variable> module_;
  unsigned variables_ = 0, functions_ = 0, labels_ = 0;
};

Dim3 any_shape(FuzzedDataProvider& input, std::uint32_t usual) {
  const auto one = [&](std::uint32_t end) {
    return input.ConsumeBool() ? input.ConsumeIntegralInRange<std::uint32_t>(1, end)
                               : hostile_number_32(input);
  };
  if (input.ConsumeIntegralInRange<unsigned>(0, 3) != 0) {
    return {input.ConsumeIntegralInRange<std::uint32_t>(1, usual), 1, 1};
  }
  return {one(usual), one(4), one(4)};
}

void launch(Device& device, Device::KernelId kernel, DeviceAddress buffer, FuzzedDataProvider& input) {
  const KernelInfo& info = device.kernel_info(kernel);
  LaunchConfiguration configuration;
  configuration.grid = any_shape(input, 5);
  configuration.block = any_shape(input, 96);
  if (input.ConsumeIntegralInRange<unsigned>(0, 3) == 0) configuration.cluster = any_shape(input, 4);
  configuration.dynamic_shared_bytes =
      input.ConsumeBool() ? input.ConsumeIntegralInRange<std::uint32_t>(0, 1024) : hostile_number_32(input);
  configuration.cooperative = input.ConsumeIntegralInRange<unsigned>(0, 7) == 0;
  if (configuration.block.count() * info.local_bytes > kMaxLocalBytes) return;
  std::vector<std::byte> parameters(info.parameter_bytes);
  std::memcpy(parameters.data(), &buffer, std::min(parameters.size(), sizeof buffer));
  device.set_deadline(std::chrono::steady_clock::now() + kLongestLaunch);
  device.launch(kernel, configuration, parameters);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Device* device = [] {
    DeviceOptions options;
    options.workers = 2;
    options.properties.global_bytes = std::size_t{64} << 20;
    return new Device(options);
  }();
  static const DeviceAddress buffer = device->allocate(kBufferBytes);
  FuzzedDataProvider input(data, size);
  const std::string text = LayoutWriter(input).text();
  try {
    const Device::ModuleId module = device->load_ptx(text);
    try {
      const Device::KernelId kernel = device->kernel(module, "k");
      for (unsigned n = input.ConsumeIntegralInRange<unsigned>(1, 3); n > 0; --n)
        launch(*device, kernel, buffer, input);
    } catch (const DeviceError&) {  // refused
    }
    device->take_observations();
    device->unload(module);
  } catch (const DeviceError&) {  // refused
  }
  return 0;
}
