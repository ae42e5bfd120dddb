// SPDX-License-Identifier: Apache-2.0
// Configurations, priorities, attributes, core limits and allocators of streams.
#include <vector>

#include "contract_support.h"

namespace contract {
namespace {

class StreamSettings : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    ASSERT_EQ(aclrtCreateStreamWithConfig(&stream_, 3, ACL_STREAM_FAST_LAUNCH | ACL_STREAM_FAST_SYNC), kOk);
  }
  aclrtStream stream_ = nullptr;
};

TEST_F(StreamSettings, CreationTakesPriorityAndHints) {
  uint32_t priority = 0, flags = 0;
  EXPECT_EQ(aclrtStreamGetPriority(stream_, &priority), kOk);
  EXPECT_EQ(aclrtStreamGetFlags(stream_, &flags), kOk);
  EXPECT_EQ(priority, 3u);
  EXPECT_EQ(flags, 3u);
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStreamWithConfig(&stream, 99, 0), kOk);
  EXPECT_EQ(aclrtStreamGetPriority(stream, &priority), kOk);
  EXPECT_EQ(priority, 7u);
  for (uint32_t flag : {ACL_STREAM_PERSISTENT, ACL_STREAM_CPU_SCHEDULE, ACL_STREAM_DEVICE_USE_ONLY, 0x5u})
    EXPECT_REFUSED(kRtNotSupported, aclrtCreateStreamWithConfig(&stream, 0, flag));
  EXPECT_REFUSED(kRtParamInvalid, aclrtCreateStreamWithConfig(&stream, 0, 0x40));
  EXPECT_REFUSED(kInvalidParam, aclrtCreateStreamWithConfig(nullptr, 0, 0));
  OnFreshThread([] {
    aclrtStream none = nullptr;
    EXPECT_REFUSED(kRtNoContext, aclrtCreateStreamWithConfig(&none, 0, 3));
  });
  int32_t least = 0, greatest = 1;
  EXPECT_EQ(aclrtDeviceGetStreamPriorityRange(&least, &greatest), kOk);
  EXPECT_EQ(aclrtDeviceGetStreamPriorityRange(nullptr, nullptr), kOk);
  EXPECT_EQ(least, 7);
  EXPECT_EQ(greatest, 0);
}

TEST_F(StreamSettings, ConfigurationObjectsDoTheSame) {
  aclrtStreamConfigHandle* config = aclrtCreateStreamConfigHandle();
  ASSERT_NE(config, nullptr);
  const uint32_t priority = 5;
  const size_t flag = ACL_STREAM_HUGE;
  EXPECT_EQ(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &priority, sizeof priority), kOk);
  EXPECT_EQ(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &flag, sizeof flag), kOk);
  EXPECT_REFUSED(kInvalidParam, aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &flag, 4));
  EXPECT_REFUSED(kInvalidParam,
                 aclrtSetStreamConfigOpt(config, static_cast<aclrtStreamConfigAttr>(4), &flag, sizeof flag));
  EXPECT_REFUSED(kInvalidParam, aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, nullptr, sizeof flag));
  aclrtStream stream = nullptr;
  uint32_t seen = 0;
  ASSERT_EQ(aclrtCreateStreamV2(&stream, config), kOk);
  EXPECT_EQ(aclrtStreamGetPriority(stream, &seen), kOk);
  EXPECT_EQ(seen, 5u);
  EXPECT_EQ(aclrtStreamGetFlags(stream, &seen), kOk);
  EXPECT_EQ(seen, ACL_STREAM_HUGE);
  EXPECT_EQ(aclrtDestroyStreamConfigHandle(config), kOk);
  EXPECT_REFUSED(kRtInvalidHandle, aclrtDestroyStreamConfigHandle(config));
  EXPECT_REFUSED(kRtInvalidHandle, aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &flag, sizeof flag));
  EXPECT_REFUSED(kRtInvalidHandle, aclrtCreateStreamV2(&stream, config));
  aclrtStreamConfigHandle own{};
  own.priority = 3;
  EXPECT_EQ(aclrtCreateStreamV2(&stream, &own), kOk) << "the struct is public";
  EXPECT_REFUSED(kRtInvalidHandle, aclrtDestroyStreamConfigHandle(&own));
  EXPECT_REFUSED(kInvalidParam, aclrtDestroyStreamConfigHandle(nullptr));
  EXPECT_EQ(aclrtCreateStreamV2(&stream, nullptr), kOk);
  EXPECT_REFUSED(kInvalidParam, aclrtCreateStreamV2(nullptr, nullptr));
}

