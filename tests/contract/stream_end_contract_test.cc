// SPDX-License-Identifier: Apache-2.0
// Streams that end early or fail, and how that is reported: abort, destruction by force, failure modes, callbacks.
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "contract_support.h"

namespace contract {
namespace {

void Throw(void*) { throw std::runtime_error("a task fails"); }

class StreamEnd : public OnDevice {
 protected:
  // Blocks the stream until it is released.
  static void Park(aclrtStream stream) { ASSERT_EQ(aclrtStreamWaitEvent(stream, CreateSyncEvent()), kOk); }
};

TEST_F(StreamEnd, AbortDropsWhatHasNotBegun) {
  const aclrtStream stream = CreateStream();
  Gate gate;
  std::atomic<bool> ran = false;
  gate.Block(stream);
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Raise, &ran), kOk);
  EXPECT_EQ(aclrtStreamAbort(stream), kOk);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(stream), kRtStreamAborted);
  EXPECT_FALSE(ran);
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Raise, &ran), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream), kOk) << "the stream can be used on";
  EXPECT_TRUE(ran);
  EXPECT_EQ(aclrtStreamAbort(stream), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream), kOk) << "there was nothing to drop";
  EXPECT_EQ(aclrtDestroyStream(stream), kOk);
}

TEST_F(StreamEnd, AbortLetsGoOfAWait) {
  const aclrtStream stream = CreateStream();
  const aclrtEvent event = CreateSyncEvent();
  ASSERT_EQ(aclrtStreamWaitEvent(stream, event), kOk);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 20), kRtStreamTimeout);
  EXPECT_EQ(aclrtStreamAbort(stream), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream), kRtStreamAborted);
  EXPECT_EQ(aclrtDestroyStream(stream), kOk);
  EXPECT_EQ(aclrtDestroyEvent(event), kOk);
}

TEST_F(StreamEnd, DroppedRecordsHappen) {
  const aclrtStream stream = CreateStream();
  const aclrtStream other = CreateStream();
  aclrtEvent event = nullptr;
  Park(stream);
  ASSERT_EQ(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC), kOk);
  ASSERT_EQ(aclrtRecordEvent(event, stream), kOk);
  ASSERT_EQ(aclrtStreamWaitEvent(other, event), kOk);
  EXPECT_EQ(aclrtDestroyStreamForce(stream), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(other), kOk);
  EXPECT_EQ(aclrtDestroyStream(other), kOk);
  EXPECT_EQ(aclrtDestroyEvent(event), kOk);
}

TEST_F(StreamEnd, ForceDropsWhatHasNotBegun) {
  std::atomic<bool> ran = false;
  for (int round = 0; round < 40; ++round) {  // more rounds than slots in quarantine
    const aclrtStream stream = CreateStream();
    Park(stream);
    ASSERT_EQ(aclrtLaunchHostFunc(stream, Raise, &ran), kOk);
    EXPECT_EQ(aclrtDestroyStreamForce(stream), kOk);
    EXPECT_REFUSED(kRtInvalidHandle, aclrtDestroyStreamForce(stream));
    EXPECT_REFUSED(kRtInvalidHandle, aclrtSynchronizeStream(stream));
  }
  EXPECT_EQ(aclrtSynchronizeDevice(), kOk);
  EXPECT_FALSE(ran);
  EXPECT_REFUSED(kInvalidParam, aclrtDestroyStreamForce(nullptr));
  aclrtStream standard = nullptr;
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&standard), kOk);
  EXPECT_REFUSED(kInvalidParam, aclrtDestroyStreamForce(standard));
}

struct Long {
  std::atomic<bool> began = false;
  std::atomic<bool> returned = false;

  static void Run(void* argument) {
    auto* self = static_cast<Long*>(argument);
    self->began = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    self->returned = true;
  }
};

