// SPDX-License-Identifier: Apache-2.0
// One task in the queue of a stream.
#pragma once

#include <cstdint>

namespace portacl::streams {
class Stream;
}

namespace portacl {

struct TaskNote;

// Where and how a stream may run a task.
enum class TaskKind : uint8_t {
  kDevice,   // a kernel: runs through Device::Launch, on a worker or on the thread that synchronizes
  kControl,  // bookkeeping (event records) and copies: runs like a kernel, but opens no device memory by itself
  kHost,     // a client's function: only on a thread of the library
  kWait,     // Run() returns kParkStream until the awaited event has happened
};

// Returned by a kWait task: it has registered the stream with the object that will call Stream::Resume().
inline constexpr int32_t kParkStream = -1;

// A task is an intrusive list node, so queueing allocates nothing. The submitter owns it until Submit() returns 0; from
// then on the stream owns it until Finish(), which may run before Submit() returns.
class Task {
 public:
  explicit Task(TaskKind task_kind = TaskKind::kDevice) : kind(task_kind) {}
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  virtual int32_t Run() noexcept = 0;  // 0, or the asynchronous error that the next synchronization reports
  virtual void Finish() noexcept = 0;  // called exactly once, after Run() or Cancel(): releases the object

  // After a Run() that failed: the reason, for the report of the next synchronization. Null: there is nothing to add.
  virtual const char* Reason() const noexcept { return nullptr; }

  // For observers, before the task is submitted: its role, its name, and the memory that it reads and writes.
  virtual void Describe(TaskNote* note) const noexcept { static_cast<void>(note); }

  // Called instead of Run() when the stream drops its tasks. Must still signal what other streams wait for.
  virtual void Cancel() noexcept {}

  // For a kWait task whose Run() parked the stream: removes the registration. Returns true if it was still there, so
  // that no other thread will resume the stream.
  virtual bool Unpark() noexcept { return false; }

  // For a kWait task that parked the stream. `record_of`: the stream whose queued record it waits for; null: it waits
  // for another event, which may never happen. Returns false when the awaited event has happened.
  virtual bool Awaits(streams::Stream** record_of) const noexcept {
    *record_of = nullptr;
    return true;
  }

  Task* next = nullptr;
  const TaskKind kind;

 protected:
  ~Task() = default;
};

// A task runs at once in the calling thread when the stream is idle and the task is estimated to take at most this
// long: waking a sleeping worker costs 30 to 70 us, so that below about twice that nothing is gained by overlapping.
inline constexpr int64_t kInlineCostNs = 100'000;

}  // namespace portacl
