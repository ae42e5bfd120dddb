// SPDX-License-Identifier: Apache-2.0
#include "testing/thread_count.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "runtime/parallel/parallel.h"

namespace portacl::testing {
namespace {

struct Meeting {
  const size_t expected;
  std::mutex mutex;
  std::condition_variable all_here;
  std::set<std::thread::id> threads;
};

// Each chunk waits until all threads have arrived, so that no thread can take two.
void Arrive(void* argument, int64_t) {
  Meeting& meeting = *static_cast<Meeting*>(argument);
  std::unique_lock lock(meeting.mutex);
  meeting.threads.insert(std::this_thread::get_id());
  meeting.all_here.notify_all();
  meeting.all_here.wait_for(lock, std::chrono::seconds(60), [&] { return meeting.threads.size() == meeting.expected; });
}

}  // namespace

ThreadCount::ThreadCount(int threads) {
  parallel::SetWidthForTest(threads);
  EXPECT_EQ(parallel::Width(), threads);
  Meeting meeting{static_cast<size_t>(threads), {}, {}, {}};
  parallel::For(threads, Arrive, &meeting);
  EXPECT_EQ(meeting.threads.size(), meeting.expected) << "threads that took part";
}

ThreadCount::~ThreadCount() { parallel::SetWidthForTest(0); }

}  // namespace portacl::testing
