// SPDX-License-Identifier: Apache-2.0
// Streams that end early, that fail, and what is told about them: abort, destruction by force, failure modes,
// callbacks.
#include <atomic>
#include <deque>
#include <stdexcept>
#include <vector>

#include "contract_support.h"

namespace contract {
namespace {

void Throw(void*) { throw std::runtime_error("a task fails"); }

class StreamEnd : public OnDevice {
 protected:
  aclrtStream Create() {
    aclrtStream stream = nullptr;
    EXPECT_EQ(aclrtCreateStream(&stream), kOk);
    return stream;
  }
};

TEST_F(StreamEnd, AbortDropsWhatHasNotBegun) {
  const aclrtStream stream = Create();
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
  const aclrtStream stream = Create();
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), kOk);
  ASSERT_EQ(aclrtStreamWaitEvent(stream, event), kOk);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream, 20), kRtStreamTimeout);
  EXPECT_EQ(aclrtStreamAbort(stream), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream), kRtStreamAborted);
  EXPECT_EQ(aclrtDestroyStream(stream), kOk);
  EXPECT_EQ(aclrtDestroyEvent(event), kOk);
}

TEST_F(StreamEnd, DroppedRecordsHappen) {
  const aclrtStream stream = Create();
  const aclrtStream other = Create();
  aclrtEvent event = nullptr;
  Gate gate;
  gate.Block(stream);
  ASSERT_EQ(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC), kOk);
  ASSERT_EQ(aclrtRecordEvent(event, stream), kOk);
  ASSERT_EQ(aclrtStreamWaitEvent(other, event), kOk);
  EXPECT_EQ(aclrtDestroyStreamForce(stream), kOk);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(other), kOk);
  EXPECT_EQ(aclrtDestroyStream(other), kOk);
  EXPECT_EQ(aclrtDestroyEvent(event), kOk);
}

TEST_F(StreamEnd, ForceDestroysWithoutWaiting) {
  static auto& gates = *new std::deque<Gate>;  // nobody can wait until the host functions have left them
  std::atomic<bool> ran = false;
  for (int round = 0; round < 40; ++round) {  // more than the slots that wait for reuse
    Gate& gate = gates.emplace_back();
    const aclrtStream stream = Create();
    gate.Block(stream);
    ASSERT_EQ(aclrtLaunchHostFunc(stream, Raise, &ran), kOk);
    EXPECT_EQ(aclrtDestroyStreamForce(stream), kOk);
    EXPECT_REFUSED(kRtInvalidHandle, aclrtDestroyStreamForce(stream));
    EXPECT_REFUSED(kRtInvalidHandle, aclrtSynchronizeStream(stream));
    gate.Open();
  }
  EXPECT_EQ(aclrtSynchronizeDevice(), kOk);
  EXPECT_FALSE(ran);
  EXPECT_REFUSED(kInvalidParam, aclrtDestroyStreamForce(nullptr));
  aclrtStream standard = nullptr;
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&standard), kOk);
  EXPECT_REFUSED(kInvalidParam, aclrtDestroyStreamForce(standard));
}

TEST_F(StreamEnd, StopRefuses) { EXPECT_REFUSED(kRtNotSupported, aclrtStreamStop(nullptr)); }

TEST_F(StreamEnd, ContinuesAfterAFailure) {
  const aclrtStream stream = Create();
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
  const aclrtStream stream = Create();
  const aclrtStream other = Create();
  EXPECT_EQ(aclrtSetStreamFailureMode(stream, ACL_STOP_ON_FAILURE), kOk);
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Throw, nullptr), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream), kRtInternal);
  EXPECT_EQ(aclrtSynchronizeStream(stream), kRtInternal) << "again and again";
  EXPECT_EQ(aclrtLaunchHostFunc(other, Throw, nullptr), kRtInternal);
  EXPECT_EQ(aclrtSynchronizeDevice(), kRtInternal);
  const aclrtStream later = Create();
  EXPECT_EQ(aclrtLaunchHostFunc(later, Throw, nullptr), kRtInternal);
  EXPECT_EQ(aclrtDestroyContext(context), kOk);
  ASSERT_EQ(aclrtSetDevice(0), kOk);
  EXPECT_EQ(aclrtSynchronizeDevice(), kOk) << "the primary context goes on";
}

TEST_F(StreamEnd, FailureModesAreChecked) {
  const aclrtStream stream = Create();
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
  const aclrtStream stream = Create();
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
  EXPECT_EQ(aclrtDestroyStream(Create()), kOk);
  EXPECT_EQ(aclrtSetDevice(0), kOk);
  EXPECT_EQ(aclrtResetDevice(0), kOk);
  EXPECT_EQ(aclrtRegStreamStateCallback("test", nullptr, nullptr), kOk);
  EXPECT_EQ(aclrtRegDeviceStateCallback("test", nullptr, nullptr), kOk);
  EXPECT_EQ(aclrtDestroyStream(Create()), kOk);
  EXPECT_EQ(states,
            (std::vector<int>{ACL_RT_STREAM_STATE_CREATE_POST, ACL_RT_STREAM_STATE_DESTROY_PRE, 10, 11, 12, 13}));
  EXPECT_REFUSED(kRtParamInvalid, aclrtRegStreamStateCallback(nullptr, note_stream, nullptr));
  EXPECT_REFUSED(kRtParamInvalid, aclrtRegDeviceStateCallback(nullptr, note_device, nullptr));
}

}  // namespace
}  // namespace contract
