// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/event.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "runtime/test_support.h"

namespace portacl::testing {
namespace {

class EventTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&other_), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateEvent(&plain_), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateEventWithFlag(&sync_, ACL_EVENT_SYNC), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateEventExWithFlag(&second_, ACL_EVENT_SYNC), ACL_SUCCESS);
  }
  void TearDown() override {
    for (aclrtEvent event : {plain_, sync_, second_}) EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(other_), ACL_SUCCESS);
    DeviceTest::TearDown();
  }

  static aclrtEventRecordedStatus StatusOf(aclrtEvent event) {
    aclrtEventRecordedStatus status{};
    EXPECT_EQ(aclrtQueryEventStatus(event, &status), ACL_SUCCESS);
    return status;
  }

  aclrtStream stream_ = nullptr;
  aclrtStream other_ = nullptr;
  aclrtEvent plain_ = nullptr;   // aclrtCreateEvent
  aclrtEvent sync_ = nullptr;    // first generation, SYNC
  aclrtEvent second_ = nullptr;  // second generation, SYNC
};

TEST_F(EventTest, IsCompleteAtOnceOnAnIdleStream) {
  for (aclrtEvent event : {plain_, sync_, second_}) {
    ASSERT_EQ(aclrtRecordEvent(event, stream_), ACL_SUCCESS);
    EXPECT_EQ(StatusOf(event), ACL_EVENT_RECORDED_STATUS_COMPLETE);
    EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  }
}

