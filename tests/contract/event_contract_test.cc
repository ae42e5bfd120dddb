// SPDX-License-Identifier: Apache-2.0
// Events of both generations: flags, waiting, querying, timing, and destruction.
#include <atomic>
#include <vector>

#include "contract_support.h"

namespace contract {
namespace {

constexpr uint32_t kOldSyncBit = 0x4;

class Events : public OnStream {
 protected:
  void SetUp() override {
    OnStream::SetUp();
    ASSERT_EQ(aclrtCreateStream(&other_), kOk);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyStream(stream_), kOk);
    EXPECT_EQ(aclrtDestroyStream(other_), kOk);
    for (aclrtEvent event : made_) aclrtDestroyEvent(event);
    OnStream::TearDown();
  }
  aclrtEvent First() {
    return Keep([](aclrtEvent* event) { return aclrtCreateEvent(event); });
  }
  aclrtEvent First(uint32_t flag) {
    return Keep([flag](aclrtEvent* event) { return aclrtCreateEventWithFlag(event, flag); });
  }
  aclrtEvent Second(uint32_t flag = ACL_EVENT_SYNC) {
    return Keep([flag](aclrtEvent* event) { return aclrtCreateEventExWithFlag(event, flag); });
  }
  aclrtEventRecordedStatus Status(aclrtEvent event) {
    aclrtEventRecordedStatus status{};
    EXPECT_EQ(aclrtQueryEventStatus(event, &status), kOk);
    return status;
  }

  aclrtStream other_ = nullptr;

 private:
  template <class Create>
  aclrtEvent Keep(Create create) {
    aclrtEvent event = nullptr;
    EXPECT_EQ(create(&event), kOk);
    made_.push_back(event);
    return event;
  }
  std::vector<aclrtEvent> made_;
};

TEST_F(Events, FirstGenerationTakesItsFlagsOnly) {
  aclrtEvent event = nullptr;
  for (uint32_t flag = 0x1; flag < 0x10; ++flag) {
    if ((flag & (ACL_EVENT_SYNC | ACL_EVENT_CAPTURE_STREAM_PROGRESS | kOldSyncBit | ACL_EVENT_TIME_LINE)) != flag)
      continue;
    EXPECT_EQ(aclrtCreateEventWithFlag(&event, flag), kOk) << flag;
    EXPECT_EQ(aclrtDestroyEvent(event), kOk);
  }
  for (uint32_t alone : {ACL_EVENT_EXTERNAL, ACL_EVENT_DEVICE_USE_ONLY}) {
    EXPECT_EQ(aclrtCreateEventWithFlag(&event, alone), kOk);
    EXPECT_EQ(aclrtDestroyEvent(event), kOk);
    EXPECT_REFUSED(kRtParamInvalid, aclrtCreateEventWithFlag(&event, alone | ACL_EVENT_SYNC));
  }
  for (uint32_t flag : {0x0u, ACL_EVENT_IPC, ACL_EVENT_IPC | ACL_EVENT_SYNC, 0x80u, 0x30u, 0xFFFFFFFFu}) {
    EXPECT_REFUSED(kRtParamInvalid, aclrtCreateEventWithFlag(&event, flag));
  }
  EXPECT_REFUSED(kInvalidParam, aclrtCreateEvent(nullptr));
  EXPECT_REFUSED(kInvalidParam, aclrtCreateEventWithFlag(nullptr, ACL_EVENT_SYNC));
}

TEST_F(Events, SecondGenerationTakesItsFlagsOnly) {
  aclrtEvent event = nullptr;
  for (uint32_t flag : {ACL_EVENT_SYNC, ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_TIME_LINE, 0xFu}) {
    EXPECT_EQ(aclrtCreateEventExWithFlag(&event, flag), kOk) << flag;
    EXPECT_EQ(aclrtDestroyEvent(event), kOk);
  }
  for (uint32_t flag : {0x0u, ACL_EVENT_EXTERNAL, ACL_EVENT_DEVICE_USE_ONLY, ACL_EVENT_IPC | ACL_EVENT_SYNC, 0x80u}) {
    EXPECT_REFUSED(kRtParamInvalid, aclrtCreateEventExWithFlag(&event, flag));
  }
  EXPECT_REFUSED(kRtNotSupported, aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC));
  EXPECT_REFUSED(kInvalidParam, aclrtCreateEventExWithFlag(nullptr, ACL_EVENT_SYNC));
}

