// SPDX-License-Identifier: Apache-2.0
// Memory functions of the C API: codes and their order, copies, fills, scratch.
#include "runtime/memory/memory.h"
#include "runtime/contexts/submit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

#include "runtime/test_support.h"

namespace portacl::testing {
namespace {

constexpr auto kPolicy = ACL_MEM_MALLOC_HUGE_FIRST;
constexpr size_t kBytes = 1000;

class MemoryTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(aclrtMalloc(&device_, kBytes, kPolicy), ACL_SUCCESS);
    ASSERT_EQ(aclrtMallocHost(&pinned_, kBytes), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtFree(device_), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreeHost(pinned_), ACL_SUCCESS);
    DeviceTest::TearDown();
  }

  unsigned char FirstByte() const {
    unsigned char byte = 0;
    EXPECT_EQ(aclrtMemcpy(&byte, 1, device_, 1, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    return byte;
  }

  void* device_ = nullptr;
  void* pinned_ = nullptr;
};

TEST_F(MemoryTest, RefusesEmptyAndNull) {
  void* memory = this;
  EXPECT_EQ(aclrtMalloc(&memory, 0, kPolicy), ACL_ERROR_INVALID_PARAM);
  ExpectReport("aclrtMalloc", "got 0");
  EXPECT_EQ(aclrtMalloc(nullptr, 1, kPolicy), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMallocAlign32(&memory, 0, kPolicy), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMallocHost(&memory, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMallocHost(nullptr, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtFreeHost(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(memory, this);
}

TEST_F(MemoryTest, UnknownPoliciesAreHints) {
  void* memory = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, 1, static_cast<aclrtMemMallocPolicy>(0x7FFF)), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
}

TEST_F(MemoryTest, ExhaustionHasItsCodeAndLeavesTheOutputAlone) {
  for (const size_t size : {SIZE_MAX, SIZE_MAX - 40, size_t{1} << 60, size_t{1} << 46}) {
    void* memory = this;
    EXPECT_EQ(aclrtMalloc(&memory, size, kPolicy), ACL_ERROR_RT_MEMORY_ALLOCATION);
    ExpectReport("aclrtMalloc", std::to_string(size).c_str());
    EXPECT_EQ(aclrtMallocAlign32(&memory, size, kPolicy), ACL_ERROR_RT_MEMORY_ALLOCATION);
    EXPECT_EQ(aclrtMallocHost(&memory, size), ACL_ERROR_RT_MEMORY_ALLOCATION);
    EXPECT_EQ(memory, this);
  }
}

TEST_F(MemoryTest, FreeingTwiceOrTheWrongThingIsAnswered) {
  void* memory = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, kBytes, kPolicy), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(static_cast<char*>(memory) + 64), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFreeHost(memory), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFree(pinned_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFree(&memory), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_ERROR_RT_PARAM_INVALID);
  ExpectReport("aclrtFree", "live block");
}

TEST_F(MemoryTest, FreeingNeedsNoContext) {
  void* memory = nullptr;
  void* host = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, kBytes, kPolicy), ACL_SUCCESS);
  ASSERT_EQ(aclrtMallocHost(&host, kBytes), ACL_SUCCESS);
  InFreshThread([=] {
    EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
    EXPECT_EQ(aclrtFreeHost(host), ACL_SUCCESS);
  });
}

TEST_F(MemoryTest, DeviceAndPinnedBlocksAreToldApart) {
  memory::Block block;
  EXPECT_TRUE(memory::FindBlock(device_, &block));
  EXPECT_FALSE(memory::FindHostBlock(device_, &block));
  EXPECT_TRUE(memory::FindHostBlock(static_cast<char*>(pinned_) + kBytes - 1, &block));
  EXPECT_EQ(block.begin, reinterpret_cast<uintptr_t>(pinned_));
  EXPECT_FALSE(memory::FindBlock(pinned_, &block));
  EXPECT_FALSE(memory::FindBlock(&block, &block) || memory::FindHostBlock(&block, &block));
  std::memset(pinned_, 1, kBytes);  // the host may access page-locked memory on any device
}

TEST_F(MemoryTest, CopyChecksInTheirOrder) {
  char host[kBytes] = {};
  const auto kind9 = static_cast<aclrtMemcpyKind>(9);
  const auto kind6 = ACL_MEMCPY_INNER_DEVICE_TO_DEVICE;
  EXPECT_EQ(aclrtMemcpy(nullptr, 0, nullptr, 0, kind9), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(nullptr, 0, host, 1, kind9), ACL_ERROR_INVALID_PARAM);
  ExpectReport("aclrtMemcpy", "'dst'");
  EXPECT_EQ(aclrtMemcpy(device_, 0, nullptr, 1, kind9), ACL_ERROR_INVALID_PARAM);
  ExpectReport("aclrtMemcpy", "'src'");
  EXPECT_EQ(aclrtMemcpy(device_, 0, host, 1, kind9), ACL_ERROR_INVALID_PARAM);
  ExpectReport("aclrtMemcpy", "'kind'");
  EXPECT_EQ(aclrtMemcpy(device_, 9, host, 1, kind6), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpy(device_, 9, host, 1, static_cast<aclrtMemcpyKind>(-1)), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpy(host, 0, host, 1, ACL_MEMCPY_DEFAULT), ACL_ERROR_RT_PARAM_INVALID);
  ExpectReport("aclrtMemcpy", "destMax");
  InFreshThread([&] {
    EXPECT_EQ(aclrtMemcpy(host, 1, host, 1, ACL_MEMCPY_DEFAULT), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemcpy(device_, 1, host, 1, ACL_MEMCPY_DEFAULT), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtMemcpyAsync(host, 1, host, 1, ACL_MEMCPY_DEFAULT, nullptr), ACL_SUCCESS);
    EXPECT_EQ(aclrtMemcpyAsync(device_, 1, host, 1, ACL_MEMCPY_DEFAULT, nullptr), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtMemset(device_, 1, 0, 1), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtMemsetAsync(device_, 1, 0, 1, nullptr), ACL_ERROR_RT_CONTEXT_NULL);
  });
  EXPECT_EQ(aclrtMemcpyAsync(nullptr, 0, nullptr, 0, kind9, host), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpyAsync(device_, 0, host, 1, kind9, host), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemcpyAsync(device_, 0, host, 1, ACL_MEMCPY_DEFAULT, host), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemcpyAsync(device_, 1, host, 1, ACL_MEMCPY_DEFAULT, host), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST_F(MemoryTest, FillChecksInTheirOrder) {
  EXPECT_EQ(aclrtMemset(nullptr, 0, 0, 0), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemset(nullptr, 0, 0, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemset(device_, 1, 0, 2), ACL_ERROR_RT_PARAM_INVALID);
  ExpectReport("aclrtMemset", "maxCount");
  EXPECT_EQ(aclrtMemsetAsync(nullptr, 0, 0, 0, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemsetAsync(nullptr, 0, 0, 1, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemsetAsync(device_, 1, 0, 2, nullptr), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemsetAsync(device_, 1, 0, 1, device_), ACL_ERROR_RT_INVALID_HANDLE);
}

TEST_F(MemoryTest, FillsWithTheLowByte) {
  ASSERT_EQ(aclrtMemset(device_, kBytes, 0x1234, kBytes), ACL_SUCCESS);
  EXPECT_EQ(FirstByte(), 0x34);
  ASSERT_EQ(aclrtMemsetAsync(device_, kBytes, -1, kBytes, nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(FirstByte(), 0xFF);
}

TEST_F(MemoryTest, CopiesMayOverlap) {
  std::vector<unsigned char> bytes(kBytes);
  std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(0));
  ASSERT_EQ(aclrtMemcpy(device_, kBytes, bytes.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemcpy(static_cast<char*>(device_) + 1, kBytes, device_, kBytes - 1, ACL_MEMCPY_DEVICE_TO_DEVICE),
            ACL_SUCCESS);
  std::vector<unsigned char> moved(kBytes);
  ASSERT_EQ(aclrtMemcpy(moved.data(), kBytes, device_, kBytes, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  std::vector<unsigned char> expected = bytes;
  std::memmove(expected.data() + 1, bytes.data(), kBytes - 1);
  EXPECT_EQ(moved, expected);
}

TEST_F(MemoryTest, AnAsynchronousCopyFromTheStackDeliversWhatItHeldAtTheCall) {
  Gate gate;
  gate.HoldStream(nullptr);
  std::thread opener([&gate] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    gate.Open();
  });
  ASSERT_EQ(aclrtMemsetAsync(device_, kBytes, 3, kBytes, nullptr), ACL_SUCCESS);
  unsigned char local[kBytes];
  std::memset(local, 7, kBytes);
  ASSERT_EQ(aclrtMemcpyAsync(device_, kBytes, local, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, nullptr), ACL_SUCCESS);
  std::memset(local, 9, kBytes);
  ASSERT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(FirstByte(), 7);
  opener.join();
}

TEST_F(MemoryTest, AnAsynchronousCopyToThePageableHostIsDoneWhenItReturns) {
  Gate gate;
  gate.HoldStream(nullptr);
  std::thread opener([&gate] { gate.Open(); });
  ASSERT_EQ(aclrtMemsetAsync(device_, kBytes, 3, kBytes, nullptr), ACL_SUCCESS);
  unsigned char local = 0;
  ASSERT_EQ(aclrtMemcpyAsync(&local, 1, device_, 1, ACL_MEMCPY_DEVICE_TO_HOST, nullptr), ACL_SUCCESS);
  EXPECT_EQ(local, 3);
  opener.join();
}

TEST_F(MemoryTest, APinnedCopyIsTrulyQueued) {
  Gate gate;
  gate.HoldStream(nullptr);
  std::memset(pinned_, 1, kBytes);
  ASSERT_EQ(aclrtMemset(device_, kBytes, 0, kBytes), ACL_SUCCESS);
  ASSERT_EQ(aclrtMemcpyAsync(device_, kBytes, pinned_, kBytes, ACL_MEMCPY_HOST_TO_DEVICE, nullptr), ACL_SUCCESS);
  EXPECT_EQ(FirstByte(), 0);
  std::memset(pinned_, 2, kBytes);
  gate.Open();
  ASSERT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(FirstByte(), 2);
}

TEST_F(MemoryTest, AnAsynchronousCopyFromHostToHostIsNotSupported) {
  char local = 0;
  EXPECT_EQ(aclrtMemcpyAsync(pinned_, 1, &local, 1, ACL_MEMCPY_HOST_TO_HOST, nullptr),
            ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  ExpectReport("aclrtMemcpyAsync", "host memory on both");
  EXPECT_EQ(aclrtMemcpy(pinned_, 1, &local, 1, ACL_MEMCPY_HOST_TO_HOST), ACL_SUCCESS);
  // The kind is only a hint: the direction follows from the addresses.
  EXPECT_EQ(aclrtMemcpyAsync(device_, 1, &local, 1, ACL_MEMCPY_HOST_TO_HOST, nullptr), ACL_SUCCESS);
}

// Two adjacent blocks: the bytes after the first one belong to the second.
class NeighbourTest : public MemoryTest {
 protected:
  void SetUp() override {
    MemoryTest::SetUp();
    ASSERT_EQ(aclrtMalloc(&other_, kBytes, kPolicy), ACL_SUCCESS);
    if (device_ > other_) std::swap(device_, other_);
    for (void* block : {device_, other_}) ASSERT_EQ(aclrtMemset(block, kUsable, 1, kUsable), ACL_SUCCESS);
  }
  void TearDown() override {
    unsigned char bytes[kBytes];
    ASSERT_EQ(aclrtMemcpy(bytes, kBytes, other_, kBytes, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    EXPECT_EQ(std::count(bytes, bytes + kBytes, 1), static_cast<ptrdiff_t>(kBytes)) << "the neighbour was overwritten";
    EXPECT_EQ(aclrtFree(other_), ACL_SUCCESS);
    MemoryTest::TearDown();
  }

  static constexpr size_t kUsable = (kBytes + 31) / 32 * 32 + 32;
  static constexpr size_t kTooMuch = kUsable + 1;
  static constexpr size_t kHostBytes = 1 << 16;

  char* In(void* block, size_t offset) { return static_cast<char*>(block) + offset; }

  void* other_ = nullptr;
  std::vector<char> host_ = std::vector<char>(kHostBytes, 7);
};

TEST_F(NeighbourTest, CopiesStayInTheirBlock) {
  void* const host = host_.data();
  const auto copy = [&](void* dst, const void* src, size_t count) {
    const aclError status = aclrtMemcpy(dst, count, src, count, ACL_MEMCPY_DEFAULT);
    if (status == ACL_SUCCESS) return status;
    ExpectReport("aclrtMemcpy", "block");
    EXPECT_EQ(aclrtMemcpyAsync(dst, count, src, count, ACL_MEMCPY_DEFAULT, nullptr), status);
    ExpectReport("aclrtMemcpyAsync", "block");
    EXPECT_EQ(aclrtMemcpyAsyncWithCondition(dst, count, src, count, ACL_MEMCPY_DEFAULT, nullptr), status);
    size_t sizes[] = {1, count};
    void* dsts[] = {device_, dst};
    void* srcs[] = {host, const_cast<void*>(src)};
    aclrtMemcpyBatchAttr attribute = {};
    size_t first = 0, failed = 0;
    EXPECT_EQ(aclrtMemcpyBatch(dsts, sizes, srcs, sizes, 2, &attribute, &first, 1, &failed), status);
    EXPECT_EQ(failed, 1u);
    EXPECT_EQ(aclrtMemcpyBatchAsync(dsts, sizes, srcs, sizes, 2, &attribute, &first, 1, &failed, nullptr), status);
    EXPECT_EQ(failed, 1u);
    return status;
  };
  EXPECT_EQ(copy(device_, host, kTooMuch), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(copy(host, device_, kTooMuch), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(copy(pinned_, device_, kTooMuch), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(copy(In(device_, 900), host, kTooMuch - 900), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(copy(In(device_, 900), host, kUsable - 900), ACL_SUCCESS);
  EXPECT_EQ(copy(In(device_, kUsable), host, 1), ACL_ERROR_RT_PARAM_INVALID);
  void* freed = nullptr;
  ASSERT_EQ(aclrtMalloc(&freed, kBytes, kPolicy), ACL_SUCCESS);
  ASSERT_EQ(aclrtFree(freed), ACL_SUCCESS);
  EXPECT_EQ(copy(freed, host, 2), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(copy(host, freed, 2), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(NeighbourTest, FillsStayInTheirBlock) {
  EXPECT_EQ(aclrtMemset(device_, kTooMuch, 7, kTooMuch), ACL_ERROR_RT_PARAM_INVALID);
  ExpectReport("aclrtMemset", "block");
  EXPECT_EQ(aclrtMemset(pinned_, 4 * kTooMuch, 7, 4 * kTooMuch), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtMemsetAsync(device_, kTooMuch, 7, kTooMuch, nullptr), ACL_ERROR_RT_PARAM_INVALID);
  ExpectReport("aclrtMemsetAsync", "block");
  EXPECT_EQ(aclrtMemsetD32(device_, SIZE_MAX, 7, kUsable / 4 + 1), ACL_ERROR_INVALID_PARAM);
  ExpectReport("aclrtMemsetD32", "block");
  EXPECT_EQ(aclrtMemsetD32(device_, SIZE_MAX, 7, SIZE_MAX / 2), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemsetD32Async(device_, kUsable + 4, 7, kUsable / 4 + 1, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtMemsetD32(device_, kUsable, 7, kUsable / 4), ACL_SUCCESS);
}

TEST_F(NeighbourTest, CopiesOfRowsStayInTheirBlock) {
  constexpr size_t kBig = size_t{1} << 32;
  void* const host = host_.data();
  const struct {
    size_t device_pitch, host_pitch, width, height;
    aclError status;
  } rows[] = {
      {100, 100, 100, 10, ACL_SUCCESS},
      {100, 100, 50, 11, ACL_SUCCESS},  // the last row is shorter than its pitch
      {100, 100, 57, 11, ACL_ERROR_INVALID_PARAM},
      {100, 100, 100, 11, ACL_ERROR_INVALID_PARAM},
      {2000, 100, 4, 2, ACL_ERROR_INVALID_PARAM},
      {kBig, kBig, kBig, kBig, ACL_ERROR_INVALID_PARAM},  // the product wraps to 0
      {kBig, kBig, 1, kBig + 1, ACL_ERROR_INVALID_PARAM},
      {SIZE_MAX, SIZE_MAX, 1, 2, ACL_ERROR_INVALID_PARAM},
      {SIZE_MAX, SIZE_MAX, SIZE_MAX, 1, ACL_ERROR_INVALID_PARAM},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(::testing::Message() << row.device_pitch << " " << row.width << " " << row.height);
    const auto to = ACL_MEMCPY_HOST_TO_DEVICE;
    const auto from = ACL_MEMCPY_DEVICE_TO_HOST;
    const auto [device_pitch, host_pitch, width, height, status] = row;
    EXPECT_EQ(aclrtMemcpy2d(device_, device_pitch, host, host_pitch, width, height, to), status);
    if (status != ACL_SUCCESS) ExpectReport("aclrtMemcpy2d", "argument");
    EXPECT_EQ(aclrtMemcpy2dAsync(device_, device_pitch, host, host_pitch, width, height, to, nullptr), status);
    EXPECT_EQ(aclrtMemcpy2d(host, host_pitch, device_, device_pitch, width, height, from), status);
    EXPECT_EQ(aclrtMemcpy2dAsync(host, host_pitch, device_, device_pitch, width, height, from, nullptr), status);
  }
  EXPECT_EQ(aclrtMemcpy2d(host_.data(), kBig, host_.data() + 100, kBig, kBig, kBig, ACL_MEMCPY_DEFAULT),
            ACL_ERROR_INVALID_PARAM);
}

TEST_F(NeighbourTest, IndirectCopiesStayInTheirBlock) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  void* dst = device_;
  const void* src = host_.data();
  const auto copy = [&](size_t offset, size_t count) {
    EXPECT_EQ(aclrtMemcpyAsyncWithOffset(&dst, count, offset, &src, count, 0, ACL_MEMCPY_DEFAULT, stream), ACL_SUCCESS);
    return aclrtSynchronizeStream(stream);
  };
  EXPECT_EQ(copy(900, kUsable - 900), ACL_SUCCESS);
  EXPECT_EQ(copy(900, kTooMuch - 900), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(copy(SIZE_MAX, 8), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
}

TEST_F(MemoryTest, ScratchComesWithAndWithoutAContextAndInsideATask) {
  void* inside = nullptr;
  Launch(nullptr, kInlineCostNs + 1, [&] { return static_cast<int32_t>(inside = contexts::AllocateScratch(100), 0); });
  ASSERT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  void* here = contexts::AllocateScratch(0);
  void* elsewhere = nullptr;
  InFreshThread([&] { elsewhere = contexts::AllocateScratch(1 << 20); });
  memory::Block block;
  for (void* scratch : {inside, here, elsewhere}) {
    EXPECT_TRUE(memory::FindBlock(scratch, &block));
    EXPECT_EQ(block.begin % 64, 0u);
    contexts::FreeScratch(scratch);
    EXPECT_FALSE(memory::FindBlock(scratch, &block));
  }
  contexts::FreeScratch(nullptr);
  EXPECT_EQ(contexts::AllocateScratch(SIZE_MAX), nullptr);
}

}  // namespace
}  // namespace portacl::testing
