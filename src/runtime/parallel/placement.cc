// SPDX-License-Identifier: Apache-2.0
#include "runtime/parallel/placement.h"

#include <pthread.h>
#include <unistd.h>

#include <new>

#include "base/environment.h"

namespace portacl::parallel {
namespace {

constinit std::mutex g_placements_mutex;
constinit Placement* g_placements = nullptr;

// A sleeping helper needs 20 to 70 us where the system wakes it on an idle core.
constexpr auto kLongestAlone = std::chrono::microseconds(100);
constinit thread_local std::chrono::steady_clock::duration t_alone{};

// The core of the caller; negative where helpers are to stay.
int CoreOfCaller() noexcept {
  if (VariableInteger(Variable::kMoveHelpers, 0, 1, 1) == 0) return -1;
  const int core = sched_getcpu();
  return core < CPU_SETSIZE ? core : -1;
}

}  // namespace

Placement::Placement() noexcept : thread_(gettid()) {
  pthread_getcpuclockid(pthread_self(), &clock_);
  const std::scoped_lock lock(g_placements_mutex);
  next_ = g_placements;
  g_placements = this;
}

Placement::~Placement() {
  const std::scoped_lock lock(g_placements_mutex);
  Placement** link = &g_placements;
  while (*link != this) link = &(*link)->next_;
  *link = next_;
}

void Placement::HelpWith(const void* task) noexcept {
  const std::scoped_lock lock(mutex_);
  task_ = task;
  if (!is_restricted_) return;
  if (FindAllowed()) sched_setaffinity(thread_, sizeof(allowed_), &allowed_);
  is_restricted_ = false;
}

void Placement::KeepOff(int core) noexcept {
  const std::scoped_lock lock(mutex_);
  if ((is_restricted_ && kept_off_ == core) || !FindAllowed()) return;
  cpu_set_t others = allowed_;
  CPU_CLR(core, &others);
  if (CPU_COUNT(&others) != 0 && !CPU_EQUAL(&others, &allowed_)) Restrict(others, core);
}

bool Placement::MoveIfStalled(const void* task, int core) noexcept {
  const std::scoped_lock lock(mutex_);
  timespec time;
  if (task_ != task || clock_gettime(clock_, &time) != 0) return false;
  const bool is_stalled = time.tv_sec == last_.tv_sec && time.tv_nsec == last_.tv_nsec;
  last_ = time;
  if (!is_stalled || !FindAllowed() || !CPU_ISSET(core, &allowed_)) return false;
  cpu_set_t here;
  CPU_ZERO(&here);
  CPU_SET(core, &here);
  Restrict(here, -1);
  return true;
}

// Reads the cores that the process may use; they are set by its parent process or by a later change of the thread's
// affinity.
bool Placement::FindAllowed() noexcept {
  cpu_set_t now;
  if (sched_getaffinity(thread_, sizeof(now), &now) != 0) return false;
  if (!is_restricted_ || !CPU_EQUAL(&now, &given_)) allowed_ = now;
  return true;
}

void Placement::Restrict(const cpu_set_t& cores, int kept_off) noexcept {
  if (sched_setaffinity(thread_, sizeof(cores), &cores) != 0) return;
  given_ = cores;
  kept_off_ = kept_off;
  is_restricted_ = true;
}

void KeepHelpersOffThisCore() noexcept {
  const int core = CoreOfCaller();
  if (core < 0) return;
  const std::scoped_lock lock(g_placements_mutex);
  for (Placement* helper = g_placements; helper != nullptr; helper = helper->next_) helper->KeepOff(core);
}

bool MoveStalledHelpersHere(const void* task) noexcept {
  const int core = CoreOfCaller();
  if (core < 0) return false;
  bool any = false;
  const std::scoped_lock lock(g_placements_mutex);
  for (Placement* helper = g_placements; helper != nullptr; helper = helper->next_) {
    any |= helper->MoveIfStalled(task, core);
  }
  return any;
}

void ForgetPlacements() noexcept {
  new (&g_placements_mutex) std::mutex;
  g_placements = nullptr;
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
  if (t_alone < kLongestAlone) return;
  KeepHelpersOffThisCore();
  t_alone = {};
}

}  // namespace portacl::parallel