TEST_F(Events, StreamsWaitForTheRecord) {
  for (aclrtEvent event : {First(), First(ACL_EVENT_SYNC), First(kOldSyncBit), Second()}) {
    Gate gate;
    std::atomic<bool> ran = false;
    gate.Block(stream_);
    ASSERT_EQ(aclrtRecordEvent(event, stream_), kOk);
    ASSERT_EQ(aclrtStreamWaitEvent(other_, event), kOk);
    ASSERT_EQ(
        aclrtLaunchHostFunc(other_, [](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }, &ran), kOk);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(other_, 20), kRtStreamTimeout);
    EXPECT_FALSE(ran);
    gate.Open();
    EXPECT_EQ(aclrtSynchronizeStream(other_), kOk);
    EXPECT_TRUE(ran);
  }
}

TEST_F(Events, WaitUsesTheRecordMadeBeforeIt) {
  const aclrtEvent event = Second();
  Gate gate;
  ASSERT_EQ(aclrtRecordEvent(event, stream_), kOk);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, event), kOk);
  gate.Block(stream_);
  ASSERT_EQ(aclrtRecordEvent(event, stream_), kOk);  // replaces the record, and does not move the wait
  EXPECT_EQ(aclrtSynchronizeStream(other_), kOk);
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(event, 10), kRtEventTimeout);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeEvent(event), kOk);
}

TEST_F(Events, WaitOnTheRecordingStreamIsNoDeadlock) {
  const aclrtEvent event = Second();
  ASSERT_EQ(aclrtRecordEvent(event, stream_), kOk);
  ASSERT_EQ(aclrtStreamWaitEvent(stream_, event), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
}

TEST_F(Events, NeverRecordedOnesBehaveByGeneration) {
  EXPECT_EQ(aclrtStreamWaitEvent(stream_, Second()), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
  const aclrtEvent first = First();
  EXPECT_REFUSED(kRtParamInvalid, aclrtStreamWaitEvent(stream_, first));
  EXPECT_EQ(aclrtSynchronizeEvent(first), kOk);
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(first, 1), kOk);
  EXPECT_EQ(Status(first), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(Status(Second()), ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

TEST_F(Events, FirstGenerationSyncEventHoldsTheStreamUntilItsFirstRecord) {
  const aclrtEvent event = First(ACL_EVENT_SYNC);
  ASSERT_EQ(aclrtStreamWaitEvent(stream_, event), kOk);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, 20), kRtStreamTimeout);
  ASSERT_EQ(aclrtRecordEvent(event, other_), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
}

TEST_F(Events, OnlySyncEventsAreWaitedFor) {
  for (uint32_t flag : {ACL_EVENT_CAPTURE_STREAM_PROGRESS, ACL_EVENT_TIME_LINE}) {
    const aclrtEvent first = First(flag);
    ASSERT_EQ(aclrtRecordEvent(first, stream_), kOk);
    EXPECT_REFUSED(kRtNotSupported, aclrtStreamWaitEvent(other_, first));
    EXPECT_REFUSED(kRtNotSupported, aclrtResetEvent(first, stream_));
    const aclrtEvent second = Second(flag);
    ASSERT_EQ(aclrtRecordEvent(second, stream_), kOk);
    EXPECT_REFUSED(kRtNotSupported, aclrtStreamWaitEvent(other_, second));
  }
}

TEST_F(Events, QueryFollowsTheStream) {
  const aclrtEvent event = First();
  Gate gate;
  gate.Block(stream_);
  ASSERT_EQ(aclrtRecordEvent(event, stream_), kOk);
  EXPECT_EQ(Status(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeEvent(event), kOk);
  EXPECT_EQ(Status(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
  EXPECT_REFUSED(kInvalidParam, aclrtQueryEventStatus(event, nullptr));
  aclrtEventRecordedStatus status{};
  EXPECT_REFUSED(kInvalidParam, aclrtQueryEventStatus(nullptr, &status));
}

TEST_F(Events, ResetReturnsFirstGenerationToUnrecorded) {
  const aclrtEvent event = First();
  ASSERT_EQ(aclrtRecordEvent(event, stream_), kOk);
  ASSERT_EQ(aclrtResetEvent(event, stream_), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
  EXPECT_EQ(Status(event), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  const aclrtEvent second = Second();
  EXPECT_REFUSED(kRtNotSupported, aclrtResetEvent(second, stream_));
  EXPECT_REFUSED(kInvalidParam, aclrtResetEvent(nullptr, stream_));
}

TEST_F(Events, ElapsedTimeNeedsTwoCompletedTimeStamps) {
  const aclrtEvent start = First(), end = First(), never = First();
  float milliseconds = -1;
  EXPECT_REFUSED(kRtInternal, aclrtEventElapsedTime(&milliseconds, start, never));
  Gate gate;
  ASSERT_EQ(aclrtRecordEvent(start, stream_), kOk);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), kOk);
  gate.Block(stream_);
  ASSERT_EQ(aclrtRecordEvent(end, stream_), kOk);
  EXPECT_REFUSED(kRtNoTimestamp, aclrtEventElapsedTime(&milliseconds, start, end));
  EXPECT_EQ(milliseconds, -1);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  gate.Open();
  ASSERT_EQ(aclrtSynchronizeEvent(end), kOk);
  EXPECT_EQ(aclrtEventElapsedTime(&milliseconds, start, end), kOk);
  EXPECT_GE(milliseconds, 5);
  EXPECT_LT(milliseconds, 60000);
  float backwards = 0;
  EXPECT_EQ(aclrtEventElapsedTime(&backwards, end, start), kOk);
  EXPECT_FLOAT_EQ(backwards, -milliseconds);
  EXPECT_REFUSED(kInvalidParam, aclrtEventElapsedTime(nullptr, start, end));
  EXPECT_REFUSED(kInvalidParam, aclrtEventElapsedTime(&milliseconds, nullptr, end));
}

TEST_F(Events, ExternalOnesRefuseTheHost) {
  const aclrtEvent event = First(ACL_EVENT_EXTERNAL);
  aclrtEventRecordedStatus status{};
  float milliseconds = 0;
  EXPECT_REFUSED(kRtNotSupported, aclrtSynchronizeEvent(event));
  EXPECT_REFUSED(kRtNotSupported, aclrtQueryEventStatus(event, &status));
  EXPECT_REFUSED(kRtNotSupported, aclrtEventElapsedTime(&milliseconds, event, event));
}

TEST_F(Events, TimeoutsOutOfRangeAreRefused) {
  const aclrtEvent event = First();
  for (int32_t timeout : {0, -2}) EXPECT_REFUSED(kRtParamInvalid, aclrtSynchronizeEventWithTimeout(event, timeout));
}

TEST_F(Events, DestroyDoesNotWaitAndQueuedWorkKeepsWhatItNeeds) {
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), kOk);
  Gate gate;
  gate.Block(stream_);
  ASSERT_EQ(aclrtRecordEvent(event, stream_), kOk);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, event), kOk);
  EXPECT_EQ(aclrtDestroyEvent(event), kOk);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(other_, 10), kRtStreamTimeout);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(other_), kOk);
}

