// The exercise multi-tau beside its source's own code, AutocorrelationCUDA: the same sums, of narrower words.
// Theirs has a fault: sensor 8b + y (y < 8) gets the bins of sensor 8b + 32y, and in group g the zero-delay
// register of sensor 8b + 32y + g, where 1024 is the next instant's sensor 0. So all sensors count the same
// here, as in its own main; sums that ask for sensors above 1023 still differ.
#include <cuda_runtime.h>

/// Zeros behind, where theirs reads past the end.
cudaError_t malloc_and_room(auto** to, std::size_t bytes) {
  constexpr std::size_t kRoom = 256;  // of which it reads 226
  const cudaError_t error = cudaMalloc(to, bytes + kRoom);
  return error == cudaSuccess ? cudaMemset(*to, 0, bytes + kRoom) : error;
}

#define cudaDeviceSetSharedMemConfig(config)  // deprecated: banks have one width today
#define cudaMalloc malloc_and_room
#define main autocorrelation_cuda_main
#include "src/Main.cu"
#undef cudaMalloc
#undef main

#define multi_tau lockstep_multi_tau
#define multi_tau_workspace_bytes lockstep_multi_tau_workspace_bytes
#include "multi_tau.h"

#include <cmath>
#include <string>
#include <vector>

#include "lockstep/device_bytes.h"
#include "lockstep/random.h"
#include "race.h"

namespace {

constexpr int kSensors = SENSORS, kGroups = GROUPS_PER_SENSOR, kPacket = INSTANTS_PER_PACKET;
constexpr int kSums = kGroups * kPositions;  // of a sensor
constexpr long long kElapsed = 0;            // before the packet of ours
static_assert(kSensors == 1024 && kGroups == 10 && kPacket == 400 && GROUP_SIZE == kPositions);

/// Few enough counts that 65600 instants overflow neither their bins nor their sums.
std::vector<uint8> packet_of_counts() {
  lockstep::SplitMix64 random(12);
  std::vector<uint8> counts;
  for (int instant = 0; instant < kPacket; ++instant)
    counts.insert(counts.end(), kSensors, static_cast<uint8>(random.integer(0, 3)));
  return counts;
}

/// From nothing, the same packet so many times.
class Ours {
 public:
  Ours(const std::vector<uint8>& packet, int packets)
      : instants_(packets * kPacket),
        counts_(packet.size() * packets),
        state_before_(kStateBytes),
        sums_before_(kSumBytes),
        state_(kStateBytes),
        sums_(kSumBytes),
        workspace_(lockstep_multi_tau_workspace_bytes(kSensors, instants_, kGroups)) {
    for (int i = 0; i < packets; ++i)
      CHECK_CUDA(cudaMemcpy(counts_.as<uint8>() + i * packet.size(), packet.data(), packet.size(),
                            cudaMemcpyDefault));
    CHECK_CUDA(cudaMemset(state_before_.as<void>(), 0, kStateBytes));
    CHECK_CUDA(cudaMemset(sums_before_.as<void>(), 0, kSumBytes));
  }
  void correlate() const {
    lockstep_multi_tau(counts_.as<uint8>(), kSensors, instants_, kElapsed, kGroups,
                       state_before_.as<unsigned>(), sums_before_.as<unsigned long long>(),
                       state_.as<unsigned>(), sums_.as<unsigned long long>(), workspace_.as<void>(), nullptr);
  }
  std::vector<unsigned long long> sums() const {
    std::vector<unsigned long long> values(kSensors * kSums);
    CHECK_CUDA(cudaMemcpy(values.data(), sums_.as<void>(), kSumBytes, cudaMemcpyDefault));
    return values;
  }

 private:
  static constexpr std::size_t kStateBytes = sizeof(unsigned) * kSensors * kGroups * kStateWords;
  static constexpr std::size_t kSumBytes = sizeof(unsigned long long) * kSensors * kSums;
  int instants_;
  lockstep::DeviceBytes counts_, state_before_, sums_before_, state_, sums_, workspace_;
};

/// Goes on from call to call, since its state has but one place; its sums wrap round then.
class Theirs {
 public:
  Theirs(const std::vector<uint8>& packet, int packets) : packets_(packets) {
    packet_.setNewDataPacket(packet);
    CHECK_CUDA(cudaFuncSetCacheConfig(autocorrelate, cudaFuncCachePreferShared));  // as in its main
  }
  void correlate() {
    const dim3 blocks = SENSORS / SENSORS_PER_BLOCK, threads(GROUP_SIZE, SENSORS_PER_BLOCK);
    for (int i = 0; i < packets_; ++i, elapsed_ += kPacket)
      autocorrelate<<<blocks, threads>>>(packet_, bins_, elapsed_, sums_);
    CHECK_CUDA(cudaGetLastError());
  }
  std::vector<unsigned long long> sums() {
    sums_.download();
    std::vector<unsigned long long> values;
    for (int i = 0; i < kSensors * kSums; ++i) values.push_back(sums_.get(i / kSums, i % kSums));
    return values;
  }

 private:
  int packets_;
  uint32 elapsed_ = 0;
  SensorsDataPacket packet_;
  BinGroupsMultiSensorMemory bins_;
  ResultArray sums_;
};

/// Whether theirs takes what goes into this sum from sensors that there are.
bool is_of_sensors(int sensor, int group) {
  const int block = sensor / SENSORS_PER_BLOCK, warp = sensor % SENSORS_PER_BLOCK;
  return block * SENSORS_PER_BLOCK + warp * GROUP_SIZE + group < kSensors;
}

void race_over(int packets) {
  const std::vector<uint8> packet = packet_of_counts();
  const Ours ours(packet, packets);
  Theirs theirs(packet, packets);
  peers::Race race(std::to_string(packets * kPacket) + " instants, 1024 sensors, 10 groups");
  const std::string name = "17-multi-tau/peers/autocorrelation_cuda";

  // Before the race, since only the first call of theirs begins with nothing.
  ours.correlate();
  theirs.correlate();
  const auto expected = ours.sums(), found = theirs.sums();
  double of_any = 0, of_sensors = 0;
  for (int i = 0; i < kSensors * kSums; ++i) {
    const auto exact = static_cast<double>(expected[i]);
    const double difference = std::abs(static_cast<double>(found[i]) - exact) / std::fmax(exact, 1);
    of_any = std::fmax(of_any, difference);
    if (is_of_sensors(i / kSums, i % kSums / kPositions)) of_sensors = std::fmax(of_sensors, difference);
  }
  race.tell_difference(name, "largest relative difference of a sum", of_any);
  race.tell_difference(name, "largest relative difference of a sum of sensors below 1024", of_sensors);

  race.add("17-multi-tau/multi_tau", [&] { ours.correlate(); });
  race.add(name, [&] { theirs.correlate(); });
  race.run();
}

}  // namespace

int main() {
  std::cout.setstate(std::ios::failbit);  // their constructors talk
  for (const int packets : {1, 164}) race_over(packets);
}
