// SPDX-License-Identifier: Apache-2.0
// Memory that is freed while queued tasks use it: the block is dead at once, but its memory is reused only after these
// tasks.
#include <chrono>
#include <cstdlib>
#include <set>
#include <vector>

#include "contract_support.h"

namespace contract {
namespace {

class DeferredFree : public OnStream {
 protected:
  void TearDown() override {
    EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
    EXPECT_EQ(aclrtDestroyStream(stream_), kOk);
    OnStream::TearDown();
  }

  static char* Malloc(size_t bytes) {
    void* block = nullptr;
    EXPECT_EQ(aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
    return static_cast<char*>(block);
  }

  // Whether one of the next allocated blocks of that size begins at that address. The blocks are freed again, so the
  // next search needs more attempts.
  static bool ComesBack(char* address, size_t bytes, int tries = 200) {
    std::vector<char*> blocks;
    bool back = false;
    for (int count = 0; count < tries && !back; ++count) {
      blocks.push_back(Malloc(bytes));
      back = blocks.back() == address;
    }
    for (char* block : blocks) EXPECT_EQ(aclrtFree(block), kOk);
    return back;
  }
};

constexpr size_t kFreedSizes[] = {40, 5'000, 200'000, 8'000'000};

TEST_F(DeferredFree, IdleMemoryComesBackAtOnce) {
  for (size_t bytes : kFreedSizes) {
    char* block = Malloc(bytes);
    EXPECT_EQ(aclrtFree(block), kOk);
    EXPECT_TRUE(ComesBack(block, bytes)) << bytes;
  }
}

TEST_F(DeferredFree, QueuedWorkDoesNotReachTheNextOwner) {
  for (size_t bytes : kFreedSizes) {
    Gate gate;
    gate.Block(stream_);
    char* block = Malloc(bytes);
    ASSERT_EQ(aclrtMemsetAsync(block, bytes, 7, bytes, stream_), kOk);
    ASSERT_EQ(aclrtFree(block), kOk) << "it does not wait";
    EXPECT_REFUSED(kRtParamInvalid, aclrtFree(block));
    EXPECT_REFUSED(kRtParamInvalid, aclrtMemset(block, bytes, 1, bytes));
    std::vector<char*> others;
    for (int count = 0; count < 20; ++count) {
      others.push_back(Malloc(bytes));
      EXPECT_NE(others.back(), block) << bytes;
      ASSERT_EQ(aclrtMemset(others.back(), bytes, 1, bytes), kOk);
    }
    gate.Open();
    ASSERT_EQ(aclrtSynchronizeStream(stream_), kOk);
    for (char* other : others) {
      std::vector<char> content(bytes);
      ASSERT_EQ(aclrtMemcpy(content.data(), bytes, other, bytes, ACL_MEMCPY_DEVICE_TO_HOST), kOk);
      EXPECT_EQ(content, std::vector<char>(bytes, 1));
      EXPECT_EQ(aclrtFree(other), kOk);
    }
    EXPECT_TRUE(ComesBack(block, bytes)) << bytes;
  }
}

TEST_F(DeferredFree, EveryStreamMustHavePassed) {
  const aclrtStream other = CreateStream();
  for (size_t bytes : kFreedSizes) {
    Gate here, there;
    here.Block(stream_);
    there.Block(other);
    char* block = Malloc(bytes);
    ASSERT_EQ(aclrtFree(block), kOk);
    here.Open();
    ASSERT_EQ(aclrtSynchronizeStream(stream_), kOk);
    EXPECT_FALSE(ComesBack(block, bytes, 20)) << bytes;
    there.Open();
    ASSERT_EQ(aclrtSynchronizeStream(other), kOk);
    EXPECT_TRUE(ComesBack(block, bytes)) << bytes;
  }
  EXPECT_EQ(aclrtDestroyStream(other), kOk);
}

TEST_F(DeferredFree, LaterWorkDoesNotHoldItBack) {
  for (size_t bytes : kFreedSizes) {
    Gate first, second;
    std::atomic<bool> between = false;
    first.Block(stream_);
    char* early = Malloc(bytes);
    char* late = Malloc(bytes);
    ASSERT_EQ(aclrtFree(early), kOk);
    ASSERT_EQ(aclrtLaunchHostFunc(stream_, Raise, &between), kOk);
    second.Block(stream_);
    ASSERT_EQ(aclrtFree(late), kOk);
    first.Open();
    while (!between) std::this_thread::yield();
    EXPECT_TRUE(ComesBack(early, bytes)) << bytes;
    EXPECT_FALSE(ComesBack(late, bytes, 20)) << bytes;
    second.Open();
    ASSERT_EQ(aclrtSynchronizeStream(stream_), kOk);
    EXPECT_TRUE(ComesBack(late, bytes)) << bytes;
  }
}

TEST_F(DeferredFree, CountsAsUsedUntilItMayBeUsedAgain) {
  constexpr size_t kBytes = size_t{64} << 20;
  size_t before = 0, held = 0, after = 0, total = 0;
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total), kOk);
  Gate gate;
  gate.Block(stream_);
  ASSERT_EQ(aclrtFree(Malloc(kBytes)), kOk);
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &held, &total), kOk);
  EXPECT_GE(before - held, kBytes);
  gate.Open();
  ASSERT_EQ(aclrtSynchronizeStream(stream_), kOk);
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total), kOk);
  EXPECT_EQ(before, after);
}

