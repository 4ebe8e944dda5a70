// Clusters: their registers, their barrier, and the shared memory of their other blocks.
#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Status = LaunchResult::Status;

const char* const kClusterTile = ".shared .align 16 .b8 tile[256];\n";
/// %r2: the thread's word of the tile; %r8: the block's rank; %r9: its index; %d3: the thread's word of a.
/// Lines 1 to 9.
const char* const kClusterAddresses =
    "mov.u32 %r4, tile;\nshl.b32 %r2, %r1, 2;\nadd.u32 %r2, %r2, %r4;\nmov.u32 %r8, "
    "%cluster_ctarank;\nmov.u32 "
    "%r9, %ctaid.x;\nmov.u32 %r10, %ntid.x;\nmad.lo.u32 %r10, %r9, %r10, %r1;\nmul.wide.u32 %d3, %r10, 4;\n"
    "add.u64 %d3, %d0, %d3;\n";
const char* const kSync = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";

class ClusterTest : public DeviceTest {
 protected:
  explicit ClusterTest(DeviceOptions options = two_workers()) : DeviceTest(options) {}

  LaunchResult run_clusters(const std::string& body, Dim3 grid, Dim3 cluster, unsigned threads = 32) {
    const Device::ModuleId module = device.load_ptx(kernel_text(kClusterAddresses + body, kClusterTile));
    const Device::KernelId kernel = device.kernel(module, "kernel");
    a = upload(std::vector<std::uint32_t>(grid.count() * threads, 0));
    struct {
      std::uint64_t a, b;
      std::uint32_t n, unused;
    } const parameters{a, 0, 0, 0};
    LaunchConfiguration configuration;
    configuration.grid = grid;
    configuration.block = {threads, 1, 1};
    configuration.cluster = cluster;
    LaunchResult result = device.launch(kernel, configuration, std::as_bytes(std::span(&parameters, 1)));
    seen = device.take_observations();
    results = download<std::uint32_t>(a, grid.count() * threads);
    return result;
  }

  DeviceAddress a = 0;
  std::vector<std::uint32_t> results;
};

TEST_F(ClusterTest, BlocksReadEachOthersSharedMemory) {
  const LaunchResult result =
      run_clusters(std::string("mad.lo.u32 %r5, %r9, 1000, %r1;\nst.shared.u32 [%r2], %r5;\n") + kSync +
                       "xor.b32 %r6, %r8, 1;\nmapa.shared::cluster.u32 %r7, %r2, "
                       "%r6;\nld.shared::cluster.u32 %r5, [%r7];\n"
                       "st.global.u32 [%d3], %r5;\n" +
                       kSync,
                   {20, 1, 1}, {4, 1, 1});
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_THAT(findings(), IsEmpty());
  for (std::uint32_t i = 0; i < results.size(); ++i) EXPECT_EQ(results[i], (i / 32 ^ 1) * 1000 + i % 32);
}

TEST_F(ClusterTest, AReleaseToAnotherBlocksMemoryOrdersWhatWasStoredBefore) {
  for (const std::string kind : {".relaxed.gpu.global.u32", ".global.u32"}) {
    for (const std::string release : {"st.release.cluster.shared::cluster.u32 [%r7], 1;\n",
                                      "atom.add.release.cluster.shared::cluster.u32 %r5, [%r7], 1;\n"}) {
      // The writer waits for the reader's word before it comes to the barrier, which orders everything.
      run_clusters(std::string("st.shared.u32 [%r2], 0;\n") + kSync +
                       "setp.ne.u32 %p1, %r8, 0;\n@%p1 bra READ;\nst" + kind + " [%d0], 42;\n" +
                       "mov.u32 %r6, 1;\nmapa.shared::cluster.u32 %r7, %r2, %r6;\n" + release +
                       "TOLD: ld.volatile.global.u32 %r5, [%d0+4];\nsetp.eq.u32 %p2, %r5, 0;\n"
                       "@%p2 bra TOLD;\nbra END;\n"
                       "READ: ld.acquire.cluster.shared.u32 %r5, [%r2];\nsetp.eq.u32 %p2, %r5, 0;\n"
                       "@%p2 bra READ;\nld" +
                       kind + " %r5, [%d0];\nadd.u32 %r5, %r5, 1;\nst.relaxed.gpu.global.u32 [%d3], %r5;\n" +
                       "END:\n" + kSync,
                   {2, 1, 1}, {2, 1, 1}, 1);
      EXPECT_THAT(results, ElementsAre(42U, 43U)) << kind << release;
      EXPECT_THAT(findings(), IsEmpty()) << kind << release;
    }
  }
}