TEST_F(StreamEnd, NothingRunsAnyMoreAfterForce) {
  std::atomic<bool> ran = false;
  for (const bool blocking_callback : {false, true}) {
    Long task;
    const aclrtStream stream = CreateStream();
    std::thread server;
    if (blocking_callback) {
      std::atomic<bool> subscribed = false;
      server = std::thread([&] {
        EXPECT_EQ(aclrtSetDevice(0), kOk);
        EXPECT_EQ(aclrtSubscribeReport(static_cast<uint64_t>(pthread_self()), stream), kOk);
        subscribed = true;
        EXPECT_EQ(aclrtProcessReport(-1), kOk);
      });
      while (!subscribed) std::this_thread::yield();
      ASSERT_EQ(aclrtLaunchCallback(Long::Run, &task, ACL_CALLBACK_BLOCK, stream), kOk);
    } else {
      ASSERT_EQ(aclrtLaunchHostFunc(stream, Long::Run, &task), kOk);
    }
    ASSERT_EQ(aclrtLaunchHostFunc(stream, Raise, &ran), kOk);
    while (!task.began) std::this_thread::yield();
    EXPECT_EQ(aclrtDestroyStreamForce(stream), kOk);
    EXPECT_TRUE(task.returned);
    if (server.joinable()) server.join();
  }
  EXPECT_FALSE(ran);
}

// A function that destroys the stream which waits for it.
struct Suicide {
  aclError (*destroy)(aclrtStream);
  aclrtContext context = nullptr;
  aclrtStream stream = nullptr;
  std::atomic<bool> done = false;
  aclError status = -1;

  static void Run(void* argument) {
    auto* self = static_cast<Suicide*>(argument);
    aclrtSetCurrentContext(self->context);
    self->status = self->destroy(self->stream);
    self->done = true;
  }
};
std::atomic<Suicide*> g_on_failure = nullptr;

TEST_F(StreamEnd, AFunctionMayDestroyItsStream) {
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), kOk);
  const auto self = static_cast<uint64_t>(pthread_self());
  EXPECT_EQ(aclrtSetExceptionInfoCallback([](aclrtExceptionInfo*) { Suicide::Run(g_on_failure); }), kOk);
  for (int round = 0; round < 40; ++round) {
    for (aclError (*destroy)(aclrtStream) : {aclrtDestroyStream, aclrtDestroyStreamForce}) {
      Suicide host{destroy, context, CreateStream()};
      ASSERT_EQ(aclrtLaunchHostFunc(host.stream, Suicide::Run, &host), kOk);
      Suicide callback{destroy, context, CreateStream()};
      ASSERT_EQ(aclrtSubscribeReport(self, callback.stream), kOk);
      ASSERT_EQ(aclrtLaunchCallback(Suicide::Run, &callback, ACL_CALLBACK_BLOCK, callback.stream), kOk);
      EXPECT_EQ(aclrtProcessReport(-1), kOk);
      Suicide failure{destroy, context, CreateStream()};
      g_on_failure = &failure;
      ASSERT_EQ(aclrtLaunchHostFunc(failure.stream, Throw, nullptr), kOk);
      for (Suicide* each : {&host, &callback, &failure}) {
        while (!each->done) std::this_thread::yield();
        EXPECT_EQ(each->status, kOk);
        EXPECT_REFUSED(kRtInvalidHandle, aclrtSynchronizeStream(each->stream));
      }
    }
  }
  EXPECT_EQ(aclrtSetExceptionInfoCallback(nullptr), kOk);
}