TEST_F(StreamSettings, AttributesAreReadBack) {
  for (int kind : {ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, ACL_STREAM_ATTR_USER_CUSTOM_TAG, ACL_STREAM_ATTR_CACHE_OP_INFO,
                   ACL_STREAM_ATTR_PRIORITY}) {
    const auto attribute = static_cast<aclrtStreamAttr>(kind);
    aclrtStreamAttrValue value = {};
    value.userCustomTag = 1;
    EXPECT_EQ(aclrtSetStreamAttribute(stream_, attribute, &value), kOk);
    value.reserve[0] = value.reserve[1] = 9;
    EXPECT_EQ(aclrtGetStreamAttribute(stream_, attribute, &value), kOk);
    EXPECT_EQ(value.userCustomTag, 1u);
    EXPECT_EQ(value.reserve[1], 0u);
  }
  uint32_t overflow = 0;
  EXPECT_EQ(aclrtGetStreamOverflowSwitch(stream_, &overflow), kOk);
  EXPECT_EQ(overflow, 1u);
  EXPECT_EQ(aclrtSetStreamOverflowSwitch(stream_, 0), kOk);
  EXPECT_REFUSED(kInvalidParam, aclrtSetStreamOverflowSwitch(stream_, 2));
  aclrtStreamAttrValue value = {};
  value.streamPriority = 8;
  EXPECT_REFUSED(kRtParamInvalid, aclrtSetStreamAttribute(stream_, ACL_STREAM_ATTR_PRIORITY, &value));
  EXPECT_REFUSED(kRtParamInvalid, aclrtSetStreamAttribute(stream_, static_cast<aclrtStreamAttr>(6), &value));
  EXPECT_REFUSED(kRtParamInvalid, aclrtGetStreamAttribute(stream_, static_cast<aclrtStreamAttr>(0), &value));
  EXPECT_REFUSED(kInvalidParam, aclrtSetStreamAttribute(stream_, ACL_STREAM_ATTR_PRIORITY, nullptr));
  EXPECT_EQ(aclrtGetStreamAttribute(stream_, ACL_STREAM_ATTR_FAILURE_MODE, &value), kOk);
  EXPECT_EQ(value.failureMode, uint64_t{ACL_CONTINUE_ON_FAILURE});
}

TEST_F(StreamSettings, FortyStreamsHaveNumbersOfTheirOwn) {
  std::vector<aclrtStream> streams(40);
  std::vector<int32_t> numbers;
  uint32_t before = 0, after = 0;
  EXPECT_EQ(aclrtGetStreamAvailableNum(&before), kOk);
  for (aclrtStream& stream : streams) {
    ASSERT_EQ(aclrtCreateStreamWithConfig(&stream, 0, 3), kOk);
    int32_t number = -1;
    EXPECT_EQ(aclrtStreamGetId(stream, &number), kOk);
    EXPECT_EQ(std::count(numbers.begin(), numbers.end(), number), 0);
    numbers.push_back(number);
  }
  EXPECT_EQ(aclrtGetStreamAvailableNum(&after), kOk);
  EXPECT_EQ(before - after, 40u);
  int32_t standard = -1;
  EXPECT_EQ(aclrtStreamGetId(nullptr, &standard), kOk);
  EXPECT_EQ(std::count(numbers.begin(), numbers.end(), standard), 0);
  for (aclrtStream stream : streams) EXPECT_EQ(aclrtDestroyStream(stream), kOk);
  EXPECT_REFUSED(kInvalidParam, aclrtStreamGetId(nullptr, nullptr));
}

