// SPDX-License-Identifier: Apache-2.0
// A process that uses the library is forked.
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>
#include <vector>

#include "logit_client.h"

// A lock of AddressSanitizer's allocator that another thread holds at the fork stays locked in the child. With
// ThreadSanitizer, the child of a process with threads cannot start any.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SKIP_WITH_SANITIZER() GTEST_SKIP() << "the sanitizer does not support such children"
#else
#define SKIP_WITH_SANITIZER() static_cast<void>(0)
#endif

namespace contract {
namespace {

constexpr int kWrong = 17;

// The child's exit status; -1: it was killed, which also ends a child that hangs.
int StatusOfChild(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    std::exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Large enough to be queued and split, so that threads of the library run it. Returns the first status that is not 0.
aclError RunLogitGrad(aclrtStream stream, bool* right) {
  constexpr int64_t kCount = 3'000'000;
  const Block block(std::vector<float>(kCount, 0.5f));
  const aclTensor* tensor = MakeTensor({kCount}, block.data());
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  aclError status = aclnnLogitGradGetWorkspaceSize(tensor, tensor, -1, tensor, &bytes, &executor);
  if (status == kOk) status = aclnnLogitGrad(nullptr, 0, executor, stream);
  if (status == kOk) status = aclrtSynchronizeStream(stream);
  *right = status == kOk && block.Values() == std::vector<float>(kCount, 2.0f);
  aclDestroyTensor(tensor);
  return status;
}

bool WorksAnew() {
  bool right = false;
  std::atomic<bool> ran = false;
  aclrtStream stream = nullptr;
  aclrtEvent event = nullptr;
  return aclrtSetDevice(0) == kOk && aclrtCreateStream(&stream) == kOk && RunLogitGrad(stream, &right) == kOk &&
         right && aclrtLaunchHostFunc(stream, Raise, &ran) == kOk && aclrtCreateEvent(&event) == kOk &&
         aclrtRecordEvent(event, stream) == kOk && aclrtSynchronizeEvent(event) == kOk && ran &&
         aclrtDestroyEvent(event) == kOk && aclrtDestroyStream(stream) == kOk && aclrtResetDevice(0) == kOk;
}

// Ensures that threads of the library exist, and that queues were used.
void Begin() {
  setenv("PORTACL_NUM_THREADS", "2", 1);
  EXPECT_TRUE(WorksAnew());
  EXPECT_EQ(aclrtSetDevice(0), kOk);
}

TEST(ForkDeathTest, ChildrenThatDoNotUseTheLibraryExit) {
  SKIP_WITH_SANITIZER();
  EXPECT_IN_FRESH_PROCESS({
    Begin();
    std::atomic<bool> ends = false;
    std::vector<std::thread> busy;
    for (int thread = 0; thread < 4; ++thread) {
      busy.emplace_back([&ends] {
        if (aclrtSetDevice(0) != kOk) std::exit(kWrong);
        while (!ends) {
          LogitOperands operands;
          if (aclnnLogitGrad(nullptr, 0, operands.Plan(), nullptr) != kOk || aclrtSynchronizeStream(nullptr) != kOk)
            std::exit(kWrong);
          aclrtStream stream = nullptr;
          if (aclrtCreateStream(&stream) != kOk || aclrtDestroyStream(stream) != kOk) std::exit(kWrong);
        }
      });
    }
    for (int child = 0; child < 100; ++child) {
      EXPECT_EQ(StatusOfChild([] { return 0; }), 0);
      EXPECT_EQ(StatusOfChild([] {
                  const LogitOperands operands;
                  return 0;
                }),
                0)
          << "objects and memory are there as before";
    }
    ends = true;
    for (std::thread& thread : busy) thread.join();
  });
}

TEST(ForkDeathTest, ChildrenHaveNoContextAndMaySetTheDeviceAnew) {
  SKIP_WITH_SANITIZER();
  EXPECT_IN_FRESH_PROCESS({
    Begin();
    const aclrtStream stream = CreateStream();
    Gate gate;
    gate.Block(stream);
    const Block block({1, 2, 3});
    EXPECT_EQ(StatusOfChild([&] {
                void* data = nullptr;
                if (aclrtSynchronizeStream(stream) != kRtNoContext || TakeMessage().find("fork") == std::string::npos)
                  return 1;
                if (aclrtMalloc(&data, 64, ACL_MEM_MALLOC_HUGE_FIRST) != kRtNoContext) return 2;
                if (!WorksAnew() || !WorksAnew()) return 3;
                if (aclrtSetDevice(0) != kOk || aclrtSynchronizeStream(stream) != kRtInvalidHandle) return 4;
                if (block.Values() != std::vector<float>({1, 2, 3})) return 5;
                return StatusOfChild([] { return WorksAnew() ? 0 : 6; });
              }),
              0);
    gate.Open();
    EXPECT_EQ(aclrtSynchronizeStream(stream), kOk) << "the parent goes on";
    EXPECT_TRUE(WorksAnew());
  });
}

TEST(ForkDeathTest, ContextsStayWhereNoThreadWasNeeded) {
  EXPECT_IN_FRESH_PROCESS({
    setenv("PORTACL_NUM_THREADS", "2", 1);
    ASSERT_EQ(aclrtSetDevice(0), kOk);
    const LogitOperands parent;
    EXPECT_EQ(StatusOfChild([] {
                LogitOperands operands;
                const aclError status = aclnnLogitGrad(nullptr, 0, operands.Plan(), nullptr);
                if (status != kOk || aclrtSynchronizeStream(nullptr) != kOk) return 1;
                return operands.out.Values() == LogitCase().out ? 0 : 2;
              }),
              0);
  });
}

}  // namespace
}  // namespace contract