TEST_F(StreamEnd, WhatWasAttachedEndsWithTheStream) {
  const auto self = static_cast<uint64_t>(pthread_self());
  int object = 0;
  aclrtAllocatorDesc description = aclrtAllocatorCreateDesc();
  EXPECT_EQ(aclrtAllocatorSetObjToDesc(description, &object), kOk);
  EXPECT_EQ(aclrtAllocatorSetAllocFuncToDesc(description, [](void*, size_t) -> void* { return nullptr; }), kOk);
  EXPECT_EQ(aclrtAllocatorSetFreeFuncToDesc(description, [](void*, void*) {}), kOk);
  EXPECT_EQ(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(description, [](void* block) { return block; }), kOk);
  for (aclError (*destroy)(aclrtStream) : {aclrtDestroyStream, aclrtDestroyStreamForce}) {
    const aclrtStream stream = CreateStream();
    EXPECT_EQ(aclrtSubscribeReport(self, stream), kOk);
    EXPECT_EQ(aclrtSubscribeHostFunc(self, stream), kOk);
    EXPECT_EQ(aclrtAllocatorRegister(stream, description), kOk);
    EXPECT_EQ(destroy(stream), kOk);
    EXPECT_REFUSED(kRtThreadNotSubscribed, aclrtProcessReport(1));
    EXPECT_REFUSED(kRtThreadNotSubscribed, aclrtProcessHostFunc(1));
    EXPECT_REFUSED(kRtThreadNotSubscribed, aclrtUnSubscribeReport(self, stream));
    aclrtAllocator allocator = nullptr;
    aclrtAllocatorAllocFunc allocate = nullptr;
    aclrtAllocatorFreeFunc free = nullptr;
    aclrtAllocatorAllocAdviseFunc near = nullptr;
    aclrtAllocatorGetAddrFromBlockFunc address = nullptr;
    aclrtAllocatorDesc seen = nullptr;
    EXPECT_REFUSED(kInvalidParam,
                   aclrtAllocatorGetByStream(stream, &seen, &allocator, &allocate, &free, &near, &address));
  }
  EXPECT_EQ(aclrtAllocatorDestroyDesc(description), kOk);
}

TEST_F(StreamEnd, StopRefuses) { EXPECT_REFUSED(kRtNotSupported, aclrtStreamStop(nullptr)); }

TEST_F(StreamEnd, ContinuesAfterAFailure) {
  const aclrtStream stream = CreateStream();
  std::atomic<bool> ran = false;
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Throw, nullptr), kOk);
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Raise, &ran), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream), kRtInternal);
  EXPECT_TRUE(ran);
  EXPECT_EQ(aclrtSynchronizeStream(stream), kOk) << "reported once";
  EXPECT_EQ(aclrtDestroyStream(stream), kOk);
}

TEST_F(StreamEnd, StopsItsContextOnFailure) {
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtCreateContext(&context, 0), kOk);
  const aclrtStream stream = CreateStream();
  const aclrtStream other = CreateStream();
  EXPECT_EQ(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE), kOk);
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Throw, nullptr), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream), kRtInternal);
  EXPECT_EQ(aclrtSynchronizeStream(stream), kRtInternal) << "again and again";
  EXPECT_EQ(aclrtLaunchHostFunc(other, Throw, nullptr), kRtInternal);
  EXPECT_EQ(aclrtSynchronizeDevice(), kRtInternal);
  const aclrtStream later = CreateStream();
  EXPECT_EQ(aclrtLaunchHostFunc(later, Throw, nullptr), kRtInternal);
  EXPECT_EQ(aclrtDestroyContext(context), kOk);
  ASSERT_EQ(aclrtSetDevice(0), kOk);
  EXPECT_EQ(aclrtSynchronizeDevice(), kOk) << "the primary context goes on";
}

TEST_F(StreamEnd, FailureModesAreChecked) {
  const aclrtStream stream = CreateStream();
  EXPECT_REFUSED(kRtParamInvalid, aclrtSetStreamFailureMode(stream, 2));
  EXPECT_REFUSED(kRtParamInvalid, aclrtSetStreamFailureMode(nullptr, ACL_STOP_ON_FAILURE));
  EXPECT_EQ(aclrtSetStreamFailureMode(stream, ACL_CONTINUE_ON_FAILURE), kOk);
  EXPECT_EQ(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE), kOk);
  EXPECT_REFUSED(kRtParamInvalid, aclrtSetStreamFailureMode(stream, ACL_CONTINUE_ON_FAILURE));
  EXPECT_EQ(aclrtDestroyStream(stream), kOk);
}

