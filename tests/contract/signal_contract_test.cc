// SPDX-License-Identifier: Apache-2.0
// Signals between streams and the host: notifies, values in memory, callbacks, waits with a limit.
#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "contract_support.h"

namespace contract {
namespace {

class Signals : public OnStream {
 protected:
  void SetUp() override {
    OnStream::SetUp();
    ASSERT_EQ(aclrtCreateStream(&other_), kOk);
  }

  // Whether a task that follows those queued on `stream_` runs now.
  bool Passes(int milliseconds = 20) {
    const aclError status = aclrtSynchronizeStreamWithTimeout(stream_, milliseconds);
    EXPECT_TRUE(status == kOk || status == kRtStreamTimeout) << status;
    return status == kOk;
  }

  aclrtStream other_ = nullptr;
};

TEST_F(Signals, OneWaitUsesUpANotify) {
  aclrtNotify notify = nullptr;
  ASSERT_EQ(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), kOk);
  ASSERT_EQ(aclrtWaitAndResetNotify(notify, stream_, 0), kOk);
  EXPECT_FALSE(Passes());
  ASSERT_EQ(aclrtRecordNotify(notify, other_), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
  ASSERT_EQ(aclrtWaitAndResetNotify(notify, stream_, 0), kOk);
  EXPECT_FALSE(Passes()) << "the first wait has cleared it";
  ASSERT_EQ(aclrtRecordNotify(notify, other_), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
  ASSERT_EQ(aclrtRecordNotify(notify, other_), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(other_), kOk);
  EXPECT_EQ(aclrtNotifyBatchReset(&notify, 1), kOk);
  ASSERT_EQ(aclrtWaitAndResetNotify(notify, stream_, 0), kOk);
  EXPECT_FALSE(Passes()) << "the reset has cleared it";
  EXPECT_EQ(aclrtDestroyNotify(notify), kOk);
  EXPECT_REFUSED(kRtInvalidHandle, aclrtRecordNotify(notify, other_));
  EXPECT_EQ(aclrtStreamAbort(stream_), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kRtStreamAborted);
}

TEST_F(Signals, NotifyWaitsHaveALimit) {
  aclrtNotify notify = nullptr;
  ASSERT_EQ(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), kOk);
  ASSERT_EQ(aclrtWaitAndResetNotify(notify, stream_, 1), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kRtStreamTimeout);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
  EXPECT_EQ(aclrtDestroyNotify(notify), kOk);
}

TEST_F(Signals, NotifiesAreChecked) {
  aclrtNotify notify = nullptr;
  uint32_t number = 0;
  EXPECT_REFUSED(kRtParamInvalid, aclrtCreateNotify(&notify, 2));
  EXPECT_REFUSED(kInvalidParam, aclrtCreateNotify(nullptr, 0));
  EXPECT_REFUSED(kInvalidParam, aclrtDestroyNotify(nullptr));
  EXPECT_REFUSED(kInvalidParam, aclrtRecordNotify(nullptr, stream_));
  EXPECT_REFUSED(kInvalidParam, aclrtNotifyBatchReset(nullptr, 1));
  EXPECT_REFUSED(kInvalidParam, aclrtNotifyBatchReset(&notify, 0));
  EXPECT_REFUSED(kRtInvalidHandle, aclrtGetNotifyId(stream_, &number));
  EXPECT_REFUSED(kRtNotSupported, aclrtCntNotifyCreate(&notify, 0));
}

TEST_F(Signals, ResetLetsGoOfWaitsThatNobodyEnds) {
  aclrtNotify notify = nullptr;
  std::atomic<bool> ran = false;
  ASSERT_EQ(aclrtCreateNotify(&notify, ACL_NOTIFY_DEFAULT), kOk);
  ASSERT_EQ(aclrtWaitAndResetNotify(notify, stream_, 0), kOk);
  ASSERT_EQ(aclrtLaunchHostFunc(stream_, Raise, &ran), kOk);
  EXPECT_EQ(aclrtResetDeviceForce(0), kOk);
  EXPECT_TRUE(ran);
  EXPECT_EQ(aclrtDestroyNotify(notify), kOk);
}

TEST(CountingNotifyDeathTest, ComparesAndCounts) {
  EXPECT_IN_FRESH_PROCESS({
    setenv("PORTACL_SOC", "Ascend950", 1);
    aclrtCntNotify notify = nullptr;
    aclrtStream waiting = nullptr;
    EXPECT_EQ(aclrtSetDevice(0), kOk);
    EXPECT_EQ(aclrtCreateStream(&waiting), kOk);
    EXPECT_EQ(aclrtCntNotifyCreate(&notify, 0), kOk);
    aclrtCntNotifyWaitInfo goal = {};
    goal.mode = ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE;
    goal.value = 3;
    goal.isClear = 1;
    EXPECT_EQ(aclrtCntNotifyWaitWithTimeout(notify, waiting, &goal), kOk);
    aclrtCntNotifyRecordInfo add = {};
    add.mode = ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE;
    add.value = 2;
    EXPECT_EQ(aclrtCntNotifyRecord(notify, nullptr, &add), kOk);
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(waiting, 20), kRtStreamTimeout);
    EXPECT_EQ(aclrtCntNotifyRecord(notify, nullptr, &add), kOk);
    EXPECT_EQ(aclrtSynchronizeStream(waiting), kOk);
    goal.mode = ACL_RT_CNT_NOTIFY_WAIT_EQUAL_MODE;
    goal.value = 0;
    EXPECT_EQ(aclrtCntNotifyWaitWithTimeout(notify, waiting, &goal), kOk);
    EXPECT_EQ(aclrtSynchronizeStream(waiting), kOk) << "the first wait has cleared it";
    goal.mode = static_cast<aclrtCntNotifyWaitMode>(5);
    EXPECT_EQ(aclrtCntNotifyWaitWithTimeout(notify, waiting, &goal), kInvalidParam);
    EXPECT_EQ(aclrtCntNotifyReset(notify, nullptr), kOk);
    EXPECT_EQ(aclrtCntNotifyDestroy(notify), kOk);
  });
}

TEST_F(Signals, ValuesInMemoryOrderStreams) {
  void* memory = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST), kOk);
  ASSERT_EQ(aclrtMemset(memory, 64, 0, 64), kOk);
  struct Case {
    uint32_t flag;
    uint64_t goal, before, after;
  };
  for (const Case& c :
       {Case{ACL_STREAM_WAIT_VALUE_GEQ, 5, 4, 6}, Case{ACL_STREAM_WAIT_VALUE_EQ, 5, 6, 5},
        Case{ACL_STREAM_WAIT_VALUE_AND, 6, 1, 4}, Case{ACL_STREAM_WAIT_VALUE_NOR, ~uint64_t{1}, 1, 2}}) {
    ASSERT_EQ(aclrtValueWrite(memory, c.before, 0, other_), kOk);
    ASSERT_EQ(aclrtSynchronizeStream(other_), kOk);
    ASSERT_EQ(aclrtValueWait(memory, c.goal, c.flag, stream_), kOk);
    EXPECT_FALSE(Passes()) << c.flag;
    ASSERT_EQ(aclrtValueWrite(memory, c.after, 0, other_), kOk);
    EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk) << c.flag;
  }
  ASSERT_EQ(aclrtMemset(memory, 64, 0, 64), kOk);
  ASSERT_EQ(aclrtValueWait(memory, 1, ACL_STREAM_WAIT_VALUE_EQ, stream_), kOk);
  const uint64_t one = 1;
  ASSERT_EQ(aclrtMemcpy(memory, 8, &one, 8, ACL_MEMCPY_HOST_TO_DEVICE), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk) << "whoever writes it";
  uint64_t host = 0;
  EXPECT_REFUSED(kRtParamInvalid, aclrtValueWrite(&host, 1, 0, stream_));
  EXPECT_REFUSED(kRtParamInvalid, aclrtValueWrite(memory, 1, 1, stream_));
  EXPECT_REFUSED(kRtParamInvalid, aclrtValueWait(memory, 1, 4, stream_));
  EXPECT_REFUSED(kInvalidParam, aclrtValueWait(nullptr, 1, 0, stream_));
  EXPECT_EQ(aclrtFree(memory), kOk);
}

