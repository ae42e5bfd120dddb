// SPDX-License-Identifier: Apache-2.0
// How ggml-cann begins and ends: it initialises twice, its pool is one growing range, and it destroys its objects only
// after aclrtResetDevice. It ends the process on any status other than 0.
#include <array>

#include "contract_support.h"

namespace contract {
namespace {

struct Held {
  void* block = nullptr;
  void* host = nullptr;
  void* range = nullptr;
  std::array<aclrtDrvMemHandle, 3> memory{};
  size_t step = 0;

  char* part(size_t index) const { return static_cast<char*>(range) + index * step; }

  // Reserves an address range as large as the free memory, which is mapped from its beginning onwards.
  void Make() {
    size_t free = 0, total = 0;
    ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total), kOk);
    EXPECT_GT(free, 0u);
    EXPECT_LE(free, total);
    aclrtPhysicalMemProp properties{};
    properties.handleType = ACL_MEM_HANDLE_TYPE_NONE;
    properties.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
    properties.memAttr = ACL_HBM_MEM_HUGE;
    properties.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = 0;
    ASSERT_EQ(aclrtMemGetAllocationGranularity(&properties, ACL_RT_MEM_ALLOC_GRANULARITY_RECOMMENDED, &step), kOk);
    ASSERT_GT(step, 0u);
    ASSERT_EQ(aclrtReserveMemAddress(&range, free, 0, nullptr, 1), kOk);
    for (size_t index = 0; index < memory.size(); ++index) {
      ASSERT_EQ(aclrtMallocPhysical(&memory[index], step, &properties, 0), kOk);
      ASSERT_EQ(aclrtMapMem(part(index), step, 0, memory[index], 0), kOk);
      void* base = nullptr;
      size_t bytes = 0;
      EXPECT_EQ(aclrtMemGetAddressRange(part(0), &base, &bytes), kOk);
      EXPECT_EQ(bytes, (index + 1) * step) << "what was mapped one behind the other is one block";
    }
    ASSERT_EQ(aclrtMalloc(&block, 1000, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
    ASSERT_EQ(aclrtMallocHost(&host, 1000), kOk);
  }

  void End() const {
    for (size_t index = 0; index < memory.size(); ++index) {
      EXPECT_EQ(aclrtUnmapMem(part(index)), kOk);
      EXPECT_EQ(aclrtFreePhysical(memory[index]), kOk);
    }
    EXPECT_EQ(aclrtReleaseMemAddress(range), kOk);
    EXPECT_EQ(aclrtFree(block), kOk);
    EXPECT_EQ(aclrtFreeHost(host), kOk);
  }
};

TEST(ClientEndDeathTest, AllIsDestroyedAfterTheReset) {
  EXPECT_IN_FRESH_PROCESS({
    EXPECT_EQ(aclInit(nullptr), kOk);
    ASSERT_EQ(aclrtSetDevice(0), kOk);
    EXPECT_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
    Held held;
    held.Make();
    ASSERT_EQ(aclrtSetDevice(0), kOk) << "once more for the stream";
    aclrtStream stream = nullptr;
    aclrtEvent event = nullptr;
    ASSERT_EQ(aclrtCreateStream(&stream), kOk);
    ASSERT_EQ(aclrtCreateEvent(&event), kOk);
    const size_t bytes = 2 * held.step;
    ASSERT_EQ(aclrtMemsetAsync(held.part(0) + held.step / 2, bytes, 3, bytes, stream), kOk) << "across both seams";
    ASSERT_EQ(aclrtRecordEvent(event, stream), kOk);
    ASSERT_EQ(aclrtSynchronizeDevice(), kOk);
    ASSERT_EQ(aclrtResetDevice(0), kOk);
    EXPECT_EQ(aclrtDestroyEvent(event), kOk);
    EXPECT_EQ(aclrtDestroyStream(stream), kOk);
    held.End();
  });
}

TEST(ClientEndDeathTest, MemoryNeedsNoContextToEnd) {
  EXPECT_IN_FRESH_PROCESS({
    ASSERT_EQ(aclrtSetDevice(0), kOk);
    Held held;
    held.Make();
    ASSERT_EQ(aclrtResetDevice(0), kOk);
    held.End();
  });
}

}  // namespace
}  // namespace contract
