// SPDX-License-Identifier: Apache-2.0
#include "runtime/helpers.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <mutex>
#include <vector>

namespace portacl {
namespace {

class Helper;

std::mutex g_helpers_mutex;
auto& g_helpers = *new std::vector<Helper*>;  // never destroyed: helpers may end after static objects

// A thread, and where it may run.
class Helper {
 public:
  Helper() {
    if (pthread_getcpuclockid(pthread_self(), &clock_) != 0) return;
    const std::scoped_lock lock(g_helpers_mutex);
    g_helpers.push_back(this);
  }
  ~Helper() {
    const std::scoped_lock lock(g_helpers_mutex);
    std::erase(g_helpers, this);
  }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  void HelpWith(const void* task) {
    const std::scoped_lock lock(mutex_);
    task_ = task;
    if (!is_restricted_) return;
    if (FindAllowed()) sched_setaffinity(thread_, sizeof(allowed_), &allowed_);
    is_restricted_ = false;
  }

  void KeepOff(int core) {
    const std::scoped_lock lock(mutex_);
    if ((is_restricted_ && kept_off_ == core) || !FindAllowed()) return;
    cpu_set_t others = allowed_;
    CPU_CLR(core, &others);
    if (CPU_COUNT(&others) != 0 && !CPU_EQUAL(&others, &allowed_)) Restrict(others, core);
  }

  bool MoveIfStalled(const void* task, int core) {
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

 private:
  // Where whoever started the process, or set the thread's affinity later, lets it run.
  bool FindAllowed() {
    cpu_set_t now;
    if (sched_getaffinity(thread_, sizeof(now), &now) != 0) return false;
    if (!is_restricted_ || !CPU_EQUAL(&now, &given_)) allowed_ = now;
    return true;
  }
  void Restrict(const cpu_set_t& cores, int kept_off) {
    if (sched_setaffinity(thread_, sizeof(cores), &cores) != 0) return;
    given_ = cores;
    kept_off_ = kept_off;
    is_restricted_ = true;
  }

  std::mutex mutex_;  // of what follows, which other threads read and change
  const pid_t thread_ = gettid();
  clockid_t clock_ = {};  // of the time that the thread has run
  timespec last_ = {};
  const void* task_ = nullptr;
  bool is_restricted_ = false;
  cpu_set_t allowed_ = {};
  cpu_set_t given_ = {};
  int kept_off_ = -1;
};

thread_local Helper* t_helper = nullptr;

Helper* ThisHelper() noexcept {
  try {
    thread_local Helper helper;
    return &helper;
  } catch (...) {
    return nullptr;  // without memory the thread helps from wherever it runs
  }
}

// A helper that sleeps is there after 20 to 70 us, where the system wakes it on an idle core.
constexpr auto kPatience = std::chrono::microseconds(100);
thread_local std::chrono::steady_clock::duration t_alone{};

int ThisCore() noexcept {
  const int core = sched_getcpu();
  return core < CPU_SETSIZE ? core : -1;
}

}  // namespace

Helping::Helping(const void* task) noexcept {
  t_helper = ThisHelper();
  if (t_helper != nullptr) t_helper->HelpWith(task);
}

Helping::~Helping() {
  if (t_helper != nullptr) t_helper->HelpWith(nullptr);
}

void KeepHelpersOffThisCore() noexcept {
  const int core = ThisCore();
  if (core < 0) return;
  const std::scoped_lock lock(g_helpers_mutex);
  for (Helper* const helper : g_helpers) helper->KeepOff(core);
}

bool MoveStalledHelpersHere(const void* task) noexcept {
  const int core = ThisCore();
  if (core < 0) return false;
  bool any = false;
  const std::scoped_lock lock(g_helpers_mutex);
  for (Helper* const helper : g_helpers) any |= helper->MoveIfStalled(task, core);
  return any;
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