TEST_F(Signals, EventWaitsHaveALimit) {
  Gate gate;
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC), kOk);
  gate.Block(other_);
  ASSERT_EQ(aclrtRecordEvent(event, other_), kOk);
  std::atomic<bool> ran = false;
  ASSERT_EQ(aclrtStreamWaitEventWithTimeout(stream_, event, 1), kOk);
  ASSERT_EQ(aclrtLaunchHostFunc(stream_, Raise, &ran), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kRtStreamTimeout);
  EXPECT_TRUE(ran) << "the stream goes on";
  EXPECT_EQ(aclrtSetOpWaitTimeout(1), kOk);
  ASSERT_EQ(aclrtStreamWaitEvent(stream_, event), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kRtStreamTimeout);
  EXPECT_EQ(aclrtSetOpWaitTimeout(0), kOk);
  ASSERT_EQ(aclrtStreamWaitEventWithTimeout(stream_, event, 3600), kOk);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
  EXPECT_REFUSED(kRtParamInvalid, aclrtStreamWaitEventWithTimeout(stream_, event, -1));
  EXPECT_EQ(aclrtDestroyEvent(event), kOk);
}

TEST_F(Signals, EventFlagsAgreeOverALife) {
  aclrtEvent event = nullptr;
  aclrtEvent first = nullptr;
  ASSERT_EQ(aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC), kOk);
  ASSERT_EQ(aclrtCreateEvent(&first), kOk);
  EXPECT_EQ(aclrtRecordEventWithFlag(event, stream_, ACL_EVENT_RECORD_EXTERNAL), kOk);
  EXPECT_EQ(aclrtStreamWaitEventWithFlag(other_, event, 0, ACL_EVENT_WAIT_EXTERNAL), kOk);
  EXPECT_REFUSED(kRtParamInvalid, aclrtRecordEventWithFlag(event, stream_, ACL_EVENT_RECORD_DEFAULT));
  EXPECT_REFUSED(kInvalidParam, aclrtRecordEventWithFlag(event, stream_, 2));
  EXPECT_REFUSED(kInvalidParam, aclrtStreamWaitEventWithFlag(other_, event, 1, ACL_EVENT_WAIT_EXTERNAL));
  EXPECT_REFUSED(kRtNotSupported, aclrtRecordEventWithFlag(first, stream_, ACL_EVENT_RECORD_EXTERNAL));
  EXPECT_EQ(aclrtDestroyEvent(event), kOk);
  EXPECT_EQ(aclrtDestroyEvent(first), kOk);
}

