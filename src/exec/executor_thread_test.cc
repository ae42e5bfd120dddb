// SPDX-License-Identifier: Apache-2.0
// Executors and many threads: planned on one thread and run on another, and handles that every thread tries to use.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "calls/tensor_builder.h"
#include "exec/executor_pool.h"
#include "exec/plan.h"
#include "exec/toy_fixture.h"
#include "testing/device_array.h"

namespace portacl::exec {
namespace {

using calls::TensorBuilder;
using calls::TensorHandle;
using testing::DeviceArray;

// One-element operands.
struct Call {
  DeviceArray<float> x{std::vector<float>{1}};
  DeviceArray<float> dy{std::vector<float>{2}};
  DeviceArray<float> out{std::vector<float>{0}};
  TensorHandle x_tensor = TensorBuilder(ACL_FLOAT, {1}).Data(x.data()).Build();
  TensorHandle dy_tensor = TensorBuilder(ACL_FLOAT, {1}).Data(dy.data()).Build();
  TensorHandle out_tensor = TensorBuilder(ACL_FLOAT, {1}).Data(out.data()).Build();

  aclOpExecutor* Plan() const {
    uint64_t size = 0;
    aclOpExecutor* executor = nullptr;
    EXPECT_EQ(aclnnToyGetWorkspaceSize(x_tensor.get(), dy_tensor.get(), out_tensor.get(), &size, &executor), kSuccess);
    return executor;
  }
};

// A queue of at most 64 handles.
class Handles {
 public:
  void Push(aclOpExecutor* executor) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return queue_.size() < 64; });
    queue_.push_back(executor);
    changed_.notify_all();
  }
  aclOpExecutor* Pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !queue_.empty(); });
    aclOpExecutor* executor = queue_.front();
    queue_.pop_front();
    changed_.notify_all();
    return executor;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<aclOpExecutor*> queue_;
};

TEST(ExecutorThreads, PlansMadeOnOneThreadAndRunOnAnotherDoNotAddUp) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  const Call call;
  Handles handles;
  constexpr int kCalls = 20000;
  size_t early = 0;
  std::thread runner([&] {
    EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
    for (int i = 0; i < kCalls; ++i) {
      EXPECT_EQ(aclnnToy(nullptr, 0, handles.Pop(), nullptr), kSuccess);
      if (i % 64 == 0) {
        EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
      }
      if (i == kCalls / 10) early = ExecutorCount();
    }
  });
  for (int i = 0; i < kCalls; ++i) handles.Push(call.Plan());
  runner.join();
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), ACL_SUCCESS);
  EXPECT_EQ(call.out.ToHost()[0], 3);
  EXPECT_LE(ExecutorCount(), early + 256);  // depends on queues and local lists, not on the number of calls
}

TEST(ExecutorThreads, ThreadsThatEndGiveTheirExecutorsBack) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  const Call call;
  const auto work = [&] {
    std::vector<aclOpExecutor*> executors;
    for (int i = 0; i < 40; ++i) executors.push_back(call.Plan());
    for (aclOpExecutor* executor : executors) EXPECT_EQ(aclDestroyAclOpExecutor(executor), kSuccess);
  };
  std::thread(work).join();
  const size_t before = ExecutorCount();
  for (int i = 0; i < 50; ++i) std::thread(work).join();
  EXPECT_LE(ExecutorCount(), before + 32);
}

// A plan that touches no memory: only the handles are tested.
aclOpExecutor* PlanNothing(const Call& call) {
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  const PlanFunction plan = [](PlanBuilder& builder) { builder.Run([](const RunContext&) { return 0; }, 0, 1); };
  EXPECT_EQ(MakePlan(kToy, {call.x_tensor.get(), call.dy_tensor.get(), call.out_tensor.get()}, &size, &executor, plan),
            kSuccess);
  return executor;
}

