// SPDX-License-Identifier: Apache-2.0
// Use of a stream, a context or an event that another thread closes at the same time, after the handle was looked up
// while it was live. The order is fixed: the look-up, the closing, then the rest of the call.
#include "runtime/contexts/context.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "base/observer.h"
#include "runtime/test_support.h"

namespace portacl::testing {
namespace {

class EndsTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
    found_ = contexts::g_streams.Find(stream_);
    ASSERT_NE(found_, nullptr);
  }

  aclrtStream stream_ = nullptr;
  streams::Stream* found_ = nullptr;
};

// Parks its stream the first time it runs; counts how often it runs and whether it finishes.
class ParkOnce final : public Task {
 public:
  ParkOnce(std::atomic<int>& parked, std::atomic<int>& finished)
      : Task(TaskKind::kWait), parked_(parked), finished_(finished) {}
  int32_t Run() noexcept override { return parked_++ == 0 ? kParkStream : 0; }
  void Finish() noexcept override {
    ++finished_;
    delete this;
  }

 private:
  ~ParkOnce() = default;
  std::atomic<int>& parked_;
  std::atomic<int>& finished_;
};

TEST_F(EndsTest, AWaitThatComesAfterTheEndHasBegunIsRefusedAndHoldsNobody) {
  std::atomic<int> parked{0};
  std::atomic<int> finished{0};
  std::atomic<bool> destroyed{false};
  Gate gate;
  gate.HoldStream(stream_);
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  std::thread destroyer([&] {
    EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStreamForce(stream_), ACL_SUCCESS);
    destroyed = true;
  });
  while (contexts::g_streams.Find(stream_) != nullptr) std::this_thread::yield();
  // The closing has begun, and waits for the host function.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const int32_t status = streams::SubmitNew("test", *found_, new ParkOnce(parked, finished), 0);
  EXPECT_EQ(status, ACL_ERROR_RT_INVALID_HANDLE);
  ExpectReport("stream", "destroyed");
  gate.Open();
  while (!destroyed) {
    if (parked == 1 && ++parked == 2) found_->Resume();  // so that the test also ends when it fails
    std::this_thread::yield();
  }
  destroyer.join();
  EXPECT_EQ(parked, 0);
  EXPECT_EQ(finished, 1);
}

TEST_F(EndsTest, ADestroyedStreamTakesNothing) {
  ASSERT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
  for (const int64_t cost : {int64_t{0}, kInlineCostNs + 1}) {
    Task* task = new FunctionTask([] {
      ADD_FAILURE() << "a task of a dead stream ran";
      return 0;
    });
    EXPECT_EQ(streams::SubmitNew("test", *found_, task, cost), ACL_ERROR_RT_INVALID_HANDLE);
  }
  EXPECT_TRUE(found_->Idle());
}

TEST_F(EndsTest, AReopenedSlotTakesTasksAgain) {
  for (int round = 0; round < 40; ++round) {  // more rounds than slots in quarantine
    ASSERT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
    bool ran = false;
    Launch(stream_, 0, [&ran] { return static_cast<int32_t>(ran = true, 0); });
    EXPECT_TRUE(ran);
  }
  EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
}

TEST_F(EndsTest, ADeadStreamGetsNoThreadOfCallbacks) {
  const HandleBits handle = ToBits(stream_);
  bool added = false;
  EXPECT_TRUE(contexts::WhileLive(handle, [&] { added = true; }));
  EXPECT_TRUE(added);
  ASSERT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
  EXPECT_FALSE(contexts::WhileLive(handle, [] { ADD_FAILURE() << "the stream is dead"; }));
}