TEST_F(Signals, OlderQueriesAndTimeStamps) {
  aclrtEvent event = nullptr;
  aclrtEvent second = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), kOk);
  ASSERT_EQ(aclrtCreateEventExWithFlag(&second, ACL_EVENT_TIME_LINE), kOk);
  aclrtEventStatus status{};
  aclrtEventWaitStatus waits{};
  uint64_t time = 0, later = 0;
  EXPECT_EQ(aclrtQueryEvent(event, &status), kOk);
  EXPECT_EQ(status, ACL_EVENT_STATUS_NOT_READY);
  EXPECT_REFUSED(kRtNoTimestamp, aclrtEventGetTimestamp(event, &time));
  Gate gate;
  gate.Block(stream_);
  ASSERT_EQ(aclrtRecordEvent(event, stream_), kOk);
  ASSERT_EQ(aclrtStreamWaitEvent(other_, event), kOk);
  EXPECT_EQ(aclrtQueryEventWaitStatus(event, &waits), kOk);
  EXPECT_EQ(waits, ACL_EVENT_WAIT_STATUS_NOT_READY);
  EXPECT_REFUSED(kRtNoTimestamp, aclrtEventGetTimestamp(event, &time));
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeDevice(), kOk);
  EXPECT_EQ(aclrtQueryEvent(event, &status), kOk);
  EXPECT_EQ(status, ACL_EVENT_STATUS_COMPLETE);
  EXPECT_EQ(aclrtQueryEventWaitStatus(event, &waits), kOk);
  EXPECT_EQ(waits, ACL_EVENT_WAIT_STATUS_COMPLETE);
  EXPECT_EQ(aclrtEventGetTimestamp(event, &time), kOk);
  ASSERT_EQ(aclrtRecordEvent(second, stream_), kOk);
  ASSERT_EQ(aclrtSynchronizeEvent(second), kOk);
  EXPECT_EQ(aclrtEventGetTimestamp(second, &later), kOk);
  EXPECT_GE(later, time);
  EXPECT_REFUSED(kRtNotSupported, aclrtQueryEvent(second, &status));
  EXPECT_REFUSED(kRtNotSupported, aclrtQueryEventWaitStatus(second, &waits));
  uint32_t number = 0, room = 0, less = 0;
  EXPECT_EQ(aclrtGetEventId(event, &number), kOk);
  EXPECT_EQ(aclrtGetEventAvailNum(&room), kOk);
  aclrtEvent third = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&third), kOk);
  EXPECT_EQ(aclrtGetEventAvailNum(&less), kOk);
  EXPECT_EQ(room - less, 1u);
  for (aclrtEvent one : {event, second, third}) EXPECT_EQ(aclrtDestroyEvent(one), kOk);
}

void NoteThread(void* id) { *static_cast<std::thread::id*>(id) = std::this_thread::get_id(); }

