// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/notify.h"
#include "base/observer.h"

#include <new>

#include "runtime/arguments.h"

namespace portacl::events {

constinit NotifyTable g_notifies;
constinit CountingNotifyTable g_counting_notifies;

namespace {

uint32_t Changed(uint32_t value, const NotifyChange& change) noexcept {
  switch (change.mode) {
    case ACL_RT_CNT_NOTIFY_RECORD_ADD_MODE:
      return value + change.value;
    case ACL_RT_CNT_NOTIFY_RECORD_BIT_OR_MODE:
      return value | change.value;
    case ACL_RT_CNT_NOTIFY_RECORD_BIT_AND_MODE:
      return value & change.value;
    default:
      return change.value;
  }
}

bool Reached(uint32_t value, const NotifyGoal& goal) noexcept {
  switch (goal.mode) {
    case ACL_RT_CNT_NOTIFY_WAIT_LESS_MODE:
      return value < goal.value;
    case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_MODE:
      return value > goal.value;
    case ACL_RT_CNT_NOTIFY_WAIT_BIGGER_OR_EQUAL_MODE:
      return value >= goal.value;
    case ACL_RT_CNT_NOTIFY_WAIT_EQUAL_WITH_BITMASK_MODE:
      return (value & goal.value) == goal.value;
    default:
      return value == goal.value;
  }
}

class ChangeTask final : public Task {
 public:
  ChangeTask(NotifyState* state, const NotifyChange& change)
      : Task(TaskKind::kControl), state_(state), change_(change) {
    state_->Retain();
  }

  int32_t Run() noexcept override {
    state_->Change(change_);
    return 0;
  }
  void Describe(TaskNote* note) const noexcept override {
    note->role = TaskRole::kRecord;
    note->name = "notify record";
  }
  void Finish() noexcept override {
    state_->Drop();
    delete this;
  }

 private:
  ~ChangeTask() = default;

  NotifyState* const state_;
  const NotifyChange change_;
};

class NotifyWait final : public Task {
 public:
  NotifyWait(NotifyState* state, streams::Stream* stream, const NotifyGoal& goal, uint32_t limit_s)
      : Task(TaskKind::kWait), state_(state), goal_(goal), parked_{stream}, limit_(limit_s) {
    state_->Retain();
  }

  int32_t Run() noexcept override {
    if (state_->TakeOrPark(goal_, &parked_)) return 0;
    limit_.Arm(parked_.stream);
    return kParkStream;
  }
  bool Unpark() noexcept override { return state_->Withdraw(&parked_); }
  void Describe(TaskNote* note) const noexcept override {
    note->role = TaskRole::kWait;
    note->name = "notify wait";
  }
  void Finish() noexcept override {
    state_->Drop();
    delete this;
  }

 private:
  ~NotifyWait() = default;

  NotifyState* const state_;
  const NotifyGoal goal_;
  ParkedStream parked_;
  WaitLimit limit_;
};

}  // namespace

void NotifyState::Change(const NotifyChange& change) noexcept {
  ParkedStreams<ParkedStream> parked;
  {
    const std::scoped_lock lock(mutex_);
    value_ = Changed(value_, change);
    parked = parked_.TakeAll();
  }
  parked.ResumeAll();
}

bool NotifyState::TakeOrPark(const NotifyGoal& goal, ParkedStream* parked) noexcept {
  const std::scoped_lock lock(mutex_);
  if (Reached(value_, goal)) {
    if (goal.clears) value_ = 0;
    return true;
  }
  parked_.Add(parked);
  return false;
}

bool NotifyState::Withdraw(const ParkedStream* parked) noexcept {
  const std::scoped_lock lock(mutex_);
  return parked_.Remove(parked);
}

int32_t QueueChange(const char* function, NotifyState* state, streams::Stream* on,
                    const NotifyChange& change) noexcept {
  return streams::SubmitNew(function, *on, new (std::nothrow) ChangeTask(state, change), 0);
}

int32_t QueueWait(const char* function, NotifyState* state, streams::Stream* on, const NotifyGoal& goal,
                  uint32_t limit_s) noexcept {
  if (limit_s != 0) {
    const int32_t status = TheWaitMonitor().Start(function);
    if (status != 0) return status;
  }
  return streams::SubmitNew(function, *on, new (std::nothrow) NotifyWait(state, on, goal, limit_s), 0);
}

}  // namespace portacl::events
