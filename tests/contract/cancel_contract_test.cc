// SPDX-License-Identifier: Apache-2.0
// pthread_cancel() of a thread of the client that waits in the library: the thread ends, and nothing else is affected.
#include <pthread.h>

#include "contract_support.h"

namespace contract {
namespace {

class Cancel : public OnStream {
 public:
  using OnStream::stream_;
  aclrtEvent event_ = nullptr;

 protected:
  void SetUp() override {
    OnStream::SetUp();
    gate_.Block(stream_);
  }

  // Runs `wait` on a thread, which must signal before it waits, and cancels the thread.
  void ExpectEnds(aclError (*wait)(Cancel*)) {
    struct Task {
      Cancel* test;
      aclError (*wait)(Cancel*);
      std::atomic<bool> waits{false};
    } task{this, wait};
    const auto run = [](void* argument) -> void* {
      auto* mine = static_cast<Task*>(argument);
      aclrtSetDevice(0);
      mine->waits = true;
      for (;;) mine->wait(mine->test);  // almost always inside the library
      return nullptr;
    };
    for (int time = 0; time < 20; ++time) {
      task.waits = false;
      pthread_t thread;
      ASSERT_EQ(pthread_create(&thread, nullptr, run, &task), 0);
      while (!task.waits) std::this_thread::yield();
      if (time % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      ASSERT_EQ(pthread_cancel(thread), 0);
      void* result = nullptr;
      ASSERT_EQ(pthread_join(thread, &result), 0);
      EXPECT_EQ(result, PTHREAD_CANCELED);
    }
    gate_.Open();
    EXPECT_EQ(aclrtSynchronizeStream(stream_), kOk) << "others wait as before";
    EXPECT_EQ(aclrtDestroyStream(stream_), kOk);
  }

  Gate gate_;
};

TEST_F(Cancel, InAWaitForAStream) {
  ExpectEnds([](Cancel* test) { return aclrtSynchronizeStream(test->stream_); });
}

// AddressSanitizer keeps the poisoned bytes of instrumented frames that a cancellation unwinds, here frames of
// libstdc++.
#ifndef __SANITIZE_ADDRESS__
TEST_F(Cancel, InAWaitForAStreamWithALimit) {
  ExpectEnds([](Cancel* test) { return aclrtSynchronizeStreamWithTimeout(test->stream_, 100'000); });
}
#endif

TEST_F(Cancel, InAWaitForADevice) {
  ExpectEnds([](Cancel*) { return aclrtSynchronizeDevice(); });
}

TEST_F(Cancel, InAWaitForAnEvent) {
  ASSERT_EQ(aclrtCreateEvent(&event_), kOk);
  ASSERT_EQ(aclrtRecordEvent(event_, stream_), kOk);
  ExpectEnds([](Cancel* test) { return aclrtSynchronizeEvent(test->event_); });
  EXPECT_EQ(aclrtDestroyEvent(event_), kOk);
}

TEST_F(Cancel, InAWaitForACallback) {
  ExpectEnds([](Cancel*) {
    static thread_local aclrtStream mine = nullptr;
    if (mine == nullptr && (aclrtCreateStream(&mine) != kOk || aclrtSubscribeReport(pthread_self(), mine) != kOk))
      std::abort();
    return aclrtProcessReport(-1);
  });
}

}  // namespace
}  // namespace contract
