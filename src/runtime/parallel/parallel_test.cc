// SPDX-License-Identifier: Apache-2.0
#include "runtime/parallel/parallel.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/environment.h"
#include "base/float_mode.h"
#include "runtime/parallel/placement.h"

namespace portacl::parallel {
namespace {

constexpr int kThreads = 8;

// More threads than a small machine has.
class ParallelTest : public ::testing::Test {
 protected:
  void SetUp() override { SetWidthForTest(kThreads); }
  void TearDown() override { SetWidthForTest(0); }
};

template <class Body>
void For(int64_t chunks, Body body) {
  parallel::For(chunks, [](void* argument, int64_t chunk) { (*static_cast<Body*>(argument))(chunk); }, &body);
}

TEST_F(ParallelTest, RunsEveryChunkOnce) {
  EXPECT_EQ(Width(), kThreads);
  for (const int64_t chunks : {0, 1, 2, 7, 8, 9, 1000}) {
    std::vector<std::atomic<int>> runs(static_cast<size_t>(chunks));
    For(chunks, [&](int64_t chunk) { ++runs[static_cast<size_t>(chunk)]; });
    for (const auto& count : runs) ASSERT_EQ(count.load(), 1);
  }
}

TEST_F(ParallelTest, EightThreadsTakePartAtATime) {
  std::mutex mutex;
  std::condition_variable all_here;
  std::set<std::thread::id> threads;
  // Each chunk waits until eight threads have arrived, so no thread can take two before that.
  For(kThreads, [&](int64_t) {
    std::unique_lock lock(mutex);
    threads.insert(std::this_thread::get_id());
    all_here.notify_all();
    all_here.wait_for(lock, std::chrono::seconds(60), [&] { return threads.size() == kThreads; });
  });
  EXPECT_EQ(threads.size(), size_t{kThreads});
  EXPECT_TRUE(threads.count(std::this_thread::get_id()) == 1);
}

TEST_F(ParallelTest, NeverMoreThreadsThanTheLimitAllows) {
  SetWidthForTest(3);
  EXPECT_EQ(Width(), 3);
  std::atomic<int> inside{0};
  std::atomic<int> most{0};
  For(200, [&](int64_t) {
    const int now = ++inside;
    int seen = most.load();
    while (seen < now && !most.compare_exchange_weak(seen, now)) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    --inside;
  });
  EXPECT_LE(most.load(), 3);
}

TEST_F(ParallelTest, SeveralCallersAtATimeAndNestedCallsComplete) {
  std::atomic<int64_t> sum{0};
  std::vector<std::thread> callers;
  constexpr int kRounds = 500;  // enough rounds for helpers to join and leave at the same time
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        For(10, [&](int64_t) { For(5, [&](int64_t chunk) { sum += chunk; }); });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum.load(), 6 * kRounds * 10 * 10);
}

TEST_F(ParallelTest, ChunksRunInTheDefaultFloatModeAndTheCallerKeepsItsOwn) {
  const FloatControl before = ReadFloatControl();
#if defined(__SSE__)
  const FloatControl odd = kDefaultFloatControl | 0x8040;  // flush to zero, denormals are zero
#else
  const FloatControl odd = FloatControl{1} << 24;  // flush to zero
#endif
  WriteFloatControl(odd);
  std::atomic<int> wrong{0};
  // Helper threads that are started now inherit the other mode.
  For(64, [&](int64_t) {
    if ((ReadFloatControl() & kFloatControlBits) != kDefaultFloatControl) ++wrong;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  });
  const FloatControl after = ReadFloatControl();
  WriteFloatControl(before);
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(after & kFloatControlBits, odd & kFloatControlBits);
}

// The threads of the library, as the system lists them: all threads except those that existed before.
std::set<std::string> Threads() {
  std::set<std::string> threads;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    threads.insert(entry.path().filename());
  return threads;
}

// Runs in a fresh process: the first task starts the helpers.
[[noreturn]] void ExitWithHelpersCores(int expected) {
  std::thread pinned([expected] {
    cpu_set_t mask;
    sched_getaffinity(0, sizeof(mask), &mask);
    int core = 0;
    while (!CPU_ISSET(core, &mask)) ++core;
    CPU_ZERO(&mask);
    CPU_SET(core, &mask);
    sched_setaffinity(0, sizeof(mask), &mask);
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
    const std::set<std::string> before = Threads();
    For(2, [](int64_t) { std::this_thread::sleep_for(std::chrono::milliseconds(20)); });
    for (const std::string& thread : Threads()) {
      if (before.count(thread) != 0) continue;
      sched_getaffinity(std::stoi(thread), sizeof(mask), &mask);
      if (CPU_COUNT(&mask) != expected) std::exit(2);
      std::ifstream status("/proc/self/task/" + thread + "/status");
      for (std::string line; std::getline(status, line);) {
        // All signals except SIGKILL, SIGSTOP and the two that glibc reserves.
        if (line.rfind("SigBlk:", 0) == 0 && (std::stoull(line.substr(7), nullptr, 16) | 0x180040100) != ~0ull)
          std::exit(3);
      }
    }
    std::exit(Threads().size() > before.size() ? 0 : 4);
  });
  pinned.join();
  std::exit(5);
}

TEST(ParallelDeathTest, HelpersMayUseTheCoresOfTheProcessAndTakeNoSignals) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  cpu_set_t mask;
  ASSERT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
  if (CPU_COUNT(&mask) < 2) GTEST_SKIP() << "a pinned thread may use all cores";
  EXPECT_EXIT(
      {
        SetWidthForTest(2);
        ExitWithHelpersCores(CPU_COUNT(&mask));
      },
      ::testing::ExitedWithCode(0), "");
}