struct Seen {
  uint32_t task, stream, device, code;
};
Seen g_seen;
int g_calls = 0;

void Look(aclrtExceptionInfo* info) {
  ++g_calls;
  g_seen = {aclrtGetTaskIdFromExceptionInfo(info), aclrtGetStreamIdFromExceptionInfo(info),
            aclrtGetDeviceIdFromExceptionInfo(info), aclrtGetErrorCodeFromExceptionInfo(info)};
}

TEST_F(StreamEnd, CallbacksLearnWhichTaskFailed) {
  const aclrtStream stream = CreateStream();
  EXPECT_EQ(aclrtSetExceptionInfoCallback(Look), kOk);
  EXPECT_EQ(aclrtExceptionInfoCallbackRegister(Look), kOk);
  uint32_t task = 0;
  int32_t id = -1;
  g_calls = 0;
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Throw, nullptr), kOk);
  EXPECT_EQ(aclrtGetThreadLastTaskId(&task), kOk);
  EXPECT_EQ(aclrtStreamGetId(stream, &id), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream), kRtInternal);
  EXPECT_EQ(g_calls, 2);
  EXPECT_EQ(g_seen.task, task);
  EXPECT_EQ(g_seen.stream, static_cast<uint32_t>(id));
  EXPECT_EQ(g_seen.device, 0u);
  EXPECT_EQ(g_seen.code, static_cast<uint32_t>(kRtInternal));
  EXPECT_EQ(aclrtExceptionInfoCallbackUnregister(Look), kOk);
  EXPECT_EQ(aclrtSetExceptionInfoCallback(nullptr), kOk);
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Throw, nullptr), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream), kRtInternal);
  EXPECT_EQ(g_calls, 2);
  EXPECT_EQ(aclrtGetTaskIdFromExceptionInfo(nullptr), 0xFFFFFFFFu);
  EXPECT_EQ(aclrtGetThreadIdFromExceptionInfo(nullptr), 0xFFFFFFFFu);
  EXPECT_REFUSED(kInvalidParam, aclrtExceptionInfoCallbackRegister(nullptr));
  EXPECT_REFUSED(kInvalidParam, aclrtGetThreadLastTaskId(nullptr));
  EXPECT_EQ(aclrtDestroyStream(stream), kOk);
}

TEST_F(StreamEnd, StateCallbacksFollowStreamsAndDevices) {
  std::vector<int> states;
  const auto note_stream = [](aclrtStream, aclrtStreamState state, void* list) {
    static_cast<std::vector<int>*>(list)->push_back(state);
  };
  const auto note_device = [](int32_t, aclrtDeviceState state, void* list) {
    static_cast<std::vector<int>*>(list)->push_back(10 + state);
  };
  EXPECT_EQ(aclrtRegStreamStateCallback("test", note_stream, &states), kOk);
  EXPECT_EQ(aclrtRegDeviceStateCallback("test", note_device, &states), kOk);
  EXPECT_EQ(aclrtDestroyStream(CreateStream()), kOk);
  EXPECT_EQ(aclrtSetDevice(0), kOk);
  EXPECT_EQ(aclrtResetDevice(0), kOk);
  EXPECT_EQ(aclrtRegStreamStateCallback("test", nullptr, nullptr), kOk);
  EXPECT_EQ(aclrtRegDeviceStateCallback("test", nullptr, nullptr), kOk);
  EXPECT_EQ(aclrtDestroyStream(CreateStream()), kOk);
  EXPECT_EQ(states,
            (std::vector<int>{ACL_RT_STREAM_STATE_CREATE_POST, ACL_RT_STREAM_STATE_DESTROY_PRE, 10, 11, 12, 13}));
  EXPECT_REFUSED(kRtParamInvalid, aclrtRegStreamStateCallback(nullptr, note_stream, nullptr));
  EXPECT_REFUSED(kRtParamInvalid, aclrtRegDeviceStateCallback(nullptr, note_device, nullptr));
}

}  // namespace
}  // namespace contract
