// SPDX-License-Identifier: Apache-2.0
// Each participating thread takes chunks, or runs of chunks, from one shared counter, so the caller never waits for a
// helper that has not started.
//
// The library has its own threads instead of those of oneTBB. Threads of oneTBB also execute other tasks of the process
// and take the client's signals. In a forked child they are dead without oneTBB noticing. They load a library while
// another thread may hold the loader's lock, and after a failed allocation their next use never returns.
#include "runtime/parallel/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/float_mode.h"
#include "base/no_cancel.h"
#include "runtime/parallel/helpers.h"
#include "runtime/parallel/placement.h"
#include "runtime/parallel/threads.h"

namespace portacl::parallel {
namespace {

std::atomic<int> g_width_of_test{0};

// Sleeping helpers need 20 to 100 us, and calling them takes 10 us of the caller's time. So they are not called for a
// single short task, but only for one that directly follows others which together took this long.
constexpr std::chrono::microseconds kAlone{30};

// The time that a thread has worked alone while helpers slept.
struct Unhelped {
  std::chrono::steady_clock::time_point end;
  std::chrono::steady_clock::duration time;
};
constinit thread_local Unhelped t_unhelped{};

class Chunks final : public SharedTask {
 public:
  using Body = void (*)(void* argument, int64_t first, int64_t end);

  Chunks(int64_t count, Body body, void* argument, int64_t longest_run)
      : count_(count), body_(body), argument_(argument), longest_run_(longest_run) {}
  ~Chunks() = default;

  void Run() noexcept {
    const DefaultFloatMode mode;
    width_ = static_cast<int>(std::min<int64_t>(Width(), count_));
    if (width_ <= 1) return TakeChunks(nullptr);
    if (t_is_short && !HelpersAreAwake() && EndsAlone()) return;
    Open(width_ - 1);
    ExpectedHelp help;
    TakeChunks(&help);
    Close();
    WaitForHelpers();
  }

 private:
  void Help() noexcept override {
    const DefaultFloatMode mode;
    TakeChunks(nullptr);
  }
  bool HasParts() const noexcept override { return next_.load(std::memory_order_relaxed) < count_; }

  // A thread takes half of its share of the remaining chunks, at least one, so that all threads end together whatever
  // their speed.
  void TakeChunks(ExpectedHelp* help) noexcept {
    for (;;) {
      const int64_t left = count_ - next_.load(std::memory_order_relaxed);
      if (left <= 0) return;
      const int64_t share = width_ <= 1 ? left : left / (2 * width_);
      const int64_t run = std::clamp<int64_t>(share, 1, longest_run_);
      const int64_t first = next_.fetch_add(run, std::memory_order_relaxed);
      if (first >= count_) return;
      body_(argument_, first, std::min(count_, first + run));
      if (help != nullptr) help->Look(IsHelped());
    }
  }

  bool EndsAlone() noexcept {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    if (begin - t_unhelped.end > kAlone) t_unhelped.time = {};
    if (t_unhelped.time >= kAlone) return false;
    width_ = 1;
    TakeChunks(nullptr);
    const auto end = Clock::now();
    t_unhelped = {end, t_unhelped.time + (end - begin)};
    return true;
  }

  // Waits for the chunks that helpers have begun. Helpers that were preempted elsewhere are moved to this core.
  void WaitForHelpers() const noexcept {
    using Clock = std::chrono::steady_clock;
    static constexpr auto kLook = std::chrono::microseconds(50);
    const NoCancel no_cancel;
    while (!IsLeft()) {
      for (const auto end = Clock::now() + kLook; Clock::now() < end;) {
        if (IsLeft()) return;
        Pause();
      }
      std::this_thread::yield();
      if (MoveStalledHelpersHere(this)) std::this_thread::sleep_for(kLook);
    }
  }

  const int64_t count_;
  const Body body_;
  void* const argument_;
  const int64_t longest_run_;
  int width_ = 1;
  std::atomic<int64_t> next_{0};
};

}  // namespace

PORTACL_HOT_THREAD_LOCAL constinit thread_local bool t_is_short = false;

inline namespace v1 {

void ForRuns(int64_t chunks, void (*body)(void* argument, int64_t first, int64_t end), void* argument) noexcept {
  Chunks(chunks, body, argument, chunks).Run();
}

void For(int64_t chunks, void (*body)(void* argument, int64_t chunk), void* argument) noexcept {
  struct Each {
    void (*body)(void*, int64_t);
    void* argument;
  } each{body, argument};
  const auto run = [](void* of_each, int64_t first, int64_t end) {
    const Each& task = *static_cast<const Each*>(of_each);
    for (int64_t chunk = first; chunk < end; ++chunk) task.body(task.argument, chunk);
  };
  Chunks(chunks, run, &each, 1).Run();  // the costs of chunks may differ, so a thread takes one chunk at a time
}

int Width() noexcept {
  const int width = g_width_of_test.load(std::memory_order_relaxed);
  return width == 0 ? CoresPerDevice() : width;
}

}  // namespace v1

void SetWidthForTest(int threads) { g_width_of_test.store(threads, std::memory_order_relaxed); }

}  // namespace portacl::parallel
