// Observations as bytes, for the way from the device process to its owner: both of one build, on one machine.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "emulator/core/observations.h"

namespace lockstep::emulator::server {

std::vector<std::byte> encode(const Observations& observations);

/// Throws std::exception when the bytes are not what encode made.
Observations decode_observations(std::span<const std::byte> bytes);

}  // namespace lockstep::emulator::server
