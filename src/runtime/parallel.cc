// SPDX-License-Identifier: Apache-2.0
// ParallelFor on oneTBB. Each participating thread takes chunks, or runs of them, from one shared counter, so the
// caller never waits for a helper that has not started.
#include "runtime/parallel.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "runtime/device.h"
#include "runtime/float_mode.h"
#include "runtime/helpers.h"
#include "runtime/pause.h"

namespace portacl {
namespace {

// An arena admits as many threads as it has slots, and a caller that finds no slot would have to wait: every concurrent
// caller gets an arena of its own, with one slot reserved for it.
struct Arena {
  int width = 0;
  tbb::task_arena arena;
  Arena* next = nullptr;
};

std::atomic<int> g_width_of_test{0};

std::mutex g_arenas_mutex;
Arena* g_idle_arenas = nullptr;  // never destroyed: tasks may run until the very end of the process

// Once the threading library shuts down with the process, tasks run serially; those that are split right now are waited
// for, but not for ever: in a forked child nobody is left to finish them.
std::atomic<bool> g_process_ends{false};
std::atomic<int> g_split_tasks{0};

struct ProcessEnd {
  ~ProcessEnd() {
    g_process_ends.store(true);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (g_split_tasks.load() != 0 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  }
};
const ProcessEnd g_at_process_end;

class SplitTask {
 public:
  SplitTask() {
    g_split_tasks.fetch_add(1);
    admitted_ = !g_process_ends.load();
  }
  ~SplitTask() { g_split_tasks.fetch_sub(1); }
  SplitTask(const SplitTask&) = delete;
  SplitTask& operator=(const SplitTask&) = delete;
  bool admitted() const { return admitted_; }

 private:
  bool admitted_;
};

int WantedWidth() {
  const int wanted = g_width_of_test.load(std::memory_order_relaxed);
  return wanted == 0 ? CoresPerDevice() : wanted;
}

// What the threading library lets us have of that. Only for an admitted task: it must not be asked once it has shut
// down.
int AllowedWidth() {
  const size_t limit = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  return static_cast<int>(std::min(static_cast<size_t>(WantedWidth()), limit));
}

std::unique_ptr<Arena> TakeArena(int width) {
  std::unique_ptr<Arena> arena;
  {
    const std::scoped_lock lock(g_arenas_mutex);
    arena.reset(g_idle_arenas);
    if (arena != nullptr) g_idle_arenas = arena->next;
  }
  if (arena == nullptr) arena = std::make_unique<Arena>();
  if (arena->width != width) {
    if (arena->width != 0) arena->arena.terminate();
    arena->width = 0;
    arena->arena.initialize(width, 1);
    arena->width = width;
  }
  return arena;
}

void PutArena(std::unique_ptr<Arena> arena) noexcept {
  const std::scoped_lock lock(g_arenas_mutex);
  arena->next = g_idle_arenas;
  g_idle_arenas = arena.release();
}

struct Chunks {
  const int64_t count;
  void (*const body)(void*, int64_t, int64_t);
  void* const argument;
  const int64_t longest_run;
  int width = 1;
  std::atomic<int64_t> next{0};
  std::atomic<int64_t> done{0};
  std::atomic<bool> is_helped{false};
  const std::thread::id caller = std::this_thread::get_id();

  void Work() noexcept {
    const DefaultFloatMode mode;
    if (std::this_thread::get_id() != caller) {
      const Helping helping(this);
      is_helped.store(true, std::memory_order_relaxed);
      TakeChunks(nullptr);
    } else if (width == 1) {
      TakeChunks(nullptr);
    } else {
      ExpectedHelp help;
      TakeChunks(&help);
      WaitForHelpers();
    }
  }

 private:
  // A thread takes half of its share of what is left, down to one chunk, so that all end together however fast each is.
  void TakeChunks(ExpectedHelp* help) noexcept {
    for (;;) {
      const int64_t left = count - next.load(std::memory_order_relaxed);
      if (left <= 0) return;
      const int64_t share = width == 1 ? left : left / (2 * width);
      const int64_t run = std::clamp<int64_t>(share, 1, longest_run);
      const int64_t first = next.fetch_add(run, std::memory_order_relaxed);
      if (first >= count) return;
      const int64_t end = std::min(count, first + run);
      body(argument, first, end);
      done.fetch_add(end - first, std::memory_order_release);
      if (help != nullptr) help->Look(is_helped.load(std::memory_order_relaxed));
    }
  }

  // For what they have begun. Who lost its core goes on here.
  void WaitForHelpers() const noexcept {
    using Clock = std::chrono::steady_clock;
    static constexpr auto kLook = std::chrono::microseconds(50);
    while (!IsDone()) {
      for (const auto end = Clock::now() + kLook; Clock::now() < end;) {
        if (IsDone()) return;
        Pause();
      }
      std::this_thread::yield();
      if (MoveStalledHelpersHere(this)) std::this_thread::sleep_for(kLook);
    }
  }

  bool IsDone() const noexcept { return done.load(std::memory_order_acquire) == count; }
};

void Split(Chunks& chunks) {
  std::unique_ptr<Arena> arena = TakeArena(chunks.width);
  arena->arena.execute([&chunks] {
    const int threads = static_cast<int>(std::min<int64_t>(chunks.width, chunks.count));
    tbb::parallel_for(0, threads, [&chunks](int) { chunks.Work(); }, tbb::simple_partitioner());
  });
  PutArena(std::move(arena));
}

void Run(Chunks& work) noexcept {
  if (work.count > 1 && WantedWidth() > 1) {
    const SplitTask split;
    try {
      if (split.admitted()) work.width = AllowedWidth();
      if (work.width > 1) Split(work);
    } catch (...) {
      // The threading library is out of memory or threads: what nobody took is done below.
    }
  }
  if (work.next.load(std::memory_order_relaxed) < work.count) work.Work();
}

}  // namespace

inline namespace v1 {

void ParallelForRuns(int64_t chunks, void (*body)(void* argument, int64_t first, int64_t end),
                     void* argument) noexcept {
  Chunks work{chunks, body, argument, chunks};
  Run(work);
}

void ParallelFor(int64_t chunks, void (*body)(void* argument, int64_t chunk), void* argument) noexcept {
  struct Each {
    void (*body)(void*, int64_t);
    void* argument;
  } each{body, argument};
  const auto run = [](void* of_each, int64_t first, int64_t end) {
    const Each& task = *static_cast<const Each*>(of_each);
    for (int64_t chunk = first; chunk < end; ++chunk) task.body(task.argument, chunk);
  };
  Chunks work{chunks, run, &each, 1};  // they may differ in cost, so each is free until a thread begins it
  Run(work);
}

int ParallelWidth() noexcept {
  if (WantedWidth() == 1) return 1;
  const SplitTask split;
  return split.admitted() ? AllowedWidth() : 1;
}

}  // namespace v1

void SetParallelWidthForTest(int threads) {
  static tbb::global_control* limit = nullptr;
  delete limit;
  limit = threads == 0
              ? nullptr
              : new tbb::global_control(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(threads));
  g_width_of_test.store(threads, std::memory_order_relaxed);
}

}  // namespace portacl