// Through generic addresses: each block adds its rank + 1 to every block's word, 1 + 2 + 3 together.
TEST_F(ClusterTest, AtomicsReachOtherBlocks) {
  const LaunchResult result = run_clusters(
      std::string("st.shared.u32 [%r2], 0;\n") + kSync +
          "cvt.u64.u32 %d4, %r2;\ncvta.shared.u64 %d4, %d4;\nmov.u32 %r6, 0;\nadd.u32 %r5, %r8, 1;\nmov.u32 "
          "%r12, "
          "%cluster_nctarank;\nLOOP: mapa.u64 %d5, %d4, %r6;\natom.add.u32 %r7, [%d5], %r5;\ngetctarank.u64 "
          "%r11, "
          "%d5;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, %r12;\n@%p1 bra LOOP;\n" +
          kSync + "ld.shared.u32 %r7, [%r2];\nmad.lo.u32 %r7, %r11, 100, %r7;\nst.global.u32 [%d3], %r7;",
      {6, 1, 1}, {3, 1, 1});
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_THAT(results, ::testing::Each(206U));
}

TEST_F(ClusterTest, RegistersTellThePlaceInTheCluster) {
  // A grid of 4 × 2 × 1 blocks in clusters of 2 × 2 × 1: the digits are clusterid.x, nclusterid.x and .y,
  // cluster_ctaid.x and .y, cluster_nctaid.y, rank, blocks, explicit.
  std::string body =
      "mov.u32 %r20, %ctaid.y;\nmad.lo.u32 %r20, %r20, 4, %r9;\nmul.wide.u32 %d3, %r20, "
      "4;\nadd.u64 %d3, %d0, %d3;\nmov.u32 %r5, 0;\n";
  for (const char* name : {"clusterid.x", "nclusterid.x", "nclusterid.y", "cluster_ctaid.x",
                           "cluster_ctaid.y", "cluster_nctaid.y", "cluster_ctarank", "cluster_nctarank"}) {
    body += std::string("mov.u32 %r6, %") + name + ";\nmad.lo.u32 %r5, %r5, 10, %r6;\n";
  }
  body +=
      "mov.pred %p1, %is_explicit_cluster;\nselp.u32 %r6, 1, 0, %p1;\nmad.lo.u32 %r5, %r5, 10, "
      "%r6;\nst.global.u32 [%d3], %r5;";
  run_clusters(body, {4, 2, 1}, {2, 2, 1}, 1);
  EXPECT_THAT(results, ElementsAre(21'002'041U * 1U, 21'102'141U, 121'002'041U, 121'102'141U, 21'012'241U,
                                   21'112'341U, 121'012'241U, 121'112'341U));
}

TEST_F(ClusterTest, WithoutTheBarrierNothingIsWritten) {
  run_clusters(
      "xor.b32 %r6, %r8, 1;\nmapa.shared::cluster.u32 %r7, %r2, %r6;\nld.shared::cluster.u32 %r5, [%r7];\n"
      "barrier.cluster.arrive;\nbarrier.cluster.wait;\n",
      {2, 1, 1}, {2, 1, 1});
  EXPECT_THAT(findings(), ElementsAre("uninitialised-read 12"));
}

TEST_F(ClusterTest, TheBarrierOrdersTheOwnBlockToo) {
  const std::string body = "st.shared.u32 [%r2], %r1;\nbarrier.cluster.arrive";
  const std::string rest = ";\nbarrier.cluster.wait;\nxor.b32 %r6, %r2, 128;\nld.shared.u32 %r5, [%r6];";
  run_clusters(body + rest, {2, 1, 1}, {2, 1, 1}, 64);
  EXPECT_THAT(findings(), IsEmpty());
  run_clusters(body + ".relaxed" + rest, {2, 1, 1}, {2, 1, 1}, 64);
  EXPECT_THAT(findings(), ElementsAre("race 14"));
}

