// SPDX-License-Identifier: Apache-2.0
// Which thread runs tasks that a client queues and soon waits for.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string_view>
#include <thread>

#include "base/status.h"
#include "runtime/streams/stream.h"
#include "runtime/test_support.h"

namespace portacl::testing {
namespace {

class CallerTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
    DeviceTest::TearDown();
  }

  aclrtStream stream_ = nullptr;
};

void SpinFor(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST_F(CallerTest, LeavesSeveralTasksToACallerThatComesSoon) {
  constexpr int kRounds = 200, kWanted = 3 * kRounds * 3 / 4;
  const auto caller = std::this_thread::get_id();
  std::atomic<int> by_caller{0};
  for (int attempt = 0; attempt < 5 && by_caller.load() < kWanted; ++attempt) {  // the thread may be preempted
    by_caller = 0;
    for (int round = 0; round < kRounds; ++round) {
      for (const int64_t cost : {kCostly, kCheap, kCostly}) {
        Launch(stream_, cost, [&] {
          by_caller += std::this_thread::get_id() == caller ? 1 : 0;
          return 0;
        });
        SpinFor(std::chrono::microseconds(20));  // time for a worker to take it first
      }
      EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    }
  }
  EXPECT_GE(by_caller.load(), kWanted);
}

TEST_F(CallerTest, AWorkerRunsWhatWasLeftToACallerThatDoesNotCome) {
  for (int round = 0; round < 100; ++round) {
    for (int soon = 0; soon < 3; ++soon) {
      Launch(stream_, kCostly, [] { return 0; });
      EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    }
    std::atomic<bool> ran{false};
    Launch(stream_, kCostly, [&] { return static_cast<int32_t>(ran = true, 0); });
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!ran.load() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    ASSERT_TRUE(ran.load()) << "round " << round;
  }
}

TEST_F(CallerTest, WhatATaskReportsIsReadWhoeverRanIt) {
  for (const bool leaves_it_to_a_worker : {false, true}) {
    std::atomic<bool> ran{false};
    aclGetRecentErrMsg();
    Launch(stream_, kCostly, [&] {
      const int32_t status = Failf(ACL_ERROR_RT_AICORE_EXCEPTION, "the index 7 is none");
      ran = true;
      return status;
    });
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (leaves_it_to_a_worker && !ran.load() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_ERROR_RT_AICORE_EXCEPTION);
    const char* const message = aclGetRecentErrMsg();
    ASSERT_NE(message, nullptr);
    EXPECT_NE(std::string_view(message).find("the index 7 is none"), std::string_view::npos) << message;
  }
}

}  // namespace
}  // namespace portacl::testing