TEST_F(Events, DestroyedHandleIsRecognised) {
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), kOk);
  ASSERT_EQ(aclrtDestroyEvent(event), kOk);
  First();  // a new event must not take over the dead handle
  aclrtEventRecordedStatus status{};
  float milliseconds = 0;
  EXPECT_REFUSED(kRtInvalidHandle, aclrtDestroyEvent(event));
  EXPECT_REFUSED(kRtInvalidHandle, aclrtRecordEvent(event, stream_));
  EXPECT_REFUSED(kRtInvalidHandle, aclrtStreamWaitEvent(stream_, event));
  EXPECT_REFUSED(kRtInvalidHandle, aclrtResetEvent(event, stream_));
  EXPECT_REFUSED(kRtInvalidHandle, aclrtSynchronizeEvent(event));
  EXPECT_REFUSED(kRtInvalidHandle, aclrtQueryEventStatus(event, &status));
  EXPECT_REFUSED(kRtInvalidHandle, aclrtEventElapsedTime(&milliseconds, event, event));
  EXPECT_REFUSED(kRtInvalidHandle, aclrtDestroyEvent(stream_));
  EXPECT_REFUSED(kInvalidParam, aclrtDestroyEvent(nullptr));
  EXPECT_REFUSED(kInvalidParam, aclrtRecordEvent(nullptr, stream_));
  EXPECT_REFUSED(kInvalidParam, aclrtStreamWaitEvent(stream_, nullptr));
  EXPECT_REFUSED(kInvalidParam, aclrtSynchronizeEvent(nullptr));
}

TEST_F(Events, DeadStreamsAreRefused) {
  const aclrtEvent event = First();
  const aclrtStream dead = CreateStream();
  ASSERT_EQ(aclrtDestroyStream(dead), kOk);
  EXPECT_REFUSED(kRtInvalidHandle, aclrtRecordEvent(event, dead));
  ASSERT_EQ(aclrtRecordEvent(event, stream_), kOk);
  EXPECT_REFUSED(kRtInvalidHandle, aclrtStreamWaitEvent(dead, event));
}

}  // namespace
}  // namespace contract
