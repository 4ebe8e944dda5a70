#include "device_fixture.h"

#include <sstream>

#include "report/finding_words.h"

namespace lockstep::emulator {

std::string kernel_text(const std::string& body, const std::string& declarations) {
  std::ostringstream text;
  text << ".version 8.4\n.target sm_90\n.address_size 64\n"
       << declarations << "\n.visible .entry kernel(.param .u64 a, .param .u64 b, .param .u32 n)\n{\n"
       << ".reg .pred %p<16>;\n.reg .b16 %h<16>;\n.reg .b32 %r<64>;\n.reg .b64 %d<64>;\n.reg .f32 "
          "%f<32>;\n.reg .f64 %g<16>;\n"
       << "ld.param.u64 %d0, [a];\nld.param.u64 %d1, [b];\nld.param.u32 %r0, [n];\nmov.u32 %r1, %tid.x;\n";
  std::istringstream lines(body);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number)
    text << ".loc 1 " << number << " 1\n" << line << "\n";
  text << "ret;\n}\n.file 1 \"/course/kernel.cu\"\n";
  return text.str();
}

LaunchResult DeviceTest::run(const std::string& body, DeviceAddress a, DeviceAddress b, std::uint32_t n,
                             Dim3 grid, Dim3 block, const std::string& declarations,
                             std::uint32_t dynamic_shared) {
  const Device::ModuleId module = device.load_ptx(kernel_text(body, declarations));
  const Device::KernelId kernel = device.kernel(module, "kernel");
  struct {
    std::uint64_t a, b;
    std::uint32_t n, unused;
  } const parameters{a, b, n, 0};
  LaunchConfiguration configuration;
  configuration.grid = grid;
  configuration.block = block;
  configuration.dynamic_shared_bytes = dynamic_shared;
  LaunchResult result = device.launch(kernel, configuration, std::as_bytes(std::span(&parameters, 1)));
  seen = device.take_observations();
  device.unload(module);
  return result;
}

std::vector<std::string> DeviceTest::findings() const {
  std::vector<std::string> names;
  for (const Finding& finding : seen.findings) {
    names.push_back(std::string(report::row_of(finding.kind).name) + " " + std::to_string(finding.line.line));
  }
  return names;
}

}  // namespace lockstep::emulator
