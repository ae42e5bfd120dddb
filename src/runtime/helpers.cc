// SPDX-License-Identifier: Apache-2.0
#include "runtime/helpers.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <vector>

namespace portacl {
namespace {

struct Helper {
  pid_t thread = 0;
  cpu_set_t allowed = {};  // by whoever started the process, or set the thread's affinity later
  cpu_set_t given = {};    // what is left of that
};

std::mutex g_helpers_mutex;
auto& g_helpers = *new std::vector<Helper>;  // never destroyed: helpers may end after static objects

class Membership {
 public:
  Membership() {
    Helper helper{.thread = gettid()};
    if (sched_getaffinity(helper.thread, sizeof(helper.allowed), &helper.allowed) != 0) return;
    helper.given = helper.allowed;
    const std::scoped_lock lock(g_helpers_mutex);
    g_helpers.push_back(helper);
  }
  ~Membership() {
    const std::scoped_lock lock(g_helpers_mutex);
    std::erase_if(g_helpers, [this](const Helper& helper) { return helper.thread == thread_; });
  }
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

 private:
  const pid_t thread_ = gettid();
};

// A helper that sleeps is there after 20 to 70 us, where the system wakes it on an idle core.
constexpr auto kPatience = std::chrono::microseconds(100);
thread_local std::chrono::steady_clock::duration t_alone{};

void KeepOff(Helper& helper, int core) {
  cpu_set_t now;
  if (sched_getaffinity(helper.thread, sizeof(now), &now) != 0) return;
  if (!CPU_EQUAL(&now, &helper.given)) helper.allowed = now;
  cpu_set_t wanted = helper.allowed;
  CPU_CLR(core, &wanted);
  if (CPU_COUNT(&wanted) == 0 || CPU_EQUAL(&wanted, &now)) return;
  if (sched_setaffinity(helper.thread, sizeof(wanted), &wanted) == 0) helper.given = wanted;
}

}  // namespace

void JoinHelpers() noexcept {
  try {
    thread_local const Membership membership;
  } catch (...) {
    // Without memory the thread helps from wherever it runs.
  }
}

void KeepHelpersOffThisCore() noexcept {
  const int core = sched_getcpu();
  if (core < 0 || core >= CPU_SETSIZE) return;
  const std::scoped_lock lock(g_helpers_mutex);
  for (Helper& helper : g_helpers) KeepOff(helper, core);
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