// A task that takes 8 us.
void RunTask() {
  For(8, [](int64_t) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(1);
    while (std::chrono::steady_clock::now() < end) {
    }
  });
}

// Runs in a fresh process, whose helpers are started when they are first called.
[[noreturn]] void ExitWithCallsOfHelpers() {
  const size_t threads = Threads().size();
  const auto have_come = [&] { return Threads().size() > threads; };
  {
    const ShortTask is_short;
    for (int i = 0; i < 20; ++i) {
      RunTask();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (have_come()) std::exit(2);
    // To look takes longer than the tasks may be apart.
    for (int i = 0; i < 1000 && !have_come(); ++i) {
      for (int task = 0; task < 10; ++task) RunTask();
    }
    if (!have_come()) std::exit(3);
  }
  std::exit(0);
}

TEST(ParallelDeathTest, SleepingHelpersAreCalledForShortTasksThatFollowEachOther) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        SetWidthForTest(2);
        ExitWithCallsOfHelpers();
      },
      ::testing::ExitedWithCode(0), "");
}

// The calling thread is restricted to one core, core_; the helpers, which helpers_ lists, may use all cores of the
// process.
class HelpersTest : public ParallelTest {
 protected:
  void SetUp() override {
    ParallelTest::SetUp();
    ASSERT_EQ(sched_getaffinity(0, sizeof(all_), &all_), 0);
    if (CPU_COUNT(&all_) < 2) GTEST_SKIP() << "helpers have no other core";
    while (!CPU_ISSET(core_, &all_)) ++core_;
    FindHelpers();
    ASSERT_FALSE(helpers_.empty());
    ReleaseHelpers();
    CPU_ZERO(&one_);
    CPU_SET(core_, &one_);
    ASSERT_EQ(sched_setaffinity(0, sizeof(one_), &one_), 0);
  }
  void TearDown() override {
    sched_setaffinity(0, sizeof(all_), &all_);
    ReleaseHelpers();
    ParallelTest::TearDown();
  }
  void ReleaseHelpers() {
    for (const pid_t helper : helpers_) EXPECT_EQ(sched_setaffinity(helper, sizeof(all_), &all_), 0);
  }
  // Runs chunks that wait until all threads have arrived.
  void FindHelpers() {
    std::mutex mutex;
    std::condition_variable everyone;
    int arrived = 0;
    const pid_t caller = gettid();
    For(kThreads, [&](int64_t) {
      std::unique_lock lock(mutex);
      if (gettid() != caller) helpers_.insert(gettid());
      ++arrived;
      everyone.notify_all();
      everyone.wait_for(lock, std::chrono::seconds(10), [&] { return arrived == kThreads; });
    });
  }
  bool MayUseThisCore(pid_t helper) const {
    cpu_set_t mask;
    EXPECT_EQ(sched_getaffinity(helper, sizeof(mask), &mask), 0);
    return CPU_ISSET(core_, &mask);
  }

  int core_ = 0;
  cpu_set_t all_;
  cpu_set_t one_;
  std::set<pid_t> helpers_;
};

