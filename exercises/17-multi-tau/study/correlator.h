// Calls multi_tau packet by packet, with sums and state kept on the device, and copies both to a measurement.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "17-multi-tau/multi_tau.h"
#include "lockstep/check_cuda.h"
#include "lockstep/device_bytes.h"
#include "measurement.h"

namespace lockstep::multi_tau_study {

class Correlator {
 public:
  /// Sensors are filled up to a multiple of 32 by some that count nothing.
  Correlator(std::size_t sensors, int groups)
      : measurement_(sensors, (sensors + 31) / 32 * 32, groups),
        old_(std::make_unique<Buffers>(measurement_.latest())),
        new_(std::make_unique<Buffers>(measurement_.latest())) {
    const Snapshot& zeros = measurement_.latest();
    CHECK_CUDA(cudaMemcpy(new_->sums.as<void>(), zeros.sums.data(), bytes_of_all(zeros.sums),
                          cudaMemcpyHostToDevice));
    CHECK_CUDA(cudaMemcpy(new_->state.as<void>(), zeros.state.data(), bytes_of_all(zeros.state),
                          cudaMemcpyHostToDevice));
  }

  /// Frames of the sensors' counts, instant after instant. Sums are on the host when it returns.
  void add(const std::vector<unsigned char>& counts) {
    const std::size_t sensors = measurement_.sensors(), width = measurement_.width();
    const std::size_t instants = counts.size() / sensors;
    const unsigned char* frames = counts.data();
    if (width != sensors) {
      filled_.assign(instants * width, 0);
      for (std::size_t i = 0; i < instants; ++i)
        std::copy_n(&counts[i * sensors], sensors, &filled_[i * width]);
      frames = filled_.data();
    }
    for (std::size_t done = 0; done < instants;) {
      const std::size_t piece = measurement_.until_block_ends(instants - done);
      add_piece(frames + done * width, piece);
      done += piece;
    }
  }

  const Measurement& measurement() const { return measurement_; }

 private:
  template <class T>
  static std::size_t bytes_of_all(const std::vector<T>& values) {
    return values.size() * sizeof(T);
  }

  struct Buffers {
    DeviceBytes sums, state;
    explicit Buffers(const Snapshot& snapshot)
        : sums(bytes_of_all(snapshot.sums)), state(bytes_of_all(snapshot.state)) {}
  };
  /// Memory that grows when more is needed.
  struct Growing {
    std::unique_ptr<DeviceBytes> memory;
    std::size_t bytes = 0;
    void* with(std::size_t needed) {
      if (!memory || needed > bytes) {
        memory.reset();
        bytes = std::max<std::size_t>(needed, 1);
        memory = std::make_unique<DeviceBytes>(bytes);
      }
      return memory->as<void>();
    }
  };

  void add_piece(const unsigned char* frames, std::size_t instants) {
    const auto sensors = static_cast<int>(measurement_.width()), count = static_cast<int>(instants);
    const std::size_t bytes = instants * measurement_.width();
    void* const device_counts = counts_.with(bytes);
    void* const workspace = workspace_.with(multi_tau_workspace_bytes(sensors, count, measurement_.groups()));
    CHECK_CUDA(cudaMemcpy(device_counts, frames, bytes, cudaMemcpyHostToDevice));
    std::swap(old_, new_);
    multi_tau(static_cast<const unsigned char*>(device_counts), sensors, count, measurement_.latest().elapsed,
              measurement_.groups(), old_->state.as<unsigned>(), old_->sums.as<unsigned long long>(),
              new_->state.as<unsigned>(), new_->sums.as<unsigned long long>(), workspace, nullptr);
    CHECK_CUDA(cudaGetLastError());
    measurement_.add(frames, instants, [this](auto& sums, auto& state) {
      CHECK_CUDA(cudaMemcpy(sums.data(), new_->sums.as<void>(), bytes_of_all(sums), cudaMemcpyDeviceToHost));
      CHECK_CUDA(
          cudaMemcpy(state.data(), new_->state.as<void>(), bytes_of_all(state), cudaMemcpyDeviceToHost));
    });
  }

  Measurement measurement_;
  std::unique_ptr<Buffers> old_, new_;  ///< before the latest call, and after it
  Growing counts_, workspace_;
  std::vector<unsigned char> filled_;
};

}  // namespace lockstep::multi_tau_study
