// SPDX-License-Identifier: Apache-2.0
// Helpers of the runtime's unit tests: a fixture that sets a device, a task that runs a function, a host function that
// waits.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "acl/acl.h"
#include "runtime/contexts/submit.h"
#include "runtime/task.h"
#include "testing/two_phases.h"

namespace portacl::testing {

// The last report must name the function and contain `part`.
inline void ExpectReport(const char* function, const char* part) {
  const char* report = aclGetRecentErrMsg();
  ASSERT_NE(report, nullptr) << function;
  EXPECT_NE(std::string(report).find(std::string(function) + ":"), std::string::npos) << report;
  EXPECT_NE(std::string(report).find(part), std::string::npos) << report;
}

// Runs `body` in a thread that has not called the library before.
inline void InFreshThread(const std::function<void()>& body) { std::thread(body).join(); }

// An object that, like those of the library, is never destroyed.
template <class T, class... Arguments>
T& Immortal(Arguments&&... arguments) {
  static auto& all = *new std::vector<T*>;  // keeps them reachable for leak checkers
  all.push_back(new T(std::forward<Arguments>(arguments)...));
  return *all.back();
}

// A task that runs a function and deletes itself.
class FunctionTask final : public Task {
 public:
  explicit FunctionTask(std::function<int32_t()> body) : body_(std::move(body)) {}
  int32_t Run() noexcept override { return body_(); }
  void Finish() noexcept override { delete this; }

 private:
  ~FunctionTask() = default;
  const std::function<int32_t()> body_;
};

// Costs of tasks that run at once in the calling thread, and of tasks that are queued.
constexpr int64_t kCheap = 0;
constexpr int64_t kCostly = kInlineCostNs + 1;

// Submits a function to a stream as a kernel of that cost. A failed submission fails the test.
inline void Launch(aclrtStream stream, int64_t cost_ns, std::function<int32_t()> body) {
  Task* task = new FunctionTask(std::move(body));
  const int32_t status = contexts::Submit(stream, task, cost_ns);
  EXPECT_EQ(status, 0);
  if (status != 0) task->Finish();
}

// A host function that blocks its stream until Open(). It may run after the gate is destroyed, and a stream that is
// destroyed by force never calls it.
class Gate {
 public:
  void HoldStream(aclrtStream stream) { ASSERT_EQ(aclrtLaunchHostFunc(stream, &Gate::Wait, &state_), ACL_SUCCESS); }
  void Open() {
    const std::scoped_lock lock(state_.mutex);
    state_.open = true;
    state_.changed.notify_all();
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    bool open = false;
  };

  static void Wait(void* argument) {
    auto& state = *static_cast<State*>(argument);
    std::unique_lock lock(state.mutex);
    state.changed.wait(lock, [&state] { return state.open; });
  }

  State& state_ = Immortal<State>();
};

}  // namespace portacl::testing