TEST_F(HelpersTest, AreKeptOffTheCoreOfACallerThatWorksAloneForLong) {
  ExpectedHelp help;
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  help.Look(false);
  for (const pid_t helper : helpers_) EXPECT_FALSE(MayUseThisCore(helper));
}

TEST_F(HelpersTest, AreKeptOffAfterManyShortTasksAlone) {
  for (int task = 0; task < 1000; ++task) {
    ExpectedHelp help;
    std::this_thread::sleep_for(std::chrono::microseconds(1));
    help.Look(false);
  }
  for (const pid_t helper : helpers_) EXPECT_FALSE(MayUseThisCore(helper));
}

TEST_F(HelpersTest, StayWhereTheyAreIfTheyCome) {
  ExpectedHelp help;
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  help.Look(true);
  help.Look(false);
  for (const pid_t helper : helpers_) EXPECT_TRUE(MayUseThisCore(helper));
}

TEST_F(HelpersTest, StayWhereTheUserPutsThem) {
  for (const pid_t helper : helpers_) ASSERT_EQ(sched_setaffinity(helper, sizeof(one_), &one_), 0);
  KeepHelpersOffThisCore();
  for (const pid_t helper : helpers_) EXPECT_TRUE(MayUseThisCore(helper));
}

TEST_F(HelpersTest, StayWhereTheyAreIfTheVariableSaysSo) {
  setenv("PORTACL_MOVE_HELPERS", "0", 1);
  ForgetVariablesForTest();
  KeepHelpersOffThisCore();
  unsetenv("PORTACL_MOVE_HELPERS");
  ForgetVariablesForTest();
  for (const pid_t helper : helpers_) EXPECT_TRUE(MayUseThisCore(helper));
}

TEST_F(HelpersTest, ReturnWhenTheCallerLeavesTheCore) {
  KeepHelpersOffThisCore();
  cpu_set_t others = all_;
  CPU_CLR(core_, &others);
  ASSERT_EQ(sched_setaffinity(0, sizeof(others), &others), 0);
  KeepHelpersOffThisCore();
  for (const pid_t helper : helpers_) EXPECT_TRUE(MayUseThisCore(helper));
}

TEST_F(HelpersTest, ReturnWhenTheyHelp) {
  KeepHelpersOffThisCore();
  FindHelpers();
  for (const pid_t helper : helpers_) EXPECT_TRUE(MayUseThisCore(helper));
}

TEST_F(HelpersTest, GoOnOnTheCoreOfACallerThatWaitsForThem) {
  std::promise<pid_t> begins;
  std::promise<void> go_on;
  std::promise<void> ended;
  std::promise<void> leave;
  const int task = 0;
  std::thread thread([&] {
    Placement placement;
    placement.HelpWith(&task);
    begins.set_value(gettid());
    go_on.get_future().wait();
    placement.HelpWith(nullptr);
    ended.set_value();
    leave.get_future().wait();
  });
  const pid_t helper = begins.get_future().get();
  const auto cores = [helper] {
    cpu_set_t mask;
    EXPECT_EQ(sched_getaffinity(helper, sizeof(mask), &mask), 0);
    return CPU_COUNT(&mask);
  };
  sched_setaffinity(helper, sizeof(all_), &all_);
  const int other_task = 0;
  bool moves = false;
  for (int looks = 0; looks < 1000 && !moves; ++looks) {
    EXPECT_FALSE(MoveStalledHelpersHere(&other_task));
    moves = MoveStalledHelpersHere(&task);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_TRUE(moves);
  EXPECT_TRUE(MayUseThisCore(helper));
  EXPECT_EQ(cores(), 1);
  go_on.set_value();
  ended.get_future().wait();
  EXPECT_EQ(cores(), CPU_COUNT(&all_));
  leave.set_value();
  thread.join();
}

TEST_F(HelpersTest, AreNotMovedWhileTheyRun) {
  std::atomic<bool> ends{false};
  std::atomic<bool> begins{false};
  const int task = 0;
  std::thread thread([&] {
    sched_setaffinity(0, sizeof(all_), &all_);
    Placement placement;
    placement.HelpWith(&task);
    begins = true;
    while (!ends) {
    }
  });
  while (!begins) std::this_thread::yield();
  EXPECT_FALSE(MoveStalledHelpersHere(&task));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // long enough to run on a shared core
  EXPECT_FALSE(MoveStalledHelpersHere(&task));
  ends = true;
  thread.join();
}

}  // namespace
}  // namespace portacl::parallel