// A request for more memory than is free waits for memory that streams will release.
TEST_F(DeferredFree, ARequestWaitsForMemoryThatIsHeldBack) {
  size_t free = 0, total = 0;
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), kOk);
  const size_t most = free / 8 * 5;
  char* block = Malloc(most);
  const auto sleep = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(30)); };
  ASSERT_EQ(aclrtLaunchHostFunc(stream_, sleep, nullptr), kOk);
  ASSERT_EQ(aclrtFree(block), kOk);
  block = Malloc(most);
  EXPECT_EQ(aclrtFree(block), kOk);

  // But it does not wait for a stream that waits for an event which was never recorded.
  const aclrtEvent event = CreateSyncEvent();
  block = Malloc(most);
  ASSERT_EQ(aclrtStreamWaitEvent(stream_, event), kOk);
  ASSERT_EQ(aclrtFree(block), kOk);
  void* another = nullptr;
  EXPECT_REFUSED(kRtOutOfMemory, aclrtMalloc(&another, most, ACL_MEM_MALLOC_HUGE_FIRST));
  ASSERT_EQ(aclrtRecordEvent(event, nullptr), kOk);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), kOk);
  EXPECT_EQ(aclrtMalloc(&another, most, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
  EXPECT_EQ(aclrtFree(another), kOk);
  EXPECT_EQ(aclrtDestroyEvent(event), kOk);
}

TEST_F(DeferredFree, EndsWithTheStream) {
  for (size_t bytes : kFreedSizes) {
    const aclrtStream stream = CreateStream();
    Gate gate;
    gate.Block(stream);
    char* block = Malloc(bytes);
    ASSERT_EQ(aclrtFree(block), kOk);
    EXPECT_FALSE(ComesBack(block, bytes, 20)) << bytes;
    gate.Open();
    EXPECT_EQ(aclrtDestroyStream(stream), kOk);
    EXPECT_TRUE(ComesBack(block, bytes)) << bytes;
  }
}

void* MallocOf(size_t bytes) {
  void* block = nullptr;
  EXPECT_EQ(aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
  return block;
}

void ExpectSlack(size_t slack) {
  ASSERT_EQ(aclrtSetDevice(0), kOk);
  for (const size_t bytes : {size_t{100}, size_t{30'000}, size_t{3'000'000}}) {
    const size_t rounded = (bytes + 31) / 32 * 32;
    const size_t usable = rounded + 32 + slack;
    void* block = MallocOf(bytes);
    EXPECT_EQ(aclrtMemset(block, usable, 1, usable), kOk);
    EXPECT_REFUSED(kRtParamInvalid, aclrtMemset(block, usable + 1, 1, usable + 1));
    void* base = nullptr;
    size_t asked = 0;
    EXPECT_EQ(aclrtMemGetAddressRange(block, &base, &asked), kOk);
    EXPECT_EQ(asked, bytes);
    EXPECT_EQ(aclrtFree(block), kOk);
    ASSERT_EQ(aclrtMallocAlign32(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
    EXPECT_REFUSED(kRtParamInvalid, aclrtMemset(block, rounded + 1, 1, rounded + 1));
    EXPECT_EQ(aclrtFree(block), kOk);
  }
}

TEST(BlockSlackDeathTest, MakesBlocksOfMallocLarger) {
  EXPECT_IN_FRESH_PROCESS(unsetenv("PORTACL_BLOCK_SLACK"); ExpectSlack(0));
  EXPECT_IN_FRESH_PROCESS(setenv("PORTACL_BLOCK_SLACK", "1000", 1); ExpectSlack(1'000));
  EXPECT_IN_FRESH_PROCESS(setenv("PORTACL_BLOCK_SLACK", "1048576", 1); ExpectSlack(1'048'576));
  EXPECT_IN_FRESH_PROCESS(setenv("PORTACL_BLOCK_SLACK", "-1", 1); ExpectSlack(0));
}

}  // namespace
}  // namespace contract
