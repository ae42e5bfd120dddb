// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/wait_monitor.h"

#include <new>

#include "base/never_destroyed.h"
#include "runtime/arguments.h"
#include "runtime/memory/pool.h"
#include "runtime/parallel/threads.h"

namespace portacl::events {
namespace {

// Memory gives no notification when it changes, so it is polled.
constexpr std::chrono::microseconds kLookEvery{200};

}  // namespace

bool LiesInLiveBlock(const void* address) noexcept {
  memory::Block block;
  return memory::FindBlock(address, &block) &&
         block.usable - (reinterpret_cast<uintptr_t>(address) - block.begin) >= sizeof(uint64_t);
}

int32_t WaitMonitor::Start(const char* function) noexcept {
  {
    const std::scoped_lock lock(mutex_);
    if (!started_) started_ = parallel::StartBackgroundThread(&WaitMonitor::Main, this);
    if (started_) return 0;
  }
  return Failf(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL,
               "{}: cannot start the timeout thread: the system refused a thread (ulimit -u limits them)", function);
}

// Searches from the end of the list: a later wait usually ends later.
void WaitMonitor::SetAlarm(Alarm* alarm) noexcept {
  {
    const std::scoped_lock lock(mutex_);
    Alarm* before = last_;
    while (before != nullptr && before->when > alarm->when) before = before->previous;
    alarm->previous = before;
    alarm->next = before == nullptr ? first_ : before->next;
    (before == nullptr ? first_ : before->next) = alarm;
    (alarm->next == nullptr ? last_ : alarm->next->previous) = alarm;
  }
  changed_.notify_one();
}

void WaitMonitor::DropAlarm(Alarm* alarm) noexcept {
  const std::scoped_lock lock(mutex_);
  if (alarm->stream != nullptr) Unlink(alarm);
}

void WaitMonitor::Unlink(Alarm* alarm) noexcept {
  (alarm->previous == nullptr ? first_ : alarm->previous->next) = alarm->next;
  (alarm->next == nullptr ? last_ : alarm->next->previous) = alarm->previous;
  alarm->stream = nullptr;
}

WaitMonitor::Found WaitMonitor::Await(WatchedValue* value) noexcept {
  memory::SetFreedBlocksListener(&WaitMonitor::EndDeadWaits);
  readers_.fetch_add(1, std::memory_order_relaxed);
  memory::OrderWithFreedBlocks();
  Found found = Found::kNoMemory;
  {
    const std::scoped_lock lock(mutex_);
    if (!value->lost && LiesInLiveBlock(value->address))
      found = value->Satisfied() ? Found::kSatisfied : Found::kNotYet;
    if (found == Found::kNotYet) {
      values_.Add(value);
    } else {
      readers_.fetch_sub(1, std::memory_order_relaxed);
    }
  }
  if (found == Found::kNotYet) changed_.notify_one();
  return found;
}

bool WaitMonitor::Remove(const WatchedValue* value) noexcept {
  const std::scoped_lock lock(mutex_);
  return !Take([value](const WatchedValue& each) { return &each == value; }).IsEmpty();
}

void WaitMonitor::Look() noexcept {
  Values satisfied;
  {
    const std::scoped_lock lock(mutex_);
    satisfied = TakeSatisfied();
  }
  satisfied.ResumeAll();
}

void WaitMonitor::EndDeadWaits() noexcept {
  if (readers_.load(std::memory_order_relaxed) == 0) return;
  WaitMonitor& watch = TheWaitMonitor();
  Values lost;
  {
    const std::scoped_lock lock(watch.mutex_);
    lost = watch.Take([](WatchedValue& value) { return value.lost = !LiesInLiveBlock(value.address); });
  }
  lost.ResumeAll();
}

template <class Condition>
WaitMonitor::Values WaitMonitor::Take(Condition&& holds) noexcept {
  return values_.TakeIf([&holds](WatchedValue& value) {
    if (!holds(value)) return false;
    readers_.fetch_sub(1, std::memory_order_relaxed);
    return true;
  });
}

WaitMonitor::Values WaitMonitor::TakeSatisfied() noexcept {
  return Take([](const WatchedValue& value) { return value.Satisfied(); });
}

void* WaitMonitor::Main(void* watch) noexcept { static_cast<WaitMonitor*>(watch)->Run(); }

void WaitMonitor::Run() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto now = std::chrono::steady_clock::now();
    if (first_ != nullptr && first_->when <= now) {
      // After the lock is released, the alarm and the wait may be gone.
      streams::Stream* const stream = first_->stream;
      const uint64_t index = first_->index;
      Unlink(first_);
      lock.unlock();
      stream->EndWait(index);
      lock.lock();
      continue;
    }
    if (Values satisfied = TakeSatisfied(); !satisfied.IsEmpty()) {
      lock.unlock();
      satisfied.ResumeAll();
      lock.lock();
      continue;
    }
    if (!values_.IsEmpty()) {
      changed_.wait_for(lock, kLookEvery);
    } else if (first_ != nullptr) {
      const auto until = first_->when;
      changed_.wait_until(lock, until);
    } else {
      changed_.wait(lock);
    }
  }
}

// Never destroyed: its thread lives until the process ends.
WaitMonitor& TheWaitMonitor() noexcept {
  static NeverDestroyed<WaitMonitor> watch;
  return *watch;
}

void ForgetWaitMonitor() noexcept {
  new (&TheWaitMonitor()) WaitMonitor;
  WaitMonitor::readers_.store(0, std::memory_order_relaxed);
}

}  // namespace portacl::events
