#include "device/gpu.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <string_view>

namespace lockstep::device {
namespace {

namespace fs = std::filesystem;

std::string name_of(CUdevice device) {
  const CudaDriver& driver = CudaDriver::get();
  std::array<char, 256> text{};
  driver.check(driver.cuDeviceGetName(text.data(), text.size(), device), "cuDeviceGetName");
  return text.data();
}

std::string uuid_of(CUdevice device) {
  const CudaDriver& driver = CudaDriver::get();
  CUuuid uuid{};
  driver.check(driver.cuDeviceGetUuid(&uuid, device), "cuDeviceGetUuid");
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", static_cast<unsigned char>(uuid.bytes[i]));
    const bool begins_group = i == 0 || i == 4 || i == 6 || i == 8 || i == 10;
    if (begins_group) text += '-';
    text += digits.data();
  }
  return text;
}

/// The N of /dev/nvidiaN, as the driver's own file names it; empty when there is no such file.
std::string minor_number(CUdevice device) {
  const CudaDriver& driver = CudaDriver::get();
  std::array<char, 64> bus{};
  driver.check(driver.cuDeviceGetPCIBusId(bus.data(), bus.size(), device), "cuDeviceGetPCIBusId");
  std::string id = bus.data();
  std::transform(id.begin(), id.end(), id.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::ifstream information("/proc/driver/nvidia/gpus/" + id + "/information");
  for (std::string line; std::getline(information, line);) {
    constexpr const char* kLabel = "Device Minor:";
    if (!line.starts_with(kLabel)) continue;
    const std::size_t digit = line.find_first_of("0123456789");
    if (digit != std::string::npos) return line.substr(digit);
  }
  return "";
}

constexpr std::string_view kNodePrefix = "nvidia";

/// Whether a file in /dev is a GPU's own node, such as nvidia0.
bool is_node_of_a_gpu(std::string_view name) {
  if (!name.starts_with(kNodePrefix)) return false;
  const std::string_view rest = name.substr(kNodePrefix.size());
  return !rest.empty() && rest.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

Gpu::Gpu() {
  const CudaDriver& driver = CudaDriver::get();
  int count = 0;
  driver.check(driver.cuDeviceGetCount(&count), "cuDeviceGetCount");
  if (count == 0) throw DriverError("the NVIDIA driver finds no GPU");
  driver.check(driver.cuDeviceGet(&device_, 0), "cuDeviceGet");
  CUcontext context = nullptr;
  driver.check(driver.cuDevicePrimaryCtxRetain(&context, device_), "cuDevicePrimaryCtxRetain");
  driver.check(driver.cuCtxSetCurrent(context), "cuCtxSetCurrent");
  name_ = name_of(device_);
  uuid_ = uuid_of(device_);
  compute_capability_ = 10 * attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) +
                        attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  multiprocessors_ = attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  l2_bytes_ = static_cast<std::size_t>(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
}

int Gpu::attribute(CUdevice_attribute which) const {
  const CudaDriver& driver = CudaDriver::get();
  int value = 0;
  driver.check(driver.cuDeviceGetAttribute(&value, which, device_), "cuDeviceGetAttribute");
  return value;
}

std::size_t Gpu::free_bytes() const {
  const CudaDriver& driver = CudaDriver::get();
  std::size_t free = 0, total = 0;
  driver.check(driver.cuMemGetInfo(&free, &total), "cuMemGetInfo");
  return free;
}

std::vector<fs::path> Gpu::device_nodes() const {
  const std::string minor = minor_number(device_);
  std::vector<fs::path> nodes;
  for (const auto& entry : fs::directory_iterator("/dev")) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kNodePrefix)) continue;
    const std::string rest = name.substr(kNodePrefix.size());
    const bool wanted = is_node_of_a_gpu(name) ? minor.empty() || rest == minor
                                               : rest == "ctl" || rest == "-uvm" || rest == "-uvm-tools";
    if (wanted) nodes.push_back(entry.path());
  }
  return nodes;
}

fs::path Gpu::node() const {
  std::vector<fs::path> nodes = device_nodes();
  std::erase_if(nodes, [](const fs::path& node) { return !is_node_of_a_gpu(node.filename().string()); });
  if (nodes.empty()) throw DriverError("there is no device node of the GPU in /dev");
  return *std::min_element(nodes.begin(), nodes.end());
}

}  // namespace lockstep::device