TEST_F(EventTest, CompletesWhenTheStreamGetsThere) {
  Gate gate;
  gate.HoldStream(stream_);
  ASSERT_EQ(aclrtRecordEvent(plain_, stream_), ACL_SUCCESS);
  EXPECT_EQ(StatusOf(plain_), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(aclrtSynchronizeEventWithTimeout(plain_, 5), ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeEvent(plain_), ACL_SUCCESS);
  EXPECT_EQ(StatusOf(plain_), ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

TEST_F(EventTest, SynchronizeDoesNotWaitForWorkQueuedAfterTheRecord) {
  Gate gate;
  Launch(stream_, kInlineCostNs + 1, [] { return 0; });
  ASSERT_EQ(aclrtRecordEvent(plain_, stream_), ACL_SUCCESS);
  gate.HoldStream(stream_);
  EXPECT_EQ(aclrtSynchronizeEvent(plain_), ACL_SUCCESS);
  gate.Open();
}

TEST_F(EventTest, HoldsAnotherStreamUntilTheRecord) {
  Gate gate;
  gate.HoldStream(stream_);
  std::atomic<int> value{0};
  Launch(stream_, kCheap, [&] { return static_cast<int32_t>(value = 1, 0); });
  ASSERT_EQ(aclrtRecordEvent(plain_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, plain_), ACL_SUCCESS);
  int seen = 0;
  Launch(other_, kCheap, [&] { return static_cast<int32_t>(seen = value, 0); });
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(other_, 5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
  EXPECT_EQ(seen, 1);
}

TEST_F(EventTest, WaitKeepsTheRecordMadeBeforeIt) {
  Gate first;
  Gate second;
  first.HoldStream(stream_);
  ASSERT_EQ(aclrtRecordEvent(second_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, second_), ACL_SUCCESS);
  second.HoldStream(stream_);
  ASSERT_EQ(aclrtRecordEvent(second_, stream_), ACL_SUCCESS);
  first.Open();
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);  // would hang if it waited for the second record
  EXPECT_EQ(StatusOf(second_), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  second.Open();
}

TEST_F(EventTest, DestroyingAnEventLeavesQueuedRecordsAndWaitsValid) {
  Gate gate;
  gate.HoldStream(stream_);
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(event, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, event), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(other_, 5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
}

TEST_F(EventTest, NeverRecorded) {
  EXPECT_EQ(aclrtStreamWaitEvent(stream_, plain_), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtStreamWaitEvent(stream_, second_), ACL_SUCCESS);
  EXPECT_EQ(StatusOf(plain_), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(StatusOf(sync_), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(StatusOf(second_), ACL_EVENT_RECORDED_STATUS_COMPLETE);
  for (aclrtEvent event : {plain_, sync_, second_}) EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

TEST_F(EventTest, AFirstGenerationSyncEventHoldsTheStreamUntilItsFirstRecord) {
  ASSERT_EQ(aclrtStreamWaitEvent(stream_, sync_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, 5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  EXPECT_EQ(StatusOf(sync_), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  ASSERT_EQ(aclrtRecordEvent(sync_, other_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

TEST_F(EventTest, DestroyingAnEventThatWasNeverRecordedLetsItsStreamsGo) {
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamWaitEvent(stream_, event), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
}

TEST_F(EventTest, ParkedStreamsHoldNoThread) {
  constexpr size_t kStreams = 200;
  std::vector<aclrtStream> streams(kStreams);
  std::atomic<int> ran{0};
  for (aclrtStream& stream : streams) {
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    ASSERT_EQ(aclrtStreamWaitEvent(stream, sync_), ACL_SUCCESS);
    Launch(stream, kCheap, [&] { return static_cast<int32_t>(++ran, 0); });
  }
  EXPECT_EQ(ran.load(), 0);
  ASSERT_EQ(aclrtRecordEvent(sync_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  EXPECT_EQ(ran.load(), static_cast<int>(kStreams));
  for (aclrtStream stream : streams) EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
}

TEST_F(EventTest, ResetReturnsToTheUnrecordedStateInStreamOrder) {
  ASSERT_EQ(aclrtRecordEvent(sync_, stream_), ACL_SUCCESS);
  Gate gate;
  gate.HoldStream(stream_);
  ASSERT_EQ(aclrtResetEvent(sync_, stream_), ACL_SUCCESS);
  EXPECT_EQ(StatusOf(sync_), ACL_EVENT_RECORDED_STATUS_COMPLETE);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(StatusOf(sync_), ACL_EVENT_RECORDED_STATUS_NOT_READY);
  EXPECT_EQ(aclrtResetEvent(second_, stream_), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

TEST_F(EventTest, ResetDoesNotTouchALaterRecord) {
  ASSERT_EQ(aclrtRecordEvent(sync_, stream_), ACL_SUCCESS);
  Gate gate;
  gate.HoldStream(stream_);
  ASSERT_EQ(aclrtResetEvent(sync_, stream_), ACL_SUCCESS);
  ASSERT_EQ(aclrtRecordEvent(sync_, other_), ACL_SUCCESS);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(StatusOf(sync_), ACL_EVENT_RECORDED_STATUS_COMPLETE);
}

TEST_F(EventTest, ElapsedTimeMeasuresTheWorkBetween) {
  float ms = -1;
  EXPECT_EQ(aclrtEventElapsedTime(&ms, plain_, sync_), ACL_ERROR_RT_INTERNAL_ERROR);
  ASSERT_EQ(aclrtRecordEvent(plain_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtEventElapsedTime(&ms, plain_, sync_), ACL_ERROR_RT_INTERNAL_ERROR);
  Gate gate;
  gate.HoldStream(stream_);
  ASSERT_EQ(aclrtRecordEvent(sync_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtEventElapsedTime(&ms, plain_, sync_), ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
  EXPECT_EQ(ms, -1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  gate.Open();
  ASSERT_EQ(aclrtSynchronizeEvent(sync_), ACL_SUCCESS);
  ASSERT_EQ(aclrtEventElapsedTime(&ms, plain_, sync_), ACL_SUCCESS);
  EXPECT_GE(ms, 20.0f);
  EXPECT_LT(ms, 10'000.0f);
  float backwards = 0;
  ASSERT_EQ(aclrtEventElapsedTime(&backwards, sync_, plain_), ACL_SUCCESS);
  EXPECT_EQ(backwards, -ms);
  EXPECT_EQ(aclrtEventElapsedTime(nullptr, plain_, sync_), ACL_ERROR_INVALID_PARAM);
}

TEST_F(EventTest, SynchronizeReportsTheErrorOfTheWorkBefore) {
  Launch(stream_, kCheap, [] { return ACL_ERROR_RT_VECTOR_CORE_EXCEPTION; });
  ASSERT_EQ(aclrtRecordEvent(plain_, stream_), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeEvent(plain_), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
  EXPECT_EQ(aclrtSynchronizeEvent(plain_), ACL_SUCCESS);
}

TEST_F(EventTest, FlagsFollowTheirGeneration) {
  struct Row {
    uint32_t flag;
    aclError first;
    aclError second;
  };
  constexpr aclError kInvalid = ACL_ERROR_RT_PARAM_INVALID;
  for (const Row row :
       {Row{0, kInvalid, kInvalid}, Row{0x1, 0, 0}, Row{0x2, 0, 0}, Row{0x4, 0, 0}, Row{0x8, 0, 0}, Row{0xF, 0, 0},
        Row{0x10, 0, kInvalid}, Row{0x20, 0, kInvalid}, Row{0x11, kInvalid, kInvalid}, Row{0x21, kInvalid, kInvalid},
        Row{0x30, kInvalid, kInvalid}, Row{0x40, kInvalid, ACL_ERROR_RT_FEATURE_NOT_SUPPORT},
        Row{0x41, kInvalid, kInvalid}, Row{0x80, kInvalid, kInvalid}, Row{0xFFFFFFFF, kInvalid, kInvalid}}) {
    aclrtEvent event = nullptr;
    EXPECT_EQ(aclrtCreateEventWithFlag(&event, row.flag), row.first) << row.flag;
    if (row.first == 0) {
      EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
    }
    EXPECT_EQ(aclrtCreateEventExWithFlag(&event, row.flag), row.second) << row.flag;
    if (row.second == 0) {
      EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
    }
  }
}

TEST_F(EventTest, WithoutSyncOrForDevicesOnlySomeUsesAreRefused) {
  aclrtEvent timer = nullptr;
  aclrtEvent external = nullptr;
  ASSERT_EQ(aclrtCreateEventWithFlag(&timer, ACL_EVENT_TIME_LINE), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateEventWithFlag(&external, ACL_EVENT_EXTERNAL), ACL_SUCCESS);
  EXPECT_EQ(aclrtStreamWaitEvent(stream_, timer), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtResetEvent(timer, stream_), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtSynchronizeEvent(external), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  aclrtEventRecordedStatus status{};
  EXPECT_EQ(aclrtQueryEventStatus(external, &status), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  float ms = 0;
  EXPECT_EQ(aclrtEventElapsedTime(&ms, external, external), ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
  EXPECT_EQ(aclrtDestroyEvent(timer), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyEvent(external), ACL_SUCCESS);
}

TEST_F(EventTest, DeadAndForeignHandlesAreAnsweredWithACode) {
  aclrtEvent dead = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&dead), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyEvent(dead), ACL_SUCCESS);
  int local = 0;
  for (aclrtEvent wrong : {dead, static_cast<aclrtEvent>(stream_), static_cast<aclrtEvent>(&local)}) {
    aclrtEventRecordedStatus status{};
    float ms = 0;
    EXPECT_EQ(aclrtDestroyEvent(wrong), ACL_ERROR_RT_INVALID_HANDLE);
    ExpectReport("aclrtDestroyEvent", "'event'");
    EXPECT_EQ(aclrtRecordEvent(wrong, stream_), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtResetEvent(wrong, stream_), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtStreamWaitEvent(stream_, wrong), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtSynchronizeEvent(wrong), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtQueryEventStatus(wrong, &status), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtEventElapsedTime(&ms, wrong, plain_), ACL_ERROR_RT_INVALID_HANDLE);
  }
  EXPECT_EQ(aclrtDestroyEvent(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtRecordEvent(nullptr, stream_), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtStreamWaitEvent(stream_, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtSynchronizeEvent(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtQueryEventStatus(plain_, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCreateEvent(nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST_F(EventTest, RefusesTimeoutsThatMeanNothing) {
  for (const int32_t timeout : {0, -2})
    EXPECT_EQ(aclrtSynchronizeEventWithTimeout(plain_, timeout), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(EventTest, NeedsAContextToBeMadeButNotToBeUsed) {
  ASSERT_EQ(aclrtRecordEvent(plain_, stream_), ACL_SUCCESS);
  InFreshThread([this] {
    aclrtEvent event = nullptr;
    EXPECT_EQ(aclrtCreateEvent(&event), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtRecordEvent(plain_, stream_), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtSynchronizeEvent(plain_), ACL_SUCCESS);
    EXPECT_EQ(StatusOf(plain_), ACL_EVENT_RECORDED_STATUS_COMPLETE);
  });
}

}  // namespace
}  // namespace portacl::testing
