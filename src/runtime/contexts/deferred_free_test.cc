// SPDX-License-Identifier: Apache-2.0
// Threads free blocks that queued tasks of their streams still write, and check that no other thread's block overlaps
// theirs.
#include "runtime/contexts/deferred_free.h"

#include <chrono>
#include <cstdint>
#include <iterator>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "acl/acl.h"

namespace portacl::contexts {
namespace {

constexpr size_t kSizes[] = {64, 3'000, 40'000, 300'000};

char* Malloc(size_t bytes) {
  void* block = nullptr;
  EXPECT_EQ(aclrtMalloc(&block, bytes, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  return static_cast<char*>(block);
}

// Queued fills that nobody waits for write whole blocks. Only blocks that no queued task uses are checked.
void FreeAndCheck(int thread, int rounds) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  const auto sleep = [](void*) { std::this_thread::sleep_for(std::chrono::microseconds(300)); };
  for (int round = 0; round < rounds; ++round) {
    ASSERT_EQ(aclrtLaunchHostFunc(stream, sleep, nullptr), ACL_SUCCESS);  // the next tasks are queued after it
    const size_t bytes = kSizes[static_cast<size_t>(round + thread) % std::size(kSizes)];
    for (int count = 0; count < 4; ++count) {
      char* block = Malloc(bytes);
      ASSERT_EQ(aclrtMemsetAsync(block, bytes, 0xEE, bytes, stream), ACL_SUCCESS);
      ASSERT_EQ(aclrtFree(block), ACL_SUCCESS);
    }
    char* mine = Malloc(bytes);
    ASSERT_EQ(aclrtMemset(mine, bytes, thread, bytes), ACL_SUCCESS);
    if (round % 3 == 0) {
      ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    }
    std::vector<char> content(bytes);
    ASSERT_EQ(aclrtMemcpy(content.data(), bytes, mine, bytes, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    ASSERT_EQ(content, std::vector<char>(bytes, static_cast<char>(thread))) << round;
    ASSERT_EQ(aclrtFree(mine), ACL_SUCCESS);
  }
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

TEST(DeferredFree, ThreadsGetBlocksThatAreTheirsAlone) {
  ReclaimDeferred();  // blocks of other tests
  memory::DevicePool(0).Trim();
  const size_t used = memory::DevicePool(0).UsedBytes();
  std::vector<std::thread> threads;
  for (int thread = 1; thread <= 4; ++thread) threads.emplace_back(FreeAndCheck, thread, 200);
  for (std::thread& thread : threads) thread.join();
  ReclaimDeferred();
  memory::DevicePool(0).Trim();
  EXPECT_EQ(memory::DevicePool(0).UsedBytes(), used) << "all came back";
}

}  // namespace
}  // namespace portacl::contexts