TEST_F(ClusterTest, ARelaxedArrivalSignalsWhatAFenceBeforeItHasReleased) {
  const std::string rest =
      "barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\nxor.b32 %r6, %r10, 32;\n"
      "mul.wide.u32 %d4, %r6, 4;\nadd.u64 %d4, %d0, %d4;\nld.global.u32 %r5, [%d4];";
  run_clusters("st.global.u32 [%d3], %r1;\nmembar.gl;\n" + rest, {2, 1, 1}, {2, 1, 1});
  EXPECT_THAT(findings(), IsEmpty());
  run_clusters("st.global.u32 [%d3], %r1;\nmembar.cta;\n" + rest, {2, 1, 1}, {2, 1, 1});
  EXPECT_THAT(findings(), ElementsAre("race 17"));
}

TEST_F(ClusterTest, ABlockThatHasExitedHasNoSharedMemory) {
  const LaunchResult result = run_clusters(
      "st.shared.u32 [%r2], %r1;\nsetp.ne.u32 %p1, %r8, 0;\n@%p1 ret;\nbarrier.cluster.arrive;\n"
      "barrier.cluster.wait;\nmov.u32 %r6, 1;\nmapa.shared::cluster.u32 %r7, %r2, %r6;\n"
      "ld.shared::cluster.u32 %r5, [%r7];",
      {2, 1, 1}, {2, 1, 1});
  EXPECT_EQ(result.status, Status::illegal_address);
  ASSERT_THAT(findings(), ElementsAre("out-of-bounds 17"));
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::exited_block);
}

TEST_F(ClusterTest, OffsetsAndRanksAreChecked) {
  EXPECT_EQ(
      run_clusters("mov.u32 %r6, 2;\nmapa.shared::cluster.u32 %r7, %r2, %r6;", {2, 1, 1}, {2, 1, 1}).status,
      Status::illegal_address);
  EXPECT_THAT(findings(), ElementsAre("out-of-bounds 11"));
  run_clusters(
      "xor.b32 %r6, %r8, 1;\nmapa.shared::cluster.u32 %r7, %r2, %r6;\nst.shared::cluster.u32 [%r7+256], %r1;",
      {2, 1, 1}, {2, 1, 1});
  EXPECT_THAT(findings(), ElementsAre("out-of-bounds 12"));
  run_clusters(
      "xor.b32 %r6, %r8, 1;\nmapa.shared::cluster.u32 %r7, %r2, %r6;\nst.shared::cluster.u32 [%r7+2], %r1;",
      {2, 1, 1}, {2, 1, 1});
  EXPECT_THAT(findings(), ElementsAre("misaligned 12"));
}

TEST_F(ClusterTest, BlocksThatWaitForEachOtherWithoutEndAreReported) {
  const LaunchResult result = run_clusters(
      "setp.eq.u32 %p1, %r8, 0;\n@%p1 bra LOW;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n"
      "LOW: bar.sync 1, 64;",
      {2, 1, 1}, {2, 1, 1});
  EXPECT_EQ(result.status, Status::launch_timeout);
  EXPECT_THAT(findings(), Contains(::testing::StartsWith("deadlock")));
}

TEST_F(ClusterTest, WaitsWithoutArrivalsAreReported) {
  run_clusters("barrier.cluster.wait;", {2, 1, 1}, {2, 1, 1});
  EXPECT_THAT(findings(), ElementsAre("bad-sync 10"));
  run_clusters("barrier.cluster.arrive;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;", {2, 1, 1},
               {2, 1, 1});
  EXPECT_THAT(findings(), ElementsAre("bad-sync 11"));
}

