// PTX text of any kind: it is refused, or its kernels run until they end, fault, or meet the deadline.
//
// What may not happen is for the sanitizers to see: an address outside, undefined behaviour, memory or time
// without bound. Half of the mutations exchange, repeat or drop whole tokens, so that more of them get past
// the parser.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/device.h"
#include "emulator/ptx/lexer.h"
#include "emulator/ptx/module.h"

using namespace lockstep::emulator;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

constexpr std::size_t kBufferBytes = 4096;
constexpr std::chrono::milliseconds kLongestLaunch{20};

/// Pointers become addresses of a buffer, all else a small number.
std::vector<std::byte> parameters_of(const KernelInfo& info, DeviceAddress buffer) {
  std::vector<std::byte> parameters(info.parameter_bytes);
  for (const ParameterLayout& parameter : info.parameters) {
    const std::uint64_t value = parameter.bytes == sizeof buffer ? buffer : 33;
    std::memcpy(parameters.data() + parameter.offset, &value,
                std::min<std::size_t>(parameter.bytes, sizeof value));
  }
  return parameters;
}

void run_kernels(Device& device, Device::ModuleId module, std::string_view text) {
  const DeviceAddress buffer = device.allocate(kBufferBytes);
  for (const ptx::Function& function : ptx::parse(text).functions) {
    if (!function.entry) continue;
    try {
      const Device::KernelId kernel = device.kernel(module, function.name);
      LaunchConfiguration configuration;
      configuration.grid = {2, 1, 1};
      configuration.block = {48, 1, 1};
      configuration.dynamic_shared_bytes = 512;
      device.set_deadline(std::chrono::steady_clock::now() + kLongestLaunch);
      device.launch(kernel, configuration, parameters_of(device.kernel_info(kernel), buffer));
    } catch (const DeviceError&) {  // refused
    }
  }
  device.take_observations();
  device.free(buffer);
}

/// The text's tokens, each with the blanks before it.
std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> tokens;
  std::size_t begin = 0;
  try {
    for (ptx::Lexer lexer(text); lexer.peek().kind != ptx::Token::Kind::end;) {
      const ptx::Token token = lexer.take();
      const std::size_t end = static_cast<std::size_t>(token.text.data() - text.data()) + token.text.size();
      tokens.push_back(text.substr(begin, end - begin));
      begin = end;
    }
  } catch (const ptx::ParseError&) {  // what follows is no token
  }
  tokens.push_back(text.substr(begin));
  return tokens;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Device* device = [] {
    DeviceOptions options;
    options.workers = 2;
    options.properties.global_bytes = std::size_t{64} << 20;
    return new Device(options);
  }();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Device::ModuleId module = device->load_ptx(text);
    run_kernels(*device, module, text);
    device->unload(module);
  } catch (const DeviceError&) {  // refused
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  std::minstd_rand random(seed);
  if (random() % 2 == 0) return LLVMFuzzerMutate(data, size, max_size);
  std::vector<std::string> tokens = tokens_of({reinterpret_cast<const char*>(data), size});
  const auto any = [&]() -> std::size_t { return random() % tokens.size(); };
  for (unsigned change = 1 + random() % 4; change > 0; --change) {
    const std::size_t at = any(), from = any();
    switch (random() % 3) {
      case 0:
        tokens[at] = tokens[from];
        break;
      case 1:
        tokens.insert(tokens.begin() + static_cast<std::ptrdiff_t>(at), std::string(tokens[from]));
        break;
      default:
        tokens[at].clear();
    }
  }
  std::string text;
  for (const std::string& token : tokens) text += token;
  text.resize(std::min(text.size(), max_size));
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
