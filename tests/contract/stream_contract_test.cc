// SPDX-License-Identifier: Apache-2.0
// Streams: order, synchronising, timeouts, destroyed handles, and what other threads and contexts may do with them.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "contract_support.h"

namespace contract {
namespace {

class Streams : public OnDevice {};

struct Step {
  std::vector<int>* order;
  int number;
  static void Append(void* step) {
    auto* self = static_cast<Step*>(step);
    self->order->push_back(self->number);
  }
};

TEST_F(Streams, WorkRunsInOrder) {
  const aclrtStream stream = CreateStream();
  std::vector<int> order, expected;
  std::vector<Step> steps;
  for (int i = 0; i < 100; ++i) {
    steps.push_back({&order, i});
    expected.push_back(i);
  }
  for (Step& step : steps) ASSERT_EQ(aclrtLaunchHostFunc(stream, Step::Append, &step), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream), kOk);
  EXPECT_EQ(order, expected);
  EXPECT_EQ(aclrtDestroyStream(stream), kOk);
}

TEST_F(Streams, HostFunctionsRunOnAnotherThread) {
  std::thread::id seen;
  ASSERT_EQ(aclrtLaunchHostFunc(
                nullptr, [](void* id) { *static_cast<std::thread::id*>(id) = std::this_thread::get_id(); }, &seen),
            kOk);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), kOk);
  EXPECT_NE(seen, std::thread::id());
  EXPECT_NE(seen, std::this_thread::get_id());
}

TEST_F(Streams, AreNotOrderedAmongEachOther) {
  const aclrtStream blocked = CreateStream();
  const aclrtStream free = CreateStream();
  Gate gate;
  gate.Block(blocked);
  std::atomic<bool> ran = false;
  ASSERT_EQ(aclrtLaunchHostFunc(free, [](void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }, &ran), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(free), kOk);
  EXPECT_TRUE(ran);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), kOk) << "the default stream waits for no other";
  gate.Open();
  EXPECT_EQ(aclrtDestroyStream(blocked), kOk);
  EXPECT_EQ(aclrtDestroyStream(free), kOk);
}

TEST_F(Streams, SynchronizeDeviceWaitsForAllOfThem) {
  const aclrtStream streams[] = {CreateStream(), CreateStream(), nullptr};
  std::atomic<int> ran = 0;
  for (const aclrtStream stream : streams) {
    ASSERT_EQ(aclrtLaunchHostFunc(
                  stream,
                  [](void* count) {
                    std::this_thread::sleep_for(std::chrono::milliseconds(20));
                    ++*static_cast<std::atomic<int>*>(count);
                  },
                  &ran),
              kOk);
  }
  EXPECT_EQ(aclrtSynchronizeDevice(), kOk);
  EXPECT_EQ(ran, 3);
}

TEST_F(Streams, DestroyWaitsForTheWork) {
  const aclrtStream stream = CreateStream();
  std::atomic<bool> ran = false;
  ASSERT_EQ(aclrtLaunchHostFunc(stream, RaiseLate, &ran), kOk);
  EXPECT_EQ(aclrtDestroyStream(stream), kOk);
  EXPECT_TRUE(ran);
}

TEST_F(Streams, TimeoutsEndTheCallAndNotTheWork) {
  const aclrtStream stream = CreateStream();
  Gate gate;
  gate.Block(stream);
  EXPECT_REFUSED(kRtStreamTimeout, aclrtSynchronizeStreamWithTimeout(stream, 10));
  EXPECT_REFUSED(kRtStreamTimeout, aclrtSynchronizeDeviceWithTimeout(10));
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, -1), kOk);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(-1), kOk);
  for (int32_t timeout : {0, -2, -1000}) {
    EXPECT_REFUSED(kRtParamInvalid, aclrtSynchronizeStreamWithTimeout(stream, timeout));
    EXPECT_REFUSED(kRtParamInvalid, aclrtSynchronizeDeviceWithTimeout(timeout));
  }
  EXPECT_EQ(aclrtDestroyStream(stream), kOk);
}

TEST_F(Streams, QueryDoesNotWait) {
  const aclrtStream stream = CreateStream();
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  EXPECT_EQ(aclrtStreamQuery(stream, &status), kOk);
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
  Gate gate;
  gate.Block(stream);
  EXPECT_EQ(aclrtStreamQuery(stream, &status), kOk);
  EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(stream), kOk);
  EXPECT_EQ(aclrtStreamQuery(stream, &status), kOk);
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
  EXPECT_REFUSED(kInvalidParam, aclrtStreamQuery(stream, nullptr));
  EXPECT_EQ(aclrtDestroyStream(stream), kOk);
}

