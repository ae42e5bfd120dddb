// SPDX-License-Identifier: Apache-2.0
#include "runtime/streams/stream.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include "base/float_mode.h"
#include "runtime/test_support.h"

namespace portacl::testing {
namespace {

class StreamTest : public DeviceTest {
 protected:
  void SetUp() override {
    DeviceTest::SetUp();
    ASSERT_EQ(aclrtCreateStream(&stream_), ACL_SUCCESS);
    ASSERT_EQ(aclrtCreateStream(&other_), ACL_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(aclrtDestroyStream(stream_), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyStream(other_), ACL_SUCCESS);
    DeviceTest::TearDown();
  }

  aclrtStream stream_ = nullptr;
  aclrtStream other_ = nullptr;
};

TEST_F(StreamTest, RunsACheapTaskAtOnceInTheCaller) {
  std::thread::id ran;
  Launch(stream_, kInlineCostNs, [&] {
    ran = std::this_thread::get_id();
    return 0;
  });
  EXPECT_EQ(ran, std::this_thread::get_id());
}

TEST_F(StreamTest, DoesNotRunACostlyTaskInsideTheCall) {
  std::atomic<bool> submitted{false};
  std::atomic<bool> overlapped{false};
  Launch(stream_, kCostly, [&] {
    while (!submitted.load()) std::this_thread::yield();
    overlapped = true;
    return 0;
  });
  submitted = true;
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_TRUE(overlapped.load());
}

TEST_F(StreamTest, QueuesACheapTaskBehindWorkThatHasNotFinished) {
  Gate gate;
  gate.HoldStream(stream_);
  std::atomic<bool> ran{false};
  Launch(stream_, kCheap, [&] {
    ran = true;
    return 0;
  });
  EXPECT_FALSE(ran.load());
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_TRUE(ran.load());
}

TEST_F(StreamTest, RunsTasksOneByOneInOrderWhoeverRunsThem) {
  std::mt19937 random(3);
  std::vector<int> order;  // not guarded: tasks must not overlap
  std::atomic<int> inside{0};
  constexpr int kTasks = 20'000;
  for (int task = 0; task < kTasks; ++task) {
    Launch(stream_, random() % 2 == 0 ? kCheap : kCostly, [&, task] {
      EXPECT_EQ(inside.fetch_add(1), 0);
      order.push_back(task);
      inside.fetch_sub(1);
      return 0;
    });
    if (random() % 100 == 0) {
      ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    }
  }
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  ASSERT_EQ(order.size(), size_t{kTasks});
  for (int task = 0; task < kTasks; ++task) ASSERT_EQ(order[static_cast<size_t>(task)], task);
}

TEST_F(StreamTest, TakesWorkFromSeveralThreads) {
  constexpr int kThreads = 4;
  constexpr int kTasks = 3000;
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  int64_t sum = 0;  // not guarded: tasks must not overlap
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      ASSERT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      for (int task = 0; task < kTasks; ++task) {
        Launch(stream_, (task + thread) % 3 == 0 ? kCostly : kCheap, [&] { return static_cast<int32_t>(++sum, 0); });
        if (task % 500 == 0) {
          ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(sum, kThreads * kTasks);
}

TEST_F(StreamTest, SynchronizeWaitsForATaskThatAnotherThreadRunsAtOnce) {
  std::atomic<bool> started{false};
  std::atomic<bool> finished{false};
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  std::thread other([&] {
    ASSERT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
    Launch(stream_, kCheap, [&] {
      started = true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      finished = true;
      return 0;
    });
  });
  while (!started.load()) std::this_thread::yield();
  EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_TRUE(finished.load());
  other.join();
}

TEST_F(StreamTest, RunsHostFunctionsOnAThreadOfTheLibraryInOrder) {
  struct Seen {
    std::thread::id thread;
    int before = 0;
  } seen;
  int value = 0;
  Launch(stream_, kCostly, [&] { return static_cast<int32_t>(value = 1, 0); });
  std::pair<Seen*, int*> arguments{&seen, &value};
  const auto function = [](void* argument) {
    const auto [to, from] = *static_cast<std::pair<Seen*, int*>*>(argument);
    *to = {std::this_thread::get_id(), *from};
  };
  ASSERT_EQ(aclrtLaunchHostFunc(stream_, function, &arguments), ACL_SUCCESS);
  int after = 0;
  Launch(stream_, kCheap, [&] { return static_cast<int32_t>(after = seen.before, 0); });
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_NE(seen.thread, std::thread::id());
  EXPECT_NE(seen.thread, std::this_thread::get_id());
  EXPECT_EQ(after, 1);
}

TEST_F(StreamTest, HostFunctionsThatWaitForOtherStreamsDoNotStopThem) {
  // Many more waiting functions than threads that run kernels.
  constexpr int kStreams = 24;
  std::vector<aclrtStream> streams(kStreams);
  std::vector<Gate> gates(kStreams);
  for (int i = 0; i < kStreams; ++i) {
    ASSERT_EQ(aclrtCreateStream(&streams[static_cast<size_t>(i)]), ACL_SUCCESS);
    gates[static_cast<size_t>(i)].HoldStream(streams[static_cast<size_t>(i)]);
  }
  const auto open_all = [](void* all) {
    for (Gate& gate : *static_cast<std::vector<Gate>*>(all)) gate.Open();
  };
  ASSERT_EQ(aclrtLaunchHostFunc(stream_, open_all, &gates), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  for (aclrtStream stream : streams) EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
}

TEST_F(StreamTest, HostFunctionHasNoContext) {
  aclError status = ACL_SUCCESS;
  const auto function = [](void* argument) {
    void* memory = nullptr;
    *static_cast<aclError*>(argument) = aclrtMalloc(&memory, 1, ACL_MEM_MALLOC_HUGE_FIRST);
  };
  ASSERT_EQ(aclrtLaunchHostFunc(stream_, function, &status), ACL_SUCCESS);
  ASSERT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_ERROR_RT_CONTEXT_NULL);
}

TEST_F(StreamTest, ReportsTheFirstErrorOfATaskAtTheNextSynchronizeOnly) {
  for (const int64_t cost : {kCheap, kCostly}) {
    bool later_ran = false;
    Launch(stream_, cost, [] { return ACL_ERROR_RT_VECTOR_CORE_EXCEPTION; });
    Launch(stream_, cost, [] { return ACL_ERROR_RT_AICORE_EXCEPTION; });
    Launch(stream_, cost, [&] { return static_cast<int32_t>(later_ran = true, 0); });
    EXPECT_EQ(aclrtSynchronizeStream(other_), ACL_SUCCESS);
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION);
    ExpectReport("aclrtSynchronizeStream", "507035");
    EXPECT_TRUE(later_ran);
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
  }
  Launch(stream_, kCheap, [] { return ACL_ERROR_RT_AICORE_EXCEPTION; });
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_ERROR_RT_AICORE_EXCEPTION);
  EXPECT_EQ(aclrtSynchronizeDevice(), ACL_SUCCESS);
  Launch(stream_, kCheap, [] { return ACL_ERROR_RT_AICORE_EXCEPTION; });
  aclrtStreamStatus status{};
  EXPECT_EQ(aclrtStreamQuery(stream_, &status), ACL_ERROR_RT_AICORE_EXCEPTION);
}

TEST_F(StreamTest, TimeoutReturnsWhileTheWorkGoesOn) {
  Gate gate;
  gate.HoldStream(stream_);
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, 5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  ExpectReport("aclrtSynchronizeStreamWithTimeout", "in time");
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(5), ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
  aclrtStreamStatus status{};
  ASSERT_EQ(aclrtStreamQuery(stream_, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_NOT_READY);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, 60'000), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(-1), ACL_SUCCESS);
  ASSERT_EQ(aclrtStreamQuery(stream_, &status), ACL_SUCCESS);
  EXPECT_EQ(status, ACL_STREAM_STATUS_COMPLETE);
}

TEST_F(StreamTest, RefusesTimeoutsThatMeanNothing) {
  for (const int32_t timeout : {0, -2, INT32_MIN}) {
    EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, timeout), ACL_ERROR_RT_PARAM_INVALID);
    ExpectReport("aclrtSynchronizeStreamWithTimeout", std::to_string(timeout).c_str());
    EXPECT_EQ(aclrtSynchronizeDeviceWithTimeout(timeout), ACL_ERROR_RT_PARAM_INVALID);
  }
}

TEST_F(StreamTest, ASynchronizingThreadWithATimeoutSeesWorkOfWorkers) {
  int value = 0;
  Launch(stream_, kCostly, [&] { return static_cast<int32_t>(value = 1, 0); });
  EXPECT_EQ(aclrtSynchronizeStreamWithTimeout(stream_, 60'000), ACL_SUCCESS);
  EXPECT_EQ(value, 1);
}

TEST_F(StreamTest, TasksRunInTheDefaultFloatModeAndLeaveTheClientItsOwn) {
  const FloatControl before = ReadFloatControl();
#if defined(__SSE__)
  const FloatControl odd = kDefaultFloatControl | 0x8040;  // flush to zero, denormals are zero
#else
  const FloatControl odd = FloatControl{1} << 24;  // flush to zero
#endif
  for (const int64_t cost : {kCheap, kCostly}) {
    WriteFloatControl(odd);
    FloatControl inside = odd;
    Launch(stream_, cost, [&] { return static_cast<int32_t>(inside = ReadFloatControl(), 0); });
    const int32_t status = aclrtSynchronizeStream(stream_);
    const FloatControl after = ReadFloatControl();
    WriteFloatControl(before);
    EXPECT_EQ(status, ACL_SUCCESS);
    EXPECT_EQ(inside & kFloatControlBits, kDefaultFloatControl);
    EXPECT_EQ(after & kFloatControlBits, odd & kFloatControlBits);
  }
}

TEST_F(StreamTest, NullIsTheDefaultStreamOfTheCurrentContext) {
  aclrtStream handle = nullptr;
  ASSERT_EQ(aclrtCtxGetCurrentDefaultStream(&handle), ACL_SUCCESS);
  Gate gate;
  gate.HoldStream(nullptr);
  int value = 0;
  Launch(handle, kCheap, [&] { return static_cast<int32_t>(value = 1, 0); });
  EXPECT_EQ(value, 0);
  gate.Open();
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(aclrtDestroyStream(handle), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtDestroyStream(nullptr), ACL_ERROR_INVALID_PARAM);
}

TEST_F(StreamTest, DestroyWaitsForTheWork) {
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  std::atomic<bool> finished{false};
  Launch(stream, kCostly, [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return static_cast<int32_t>(finished = true, 0);
  });
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_TRUE(finished.load());
}

TEST_F(StreamTest, DestroyByForceWaitsForTheTaskThatRuns) {
  for (const bool by_a_worker : {true, false}) {
    aclrtStream stream = nullptr;
    ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
    std::atomic<bool> started{false};
    std::atomic<bool> finished{false};
    std::atomic<bool> later{false};
    std::atomic<bool> dead{false};
    const auto slow = [&] {
      started = true;
      while (!dead.load()) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));  // between closing and dropping
      return static_cast<int32_t>(finished = true, 0);
    };
    aclrtContext context = nullptr;
    ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
    // Queries from a separate thread: a worker has no context to query in.
    std::thread watcher([&, context] {
      EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      aclrtStreamStatus status{};
      aclError code = ACL_SUCCESS;
      while ((code = aclrtStreamQuery(stream, &status)) == ACL_SUCCESS) std::this_thread::yield();
      EXPECT_EQ(code, ACL_ERROR_RT_INVALID_HANDLE);
      dead = true;
    });
    std::thread other;
    if (by_a_worker) {
      Launch(stream, kCostly, slow);
      Launch(stream, kCostly, [&] { return static_cast<int32_t>(later = true, 0); });
    } else {
      other = std::thread([&, context] {
        ASSERT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
        Launch(stream, kCheap, slow);
      });
    }
    while (!started.load()) std::this_thread::yield();
    EXPECT_EQ(aclrtDestroyStreamForce(stream), ACL_SUCCESS);
    EXPECT_TRUE(finished.load());
    EXPECT_FALSE(later.load());
    if (other.joinable()) other.join();
    watcher.join();
  }
}

TEST_F(StreamTest, DeadAndForeignHandlesAreAnsweredWithACode) {
  aclrtStream dead = nullptr;
  ASSERT_EQ(aclrtCreateStream(&dead), ACL_SUCCESS);
  ASSERT_EQ(aclrtDestroyStream(dead), ACL_SUCCESS);
  aclrtEvent event = nullptr;
  ASSERT_EQ(aclrtCreateEvent(&event), ACL_SUCCESS);
  int local = 0;
  for (aclrtStream wrong : {dead, static_cast<aclrtStream>(event), static_cast<aclrtStream>(&local)}) {
    aclrtStreamStatus status{};
    EXPECT_EQ(aclrtDestroyStream(wrong), ACL_ERROR_RT_INVALID_HANDLE);
    ExpectReport("aclrtDestroyStream", "'stream'");
    EXPECT_EQ(aclrtSynchronizeStream(wrong), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtStreamQuery(wrong, &status), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(aclrtRecordEvent(event, wrong), ACL_ERROR_RT_INVALID_HANDLE);
    EXPECT_EQ(contexts::Submit(wrong, nullptr, 0), ACL_ERROR_RT_INVALID_HANDLE);
  }
  EXPECT_EQ(aclrtDestroyEvent(event), ACL_SUCCESS);
}

TEST_F(StreamTest, RefusesWorkInAThreadWithoutContextAndForAnotherContext) {
  InFreshThread([this] {
    aclrtStream stream = nullptr;
    EXPECT_EQ(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
    ExpectReport("aclrtCreateStream", "context");
    EXPECT_EQ(contexts::Submit(stream_, nullptr, 0), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(contexts::Submit(nullptr, nullptr, 0), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtDestroyStream(stream_), ACL_ERROR_RT_CONTEXT_NULL);
    aclrtContext context = nullptr;
    ASSERT_EQ(aclrtCreateContext(&context, 0), ACL_SUCCESS);
    EXPECT_EQ(contexts::Submit(stream_, nullptr, 0), ACL_ERROR_RT_STREAM_CONTEXT);
    EXPECT_EQ(aclrtDestroyStream(stream_), ACL_ERROR_RT_STREAM_CONTEXT);
    EXPECT_EQ(aclrtSynchronizeStream(stream_), ACL_SUCCESS);
    EXPECT_EQ(aclrtDestroyContext(context), ACL_SUCCESS);
  });
}

TEST_F(StreamTest, LimitsStreamsPerDevice) {
  std::vector<aclrtStream> streams;
  aclrtStream stream = nullptr;
  aclError status = ACL_SUCCESS;
  while ((status = aclrtCreateStream(&stream)) == ACL_SUCCESS && streams.size() < 3000) streams.push_back(stream);
  EXPECT_EQ(status, ACL_ERROR_RT_NO_STREAM_RESOURCE);
  EXPECT_NEAR(static_cast<double>(streams.size()), 1984, 10);
  for (aclrtStream made : streams) EXPECT_EQ(aclrtDestroyStream(made), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
}

TEST_F(StreamTest, NullOutputsAreRefused) {
  EXPECT_EQ(aclrtCreateStream(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtStreamQuery(stream_, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtCtxGetCurrentDefaultStream(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtLaunchHostFunc(stream_, nullptr, nullptr), ACL_ERROR_INVALID_PARAM);
}

}  // namespace
}  // namespace portacl::testing
