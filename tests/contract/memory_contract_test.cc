// SPDX-License-Identifier: Apache-2.0
// Memory: allocation, copies, fills, and every misuse of them that does not break the client's own process.
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "contract_support.h"

namespace contract {
namespace {

constexpr aclrtMemMallocPolicy kPolicy = ACL_MEM_MALLOC_HUGE_FIRST;

class Memory : public OnDevice {
 protected:
  void* Malloc(size_t bytes) {
    void* block = nullptr;
    EXPECT_EQ(aclrtMalloc(&block, bytes, kPolicy), kOk);
    return block;
  }
  template <class T>
  T Fetch(const void* device) {
    T value{};
    EXPECT_EQ(aclrtMemcpy(&value, sizeof(value), device, sizeof(value), ACL_MEMCPY_DEVICE_TO_HOST), kOk);
    return value;
  }
};

TEST_F(Memory, BlocksAreAlignedAndPadded) {
  for (size_t bytes : {1, 31, 32, 33, 4096, 70000, 3000000}) {
    void* block = Malloc(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u) << bytes;
    const size_t usable = (bytes + 31) / 32 * 32 + 32;
    EXPECT_EQ(aclrtMemset(block, usable, 7, usable), kOk) << "operators may touch whole 32-byte blocks past the end";
    EXPECT_EQ(aclrtFree(block), kOk);
  }
}

TEST_F(Memory, OtherAllocatorsServeToo) {
  void* block = nullptr;
  EXPECT_EQ(aclrtMallocAlign32(&block, 33, kPolicy), kOk);
  EXPECT_EQ(aclrtMemset(block, 64, 7, 64), kOk);
  EXPECT_EQ(aclrtFree(block), kOk);
  EXPECT_EQ(aclrtMallocHost(&block, 33), kOk);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % 64, 0u);
  std::memset(block, 7, 33);
  EXPECT_EQ(aclrtFreeHost(block), kOk);
  EXPECT_EQ(aclrtMalloc(&block, 33, static_cast<aclrtMemMallocPolicy>(77)), kOk) << "policies are hints";
  EXPECT_EQ(aclrtFree(block), kOk);
}

TEST_F(Memory, EmptyNullAndImpossibleRequestsAreRefused) {
  void* block = nullptr;
  EXPECT_REFUSED(kInvalidParam, aclrtMalloc(&block, 0, kPolicy));
  EXPECT_REFUSED(kInvalidParam, aclrtMalloc(nullptr, 8, kPolicy));
  EXPECT_REFUSED(kInvalidParam, aclrtMallocAlign32(&block, 0, kPolicy));
  EXPECT_REFUSED(kInvalidParam, aclrtMallocHost(&block, 0));
  EXPECT_REFUSED(kInvalidParam, aclrtMallocHost(nullptr, 8));
  EXPECT_REFUSED(kRtOutOfMemory, aclrtMalloc(&block, std::numeric_limits<size_t>::max(), kPolicy));
  EXPECT_REFUSED(kRtOutOfMemory, aclrtMalloc(&block, size_t{1} << 60, kPolicy));
  EXPECT_REFUSED(kRtOutOfMemory, aclrtMallocHost(&block, size_t{1} << 60));
  EXPECT_EQ(block, nullptr) << "a failed call leaves its output untouched";
}

TEST_F(Memory, FreeTakesOnlyTheBeginningOfALiveBlock) {
  for (size_t bytes : {8, 5000, 200000, 8000000}) {
    void* block = Malloc(bytes);
    EXPECT_REFUSED(kRtParamInvalid, aclrtFree(static_cast<char*>(block) + 4));
    EXPECT_EQ(aclrtFree(block), kOk);
    EXPECT_REFUSED(kRtParamInvalid, aclrtFree(block));
  }
  int local = 0;
  EXPECT_REFUSED(kRtParamInvalid, aclrtFree(&local));
  EXPECT_REFUSED(kInvalidParam, aclrtFree(nullptr));
  EXPECT_REFUSED(kInvalidParam, aclrtFreeHost(nullptr));
  EXPECT_REFUSED(kRtParamInvalid, aclrtFreeHost(&local));
  void* host = nullptr;
  ASSERT_EQ(aclrtMallocHost(&host, 8), kOk);
  EXPECT_EQ(aclrtFreeHost(host), kOk);
  EXPECT_REFUSED(kRtParamInvalid, aclrtFreeHost(host));
}

TEST_F(Memory, FreeNeedsNoContextAndSurvivesTheDevice) {
  void* block = Malloc(100);
  ASSERT_EQ(aclrtResetDeviceForce(0), kOk);
  OnFreshThread([block] { EXPECT_EQ(aclrtFree(block), kOk); });
}

TEST_F(Memory, CopiesInEveryDirection) {
  const int64_t source = 0x0123456789abcdef;
  void* a = Malloc(sizeof(source));
  void* b = Malloc(sizeof(source));
  EXPECT_EQ(aclrtMemcpy(a, 8, &source, 8, ACL_MEMCPY_HOST_TO_DEVICE), kOk);
  EXPECT_EQ(aclrtMemcpy(b, 8, a, 8, ACL_MEMCPY_DEVICE_TO_DEVICE), kOk);
  EXPECT_EQ(Fetch<int64_t>(b), source);
  int64_t direct = 0;
  EXPECT_EQ(aclrtMemcpy(&direct, 8, b, 8, ACL_MEMCPY_DEFAULT), kOk);
  EXPECT_EQ(direct, source);
  int64_t host = 0;
  EXPECT_EQ(aclrtMemcpy(&host, 8, &source, 8, ACL_MEMCPY_HOST_TO_HOST), kOk);
  EXPECT_EQ(host, source);
  EXPECT_EQ(aclrtFree(a), kOk);
  EXPECT_EQ(aclrtFree(b), kOk);
}

// The order of the checks is part of the contract.
TEST_F(Memory, CopyRefusesInTheDocumentedOrder) {
  char a[8] = {1, 2, 3, 4}, b[8] = {};
  const auto bad_kind = static_cast<aclrtMemcpyKind>(9);
  EXPECT_EQ(aclrtMemcpy(nullptr, 0, nullptr, 0, bad_kind), kOk) << "nothing to copy comes before all checks";
  EXPECT_REFUSED(kInvalidParam, aclrtMemcpy(nullptr, 8, a, 8, ACL_MEMCPY_DEFAULT));
  EXPECT_REFUSED(kInvalidParam, aclrtMemcpy(b, 8, nullptr, 8, ACL_MEMCPY_DEFAULT));
  EXPECT_REFUSED(kInvalidParam, aclrtMemcpy(b, 4, a, 8, bad_kind));
  EXPECT_REFUSED(kInvalidParam, aclrtMemcpy(b, 8, a, 8, static_cast<aclrtMemcpyKind>(-1)));
  EXPECT_REFUSED(kInvalidParam, aclrtMemcpy(b, 8, a, 8, ACL_MEMCPY_INNER_DEVICE_TO_DEVICE));
  EXPECT_REFUSED(kRtParamInvalid, aclrtMemcpy(b, 4, a, 8, ACL_MEMCPY_DEFAULT));
  EXPECT_EQ(b[0], 0);
  OnFreshThread([&] {
    EXPECT_EQ(aclrtMemcpy(a, 8, a, 8, ACL_MEMCPY_DEFAULT), kOk) << "onto itself needs no context";
    EXPECT_EQ(aclrtMemcpy(b, 8, a, 8, ACL_MEMCPY_DEFAULT), kRtNoContext);
    EXPECT_EQ(aclrtMemcpy(nullptr, 0, nullptr, 0, ACL_MEMCPY_DEFAULT), kOk);
  });
}

TEST_F(Memory, FillRefusesInTheDocumentedOrder) {
  void* block = Malloc(8);
  EXPECT_EQ(aclrtMemset(nullptr, 0, 1, 0), kOk);
  EXPECT_REFUSED(kInvalidParam, aclrtMemset(nullptr, 8, 1, 8));
  EXPECT_REFUSED(kRtParamInvalid, aclrtMemset(block, 4, 1, 8));
  EXPECT_EQ(aclrtMemset(block, 8, 0x1ff, 8), kOk);
  EXPECT_EQ(Fetch<uint64_t>(block), ~uint64_t{0}) << "only the low byte counts";
  EXPECT_EQ(aclrtMemsetAsync(nullptr, 0, 1, 0, nullptr), kOk);
  EXPECT_REFUSED(kInvalidParam, aclrtMemsetAsync(nullptr, 8, 1, 8, nullptr));
  EXPECT_REFUSED(kRtParamInvalid, aclrtMemsetAsync(block, 4, 1, 8, nullptr));
  EXPECT_EQ(aclrtFree(block), kOk);
}

TEST_F(Memory, PageableSourceMayBeReusedAtOnce) {
  constexpr size_t kBytes = 1 << 20;
  void* block = Malloc(kBytes);
  const aclrtStream stream = CreateStream();
  {
    std::vector<char> source(kBytes, 5);
    EXPECT_EQ(aclrtMemsetAsync(block, kBytes, 3, kBytes, stream), kOk);
    EXPECT_EQ(aclrtMemcpyAsync(block, kBytes, source.data(), kBytes, ACL_MEMCPY_HOST_TO_DEVICE, stream), kOk);
    std::memset(source.data(), 9, kBytes);
  }
  EXPECT_EQ(aclrtSynchronizeStream(stream), kOk);
  EXPECT_EQ(Fetch<char>(block), 5);
  EXPECT_EQ(Fetch<char>(static_cast<char*>(block) + kBytes - 1), 5);
  EXPECT_EQ(aclrtDestroyStream(stream), kOk);
  EXPECT_EQ(aclrtFree(block), kOk);
}

TEST_F(Memory, PageLockedCopiesAreQueued) {
  void* device = Malloc(4);
  void* pinned = nullptr;
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtMallocHost(&pinned, 4), kOk);
  ASSERT_EQ(aclrtCreateStream(&stream), kOk);
  *static_cast<int32_t*>(pinned) = 1;
  Gate gate;
  gate.Block(stream);
  EXPECT_EQ(aclrtMemcpyAsync(device, 4, pinned, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream), kOk);
  *static_cast<int32_t*>(pinned) = 2;  // the copy reads its source only when it is executed
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(stream), kOk);
  EXPECT_EQ(Fetch<int32_t>(device), 2);
  EXPECT_EQ(aclrtDestroyStream(stream), kOk);
  EXPECT_EQ(aclrtFreeHost(pinned), kOk);
  EXPECT_EQ(aclrtFree(device), kOk);
}

