// SPDX-License-Identifier: Apache-2.0
#include "runtime/parallel.h"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "runtime/float_mode.h"

namespace portacl {
namespace {

constexpr int kThreads = 8;

// More threads than a small machine has: both limits are raised before the library first looks.
class ParallelTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("PORTACL_NUM_THREADS", "8", 1);
    static tbb::global_control limit(tbb::global_control::max_allowed_parallelism, kThreads);
  }
};

template <class Body>
void For(int64_t chunks, Body body) {
  ParallelFor(chunks, [](void* argument, int64_t chunk) { (*static_cast<Body*>(argument))(chunk); }, &body);
}

TEST_F(ParallelTest, RunsEveryChunkOnce) {
  EXPECT_EQ(ParallelWidth(), kThreads);
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
  // Each chunk waits until eight threads have met, so nobody can take two before that.
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
  const tbb::global_control three(tbb::global_control::max_allowed_parallelism, 3);
  EXPECT_EQ(ParallelWidth(), 3);
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
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        For(10, [&](int64_t) { For(5, [&](int64_t chunk) { sum += chunk; }); });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum.load(), 6 * 50 * 10 * 10);
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
  // Helper threads that start now inherit the odd mode.
  For(64, [&](int64_t) {
    if ((ReadFloatControl() & kFloatControlBits) != kDefaultFloatControl) ++wrong;
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  });
  const FloatControl after = ReadFloatControl();
  WriteFloatControl(before);
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(after & kFloatControlBits, odd & kFloatControlBits);
}

}  // namespace
}  // namespace portacl