// Handles lie in slots that all threads read and replace; the second thread to use one finds a dead handle.
TEST(ExecutorThreads, EightThreadsMisuseEachOthersHandles) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  aclrtContext context = nullptr;
  ASSERT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
  std::array<std::atomic<aclOpExecutor*>, 16> places{};
  const Call call;
  std::atomic<int64_t> planned{0};
  std::atomic<int64_t> ended{0};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 8; ++t) {
    threads.emplace_back([&, t] {
      EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      aclrtStream stream = nullptr;
      EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
      // Addresses are changed through a tensor of this thread: tensors, unlike executors, belong to one thread.
      const TensorHandle any = TensorBuilder(ACL_FLOAT, {1}).Build();
      std::minstd_rand random(t + 1);
      for (int i = 0; i < 5000; ++i) {
        std::atomic<aclOpExecutor*>& place = places[random() % places.size()];
        const auto at_most_dead = [](aclnnStatus status) { return status == kSuccess || status == kInternal; };
        switch (random() % 6) {
          case 0:
          case 1: {
            aclOpExecutor* old = place.exchange(PlanNothing(call));
            ++planned;
            // The old handle belongs to this thread now, unless another has read it before: then one of the two
            // destroys it.
            if (old != nullptr && aclDestroyAclOpExecutor(old) == kSuccess) ++ended;
            break;
          }
          case 2:
          case 3: {
            aclOpExecutor* executor = place.exchange(nullptr);
            if (executor == nullptr) break;
            const aclnnStatus status = aclnnToy(nullptr, 0, executor, stream);
            EXPECT_TRUE(at_most_dead(status)) << status;
            if (status == kSuccess) ++ended;
            EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
            break;
          }
          case 4:
            if (aclOpExecutor* executor = place.load()) {
              const aclnnStatus status = aclDestroyAclOpExecutor(executor);
              EXPECT_TRUE(at_most_dead(status)) << status;
              if (status == kSuccess) ++ended;
            }
            break;
          default:
            if (aclOpExecutor* executor = place.load()) {
              EXPECT_TRUE(at_most_dead(aclSetTensorAddr(executor, 0, any.get(), call.x.data())));
            }
        }
      }
      EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
      for (auto& place : places) {
        aclOpExecutor* executor = place.exchange(nullptr);
        if (executor != nullptr && aclDestroyAclOpExecutor(executor) == kSuccess) ++ended;
      }
      EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
      while (aclGetRecentErrMsg() != nullptr) {
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  // Threads that ended early may not have removed the handles that later threads stored.
  for (auto& place : places) {
    aclOpExecutor* executor = place.exchange(nullptr);
    if (executor != nullptr && aclDestroyAclOpExecutor(executor) == kSuccess) ++ended;
  }
  EXPECT_EQ(planned.load(), ended.load());  // each executor ended exactly once
}

TEST(ExecutorThreads, RunsOfOneRepeatableExecutorMayBeOnSeveralStreams) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  const Call call;
  aclOpExecutor* executor = call.Plan();
  ASSERT_EQ(aclSetAclOpExecutorRepeatable(executor), kSuccess);
  std::vector<aclrtStream> streams(4);
  for (aclrtStream& stream : streams) ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  std::vector<DeviceArray<float>> outs;
  for (int i = 0; i < 200; ++i) {
    outs.emplace_back(std::vector<float>{0});
    ASSERT_EQ(aclSetOutputTensorAddr(executor, 0, call.out_tensor.get(), outs.back().data()), kSuccess);
    ASSERT_EQ(aclnnToy(nullptr, 0, executor, streams[static_cast<size_t>(i) % 4]), kSuccess);
  }
  ASSERT_EQ(aclDestroyAclOpExecutor(executor), kSuccess);  // pending runs do not need the executor
  for (aclrtStream stream : streams) {
    ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    ASSERT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  }
  for (const auto& out : outs) EXPECT_EQ(out.ToHost()[0], 3);
}

}  // namespace
}  // namespace portacl::exec