// A thread that runs the callbacks of streams.
class Server {
 public:
  template <class Process>
  explicit Server(Process process)
      : thread_([this, process] {
          id_ = static_cast<uint64_t>(pthread_self());
          while (!stop_) {
            if (process(5) == kRtThreadNotSubscribed) std::this_thread::yield();
          }
        }) {
    while (id_ == 0) std::this_thread::yield();
  }
  ~Server() {
    stop_ = true;
    thread_.join();
  }
  uint64_t id() const { return id_; }
  std::thread::id thread() const { return thread_.get_id(); }

 private:
  std::atomic<uint64_t> id_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST_F(Signals, CallbacksRunOnTheNamedThread) {
  Server server(aclrtProcessReport);
  ASSERT_EQ(aclrtSubscribeReport(server.id(), stream_), kOk);
  EXPECT_REFUSED(107011, aclrtSubscribeReport(server.id(), stream_));
  std::thread::id seen;
  std::atomic<bool> ran = false;
  ASSERT_EQ(aclrtLaunchCallback(NoteThread, &seen, ACL_CALLBACK_BLOCK, stream_), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
  EXPECT_EQ(seen, server.thread()) << "the stream has waited for it";
  ASSERT_EQ(aclrtLaunchCallback(Raise, &ran, ACL_CALLBACK_NO_BLOCK, stream_), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
  while (!ran) std::this_thread::yield();
  EXPECT_EQ(aclrtUnSubscribeReport(server.id(), stream_), kOk);
  EXPECT_REFUSED(kRtThreadNotSubscribed, aclrtUnSubscribeReport(server.id(), stream_));
  EXPECT_REFUSED(kRtNoCallbackThread, aclrtLaunchCallback(Raise, &ran, ACL_CALLBACK_BLOCK, stream_));
}

TEST_F(Signals, BlockingCallbackHoldsItsStream) {
  const auto self = static_cast<uint64_t>(pthread_self());
  ASSERT_EQ(aclrtSubscribeReport(self, stream_), kOk);
  EXPECT_REFUSED(507012, aclrtProcessReport(10));
  std::atomic<bool> ran = false;
  std::atomic<bool> after = false;
  ASSERT_EQ(aclrtLaunchCallback(Raise, &ran, ACL_CALLBACK_BLOCK, stream_), kOk);
  ASSERT_EQ(aclrtLaunchHostFunc(stream_, Raise, &after), kOk);
  EXPECT_FALSE(Passes());
  EXPECT_FALSE(after);
  EXPECT_EQ(aclrtProcessReport(-1), kOk);
  EXPECT_TRUE(ran);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
  EXPECT_TRUE(after);
  ran = false;
  ASSERT_EQ(aclrtLaunchCallback(Raise, &ran, ACL_CALLBACK_BLOCK, stream_), kOk);
  EXPECT_FALSE(Passes());
  EXPECT_EQ(aclrtUnSubscribeReport(self, stream_), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk) << "what is due is dropped, and the stream goes on";
  EXPECT_FALSE(ran);
  EXPECT_REFUSED(kRtThreadNotSubscribed, aclrtProcessReport(10));
  EXPECT_REFUSED(kInvalidParam, aclrtProcessReport(0));
  EXPECT_REFUSED(kInvalidParam, aclrtProcessReport(-2));
  EXPECT_REFUSED(kInvalidParam, aclrtLaunchCallback(nullptr, nullptr, ACL_CALLBACK_BLOCK, stream_));
  EXPECT_REFUSED(kInvalidParam, aclrtLaunchCallback(Raise, &ran, static_cast<aclrtCallbackBlockType>(2), stream_));
  EXPECT_REFUSED(kInvalidParam, aclrtSubscribeReport(self, nullptr));
}

TEST_F(Signals, HostFunctionsMayHaveTheirThread) {
  Server server(aclrtProcessHostFunc);
  ASSERT_EQ(aclrtSubscribeHostFunc(server.id(), stream_), kOk);
  std::thread::id seen;
  ASSERT_EQ(aclrtLaunchHostFunc(stream_, NoteThread, &seen), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
  EXPECT_EQ(seen, server.thread());
  EXPECT_EQ(aclrtUnSubscribeHostFunc(server.id(), stream_), kOk);
  seen = {};
  ASSERT_EQ(aclrtLaunchHostFunc(stream_, NoteThread, &seen), kOk);
  EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk);
  EXPECT_NE(seen, server.thread()) << "a thread of the library again";
  EXPECT_NE(seen, std::thread::id());
}

}  // namespace
}  // namespace contract