TEST_F(Streams, DefaultStreamHasTwoSpellingsAndCannotBeDestroyed) {
  aclrtStream handle = nullptr;
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&handle), kOk);
  ASSERT_NE(handle, nullptr);
  Gate gate;
  gate.Block(nullptr);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(handle, 10), kRtStreamTimeout);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(handle), kOk);
  EXPECT_REFUSED(kInvalidParam, aclrtDestroyStream(nullptr));
  EXPECT_NE(aclrtDestroyStream(handle), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), kOk) << "it is still there";
  EXPECT_REFUSED(kInvalidParam, aclrtCtxGetCurrentDefaultStream(nullptr));
  EXPECT_REFUSED(kInvalidParam, aclrtCreateStream(nullptr));
}

TEST_F(Streams, DestroyedHandleIsRecognised) {
  const aclrtStream stream = CreateStream();
  ASSERT_EQ(aclrtDestroyStream(stream), kOk);
  aclrtStreamStatus status = ACL_STREAM_STATUS_RESERVED;
  for (int round = 0; round < 2; ++round) {
    EXPECT_REFUSED(kRtInvalidHandle, aclrtDestroyStream(stream));
    EXPECT_REFUSED(kRtInvalidHandle, aclrtSynchronizeStream(stream));
    EXPECT_REFUSED(kRtInvalidHandle, aclrtSynchronizeStreamWithTimeout(stream, 10));
    EXPECT_REFUSED(kRtInvalidHandle, aclrtStreamQuery(stream, &status));
    EXPECT_REFUSED(kRtInvalidHandle, aclrtLaunchHostFunc(stream, [](void*) {}, nullptr));
    CreateStream();  // a new stream must not take over the dead handle
  }
  EXPECT_EQ(status, ACL_STREAM_STATUS_RESERVED);
}

TEST_F(Streams, ForeignPointersAreRefused) {
  int64_t local[64] = {};
  EXPECT_REFUSED(kRtInvalidHandle, aclrtSynchronizeStream(local));
  EXPECT_REFUSED(kRtInvalidHandle, aclrtDestroyStream(local));
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), kOk);
  EXPECT_REFUSED(kRtInvalidHandle, aclrtSynchronizeStream(event));
  EXPECT_EQ(aclrtDestroyEvent(event), kOk);
  EXPECT_REFUSED(kRtInvalidHandle, aclrtSynchronizeStream(reinterpret_cast<aclrtStream>(uintptr_t{1})));
}

TEST_F(Streams, DieWithTheirDevice) {
  const aclrtStream stream = CreateStream();
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), kOk);
  ASSERT_EQ(aclrtResetDeviceForce(0), kOk);
  EXPECT_NE(aclrtDestroyStream(stream), kOk);
  aclrtDestroyEvent(event);  // may return any code, but must not crash
  ASSERT_EQ(aclrtSetDevice(0), kOk);
  EXPECT_REFUSED(kRtInvalidHandle, aclrtDestroyStream(stream));
}

TEST_F(Streams, ResetWaitsForTheWork) {
  const aclrtStream stream = CreateStream();
  std::atomic<bool> ran = false;
  ASSERT_EQ(aclrtLaunchHostFunc(stream, RaiseLate, &ran), kOk);
  EXPECT_EQ(aclrtResetDevice(0), kOk);
  EXPECT_TRUE(ran);
}

TEST_F(Streams, OfAnotherContextAreOnlySynchronised) {
  const aclrtStream stream = CreateStream();
  aclrtContext other = nullptr;
  ASSERT_EQ(aclrtCreateContext(&other, 0), kOk);
  void* block = nullptr;
  ASSERT_EQ(aclrtMalloc(&block, 8, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
  EXPECT_REFUSED(kRtOtherContext, aclrtMemsetAsync(block, 8, 1, 8, stream));
  EXPECT_REFUSED(kRtOtherContext, aclrtDestroyStream(stream));
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), kOk);
  EXPECT_REFUSED(kRtOtherContext, aclrtRecordEvent(event, stream));
  EXPECT_EQ(aclrtSynchronizeStream(stream), kOk);
  EXPECT_EQ(aclrtDestroyEvent(event), kOk);
  EXPECT_EQ(aclrtDestroyContext(other), kOk);
  ASSERT_EQ(aclrtSetDevice(0), kOk);
  EXPECT_EQ(aclrtDestroyStream(stream), kOk);
  EXPECT_EQ(aclrtFree(block), kOk);
}

TEST_F(Streams, TakeWorkFromManyThreads) {
  const aclrtStream stream = CreateStream();
  std::atomic<int> ran = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      EXPECT_EQ(aclrtSetDevice(0), kOk);
      for (int i = 0; i < 250; ++i) {
        EXPECT_EQ(
            aclrtLaunchHostFunc(stream, [](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &ran), kOk);
      }
      EXPECT_EQ(aclrtSynchronizeStream(stream), kOk);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ran, 1000);
}

TEST_F(Streams, HostFunctionMustNotBeNull) {
  TakeMessage();
  const aclError code = aclrtLaunchHostFunc(nullptr, nullptr, nullptr);
  EXPECT_TRUE(code == kRtParamInvalid || code == kInvalidParam) << code;
  EXPECT_NE(TakeMessage().find("aclrtLaunchHostFunc"), std::string::npos);
}

}  // namespace
}  // namespace contract