TEST_F(StreamSettings, CoreLimitsFallBackFromThreadToStreamToDevice) {
  uint32_t cores = 0, all = 0;
  EXPECT_EQ(aclrtGetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, &all), kOk);
  EXPECT_EQ(aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, 8), kOk);
  EXPECT_EQ(aclrtGetStreamResLimit(stream_, ACL_RT_DEV_RES_VECTOR_CORE, &cores), kOk);
  EXPECT_EQ(cores, 8u);
  EXPECT_EQ(aclrtSetStreamResLimit(stream_, ACL_RT_DEV_RES_VECTOR_CORE, 4), kOk);
  EXPECT_EQ(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_VECTOR_CORE, &cores), kOk);
  EXPECT_EQ(cores, 8u);
  EXPECT_EQ(aclrtUseStreamResInCurrentThread(stream_), kOk);
  EXPECT_EQ(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_VECTOR_CORE, &cores), kOk);
  EXPECT_EQ(cores, 4u);
  EXPECT_EQ(aclrtUnuseStreamResInCurrentThread(stream_), kOk);
  EXPECT_EQ(aclrtResetStreamResLimit(stream_), kOk);
  EXPECT_EQ(aclrtResetDeviceResLimit(0), kOk);
  EXPECT_EQ(aclrtGetResInCurrentThread(ACL_RT_DEV_RES_VECTOR_CORE, &cores), kOk);
  EXPECT_EQ(cores, all);
  EXPECT_REFUSED(kRtParamInvalid, aclrtSetDeviceResLimit(0, ACL_RT_DEV_RES_VECTOR_CORE, all + 1));
  EXPECT_REFUSED(kRtParamInvalid, aclrtSetDeviceResLimit(0, static_cast<aclrtDevResLimitType>(2), 1));
  EXPECT_REFUSED(kRtInvalidDevice, aclrtSetDeviceResLimit(99, ACL_RT_DEV_RES_CUBE_CORE, 1));
  EXPECT_REFUSED(kRtParamInvalid, aclrtGetStreamResLimit(stream_, static_cast<aclrtDevResLimitType>(2), &cores));
  EXPECT_REFUSED(kInvalidParam, aclrtGetResInCurrentThread(ACL_RT_DEV_RES_CUBE_CORE, nullptr));
  OnFreshThread([] {
    uint32_t none = 0;
    EXPECT_REFUSED(kRtNoContext, aclrtGetResInCurrentThread(ACL_RT_DEV_RES_CUBE_CORE, &none));
  });
}

TEST_F(StreamSettings, AllocatorsAreAttachedAsCopies) {
  int object = 0;
  aclrtAllocatorDesc description = aclrtAllocatorCreateDesc();
  ASSERT_NE(description, nullptr);
  EXPECT_EQ(aclrtAllocatorSetObjToDesc(description, &object), kOk);
  EXPECT_REFUSED(kInvalidParam, aclrtAllocatorRegister(stream_, description));
  const aclrtAllocatorAllocFunc allocate = [](aclrtAllocator, size_t) -> void* { return nullptr; };
  const aclrtAllocatorFreeFunc free = [](aclrtAllocator, aclrtAllocatorBlock) {};
  const aclrtAllocatorGetAddrFromBlockFunc address = [](aclrtAllocatorBlock block) -> void* { return block; };
  EXPECT_EQ(aclrtAllocatorSetAllocFuncToDesc(description, allocate), kOk);
  EXPECT_EQ(aclrtAllocatorSetFreeFuncToDesc(description, free), kOk);
  EXPECT_EQ(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(description, address), kOk);
  EXPECT_EQ(aclrtAllocatorRegister(stream_, description), kOk);
  aclrtAllocatorDesc seen = nullptr;
  aclrtAllocator seen_object = nullptr;
  aclrtAllocatorAllocFunc seen_allocate = nullptr;
  aclrtAllocatorFreeFunc seen_free = nullptr;
  aclrtAllocatorAllocAdviseFunc seen_near = nullptr;
  aclrtAllocatorGetAddrFromBlockFunc seen_address = nullptr;
  EXPECT_EQ(
      aclrtAllocatorGetByStream(stream_, &seen, &seen_object, &seen_allocate, &seen_free, &seen_near, &seen_address),
      kOk);
  EXPECT_EQ(seen_object, &object);
  EXPECT_EQ(seen_allocate, allocate);
  EXPECT_EQ(seen_free, free);
  EXPECT_EQ(seen_near, nullptr);
  EXPECT_EQ(aclrtAllocatorUnregister(stream_), kOk);
  EXPECT_REFUSED(kInvalidParam, aclrtAllocatorGetByStream(stream_, &seen, &seen_object, &seen_allocate, &seen_free,
                                                          &seen_near, &seen_address));
  EXPECT_EQ(aclrtAllocatorDestroyDesc(description), kOk);
  EXPECT_REFUSED(kRtInvalidHandle, aclrtAllocatorDestroyDesc(description));
  EXPECT_REFUSED(kRtInvalidHandle, aclrtAllocatorSetAllocFuncToDesc(description, allocate));
  EXPECT_REFUSED(kRtInvalidHandle, aclrtAllocatorRegister(stream_, description));
  EXPECT_REFUSED(kInvalidParam, aclrtAllocatorDestroyDesc(nullptr));
  EXPECT_REFUSED(kInvalidParam, aclrtAllocatorSetAllocFuncToDesc(nullptr, allocate));
}

}  // namespace
}  // namespace contract
