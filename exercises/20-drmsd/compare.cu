// compare REFERENCE TRAJECTORY: prints the dRMSD of every frame of your own files, by the drmsd.cu that it is
// built with. The first frame of REFERENCE is the reference. How to build it: README.md.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "drmsd.h"
#include "lockstep/check_cuda.h"
#include "lockstep/device_bytes.h"
#include "structures.h"

std::vector<float> compare(const lockstep::Positions& reference,
                           const std::vector<lockstep::Positions>& frames) {
  const std::size_t bytes = reference.size() * sizeof(float);
  const int n = static_cast<int>(reference.size() / 3), count = static_cast<int>(frames.size());
  const lockstep::DeviceBytes on_device(bytes), trajectory(bytes * frames.size()), out(count * sizeof(float)),
      workspace(drmsd_workspace_bytes(n, count));
  CHECK_CUDA(cudaMemcpy(on_device.as<void>(), reference.data(), bytes, cudaMemcpyHostToDevice));
  for (std::size_t frame = 0; frame < frames.size(); ++frame) {
    CHECK_CUDA(cudaMemcpy(trajectory.as<float>() + frame * reference.size(), frames[frame].data(), bytes,
                          cudaMemcpyHostToDevice));
  }
  drmsd(on_device.as<float>(), trajectory.as<float>(), out.as<float>(), n, count, workspace.as<void>(),
        nullptr);
  std::vector<float> values(frames.size());
  CHECK_CUDA(
      cudaMemcpy(values.data(), out.as<void>(), values.size() * sizeof(float), cudaMemcpyDeviceToHost));
  return values;
}

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: compare REFERENCE TRAJECTORY, each a .pdb or an .xyz file\n");
    return 2;
  }
  try {
    const lockstep::Positions reference = lockstep::read_structures(arguments[1]).frames.front();
    const std::vector<lockstep::Positions> frames = lockstep::read_structures(arguments[2]).frames;
    if (frames.front().size() != reference.size()) {
      throw std::runtime_error(std::string(arguments[1]) + " has " + std::to_string(reference.size() / 3) +
                               " atoms, " + arguments[2] + " has " +
                               std::to_string(frames.front().size() / 3) + ": they must be the same atoms");
    }
    const std::vector<float> values = compare(reference, frames);
    for (std::size_t frame = 0; frame < values.size(); ++frame)
      std::printf("%6zu  %.6g\n", frame + 1, double{values[frame]});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "compare: %s\n", error.what());
    return 1;
  }
}
