// The study of drmsd-matrix: reads a trajectory, has drmsd_matrix compare all of its frames, clusters them,
// and writes matrix, clusters and a picture. README.md says how to use it.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "20-drmsd-matrix/drmsd_matrix.h"
#include "clusters.h"
#include "lockstep/check_cuda.h"
#include "lockstep/device_bytes.h"
#include "picture.h"
#include "study/options.h"
#include "study/output_files.h"
#include "study/program.h"
#include "study/text.h"
#include "trajectory.h"

namespace lockstep {
namespace {

/// That of `gmx cluster`, in ångström.
constexpr float kUsualCutoff = 1;

struct Arguments {
  TrajectoryRequest request;
  std::optional<float> cutoff;
  bool npy = false;
  std::string output;  ///< what the names of all files begin with
};

/// Nothing where help was asked for, which is then printed.
std::optional<Arguments> arguments_of(int count, char** words) {
  study::Options options(count, words);
  Arguments arguments;
  TrajectoryRequest& request = arguments.request;
  if (const auto atoms = options.text("--atoms", "NAMES", "compare these atoms alone, as CA or N,CA,C"))
    for (const std::string& piece : study::pieces_of(*atoms, ','))
      if (const auto name = study::trimmed(piece); !name.empty()) request.atoms.names.emplace_back(name);
  request.names_of =
      options.text("--names", "FILE", "PDB file of the same atoms, for --atoms of a DCD file").value_or("");
  request.atoms.with_hetatm = options.flag("--hetatm", "read HETATM records of PDB too");
  request.every =
      options.number<std::size_t>("--every", "K", "take frames 1, 1 + K, 1 + 2 K, …", 1, 1'000'000)
          .value_or(1);
  arguments.cutoff = options.number<float>(
      "--cutoff", "ANGSTROM", "largest dRMSD from the centre of a cluster; 1 when not given", 0, 10000);
  arguments.npy = options.flag("--npy", "write the matrix for numpy.load, not as CSV");
  arguments.output =
      options
          .text("--output", "PREFIX", "what names of files begin with; that of the trajectory when not given")
          .value_or("");
  if (options.wants_help()) {
    std::printf(
        "usage: ./lockstep study drmsd-matrix [TRAJECTORY] [OPTION…]\n\n"
        "Compares all frames of a PDB, XYZ or DCD file by the distances between their atoms, and clusters\n"
        "them. Without a file it takes its example.\n\n%s",
        options.help().c_str());
    return std::nullopt;
  }
  const std::vector<std::string> files = options.finish(1);
  request.file = files.empty() ? STUDY_FOLDER "/example.pdb" : files.front();
  if (arguments.output.empty()) arguments.output = std::filesystem::path(request.file).stem().string();
  return arguments;
}

CondensedMatrix matrix_of(const Trajectory& trajectory) {
  const std::size_t frames = trajectory.frames.size(), frame_bytes = 3 * trajectory.atoms * sizeof(float);
  CondensedMatrix matrix{frames, std::vector<float>(frames * (frames - 1) / 2)};
  const DeviceBytes positions(frames * frame_bytes), out(matrix.values.size() * sizeof(float));
  for (std::size_t frame = 0; frame < frames; ++frame) {
    CHECK_CUDA(cudaMemcpy(positions.as<char>() + frame * frame_bytes, trajectory.frames[frame].data(),
                          frame_bytes, cudaMemcpyHostToDevice));
  }
  drmsd_matrix(positions.as<float>(), out.as<float>(), static_cast<int>(trajectory.atoms),
               static_cast<int>(frames), nullptr);
  CHECK_CUDA(cudaMemcpy(matrix.values.data(), out.as<void>(), matrix.values.size() * sizeof(float),
                        cudaMemcpyDeviceToHost));
  const auto is_distance = [](float value) { return value >= 0 && std::isfinite(value); };
  if (!std::all_of(matrix.values.begin(), matrix.values.end(), is_distance))
    throw std::runtime_error(
        "drmsd_matrix left what is no distance, such as a NaN: see ./lockstep grade drmsd-matrix");
  return matrix;
}

/// A line for each pair of frames, f < g, in the order of SciPy's condensed matrices.
void write_matrix_csv(std::ostream& out, const CondensedMatrix& matrix, std::size_t every) {
  out << "frame,other_frame,drmsd_angstrom\n";
  std::size_t element = 0;
  char value[32];
  for (std::size_t f = 0; f < matrix.frames; ++f) {
    for (std::size_t g = f + 1; g < matrix.frames; ++g) {
      std::snprintf(value, sizeof value, "%.9g", double{matrix.values[element++]});
      out << f * every + 1 << ',' << g * every + 1 << ',' << value << '\n';
    }
  }
}

/// One array of floats, as NumPy stores it: NEP 1, version 1.0.
void write_matrix_npy(std::ostream& out, const CondensedMatrix& matrix) {
  constexpr std::size_t kPreamble = 10, kAlignment = 64;
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(matrix.values.size()) + ",), }";
  while ((kPreamble + header.size() + 1) % kAlignment != 0) header += ' ';
  header += '\n';
  out << "\x93NUMPY" << '\1' << '\0' << static_cast<char>(header.size() & 255)
      << static_cast<char>(header.size() >> 8) << header;
  out.write(reinterpret_cast<const char*>(matrix.values.data()),
            static_cast<std::streamsize>(matrix.values.size() * sizeof(float)));
}

void write_clusters(std::ostream& out, const std::vector<Cluster>& clusters, std::size_t frames,
                    std::size_t every) {
  std::vector<std::size_t> rank_of(frames);
  for (std::size_t rank = 0; rank < clusters.size(); ++rank)
    for (const std::size_t frame : clusters[rank].frames) rank_of[frame] = rank;
  out << "frame,cluster,centre\n";
  for (std::size_t frame = 0; frame < frames; ++frame) {
    const std::size_t rank = rank_of[frame];
    out << frame * every + 1 << ',' << rank + 1 << ',' << clusters[rank].centre * every + 1 << '\n';
  }
}

void report(const Arguments& arguments, const Trajectory& trajectory, const CondensedMatrix& matrix,
            const std::vector<Cluster>& clusters) {
  constexpr std::size_t kShown = 10;
  const auto [least, most] = std::minmax_element(matrix.values.begin(), matrix.values.end());
  const std::size_t every = arguments.request.every;
  std::printf("read      %s (%s): %zu frames of %zu atoms\n", arguments.request.file.c_str(),
              trajectory.format.c_str(), matrix.frames, trajectory.atoms);
  std::printf("compared  %zu pairs of frames: dRMSD from %.3g to %.3g Å\n", matrix.values.size(),
              double{*least}, double{*most});
  std::printf("clusters  %zu, within %.3g Å of their centres%s\n", clusters.size(),
              double{arguments.cutoff.value_or(kUsualCutoff)},
              arguments.cutoff ? "" : " (what is usual; --cutoff changes it)");
  for (std::size_t rank = 0; rank < std::min(clusters.size(), kShown); ++rank) {
    const Cluster& cluster = clusters[rank];
    std::printf("          %zu: %zu of %zu frames, centre %zu\n", rank + 1, cluster.frames.size(),
                matrix.frames, cluster.centre * every + 1);
  }
  if (clusters.size() > kShown) std::printf("          … and %zu smaller\n", clusters.size() - kShown);
}

void run(const Arguments& arguments) {
  const std::size_t every = arguments.request.every;
  const Trajectory trajectory = read_trajectory(arguments.request);
  const CondensedMatrix matrix = matrix_of(trajectory);
  const float cutoff = arguments.cutoff.value_or(kUsualCutoff);
  const std::vector<Cluster> clusters = clusters_of(matrix, cutoff);

  study::OutputFiles files;
  files.keep(arguments.request.file);
  files.keep(arguments.request.names_of);
  files.add(arguments.output + (arguments.npy ? "-matrix.npy" : "-matrix.csv"), [&](std::ostream& out) {
    if (arguments.npy) {
      write_matrix_npy(out, matrix);
    } else {
      write_matrix_csv(out, matrix, every);
    }
  });
  files.add(arguments.output + "-clusters.csv",
            [&](std::ostream& out) { write_clusters(out, clusters, matrix.frames, every); });
  const std::string name = std::filesystem::path(arguments.request.file).filename().string();
  const Picture picture{name, trajectory.atoms, every, cutoff, matrix, clusters};
  files.add(arguments.output + ".svg", [&](std::ostream& out) { out << picture.svg(); });
  files.commit();

  report(arguments, trajectory, matrix, clusters);
  files.print_names();
}

}  // namespace
}  // namespace lockstep

int main(int count, char** words) {
  return lockstep::study::status_of_main("drmsd-matrix", count, words, lockstep::arguments_of, lockstep::run);
}