TEST_F(Memory, QueuedCopiesAreCheckedAtOnce) {
  void* block = Malloc(8);
  char host[8] = {};
  char other[8] = {};
  EXPECT_EQ(aclrtMemcpyAsync(nullptr, 0, nullptr, 0, ACL_MEMCPY_DEFAULT, nullptr), kOk);
  EXPECT_REFUSED(kInvalidParam, aclrtMemcpyAsync(nullptr, 8, host, 8, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  EXPECT_REFUSED(kInvalidParam, aclrtMemcpyAsync(block, 8, host, 8, static_cast<aclrtMemcpyKind>(9), nullptr));
  EXPECT_REFUSED(kRtParamInvalid, aclrtMemcpyAsync(block, 4, host, 8, ACL_MEMCPY_HOST_TO_DEVICE, nullptr));
  EXPECT_REFUSED(kRtNotSupported, aclrtMemcpyAsync(other, 8, host, 8, ACL_MEMCPY_HOST_TO_HOST, nullptr));
  const aclrtStream stream = CreateStream();
  ASSERT_EQ(aclrtDestroyStream(stream), kOk);
  EXPECT_REFUSED(kRtInvalidHandle, aclrtMemcpyAsync(block, 8, host, 8, ACL_MEMCPY_HOST_TO_DEVICE, stream));
  EXPECT_REFUSED(kRtInvalidHandle, aclrtMemsetAsync(block, 8, 1, 8, stream));
  EXPECT_EQ(aclrtFree(block), kOk);
}

TEST(Float16, NarrowsLikeTheCard) {
  EXPECT_EQ(aclFloatToFloat16(std::numeric_limits<float>::infinity()), 0x7BFF);
  EXPECT_EQ(aclFloatToFloat16(-std::numeric_limits<float>::infinity()), 0xFBFF);
  EXPECT_EQ(aclFloatToFloat16(std::numeric_limits<float>::quiet_NaN()), 0x7BFF);
  EXPECT_EQ(aclFloatToFloat16(-std::numeric_limits<float>::quiet_NaN()), 0xFBFF);
  EXPECT_EQ(aclFloatToFloat16(65519.0f), 0x7BFF);
  EXPECT_EQ(aclFloatToFloat16(65520.0f), 0x7BFF);
  EXPECT_EQ(aclFloatToFloat16(1e30f), 0x7BFF);
  EXPECT_EQ(aclFloatToFloat16(0x1p-25f), 0x0000) << "half of the smallest subnormal: to even";
  EXPECT_EQ(aclFloatToFloat16(0x1.8p-25f), 0x0001);
  EXPECT_EQ(aclFloatToFloat16(-0.0f), 0x8000);
}

TEST(Float16, WidensLikeTheCard) {
  EXPECT_EQ(aclFloat16ToFloat(0x7C00), 65536.0f);
  EXPECT_EQ(aclFloat16ToFloat(0x7E00), 98304.0f);
  EXPECT_EQ(aclFloat16ToFloat(0x7C01), 65600.0f);
  EXPECT_EQ(aclFloat16ToFloat(0xFC00), -65536.0f);
}

TEST(Float16, FiniteValuesSurviveTheRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    if ((bits & 0x7C00) == 0x7C00) continue;
    const auto half = static_cast<aclFloat16>(bits);
    ASSERT_EQ(aclFloatToFloat16(aclFloat16ToFloat(half)), half);
  }
  EXPECT_EQ(aclFloat16ToFloat(0x0001), 0x1p-24f);
  EXPECT_EQ(aclFloat16ToFloat(0x83FF), -1023 * 0x1p-24f);
}

TEST(DataTypeSize, IsThatOfTheTable) {
  const std::vector<std::pair<int, size_t>> rows = {{-1, 0}, {0, 4},   {1, 2},  {2, 1},  {3, 4},  {4, 1},  {6, 2},
                                                    {7, 2},  {8, 4},   {9, 8},  {10, 8}, {11, 8}, {12, 1}, {13, 0},
                                                    {16, 8}, {17, 16}, {27, 2}, {29, 1}, {30, 1}, {33, 4}, {34, 1},
                                                    {35, 1}, {36, 1},  {37, 1}, {38, 8}, {41, 8}, {5, 8},  {999, 8}};
  for (const auto& [dtype, bytes] : rows) EXPECT_EQ(aclDataTypeSize(static_cast<aclDataType>(dtype)), bytes) << dtype;
}

}  // namespace
}  // namespace contract
