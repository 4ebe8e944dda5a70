// How ancestors are drawn: by the exercise's function, or by one of the schemes that place points along the
// weights, which schemes.cu has in plain form for comparison.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "21-resampling/resampling.h"

namespace lockstep::particle_filter {

enum class Scheme : std::uint8_t { exercise, systematic, stratified, residual, multinomial };
constexpr std::array<const char*, 5> kSchemeNames = {"exercise", "systematic", "stratified", "residual",
                                                     "multinomial"};
constexpr const char* name_of(Scheme scheme) { return kSchemeNames[static_cast<std::size_t>(scheme)]; }

/// Uses of random words in this folder, none of which a procedure of resampling has: particles at the start,
/// their moves, points of schemes, and seeds of draws by the filter and for counts of copies.
constexpr auto kStartWords = static_cast<Use>(32), kMoveWords = static_cast<Use>(33),
               kPointWords = static_cast<Use>(34), kFilterSeedWords = static_cast<Use>(35),
               kOffspringSeedWords = static_cast<Use>(36);

/// Device memory that draw_ancestors() needs, in bytes.
std::size_t scheme_workspace_bytes(Scheme scheme, int n);

/// Draws n ancestors in proportion to the weights, each from 0 to 1 and their sum above 0; all pointers are
/// device memory. `steps`: of a chain, which only the exercise's function may have.
void draw_ancestors(Scheme scheme, const float* weights, int n, int steps, unsigned long long seed,
                    int* ancestors, void* workspace, cudaStream_t stream);

}  // namespace lockstep::particle_filter