// The mbarrier of block 0 expects the other block's threads; it alone may wait there.
TEST_F(ClusterTest, ArrivalsReachOtherBlocks) {
  const LaunchResult result =
      run_clusters(std::string("setp.eq.u32 %p1, %r1, 0;\n@%p1 mbarrier.init.shared.b64 [%r4], 32;\n"
                               "fence.mbarrier_init.release.cluster;\n") +
                       kSync +
                       "setp.eq.u32 %p2, %r8, 0;\n@%p2 bra WAIT;\nmov.u32 %r6, 0;\nmapa.shared::cluster.u32 "
                       "%r7, %r4, %r6;\n"
                       "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r7];\nbra DONE;\nWAIT: "
                       "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p3, [%r4], 0;\n@!%p3 bra "
                       "WAIT;\nst.global.u32 "
                       "[%d3], 1;\nDONE: mov.u32 %r6, 0;\n" +
                       kSync,
                   {2, 1, 1}, {2, 1, 1});
  EXPECT_EQ(result.status, Status::ok);
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_EQ(results[31], 1U);
}

TEST_F(ClusterTest, ConfigurationsThatHardwareRefuses) {
  EXPECT_THROW(run_clusters("", {3, 1, 1}, {2, 1, 1}), DeviceError);
  EXPECT_THROW(run_clusters("", {32, 1, 1}, {32, 1, 1}), DeviceError);
  EXPECT_THROW(run_clusters("", {4, 4, 4}, {4, 4, 4}), DeviceError);
  EXPECT_NO_THROW(run_clusters("", {16, 1, 1}, {16, 1, 1}));
  const auto compiled = [&](const std::string& extent, Dim3 grid) {
    const Device::ModuleId module = device.load_ptx(
        ".version 8.4\n.target sm_90\n.address_size 64\n.visible .entry kernel()\n"
        ".reqnctapercluster " +
        extent + "\n{\nret;\n}\n");
    LaunchConfiguration configuration;
    configuration.grid = grid;
    device.launch(device.kernel(module, "kernel"), configuration, {});
  };
  EXPECT_NO_THROW(compiled("1, 1, 1", {3, 1, 1}));
  EXPECT_NO_THROW(compiled("2, 1, 1", {4, 1, 1}));
  EXPECT_THROW(compiled("2, 1, 1", {3, 1, 1}), DeviceError);
  EXPECT_THROW(compiled("4294967295, 4294967295, 4294967295", {4, 1, 1}), DeviceError);
}

TEST_F(ClusterTest, AskingWhetherALaunchIsRightAnswersAsLaunching) {
  const Device::ModuleId module = device.load_ptx(kernel_text("", kClusterTile));
  const Device::KernelId kernel = device.kernel(module, "kernel");
  LaunchConfiguration configuration;
  configuration.grid = {4, 1, 1};
  configuration.block = {32, 1, 1};
  configuration.cluster = {2, 1, 1};
  EXPECT_NO_THROW(device.check_launch(kernel, configuration));
  configuration.cooperative = true;
  EXPECT_NO_THROW(device.check_launch(kernel, configuration));
  configuration.grid = {100'000, 1, 1};
  EXPECT_THROW(device.check_launch(kernel, configuration), DeviceError);
  configuration.cooperative = false;
  EXPECT_NO_THROW(device.check_launch(kernel, configuration));
  configuration.grid = {3, 1, 1};
  EXPECT_THROW(device.check_launch(kernel, configuration), DeviceError);
}

class ShuffledClusterTest : public ClusterTest {
 protected:
  static DeviceOptions shuffled() {
    DeviceOptions options = two_workers();
    options.seed = 12345;
    return options;
  }
  ShuffledClusterTest() : ClusterTest(shuffled()) {}
};

TEST_F(ShuffledClusterTest, EveryBlockRunsOnceInItsCluster) {
  run_clusters(
      "mov.u32 %r5, %clusterid.x;\nmad.lo.u32 %r5, %r5, 4, %r8;\nadd.u32 %r6, %r5, 1;\nred.global.add.u32 "
      "[%d3], "
      "%r6;",
      {28, 1, 1}, {4, 1, 1}, 1);
  for (std::uint32_t block = 0; block < 28; ++block) EXPECT_EQ(results[block], block + 1);
}

}  // namespace
}  // namespace lockstep::emulator
