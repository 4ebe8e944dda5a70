// Which rungs fail which technique gate, and at which of their lines: the reason why each rung exists.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "grading.h"

namespace lockstep::test {

struct RungAtGate {
  const char* exercise;
  const char* rung;       ///< below solutions/
  const char* gate;       ///< the one gate that it fails; empty when it fails none
  const char* line = "";  ///< that the report quotes
};

std::ostream& operator<<(std::ostream& stream, const RungAtGate& one) { return stream << one.rung; }

namespace {

constexpr RungAtGate kRungs[] = {
    {"coalescing", "02-coalescing/rungs/chunks.cu", "global-sectors", "if (i < n) particle = particles[i];"},
    {"coalescing", "02-coalescing/rungs/per_particle.cu", "global-sectors",
     "if (i < n) particle = particles[i];"},
    {"coalescing", "02-coalescing/rungs/vectors.cu", "global-sectors", "position = halves[2 * i];"},
    {"coalescing", "02-coalescing/rungs/staged.cu", "shared-wavefronts",
     "const Particle particle = tile[threadIdx.x];"},
    {"coalescing", "02-coalescing/rungs/shuffled.cu", ""},
    {"transpose", "03-transpose/rungs/naive.cu", "global-sectors",
     "out[column * rows + row] = in[row * columns + column];"},
    {"transpose", "03-transpose/rungs/tiled.cu", "shared-wavefronts",
     "out[(first_column + y) * rows + first_row + x] = tile[x][y];"},
    {"transpose", "03-transpose/rungs/padded.cu", ""},
    {"block-scan", "06-block-scan/rungs/hillis_steele.cu", ""},
    {"block-scan", "06-block-scan/rungs/blelloch.cu", "shared-wavefronts", "tree[right] += tree[left];"},
    {"block-scan", "06-block-scan/rungs/blelloch_padded.cu", ""},
    {"scan", "07-scan/rungs/three_pass.cu", "bytes-per-element",
     "if (position < n) out[position] += before[blockIdx.x];"},
    {"scan", "07-scan/rungs/reduce_then_scan.cu", ""},
    {"scan", "07-scan/rungs/look_back.cu", ""},
    {"scan", "07-scan/rungs/packed_words.cu", ""},
    {"histogram", "08-histogram/rungs/global_atomics.cu", "global-sectors",
     "if (sample < bins) atomicAdd(&counts[sample], 1ULL);"},
    {"histogram", "08-histogram/rungs/block_private.cu", "shared-wavefronts",
     "if (sample < bins) atomicAdd(&cells[sample], 1U);"},
    {"histogram", "08-histogram/rungs/wide_loads.cu", "shared-wavefronts",
     "grid_for_each(samples, n, [=](unsigned sample) {"},
    {"histogram", "08-histogram/rungs/warp_private.cu", "shared-wavefronts",
     "grid_for_each(samples, n, [=](unsigned sample) {"},
    {"histogram", "08-histogram/rungs/lane_private.cu", ""},
    {"multi-tau", "12-multi-tau/rungs/direct.cu", "global-sectors",
     "if (end - length >= trace.elapsed) return sum_of_counts(trace, end - length, end);"},
    {"multi-tau", "12-multi-tau/rungs/ring_buffer.cu", "shared-passes",
     "shared.sums[g][warp][lane] += newest * ring[place_of(k - lane)];"},
    {"multi-tau", "12-multi-tau/rungs/batch_by_level.cu", ""},
    {"multi-tau", "12-multi-tau/rungs/dp4a.cu", ""},
    {"drmsd", "15-drmsd/rungs/one_row.cu", "bytes-per-element",
     "const float difference = distance(a, atom(reference, j))"},
    {"drmsd", "15-drmsd/rungs/shared_tiles.cu", "shared-passes",
     "const float difference = distance(own.a, tile[j].a) - distance(own.b, tile[j].b);"},
    {"drmsd", "15-drmsd/rungs/register_tile.cu", ""},
    {"drmsd", "15-drmsd/rungs/fast_root.cu", ""},
    {"drmsd", "15-drmsd/rungs/balanced_triangle.cu", ""},
    {"resampling", "16-resampling/rungs/metropolis.cu", "bytes-per-step",
     "if (u * weights[ancestor] <= weights[proposed]) ancestor = proposed;"},
    {"resampling", "16-resampling/rungs/kept_weight.cu", "bytes-per-step",
     "const float first_weight = weights[first], second_weight = weights[second];"},
    {"resampling", "16-resampling/rungs/c2_2048.cu", "bytes-per-step",
     "chain.step(proposed, weights[proposed], uniform_of(words.word[k]));"},
    {"resampling", "16-resampling/rungs/c1_2048.cu", "bytes-per-step",
     "chain.step(proposed, weights[proposed], uniform_of(words.word[k]));"},
    {"resampling", "16-resampling/rungs/c2_128.cu", ""},
    {"resampling", "16-resampling/rungs/c1_128.cu", ""},
    {"resampling", "16-resampling/rungs/megopolis.cu", ""},
    {"resampling", "16-resampling/rungs/systematic.cu", ""},
};

class GatesOfRungs : public GradingTest, public testing::WithParamInterface<RungAtGate> {};

TEST_P(GatesOfRungs, FailsExactlyThis) {
  const RungAtGate& one = GetParam();
  const Graded result =
      grade(std::string(one.exercise) + " --submission '" LOCKSTEP_SOURCE "/solutions/" + one.rung + "'");
  const std::string gate = one.gate;
  EXPECT_EQ(result.status, gate.empty() ? 0 : 1) << result.text;
  EXPECT_EQ(verdict_of(result, one.exercise), gate.empty() ? "passed" : "inefficient") << result.text;
  const auto& gates = exercise_of(result, one.exercise).at("technique").at("gates");
  EXPECT_GE(gates.size(), 2U);
  for (const auto& measured : gates) {
    if (measured.at("name") != gate) {
      EXPECT_EQ(measured.at("verdict"), "passed") << result.text;
      continue;
    }
    EXPECT_EQ(measured.at("verdict"), "inefficient");
    EXPECT_GT(measured.at("value"), measured.at("limit"));
    ASSERT_EQ(measured.at("worst").size(), 1U);
    EXPECT_THAT(measured.at("worst").at(0).at("text"), testing::HasSubstr(one.line));
    EXPECT_THAT(result.text, testing::HasSubstr(std::string("| ") + one.line));
  }
}

INSTANTIATE_TEST_SUITE_P(Course, GatesOfRungs, testing::ValuesIn(kRungs),
                         [](const auto& one) { return name_for_test(one.param.rung); });

}  // namespace
}  // namespace lockstep::test
