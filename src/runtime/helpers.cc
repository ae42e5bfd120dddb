// SPDX-License-Identifier: Apache-2.0
#include "runtime/helpers.h"

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <vector>

namespace portacl {
namespace {

class Helper;

std::mutex g_helpers_mutex;
auto& g_helpers = *new std::vector<Helper*>;  // never destroyed: helpers may end after static objects

class Helper {
 public:
  Helper() {
    if (sched_getaffinity(thread_, sizeof(allowed_), &allowed_) != 0) return;
    const std::scoped_lock lock(g_helpers_mutex);
    g_helpers.push_back(this);
  }
  ~Helper() {
    const std::scoped_lock lock(g_helpers_mutex);
    std::erase(g_helpers, this);
  }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  // The lock is held.
  void KeepOff(int core) {
    cpu_set_t now;
    if (is_kept_off_.load() && core == core_) return;
    if (sched_getaffinity(thread_, sizeof(now), &now) != 0) return;
    if (!is_kept_off_.load() || !CPU_EQUAL(&now, &given_)) allowed_ = now;
    given_ = allowed_;
    CPU_CLR(core, &given_);
    if (CPU_COUNT(&given_) == 0 || CPU_EQUAL(&given_, &now)) return;
    if (sched_setaffinity(thread_, sizeof(given_), &given_) != 0) return;
    core_ = core;
    is_kept_off_.store(true);
  }
  // In the helper's thread.
  void Return() {
    if (!is_kept_off_.load(std::memory_order_relaxed)) return;
    const std::scoped_lock lock(g_helpers_mutex);
    cpu_set_t now;
    const bool is_ours = sched_getaffinity(thread_, sizeof(now), &now) == 0 && CPU_EQUAL(&now, &given_);
    if (is_ours) sched_setaffinity(thread_, sizeof(allowed_), &allowed_);
    is_kept_off_.store(false);
  }

 private:
  const pid_t thread_ = gettid();
  cpu_set_t allowed_ = {};  // by whoever started the process, or set the thread's affinity later
  cpu_set_t given_ = {};    // what is left of that while it is kept off `core_`
  int core_ = 0;
  std::atomic<bool> is_kept_off_{false};
};

// A helper that sleeps is there after 20 to 70 us, where the system wakes it on an idle core.
constexpr auto kPatience = std::chrono::microseconds(100);
thread_local std::chrono::steady_clock::duration t_alone{};

}  // namespace

void JoinHelpers() noexcept {
  try {
    thread_local Helper helper;
    helper.Return();
  } catch (...) {
    // Without memory the thread helps from wherever it runs.
  }
}

void KeepHelpersOffThisCore() noexcept {
  const int core = sched_getcpu();
  if (core < 0 || core >= CPU_SETSIZE) return;
  const std::scoped_lock lock(g_helpers_mutex);
  for (Helper* const helper : g_helpers) helper->KeepOff(core);
}

ExpectedHelp::ExpectedHelp(bool is_expected) : is_expected_(is_expected) {
  if (is_expected_) begin_ = Clock::now();
}

void ExpectedHelp::LookAtClock(bool has_come) noexcept {
  if (has_come) {
    is_expected_ = false;
    t_alone = {};
    return;
  }
  const Clock::time_point now = Clock::now();
  t_alone += now - begin_;
  begin_ = now;
  if (t_alone < kPatience) return;
  KeepHelpersOffThisCore();
  t_alone = {};
}

}  // namespace portacl
