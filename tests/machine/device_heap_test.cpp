// The heap of kernels: limits, reuse, and what is reported of it.
#include "emulator/memory/device_heap.h"

#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

using ::testing::ElementsAre;

const HeapOwner kOwner{"kernel", {"kernel.cu", 3}};

TEST(DeviceHeapTest, GivesBlocksUntilItIsExhausted) {
  memory::GlobalMemory memory{std::size_t{1} << 20};
  memory::DeviceHeap heap(memory, 4096);
  // Each takes its 16 bytes and as many for the header.
  std::vector<DeviceAddress> blocks;
  while (const DeviceAddress block = heap.allocate(16, kOwner)) blocks.push_back(block);
  EXPECT_EQ(blocks.size(), 4096U / 32);
  EXPECT_FALSE(heap.free(blocks[5]));
  EXPECT_EQ(heap.allocate(17, kOwner), 0U);
  EXPECT_NE(heap.allocate(16, kOwner), 0U);
  EXPECT_EQ(heap.allocate(0, kOwner), 0U);
  EXPECT_EQ(heap.allocate(UINT64_MAX, kOwner), 0U);
  EXPECT_EQ(heap.live_blocks().size(), blocks.size());
}

TEST(DeviceHeapTest, FreedBlocksAreUsedAgainLast) {
  memory::GlobalMemory memory{std::size_t{1} << 20};
  memory::DeviceHeap heap(memory, 4096);
  const DeviceAddress first = heap.allocate(1000, kOwner);
  memory.mark_written(first, 1000, true);
  EXPECT_FALSE(heap.free(first));
  DeviceAddress next = heap.allocate(1000, kOwner);
  EXPECT_NE(next, first);
  EXPECT_EQ(heap.find_miss(first + 4).cause, Finding::Cause::freed_memory);
  EXPECT_EQ(heap.find_miss(first + 4).object, (Finding::Object{{}, first, 1000}));
  // Address space for 16 of them: then the first one's turn comes again.
  int blocks = 2;
  for (; next != first && blocks < 100; ++blocks) {
    EXPECT_FALSE(heap.free(next));
    next = heap.allocate(1000, kOwner);
    ASSERT_NE(next, 0U);
  }
  EXPECT_EQ(blocks, 17);
  EXPECT_EQ(*memory.written(first), 0) << "as if it had never been used";
}

TEST(DeviceHeapTest, BlocksThatDoNotFitTogetherBecomeOne) {
  memory::GlobalMemory memory{std::size_t{1} << 20};
  memory::DeviceHeap heap(memory, 4096);
  std::vector<DeviceAddress> blocks;
  for (int i = 0; i < 100; ++i) {
    const DeviceAddress block = heap.allocate(16, kOwner);
    ASSERT_NE(block, 0U);
    blocks.push_back(block);
  }
  for (const DeviceAddress block : blocks) EXPECT_FALSE(heap.free(block));
  // Room for two of these at the end, then only where all the small ones were.
  for (int i = 0; i < 4; ++i) {
    const DeviceAddress block = heap.allocate(3000, kOwner);
    ASSERT_NE(block, 0U) << i;
    EXPECT_FALSE(heap.free(block));
  }
}

TEST(DeviceHeapTest, OwnersAreLimited) {
  memory::GlobalMemory memory{std::size_t{1} << 24};
  memory::DeviceHeap heap(memory, std::size_t{1} << 20);
  for (std::uint32_t line = 0; line < 5000; ++line) {
    EXPECT_NE(heap.allocate(1, {"kernel", {"kernel.cu", line}}), 0U);
  }
  EXPECT_EQ(heap.live_blocks().size(), 5000U);
  EXPECT_EQ(heap.live_blocks()[7].owner.line.line, 7U);
}

class HeapKernelTest : public DeviceTest {};

constexpr const char* kDeclarations =
    ".extern .func (.param .b64 result) malloc (.param .b64 bytes);\n"
    ".extern .func free (.param .b64 address);\n";

TEST_F(HeapKernelTest, BlocksThatNobodyFreesAreListedWithTheirLine) {
  const std::string body =
      "{ .param .b64 given; .param .b64 got;\n"
      "st.param.b64 [given], 24;\n"
      "call.uni (got), malloc, (given);\n"
      "ld.param.b64 %d2, [got]; }\n"
      "st.u64 [%d2], %d2;\n"
      "ld.u64 %d3, [%d2];\n";
  EXPECT_EQ(run(body, 0, 0, 0, {2, 1, 1}, {3, 1, 1}, kDeclarations).status, LaunchResult::Status::ok);
  EXPECT_THAT(findings(), ElementsAre());
  const std::vector<HeapBlock> blocks = device.heap_blocks();
  ASSERT_EQ(blocks.size(), 6U);
  EXPECT_EQ(blocks[0].bytes, 24U);
  EXPECT_EQ(blocks[0].owner.kernel, "kernel");
  EXPECT_EQ(blocks[0].owner.line.line, 3U);
  EXPECT_THROW(device.fill(blocks[0].address, std::byte{0}, 4), DeviceError);
}

TEST_F(HeapKernelTest, CallsOfAnotherShapeAreRefused) {
  const std::string body =
      "{ .param .b64 given;\n"
      "st.param.b64 [given], 24;\n"
      "call.uni malloc, (given); }\n";
  EXPECT_THROW(run(body, 0, 0, 0, {}, {}, kDeclarations), DeviceError);
}

}  // namespace
}  // namespace lockstep::emulator
