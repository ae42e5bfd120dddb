// SPDX-License-Identifier: Apache-2.0
// Invalid counts are refused before the array is read: it lies in a page that is not mapped.
#include <cstddef>
#include <cstdint>

#include "acl/acl_prof.h"
#include "contract_support.h"

namespace contract {
namespace {

template <class Element>
Element* Unreadable() {
  return reinterpret_cast<Element*>(uintptr_t{64});
}

class Counts : public OnDevice {};

TEST_F(Counts, ProfiledDevicesAreNoMoreThanThereAre) {
  uint32_t devices = 0;
  ASSERT_EQ(aclrtGetDeviceCount(&devices), kOk);
  for (const uint32_t count : {devices + 1, 1000u, UINT32_MAX}) {
    EXPECT_EQ(aclprofCreateConfig(Unreadable<uint32_t>(), count, ACL_AICORE_NONE, nullptr, 0), nullptr);
    const std::string message = TakeMessage();
    EXPECT_NE(message.find("EH0001"), std::string::npos) << message << " (of 100000)";
    EXPECT_NE(message.find("'deviceNums'"), std::string::npos) << message;
  }
  uint32_t first = 0;
  aclprofConfig* config = aclprofCreateConfig(&first, 1, ACL_AICORE_NONE, nullptr, 0);
  EXPECT_NE(config, nullptr);
  EXPECT_EQ(aclprofDestroyConfig(config), kOk);
}

TEST_F(Counts, NotifiesAreNoMoreThanThereCanBe) {
  for (const size_t count : {size_t{65537}, SIZE_MAX}) {
    EXPECT_REFUSED(kInvalidParam, aclrtNotifyBatchReset(Unreadable<aclrtNotify>(), count));
  }
}

TEST_F(Counts, PlacesThatAccessMemoryAreDevicesAndTheHost) {
  constexpr size_t kPart = size_t{2} << 20;
  uint32_t devices = 0;
  ASSERT_EQ(aclrtGetDeviceCount(&devices), kOk);
  void* range = nullptr;
  aclrtDrvMemHandle memory = nullptr;
  aclrtPhysicalMemProp properties = {};
  properties.memAttr = ACL_HBM_MEM_HUGE;
  properties.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
  ASSERT_EQ(aclrtReserveMemAddress(&range, kPart, 0, nullptr, 0), kOk);
  ASSERT_EQ(aclrtMallocPhysical(&memory, kPart, &properties, 0), kOk);
  ASSERT_EQ(aclrtMapMem(range, kPart, 0, memory, 0), kOk);
  for (const size_t count : {size_t{devices} + 2, SIZE_MAX}) {
    EXPECT_REFUSED(kRtParamInvalid, aclrtMemSetAccess(range, kPart, Unreadable<aclrtMemAccessDesc>(), count));
  }
  EXPECT_EQ(aclrtUnmapMem(range), kOk);
  EXPECT_EQ(aclrtFreePhysical(memory), kOk);
  EXPECT_EQ(aclrtReleaseMemAddress(range), kOk);
}

// Attributes of a batch of copies apply to ranges of its entries.
TEST_F(Counts, AttributesAreNoMoreThanCopies) {
  size_t failed = 0;
  EXPECT_REFUSED(kRtParamInvalid,
                 aclrtMemcpyBatch(Unreadable<void*>(), Unreadable<size_t>(), Unreadable<void*>(), Unreadable<size_t>(),
                                  1, Unreadable<aclrtMemcpyBatchAttr>(), Unreadable<size_t>(), 2, &failed));
  EXPECT_REFUSED(kRtParamInvalid,
                 aclrtMemcpyBatchAsyncV2(Unreadable<void*>(), Unreadable<size_t>(), Unreadable<void*>(),
                                         Unreadable<size_t>(), SIZE_MAX - 1, Unreadable<aclrtMemcpyBatchAttr>(),
                                         Unreadable<size_t>(), SIZE_MAX, nullptr));
}

TEST_F(Counts, BytesOfAnOverflowStatusAreThoseItHas) {
  EXPECT_REFUSED(kRtParamInvalid, aclrtGetOverflowStatus(Unreadable<char>(), SIZE_MAX, nullptr));
}

}  // namespace
}  // namespace contract
