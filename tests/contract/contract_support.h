// SPDX-License-Identifier: Apache-2.0
// Shared code of the contract tests. They use the library as a client does: only public headers and shared libraries.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "acl/acl.h"
#include "codes.h"

namespace contract {

// Sets device 0 once per test, and releases it completely afterwards, whatever the test did to its count.
class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(aclrtSetDevice(0), kOk);
    aclGetRecentErrMsg();  // removes reports of an earlier test
    aclrtGetLastError(ACL_RT_THREAD_LEVEL);
  }
  void TearDown() override {
    aclrtSetDevice(0);
    EXPECT_EQ(aclrtResetDeviceForce(0), kOk);
  }
};

// The same with a stream.
class OnStream : public OnDevice {
 protected:
  void SetUp() override {
    OnDevice::SetUp();
    ASSERT_EQ(aclrtCreateStream(&stream_), kOk);
  }
  aclrtStream stream_ = nullptr;
};

inline aclrtStream CreateStream() {
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtCreateStream(&stream), kOk);
  return stream;
}

inline aclrtEvent CreateSyncEvent() {
  aclrtEvent event = nullptr;
  EXPECT_EQ(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), kOk);
  return event;
}

// A host function that takes its time, then signals.
inline void RaiseLate(void* flag) {
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  *static_cast<std::atomic<bool>*>(flag) = true;
}

// Runs `body` on a thread that has not called the library before.
template <class Body>
void OnFreshThread(Body&& body) {
  std::thread thread(std::forward<Body>(body));
  thread.join();
}

// Blocks a stream: tasks queued after Block() start only after Open().
class Gate {
 public:
  ~Gate() { Open(); }

  void Block(aclrtStream stream) {
    ASSERT_EQ(aclrtLaunchHostFunc(stream, [](void* gate) { static_cast<Gate*>(gate)->Wait(); }, this), kOk);
  }
  void Open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    opened_.notify_all();
  }

 private:
  void Wait() {
    std::unique_lock lock(mutex_);
    opened_.wait(lock, [this] { return open_; });
  }

  std::mutex mutex_;
  std::condition_variable opened_;
  bool open_ = false;
};

// A host function that signals that it ran.
inline void Raise(void* flag) { *static_cast<std::atomic<bool>*>(flag) = true; }

inline std::string TakeMessage() {
  const char* text = aclGetRecentErrMsg();
  return text == nullptr ? "" : text;
}

}  // namespace contract

// For tests that need a process in which the library was never used.
#define EXPECT_IN_FRESH_PROCESS(body)                     \
  EXPECT_EXIT(                                            \
      {                                                   \
        body;                                             \
        std::exit(::testing::Test::HasFailure() ? 1 : 0); \
      },                                                  \
      ::testing::ExitedWithCode(0), "")

// A failed call returns its code and leaves a message that names the function.
#define EXPECT_REFUSED(code, call)                                                                            \
  do {                                                                                                        \
    ::contract::TakeMessage();                                                                                \
    EXPECT_EQ(call, code);                                                                                    \
    const std::string expect_refused_message = ::contract::TakeMessage();                                     \
    const std::string expect_refused_call = #call;                                                            \
    const std::string expect_refused_function = expect_refused_call.substr(0, expect_refused_call.find('(')); \
    EXPECT_NE(expect_refused_message.find(expect_refused_function), std::string::npos)                        \
        << "message: '" << expect_refused_message << "'";                                                     \
  } while (false)
