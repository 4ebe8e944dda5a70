// Prints the bits of the sum of each array in a file, by a solution of "reduction". Array after array the
// file has a number of elements, 4 bytes, and the elements.
#include "reduction.h"

#include <cstdio>
#include <cstring>
#include <fstream>
#include <vector>

#include "lockstep/check_cuda.h"
#include "lockstep/device_bytes.h"

int main(int, char** words) {
  std::ifstream file(words[1], std::ios::binary);
  for (int n = 0; file.read(reinterpret_cast<char*>(&n), sizeof n);) {
    std::vector<float> in(n);
    const std::size_t bytes = in.size() * sizeof(float), workspace_bytes = reduction_workspace_bytes(n);
    file.read(reinterpret_cast<char*>(in.data()), static_cast<std::streamsize>(bytes));
    const lockstep::DeviceBytes on_device(bytes), sum(sizeof(float)), workspace(workspace_bytes);
    CHECK_CUDA(cudaMemcpy(on_device.as<void>(), in.data(), bytes, cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemset(workspace.as<void>(), 0xff, workspace_bytes));
    reduction(on_device.as<float>(), n, sum.as<float>(), workspace.as<void>(), nullptr);
    unsigned bits = 0;
    CHECK_CUDA(cudaMemcpy(&bits, sum.as<void>(), sizeof bits, cudaMemcpyDeviceToHost));
    std::printf("%08x\n", bits);
  }
}