TEST_F(EndsTest, AClosedContextGetsNoStreamAndNoEvent) {
  HandleBits context = 0;
  ASSERT_EQ(contexts::OpenContext("test", 0, false, &context), 0);
  const int room = contexts::StreamRoom(0);
  const uint32_t events = contexts::g_events.Room();
  ASSERT_TRUE(contexts::CloseContext(context));
  EXPECT_EQ(contexts::StreamRoom(0), room + 1);
  streams::Stream* stream = nullptr;
  EXPECT_EQ(contexts::OpenStream("test", context, &stream), ACL_ERROR_RT_CONTEXT_NULL);
  ExpectReport("test", "context");
  EXPECT_EQ(stream, nullptr);
  HandleBits event = 0;
  EXPECT_EQ(contexts::OpenEvent("test", context, events::EventGeneration::kFirst, 0, &event),
            ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(contexts::StreamRoom(0), room + 1);
  EXPECT_EQ(contexts::g_events.Room(), events);
  EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
}

// Records an event on another stream while a record of it is being submitted, and keeps the newer record.
class RecordBetween final : public Observer {
 public:
  explicit RecordBetween(aclrtEvent event) : event_(event) { AddObserver(*this); }
  void TaskQueued(const TaskNote& note) noexcept override {
    if (note.role != TaskRole::kRecord || first_ != nullptr) return;
    first_ = const_cast<events::EventRecord*>(static_cast<const events::EventRecord*>(note.moment));
    first_->Retain();
    EXPECT_EQ(aclrtRecordEvent(event_, nullptr), ACL_SUCCESS);
  }
  events::EventRecord* first() const { return first_; }

 private:
  const aclrtEvent event_;
  events::EventRecord* first_ = nullptr;
};

// Only the test holds a reference to the refused record; AddressSanitizer would report a missing reference, or a leak.
TEST_F(EndsTest, ARefusedRecordWithANewerOneIsGivenBackOnce) {
  for (const bool recorded_before : {false, true}) {
    aclrtEvent event = nullptr;
    ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
    if (recorded_before) {
      ASSERT_EQ(aclrtRecordEvent(event, nullptr), ACL_SUCCESS);
    }
    aclrtStream closed = nullptr;
    ASSERT_EQ(aclrtCreateStream(&closed), ACL_SUCCESS);
    streams::Stream* found = contexts::g_streams.Find(closed);
    ASSERT_EQ(aclrtDestroyStream(closed), ACL_SUCCESS);
    auto& between = Immortal<RecordBetween>(event);
    EXPECT_EQ(contexts::g_events.Find(event)->Record("test", found), ACL_ERROR_RT_INVALID_HANDLE);
    RestObserver(between);
    ASSERT_NE(between.first(), nullptr);
    EXPECT_TRUE(between.first()->Fired());
    between.first()->Drop();
    EXPECT_EQ(aclrtSynchronizeEvent(event), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
  }
  EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
}

// For ThreadSanitizer: a slot is opened again while another thread still reads the object that it looked up.
TEST_F(EndsTest, ObjectsOfStaleHandlesMayBeAsked) {
  HandleBits context = 0;
  ASSERT_EQ(contexts::OpenContext("test", 0, false, &context), 0);
  HandleBits event = 0;
  ASSERT_EQ(contexts::OpenEvent("test", context, events::EventGeneration::kFirst, 0, &event), 0);
  const contexts::Context* old_context = contexts::g_contexts.Find(context);
  const events::Event* old_event = contexts::g_events.Find(event);
  std::atomic<bool> over{false};
  std::thread asking([&] {
    while (!over) {
      EXPECT_EQ(old_context->device(), 0);
      EXPECT_FALSE(old_context->primary());
      EXPECT_FALSE(old_event->Has(ACL_EVENT_EXTERNAL));
      static_cast<void>(old_event->generation());
      EXPECT_EQ(found_->device(), 0);
    }
  });
  EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
  for (int round = 0; round < 100; ++round) {
    ASSERT_TRUE(contexts::CloseContext(context));
    ASSERT_EQ(contexts::OpenContext("test", 0, false, &context), 0);
    ASSERT_EQ(contexts::OpenEvent("test", context, events::EventGeneration::kSecond, ACL_EVENT_SYNC, &event), 0);
  }
  ASSERT_TRUE(contexts::CloseContext(context));
  over = true;
  asking.join();
}

}  // namespace
}  // namespace portacl::testing
